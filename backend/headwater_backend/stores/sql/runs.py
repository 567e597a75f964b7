"""The SQL of jobs and runs, and of the datasets that they read and wrote."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import RunStatements

_RUN: Final = """
r.key, r.job, r.run_id, r.first, r.last, r.started, r.running, r.completed, r.failed, r.aborted, r.other, r.ended
"""
_PAGE: Final = """
AND (:time IS NULL OR (r.first, r.key) < (:time, :key)) ORDER BY r.first DESC, r.key DESC LIMIT :count
"""
_OF_JOB: Final = "FROM run r WHERE r.job = :job"
_CHILDREN: Final = """
FROM facet f JOIN run r ON r.key = substr(f.owner, 5)
WHERE f.name = 'parent' AND lower(json_extract(f.body, '$.run.runId')) = :run_id AND f.owner LIKE 'run %'
"""
_ASKED: Final = """
WITH asked (key, own) AS (
    SELECT f.value, coalesce((SELECT canonical FROM alias WHERE name = f.value), f.value)
    FROM json_each(:keys) f
)
"""
# The key of a dataset, by any of its names, and those of its runs.
_WITH_DATASETS: Final = """
SELECT a.key, r.key
FROM asked a CROSS JOIN run r ON r.key IN (
    SELECT DISTINCT r.key
    FROM (SELECT a.own AS key UNION SELECT name FROM alias WHERE canonical = a.own) n
    CROSS JOIN io i ON i.dataset = n.key AND (:use IS NULL OR i.direction = :use)
    CROSS JOIN run r ON r.key = i.run
    WHERE true
"""
# A run's key begins with its job's.
_JOBS_WITH_DATASETS: Final = """
SELECT DISTINCT a.key, substr(
    i.run, 1, instr(i.run, '/') + instr(substr(i.run, instr(i.run, '/') + 1), '/')
)
FROM asked a
CROSS JOIN io i ON i.direction = :use AND i.dataset IN (
    SELECT a.own UNION SELECT name FROM alias WHERE canonical = a.own
)
"""
_OF_KEYS: Final = "FROM json_each(:keys) f CROSS JOIN run r ON r.key = f.value"
_NEWEST: Final = """
FROM json_each(:keys) f CROSS JOIN run r ON r.key = (
    SELECT n.key FROM run n WHERE n.job = f.value ORDER BY n.first DESC, n.key DESC LIMIT 1
)
"""
_FACETS_OF_RUNS: Final = """
SELECT f.value, t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN facet t ON t.owner = 'run ' || f.value
"""
_JOBS: Final = "SELECT j.key, j.first, j.last FROM json_each(:keys) f CROSS JOIN job j ON j.key = f.value"
_FACETS_OF_JOBS: Final = """
SELECT f.value, t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN facet t ON t.owner = 'job ' || f.value
"""
# A run's key begins with its job's.
_USED_BY_JOBS: Final = """
SELECT f.value, i.direction, i.dataset, min(i.first), max(i.last)
FROM json_each(:keys) f
CROSS JOIN io i ON i.run >= f.value AND i.run < substr(f.value, 1, length(f.value) - 1) || '0'
GROUP BY f.value, i.direction, i.dataset
"""
_USED_BY_RUNS: Final = """
SELECT f.value, i.direction, i.dataset, i.first, i.last
FROM json_each(:keys) f CROSS JOIN io i ON i.run = f.value
"""
_FACETS_OF_USED: Final = """
SELECT t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN io i ON i.run = f.value
CROSS JOIN facet t ON t.owner = lower(i.direction) || ' ' || i.run || i.dataset
"""
_OF_JOBS: Final = "SELECT f.value, r.run_id FROM json_each(:keys) f CROSS JOIN run r ON r.job = f.value"
_STARTED_BY: Final = """
SELECT r.key, r.job, r.run_id, f.body
FROM json_each(:ids) p
CROSS JOIN facet f ON f.name = 'parent' AND lower(json_extract(f.body, '$.run.runId')) = p.value
    AND f.owner LIKE 'run %'
CROSS JOIN run r ON r.key = substr(f.owner, 5)
"""

# Of a name of each dataset asked for.
_FIGURES: Final = """
, names (key, name) AS (
    SELECT key, own FROM asked UNION SELECT a.key, l.name FROM asked a CROSS JOIN alias l ON l.canonical = a.own
)
SELECT DISTINCT n.key, json_extract(t.body, '$.size'), json_extract(t.body, '$.rowCount')
FROM names n
CROSS JOIN io i ON i.dataset = n.name AND i.direction = :use
CROSS JOIN facet t ON t.owner = lower(i.direction) || ' ' || i.run || i.dataset
    AND t.name IN ('inputStatistics', 'outputStatistics')
"""
_COUNTED: Final = """
SELECT 'size', f.value, t.owner
FROM json_each(:sizes) f CROSS JOIN facet t ON json_extract(t.body, '$.size') = f.value
    AND t.name IN ('inputStatistics', 'outputStatistics')
UNION ALL
SELECT 'rows', f.value, t.owner
FROM json_each(:rows) f CROSS JOIN facet t ON json_extract(t.body, '$.rowCount') = f.value
    AND t.name IN ('inputStatistics', 'outputStatistics')
"""

RUNS: Final = RunStatements(
    of_job="SELECT " + _RUN + _OF_JOB + _PAGE,
    with_datasets=_ASKED + _WITH_DATASETS + _PAGE + ") ORDER BY r.first DESC, r.key DESC",
    jobs_with_datasets=_ASKED + _JOBS_WITH_DATASETS,
    children="SELECT " + _RUN + _CHILDREN + _PAGE,
    of_keys="SELECT " + _RUN + _OF_KEYS,
    newest="SELECT " + _RUN + _NEWEST,
    facets_of_runs=_FACETS_OF_RUNS,
    jobs=_JOBS,
    facets_of_jobs=_FACETS_OF_JOBS,
    used_by_jobs=_USED_BY_JOBS,
    used_by_runs=_USED_BY_RUNS,
    facets_of_used=_FACETS_OF_USED,
    of_jobs=_OF_JOBS,
    started_by=_STARTED_BY,
    figures=_ASKED + _FIGURES,
    counted=_COUNTED,
)
