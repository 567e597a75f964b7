"""The SQL of gaps of lineage. A column that is named ``[json]`` is read as JSON (``transaction``)."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import GapStatements

ASKED: Final = """
WITH asked (key) AS (
    SELECT value FROM json_each(:keys)
    UNION SELECT a.canonical FROM json_each(:keys) f JOIN alias a ON a.name = f.value
    UNION SELECT a.name FROM json_each(:keys) f JOIN alias a ON a.canonical = f.value
)
"""
_OUTPUTS_NOW: Final = """
, decided (output, job, version, run) AS (
    SELECT s.output, s.job, c.version, c.run
    FROM asked CROSS JOIN slot s ON s.output = asked.key CROSS JOIN chosen c ON c.slot = s.key
)
"""
_DECIDED: Final = """
decided (output, job, version, run) AS (
    SELECT o.key, json_extract(f.value, '$.job'), json_extract(f.value, '$.version'), json_extract(f.value, '$.run')
    FROM json_each(:decided) o CROSS JOIN json_each(o.value) f
)
"""
_GAPS_OF_OUTPUTS: Final = """
SELECT d.output, d.job, (
           SELECT json_group_array(json_array(g.reason, g.path, g.detail) || '') FROM gap g WHERE g.version = v.id
       ) AS "gaps [json]",
       v.rank = 0 AND EXISTS (
           SELECT 1 FROM io
           WHERE io.run = d.run AND io.direction = 'INPUT' AND io.first <= :at AND io.known <= :received
       )
FROM decided d CROSS JOIN version v ON v.key = d.version
WHERE v.rank = 0 OR EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id)
UNION ALL
SELECT d.path, d.job, json_array(json_array('SCHEMA_DRIFT', d.path, d.detail) || ''), 0
FROM asked CROSS JOIN drift d ON d.dataset = asked.key AND d.use = 'INPUT'
"""
_UNLISTED_NOW: Final = """
WITH unlisted (id, rank, output, job, run) AS (
    SELECT v.id, v.rank, s.output, s.job, c.run
    FROM version v CROSS JOIN chosen c ON c.slot = v.slot AND c.version = v.key CROSS JOIN slot s ON s.key = v.slot
    WHERE v.untold
)
"""
_UNLISTED_THEN: Final = """
, unlisted (id, rank, output, job, run) AS (
    SELECT v.id, v.rank, d.output, d.job, d.run
    FROM decided d CROSS JOIN version v ON v.key = d.version AND v.untold
)
"""
# The plus keeps the index of datasets out: a run has few inputs, and to seek each name would take names times runs.
_READ_FOR_THEM: Final = """
SELECT u.output, u.job, (
           SELECT json_group_array(json_array(g.reason, g.path, g.detail) || '') FROM gap g WHERE g.version = u.id
       ) AS "gaps [json]",
       u.rank = 0, json_group_array(i.dataset) AS "reads [json]"
FROM unlisted u CROSS JOIN io i ON i.run = u.run AND i.direction = 'INPUT' AND i.first <= :at AND i.known <= :received
WHERE +i.dataset IN (SELECT value FROM json_each(:names))
GROUP BY u.id
UNION ALL
SELECT d.path, d.job, json_array(json_array('SCHEMA_DRIFT', d.path, d.detail) || ''), 0, json_array(d.dataset)
FROM json_each(:names) f CROSS JOIN drift d ON d.dataset = f.value AND d.use = 'OUTPUT'
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
_EARLIER_TOLD: Final = """
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
_GAPS_OF_SLOTS: Final = """
SELECT v.slot, v.key, (
    SELECT json_group_array(json_array(g.reason, g.path, g.detail) || '') FROM gap g WHERE g.version = v.id
) AS "gaps [json]"
FROM json_each(:slots) f CROSS JOIN version v ON v.slot = f.value
WHERE v.rank > 0 AND EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id)
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
       r.key IS NOT NULL AND min(r.first, i.first) > :until AS is_late
FROM json_each(:names) f
CROSS JOIN io i ON i.dataset = f.value AND i.direction = 'INPUT'
LEFT JOIN run r ON r.key = i.run
CROSS JOIN io o ON o.run = i.run AND o.direction = 'OUTPUT'
WHERE i.known <= :received AND (r.key IS NULL OR (r.last >= :since AND (
    min(r.first, i.first) <= :until OR (min(r.first, i.first) <= :late AND i.known < :known)
)))
GROUP BY o.dataset, is_late
UNION ALL
SELECT c.dataset, c.time, c.time, c.time > :until
FROM json_each(:names) f
CROSS JOIN change c ON c.previous = f.value AND c.change = 'RENAME' AND c.time >= :since
AND (c.time <= :until OR (c.time <= :late AND c.known < :known)) AND c.known <= :received
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
"""
_ENDS: Final = """
SELECT c.dataset, coalesce(min(c.time, r.first), c.time), coalesce(max(c.time, r.last), c.time), c.run, c.known, c.who
FROM json_each(:names) f
CROSS JOIN change c ON c.dataset = f.value AND (c.change = 'DROP' OR c.replaced = 'WHOLE')
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
AND (r.key IS NULL OR r.completed IS NOT NULL OR (r.started IS NULL AND r.running IS NULL))
"""

GAPS: Final = GapStatements(
    incomplete=ASKED + _OUTPUTS_NOW + _GAPS_OF_OUTPUTS,
    incomplete_then=ASKED + "," + _DECIDED + _GAPS_OF_OUTPUTS,
    unlisted=_UNLISTED_NOW + _READ_FOR_THEM,
    unlisted_then="WITH " + _DECIDED + _UNLISTED_THEN + _READ_FOR_THEM,
    earlier_into=_EARLIER_INTO,
    earlier_from=_EARLIER_FROM,
    earlier_told=_EARLIER_TOLD,
    earlier_unlisted=_EARLIER_UNLISTED,
    gaps_of_slots=_GAPS_OF_SLOTS,
    edges_of_slots=_EDGES_OF_SLOTS,
    read_by=_READ_BY,
    read_anew=_READ_ANEW,
    copied=_COPIED,
    ends=_ENDS,
)
