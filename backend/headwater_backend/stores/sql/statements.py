"""All SQL of the ports, with that of small records. Every text is a constant; values are parameters."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import (
    AuditStatements,
    CurrentStatements,
    DeadLetterStatements,
    Statements,
)
from headwater_backend.stores.sql.catalog import CATALOG
from headwater_backend.stores.sql.gaps import ASKED, GAPS
from headwater_backend.stores.sql.layouts import LAYOUTS
from headwater_backend.stores.sql.names import NAMES_AND_STATES
from headwater_backend.stores.sql.pruning import PRUNING
from headwater_backend.stores.sql.runs import RUNS
from headwater_backend.stores.sql.use import USE

# What is read of observations o, as ``observed.Observed``, with their versions and runs.
_SEEN: Final = """
SELECT o.slot, o.run, o.version, v.rank, o.static, o.first, o.last, o.keeps, r.completed,
       coalesce(min(r.failed, r.aborted), r.failed, r.aborted), r.first, o.known, o.who, r.settled, r.refuted,
       o.conditions
"""
_OF_IT: Final = """
JOIN version v ON v.key = o.version
LEFT JOIN run r ON r.key = o.run
"""
_OF_SLOTS: Final = "FROM json_each(:slots) f CROSS JOIN observation o ON o.slot = f.value"
# What no run with any standing kept is not sought for each version.
_NEWEST: Final = """
WITH newest (slot, run) AS (
    SELECT f.value, (
        SELECT n.run FROM observation n WHERE n.slot = f.value AND n.keeps = 0 AND n.standing IS NOT NULL
        ORDER BY n.standing DESC, n.reported DESC, n.run DESC LIMIT 1
    )
    FROM json_each(:slots) f
    UNION
    SELECT f.value, (
        SELECT n.run FROM observation n WHERE n.version = v.key AND n.keeps = 1 AND n.standing IS NOT NULL
        ORDER BY n.standing DESC, n.reported DESC, n.run DESC LIMIT 1
    )
    FROM json_each(:slots) f CROSS JOIN version v ON v.slot = f.value
    WHERE EXISTS (SELECT 1 FROM observation n WHERE n.slot = f.value AND n.keeps = 1 AND n.standing IS NOT NULL)
    UNION
    SELECT n.slot, n.run FROM json_each(:slots) f
    CROSS JOIN observation n INDEXED BY observation_late ON n.slot = f.value AND n.late = 1
)
"""
_OF_NEWEST: Final = "FROM newest n CROSS JOIN observation o ON o.slot = n.slot AND o.run = n.run"
_OF_RUNS: Final = "FROM json_each(:runs) f CROSS JOIN observation o ON o.run = f.value"
_KEEP_BESIDE: Final = """
UPDATE observation SET standing = :standing, reported = :reported, keeps = :keeps, late = :late
WHERE slot = :slot AND run = :run AND version = :version
"""
_SLOTS_OF_RUNS: Final = """
SELECT DISTINCT o.slot FROM json_each(:runs) f CROSS JOIN observation o ON o.run = f.value ORDER BY o.slot
"""
_LOCKED: Final = """
SELECT f.value, c.version, c.run, c.cleared, c.cleared_by
FROM json_each(:slots) f LEFT JOIN chosen c ON c.slot = f.value
"""
_CHOOSE: Final = """
INSERT INTO chosen (slot, version, run, cleared, cleared_by) VALUES (:slot, :version, :run, :cleared, :cleared_by)
ON CONFLICT (slot, version) DO UPDATE
SET run = excluded.run, cleared = excluded.cleared, cleared_by = excluded.cleared_by
"""
_EDGES_OF: Final = """
SELECT v.key, s.key, t.key, w.transformations
FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value CROSS JOIN edge e ON e.version = v.id
JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target JOIN way w ON w.id = e.way
"""
_REPORTED_UNDER: Final = """
SELECT DISTINCT o.version, o.slot, o.conditions, o.who
FROM json_each(:versions) f CROSS JOIN observation o ON o.version = f.value
"""
_CONDITIONS: Final = """
SELECT c.digest, c.body FROM json_each(:digests) f CROSS JOIN conditions c ON c.digest = f.value
"""
_WITH_UNLISTED: Final = (
    "SELECT v.key FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value WHERE v.untold"
)
_DECIDING: Final = """
SELECT s.output, s.job, c.version, c.run, c.cleared, c.cleared_by
FROM asked CROSS JOIN slot s ON s.output = asked.key CROSS JOIN chosen c ON c.slot = s.key
"""
_TRACED: Final = """
SELECT s.output, s.job, c.version
FROM asked CROSS JOIN slot s ON s.output = asked.key CROSS JOIN chosen c ON c.slot = s.key
CROSS JOIN version v ON v.key = c.version WHERE v.rank > 0
"""
_ALL_CLEARED: Final = """
SELECT s.output, s.job, c.cleared, c.cleared_by
FROM chosen c CROSS JOIN slot s ON s.key = c.slot WHERE c.cleared IS NOT NULL
"""
_MARK_EDGES: Final = """
UPDATE edge SET current = :current WHERE version = (SELECT id FROM version WHERE key = :version)
"""
_SLOTS_AMONG: Final = "SELECT s.key, s.job, s.output FROM asked CROSS JOIN slot s ON s.output = asked.key"
_SLOTS_UNLISTED: Final = """
SELECT s.key, s.job, s.output
FROM (SELECT DISTINCT v.slot FROM version v WHERE v.untold) v JOIN slot s ON s.key = v.slot
"""

_END: Final = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1"
_ENTRIES: Final = "SELECT * FROM audit WHERE number > :after ORDER BY number LIMIT :first"
_APPEND: Final = """
INSERT INTO audit (number, time, actor, action, result, request, details, previous, hash)
VALUES (:number, :time, :actor, :action, :result, :request, :details, :previous, :hash)
"""

_KEEP: Final = """
INSERT INTO dead_letter (key, received, origin, code, pointer, detail, body, sender, about)
VALUES (:key, :received, :origin, :code, :pointer, :detail, :body, :sender, :about)
ON CONFLICT (key) DO UPDATE
SET code = excluded.code, pointer = excluded.pointer, detail = excluded.detail, about = excluded.about
"""
_ONE: Final = (
    "SELECT key, received, origin, code, pointer, detail, body, sender FROM dead_letter WHERE key = :key"
)
_PAGE: Final = """
SELECT key, received, origin, code, pointer, detail, about FROM dead_letter
WHERE :key IS NULL OR (received, key) > (:received, :key)
ORDER BY received, key LIMIT :count
"""

STATEMENTS: Final = Statements(
    catalog=CATALOG,
    runs=RUNS,
    use=USE,
    gaps=GAPS,
    names=NAMES_AND_STATES,
    layouts=LAYOUTS,
    pruning=PRUNING,
    current=CurrentStatements(
        slots="SELECT key, job, output FROM slot",
        slots_among=ASKED + _SLOTS_AMONG,
        slots_unlisted=_SLOTS_UNLISTED,
        observed=_SEEN + _OF_SLOTS + _OF_IT,
        newest=_NEWEST + _SEEN + _OF_NEWEST + _OF_IT,
        of_runs=_SEEN + _OF_RUNS + _OF_IT,
        keep=_KEEP_BESIDE,
        slots_of_runs=_SLOTS_OF_RUNS,
        locked=_LOCKED,
        unchoose="DELETE FROM chosen WHERE slot = :slot AND version = :version",
        choose=_CHOOSE,
        mark_edges=_MARK_EDGES,
        edges_of=_EDGES_OF,
        reported_under=_REPORTED_UNDER,
        conditions=_CONDITIONS,
        with_unlisted=_WITH_UNLISTED,
        deciding=ASKED + _DECIDING,
        traced=ASKED + _TRACED,
        all_cleared=_ALL_CLEARED,
    ),
    audit=AuditStatements(
        end=_END,
        locked_end=_END,
        append=_APPEND,
        of_action="SELECT * FROM audit WHERE action = :action ORDER BY number",
        page=_ENTRIES,
    ),
    dead_letters=DeadLetterStatements(
        keep=_KEEP,
        places="SELECT received, key FROM dead_letter",
        forget="DELETE FROM dead_letter WHERE key IN (SELECT value FROM json_each(:keys))",
        one=_ONE,
        page=_PAGE,
    ),
)
ANY_TEXT: Final = frozenset({_END, _ENTRIES})
"""Statements that read text even where somebody left bytes that are no UTF-8: a changed entry has to be found."""
