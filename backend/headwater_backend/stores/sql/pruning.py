"""The SQL of pruning."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import PruningStatements
from headwater_backend.stores.sql.names import OUTCOME

_CANDIDATES: Final = """
SELECT r.key FROM run r WHERE r.last < :before AND r.key > :after
AND NOT EXISTS (SELECT 1 FROM observation o JOIN chosen c ON c.slot = o.slot WHERE o.run = r.key AND c.run = r.key)
ORDER BY r.key LIMIT :count
"""
_NEWEST_OF_JOBS: Final = """
WITH newest (job, first) AS (
    SELECT job, max(first) FROM run
    WHERE job IN (SELECT r.job FROM json_each(:runs) f CROSS JOIN run r ON r.key = f.value) GROUP BY job
)
SELECT r.key, r.job, r.first FROM newest n CROSS JOIN run r ON r.job = n.job AND r.first = n.first
"""
_LAST_READS: Final = """
WITH newest (dataset, last) AS (
    SELECT dataset, max(last) FROM io WHERE direction = 'INPUT' AND dataset IN (
        SELECT i.dataset FROM json_each(:runs) f CROSS JOIN io i ON i.run = f.value AND i.direction = 'INPUT'
    ) GROUP BY dataset
)
SELECT i.dataset, i.run, i.last FROM newest n
CROSS JOIN io i ON i.dataset = n.dataset AND i.direction = 'INPUT' AND i.last = n.last
"""
_VERSIONS: Final = (
    "SELECT DISTINCT o.version FROM json_each(:runs) f CROSS JOIN observation o ON o.run = f.value"
)
_RECENT: Final = (
    "SELECT r.key FROM json_each(:runs) f CROSS JOIN run r ON r.key = f.value WHERE r.last >= :before"
)
_COPYING: Final = """
SELECT DISTINCT r.key, min(r.first, i.first), r.last
FROM json_each(:names) f
CROSS JOIN io i ON i.dataset = f.value AND i.direction = 'INPUT'
CROSS JOIN run r ON r.key = i.run AND r.last >= :since AND min(r.first, i.first) <= :until
WHERE EXISTS (SELECT 1 FROM io o WHERE o.run = i.run AND o.direction = 'OUTPUT' AND o.dataset = :output)
"""
_FORGET: Final = (
    "DELETE FROM facet WHERE owner IN (SELECT 'run ' || value FROM json_each(:runs))",
    """
    DELETE FROM facet WHERE owner IN (
        SELECT lower(i.direction) || ' ' || i.run || i.dataset
        FROM json_each(:runs) f CROSS JOIN io i ON i.run = f.value
    )
    """,
    "DELETE FROM io WHERE run IN (SELECT value FROM json_each(:runs))",
    "DELETE FROM observation WHERE run IN (SELECT value FROM json_each(:runs))",
    "DELETE FROM run WHERE key IN (SELECT value FROM json_each(:runs))",
)
_CHANGES: Final = "SELECT c.dataset, c.change, c.time, c.run, c.previous, "
_OF_RUNS: Final = (
    "FROM json_each(:runs) f CROSS JOIN change c ON c.run = f.value LEFT JOIN run r ON r.key = c.run"
)
_FORGET_CHANGE: Final = """
DELETE FROM change
WHERE dataset = :dataset AND change = :change AND time = :time AND run = :run AND previous = :previous
"""
_ORPHANS: Final = """
SELECT v.key, v.slot FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value
WHERE NOT EXISTS (SELECT 1 FROM observation o WHERE o.version = v.key)
"""
_FORGET_CONDITIONS: Final = """
DELETE FROM conditions WHERE digest NOT IN (
    SELECT s.value FROM (SELECT DISTINCT conditions FROM observation) o,
    json_each('["' || replace(o.conditions, ' ', '","') || '"]') s
)
"""
_IDS: Final = "(SELECT v.id FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value)"

_FORGET_EDGES: Final = "DELETE FROM edge WHERE version IN "
_FORGET_GAPS: Final = "DELETE FROM gap WHERE version IN "

PRUNING: Final = PruningStatements(
    candidates=_CANDIDATES,
    newest_of_jobs=_NEWEST_OF_JOBS,
    last_reads=_LAST_READS,
    locked="SELECT value FROM json_each(:runs)",
    recent=_RECENT,
    copying=_COPYING,
    versions=_VERSIONS,
    changes=_CHANGES + OUTCOME + " " + _OF_RUNS,
    forget_change=_FORGET_CHANGE,
    forget=_FORGET,
    orphans=_ORPHANS,
    forget_conditions=_FORGET_CONDITIONS,
    forget_edges=_FORGET_EDGES + _IDS,
    forget_versions=(
        _FORGET_GAPS + _IDS,
        "DELETE FROM version WHERE key IN (SELECT value FROM json_each(:versions))",
    ),
)
