"""Jobs in SQLite, and the datasets that they and their runs read and wrote."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from headwater_backend.domain.model import Job, JobKey, RunKey, Used
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import job_of, named_text, run_of, run_text
from headwater_backend.stores import answers
from headwater_backend.stores.answers import FacetRow, UsedRow

JOBS: Final = """
SELECT j.key, j.first, j.last FROM json_each(:keys) f CROSS JOIN job j ON j.key = f.value
"""
FACETS_OF: Final = """
SELECT f.value, t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN facet t ON t.owner = :kind || f.value
"""
# A run's key begins with its job's.
USED_BY_JOBS: Final = """
SELECT f.value, i.direction, i.dataset, min(i.first), max(i.last)
FROM json_each(:keys) f
CROSS JOIN io i ON i.run >= f.value AND i.run < substr(f.value, 1, length(f.value) - 1) || '0'
GROUP BY f.value, i.direction, i.dataset
"""
USED_BY_RUNS: Final = """
SELECT f.value, i.direction, i.dataset, i.first, i.last
FROM json_each(:keys) f CROSS JOIN io i ON i.run = f.value
"""
FACETS_OF_USED: Final = """
SELECT t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN io i ON i.run = f.value
CROSS JOIN facet t ON t.owner = lower(i.direction) || ' ' || i.run || i.dataset
"""

# The runs that are asked for are rows as well; of a cycle of runs, each comes once. The plus takes the column's type
# away, without which the index of parents would not be used.
RUNS_BELOW: Final = """
WITH RECURSIVE below (root, run, job, run_id) AS (
    SELECT f.value, r.key, r.job, r.run_id FROM json_each(:keys) f CROSS JOIN run r ON r.key = f.value
    UNION
    SELECT b.root, c.key, c.job, c.run_id
    FROM below b
    CROSS JOIN facet f ON f.name = 'parent' AND lower(json_extract(f.body, '$.run.runId')) = +b.run_id
        AND f.owner LIKE 'run %'
    CROSS JOIN run c ON c.key = substr(f.owner, 5)
)
SELECT root, run FROM below WHERE run <> root ORDER BY root, run
"""
JOBS_BELOW: Final = """
WITH RECURSIVE below (root, run, job, run_id) AS (
    SELECT f.value, r.key, r.job, r.run_id FROM json_each(:keys) f CROSS JOIN run r ON r.job = f.value
    UNION
    SELECT b.root, c.key, c.job, c.run_id
    FROM below b
    CROSS JOIN facet f ON f.name = 'parent' AND lower(json_extract(f.body, '$.run.runId')) = +b.run_id
        AND f.owner LIKE 'run %'
    CROSS JOIN run c ON c.key = substr(f.owner, 5)
)
SELECT DISTINCT root, job FROM below WHERE job <> root ORDER BY root, job
"""


def get_jobs(db: sqlite3.Connection, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
    """The jobs with their facets."""
    texts = _texts([named_text(key) for key in keys])
    facets: dict[str, list[FacetRow]] = {}
    for key, *row in db.execute(FACETS_OF, {**texts, "kind": "job "}):
        facets.setdefault(key, []).append(FacetRow._make(row))
    rows = db.execute(JOBS, texts).fetchall()
    return {
        job_of(key): Job(job_of(key), answers.newest(facets.get(key, ())), moment(first), moment(last))
        for key, first, last in rows
    }


def used_by_jobs(db: sqlite3.Connection, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
    """The datasets that each job's runs used."""
    texts = {named_text(key): key for key in keys}
    rows = map(UsedRow._make, db.execute(USED_BY_JOBS, _texts(texts)))
    return answers.used_by(texts, rows, ())


def used_by_runs(db: sqlite3.Connection, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
    """The datasets that each run used."""
    texts = {run_text(key.job, key.run_id.lower()): key for key in keys}
    rows = map(UsedRow._make, db.execute(USED_BY_RUNS, _texts(texts)))
    facets = map(FacetRow._make, db.execute(FACETS_OF_USED, _texts(texts)))
    return answers.used_by(texts, rows, facets)


def runs_below(db: sqlite3.Connection, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
    """The runs below each run."""
    texts = {run_text(key.job, key.run_id.lower()): key for key in keys}
    return answers.below(texts, db.execute(RUNS_BELOW, _texts(texts)), run_of)


def jobs_below(db: sqlite3.Connection, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
    """The jobs of the runs below each job's."""
    texts = {named_text(key): key for key in keys}
    return answers.below(texts, db.execute(JOBS_BELOW, _texts(texts)), job_of)


def _texts(keys: Sequence[str] | Mapping[str, object]) -> dict[str, str]:
    return {"keys": json.dumps(list(keys))}
