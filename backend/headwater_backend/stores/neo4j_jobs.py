"""What Neo4j knows of jobs, and of what they and their runs read and wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from neo4j import ManagedTransaction

from headwater_backend.keys import job_of, named_text, run_text
from headwater_backend.model import Job, JobKey, RunKey, Used
from headwater_backend.moments import moment
from headwater_backend.stores import answers
from headwater_backend.stores.answers import FacetRow, UsedRow

JOBS: Final = """
UNWIND $keys AS key MATCH (j:Job {key: key})
RETURN j.key, j.first, j.last,
       COLLECT { MATCH (f:Facet {owner: 'job ' + key}) RETURN [f.owner, f.name, f.time, f.digest, f.body] }
"""
# A run's key begins with its job's.
USED_BY_JOBS: Final = """
UNWIND $keys AS key
MATCH (i:Io) USING INDEX SEEK i:Io(run) WHERE i.run STARTS WITH key
RETURN key, i.direction, i.dataset, min(i.first), max(i.last)
"""
USED_BY_RUNS: Final = """
UNWIND $keys AS key
MATCH (i:Io {run: key}) USING INDEX SEEK i:Io(run)
RETURN key, i.direction, i.dataset, i.first, i.last,
       COLLECT {
           MATCH (f:Facet {owner: toLower(i.direction) + ' ' + i.run + i.dataset})
           RETURN [f.owner, f.name, f.time, f.digest, f.body]
       }
"""


def described(tx: ManagedTransaction, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
    """The jobs with their facets."""
    rows = tx.run(JOBS, keys=[named_text(key) for key in keys]).values()
    return {
        job_of(key): Job(
            job_of(key), answers.newest(map(FacetRow._make, facets)), moment(first), moment(last)
        )
        for key, first, last, facets in rows
    }


def used_by_jobs(tx: ManagedTransaction, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
    """What each job's runs used."""
    texts = {named_text(key): key for key in keys}
    rows = map(UsedRow._make, tx.run(USED_BY_JOBS, keys=list(texts)).values())
    return answers.used_by(texts, rows, ())


def used_by_runs(tx: ManagedTransaction, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
    """What each run used."""
    texts = {run_text(key.job, key.run_id.lower()): key for key in keys}
    rows = tx.run(USED_BY_RUNS, keys=list(texts)).values()
    facets = (FacetRow._make(facet) for row in rows for facet in row[5])
    return answers.used_by(texts, (UsedRow._make(row[:5]) for row in rows), facets)
