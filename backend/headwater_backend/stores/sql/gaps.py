"""The SQL of gaps of lineage. A column that is named ``[json]`` is read as JSON (``transaction``)."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import GapStatements
from headwater_backend.stores.sql.names import OUTCOME

ASKED: Final = """
WITH asked (key) AS (
    SELECT value FROM json_each(:keys)
    UNION SELECT a.canonical FROM json_each(:keys) f JOIN alias a ON a.name = f.value
    UNION SELECT a.name FROM json_each(:keys) f JOIN alias a ON a.canonical = f.value
)
"""
_GAPS_OF_VERSION: Final = """, v.rank, (
    SELECT json_group_array(json_array(g.reason, g.path, g.detail) || '') FROM gap g WHERE g.version = v.id
) AS "gaps [json]"
"""
_DECIDING: Final = "SELECT s.output, s.job, c.version, c.run, c.cleared, c.cleared_by"
_UNTRACED_NOW: Final = """
FROM asked CROSS JOIN slot s ON s.output = asked.key CROSS JOIN chosen c ON c.slot = s.key
CROSS JOIN version v ON v.key = c.version
WHERE v.rank = 0 OR c.cleared IS NOT NULL OR EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id)
"""
_UNTRACED: Final = """
FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value
WHERE v.rank = 0 OR EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id)
"""
_DRIFTS: Final = """
SELECT d.dataset, d.job, d.use, d.path, d.detail FROM asked CROSS JOIN drift d ON d.dataset = asked.key
"""
# The plus keeps the index of datasets out: a run has few inputs, and to seek each name would take names times runs.
_UNLISTED: Final = """
, json_group_array(json_array(i.dataset, i.first, i.known)) AS "reads [json]"
FROM version v CROSS JOIN chosen c ON c.slot = v.slot AND c.version = v.key CROSS JOIN slot s ON s.key = v.slot
CROSS JOIN io i ON i.run = c.run AND i.direction = 'INPUT'
WHERE v.untold AND +i.dataset IN (SELECT value FROM json_each(:names))
GROUP BY v.id, s.key, c.slot, c.version
"""
_EARLIER_INTO: Final = """
SELECT DISTINCT s.key FROM json_each(:names) f CROSS JOIN slot s ON s.output = f.value
CROSS JOIN version v ON v.slot = s.key AND v.rank > 0
WHERE :past OR NOT EXISTS (SELECT 1 FROM chosen c WHERE c.slot = v.slot AND c.version = v.key)
"""
_EARLIER_FROM: Final = """
SELECT DISTINCT v.slot FROM json_each(:names) f
CROSS JOIN path p ON p.key >= f.value AND p.key < substr(f.value, 1, length(f.value) - 1) || '0'
CROSS JOIN edge e ON e.source = p.id AND e.current <= :past
CROSS JOIN version v ON v.id = e.version
"""
_EARLIER_WITH_GAP: Final = """
SELECT DISTINCT s.key FROM json_each(:names) f CROSS JOIN slot s ON s.output = f.value
CROSS JOIN version v ON v.slot = s.key AND v.rank > 0
WHERE EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id AND g.reason = :reason)
AND (:past OR NOT EXISTS (SELECT 1 FROM chosen c WHERE c.slot = v.slot AND c.version = v.key))
"""
_EARLIER_UNLISTED: Final = """
SELECT DISTINCT v.slot, i.dataset
FROM version v CROSS JOIN observation o ON o.slot = v.slot AND o.version = v.key
CROSS JOIN io i ON i.run = o.run AND i.direction = 'INPUT'
WHERE v.untold AND v.rank > 0 AND +i.dataset IN (SELECT value FROM json_each(:names))
AND (:past OR NOT EXISTS (SELECT 1 FROM chosen c WHERE c.slot = v.slot AND c.version = v.key))
"""
_EDGES_OF_SLOTS: Final = """
SELECT v.slot, v.key, s.key, t.key, w.transformations
FROM json_each(:slots) f CROSS JOIN version v ON v.slot = f.value CROSS JOIN edge e ON e.version = v.id
JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target JOIN way w ON w.id = e.way
"""
_READ_BY: Final = """
SELECT i.dataset, r.job, i.first, o.dataset, r.first, r.last
FROM json_each(:names) f CROSS JOIN io i ON i.dataset = f.value AND i.direction = 'INPUT' AND i.known <= :received
CROSS JOIN run r ON r.key = i.run AND r.job IN (SELECT value FROM json_each(:jobs))
CROSS JOIN io o ON o.run = i.run AND o.direction = 'OUTPUT'
"""
_READ_ANEW: Final = """
SELECT l.dataset, l.job, max(l.first) FROM json_each(:names) f CROSS JOIN layout l ON l.dataset = f.value
WHERE l.use = 'INPUT' AND l.job IN (SELECT value FROM json_each(:jobs)) GROUP BY l.dataset, l.job
"""
_COPIED: Final = """
SELECT o.dataset, min(coalesce(r.first, :since)), max(coalesce(r.last, :forever)),
       r.key IS NOT NULL AND min(r.first, i.first) > :until AS is_late, NULL, NULL
FROM json_each(:names) f
CROSS JOIN io i ON i.dataset = f.value AND i.direction = 'INPUT'
LEFT JOIN run r ON r.key = i.run
CROSS JOIN io o ON o.run = i.run AND o.direction = 'OUTPUT'
WHERE i.known <= :received AND (r.key IS NULL OR (r.last >= :since AND (
    min(r.first, i.first) <= :until OR (min(r.first, i.first) <= :late AND i.known < :known)
)))
GROUP BY o.dataset, is_late
UNION ALL
SELECT c.dataset, c.time, c.time, c.time > :until, r.failed, r.aborted
FROM json_each(:names) f
CROSS JOIN change c ON c.previous = f.value AND c.change = 'RENAME' AND c.time >= :since
AND (c.time <= :until OR (c.time <= :late AND c.known < :known)) AND c.known <= :received
LEFT JOIN run r ON r.key = c.run
"""
_ENDS: Final = "SELECT c.dataset, c.time, c.run, c.known, c.who, r.first, r.last, "
_OF_ENDS: Final = """
FROM json_each(:names) f
CROSS JOIN change c ON c.dataset = f.value AND (c.change = 'DROP' OR c.replaced = 'WHOLE')
LEFT JOIN run r ON r.key = c.run
"""


GAPS: Final = GapStatements(
    untraced_now=ASKED + _DECIDING + _GAPS_OF_VERSION + _UNTRACED_NOW,
    untraced="SELECT v.key" + _GAPS_OF_VERSION + _UNTRACED,
    drifts=ASKED + _DRIFTS,
    unlisted=_DECIDING + _GAPS_OF_VERSION + _UNLISTED,
    earlier_into=_EARLIER_INTO,
    earlier_from=_EARLIER_FROM,
    earlier_with_gap=_EARLIER_WITH_GAP,
    earlier_unlisted=_EARLIER_UNLISTED,
    edges_of_slots=_EDGES_OF_SLOTS,
    read_by=_READ_BY,
    read_anew=_READ_ANEW,
    copied=_COPIED,
    ends=_ENDS + OUTCOME + _OF_ENDS,
)
