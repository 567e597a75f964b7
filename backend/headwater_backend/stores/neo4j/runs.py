"""The Cypher of jobs and runs, and of the datasets that they read and wrote."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import RunStatements

_PAGE: Final = """
WHERE $time IS NULL OR r.first < $time OR (r.first = $time AND r.key < $key)
WITH r ORDER BY r.first DESC, r.key DESC LIMIT $count
"""
_RUN: Final = """
RETURN r.key, r.job, r.run_id, r.first, r.last, r.started, r.running, r.completed, r.failed, r.aborted,
       r.other, r.ended,
       COLLECT { MATCH (t:Facet {owner: 'run ' + r.key}) RETURN [t.owner, t.name, t.time, t.digest, t.body] }
"""
_NEWEST_FIRST: Final = " ORDER BY r.first DESC, r.key DESC"
# Of each of the datasets what runs did with it, under any of its names.
_USES_OF_DATASETS: Final = """
UNWIND $keys AS dataset
CALL (dataset) {
    OPTIONAL MATCH (known:Alias {name: dataset})
    WITH coalesce(known.canonical, dataset) AS own
    WITH [own] + COLLECT { MATCH (a:Alias {canonical: own}) RETURN a.name } AS names
    UNWIND names AS name
    MATCH (i:Io {dataset: name}) WHERE $use IS NULL OR i.direction = $use
"""
# The key of a dataset, by any of its names, and those of its runs.
_WITH_DATASETS: Final = (
    _USES_OF_DATASETS
    + """
    WITH DISTINCT i.run AS run
    MATCH (r:Run {key: run})
"""
)
# A run's key begins with its job's.
_JOBS_WITH_DATASETS: Final = (
    _USES_OF_DATASETS
    + """
    WITH split(i.run, '/') AS parts
    RETURN DISTINCT parts[0] + '/' + parts[1] + '/' AS job
}
RETURN dataset, job
"""
)
_CHILDREN: Final = "MATCH (f:Facet {parent: $run_id}) MATCH (r:Run {key: substring(f.owner, 4)})"
_NEWEST: Final = """
UNWIND $keys AS job
CALL (job) { MATCH (n:Run {job: job}) RETURN n AS r ORDER BY n.first DESC, n.key DESC LIMIT 1 }
"""
_JOBS: Final = """
UNWIND $keys AS key MATCH (j:Job {key: key})
RETURN j.key, j.first, j.last,
       COLLECT { MATCH (f:Facet {owner: 'job ' + key}) RETURN [f.owner, f.name, f.time, f.digest, f.body] }
"""
# A run's key begins with its job's.
_USED_BY_JOBS: Final = """
UNWIND $keys AS key
MATCH (i:Io) USING INDEX SEEK i:Io(run) WHERE i.run STARTS WITH key
RETURN key, i.direction, i.dataset, min(i.first), max(i.last)
"""
_USED_BY_RUNS: Final = """
UNWIND $keys AS key
MATCH (i:Io {run: key}) USING INDEX SEEK i:Io(run)
RETURN key, i.direction, i.dataset, i.first, i.last,
       COLLECT {
           MATCH (f:Facet {owner: toLower(i.direction) + ' ' + i.run + i.dataset})
           RETURN [f.owner, f.name, f.time, f.digest, f.body]
       }
"""
_OF_JOBS: Final = "UNWIND $keys AS key MATCH (r:Run {job: key}) RETURN key, r.run_id"
_STARTED_BY: Final = """
UNWIND $ids AS id
MATCH (f:Facet {parent: id}) MATCH (r:Run {key: substring(f.owner, 4)})
RETURN r.key, r.job, r.run_id, f.body
"""

_FIGURES: Final = """
UNWIND $keys AS key
OPTIONAL MATCH (known:Alias {name: key})
WITH key, coalesce(known.canonical, key) AS own
WITH key, [own] + COLLECT { MATCH (a:Alias {canonical: own}) RETURN a.name } AS names
UNWIND names AS name
MATCH (i:Io {dataset: name}) WHERE i.direction = $use
MATCH (f:Facet {owner: toLower(i.direction) + ' ' + i.run + i.dataset})
WHERE f.name IN ['inputStatistics', 'outputStatistics']
RETURN DISTINCT key, f.size, f.rows
"""
_COUNTED: Final = """
UNWIND $sizes AS size MATCH (f:Facet {size: size}) RETURN 'size' AS figure, size AS value, f.owner AS owner
UNION ALL
UNWIND $rows AS rows MATCH (f:Facet {rows: rows}) RETURN 'rows' AS figure, rows AS value, f.owner AS owner
"""

RUNS: Final = RunStatements(
    of_job="MATCH (r:Run {job: $job})" + _PAGE + _RUN + _NEWEST_FIRST,
    with_datasets=_WITH_DATASETS
    + _PAGE
    + "RETURN r.key AS run, r.first AS first } RETURN dataset, run ORDER BY first DESC, run DESC",
    jobs_with_datasets=_JOBS_WITH_DATASETS,
    children=_CHILDREN + _PAGE + _RUN + _NEWEST_FIRST,
    of_keys="UNWIND $keys AS key MATCH (r:Run {key: key})" + _RUN,
    newest=_NEWEST + _RUN,
    jobs=_JOBS,
    used_by_jobs=_USED_BY_JOBS,
    used_by_runs=_USED_BY_RUNS,
    of_jobs=_OF_JOBS,
    started_by=_STARTED_BY,
    figures=_FIGURES,
    counted=_COUNTED,
)
