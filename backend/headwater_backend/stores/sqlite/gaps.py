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
    SELECT s.output, s.job, s.version, s.run FROM asked CROSS JOIN slot s ON s.output = asked.key
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
           SELECT 1 FROM io WHERE io.run = d.run AND io.direction = 'INPUT' AND io.first <= :at
       )
FROM decided d CROSS JOIN version v ON v.key = d.version
WHERE v.rank = 0 OR EXISTS (SELECT 1 FROM gap g WHERE g.version = v.id)
UNION ALL
SELECT d.path, d.job, json_array(json_array('SCHEMA_DRIFT', d.path, d.detail) || ''), 0
FROM asked CROSS JOIN drift d ON d.dataset = asked.key AND d.use = 'INPUT'
"""
_UNLISTED_NOW: Final = """
WITH unlisted (id, rank, output, job, run) AS (
    SELECT v.id, v.rank, s.output, s.job, s.run
    FROM version v CROSS JOIN slot s ON s.key = v.slot AND s.version = v.key WHERE v.untold
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
FROM unlisted u CROSS JOIN io i ON i.run = u.run AND i.direction = 'INPUT' AND i.first <= :at
WHERE +i.dataset IN (SELECT value FROM json_each(:names))
GROUP BY u.id
UNION ALL
SELECT d.path, d.job, json_array(json_array('SCHEMA_DRIFT', d.path, d.detail) || ''), 0, json_array(d.dataset)
FROM json_each(:names) f CROSS JOIN drift d ON d.dataset = f.value AND d.use = 'OUTPUT'
"""

GAPS: Final = GapStatements(
    incomplete=ASKED + _OUTPUTS_NOW + _GAPS_OF_OUTPUTS,
    incomplete_then=ASKED + "," + _DECIDED + _GAPS_OF_OUTPUTS,
    unlisted=_UNLISTED_NOW + _READ_FOR_THEM,
    unlisted_then="WITH " + _DECIDED + _UNLISTED_THEN + _READ_FOR_THEM,
)
