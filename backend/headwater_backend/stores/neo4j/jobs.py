"""Jobs in Neo4j, and the datasets that they and their runs read and wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from neo4j import ManagedTransaction

from headwater_backend.domain.model import Job, JobKey, RunKey, Used
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import job_of, named_text, run_of, run_text
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

RUNS_OF_JOBS: Final = "UNWIND $keys AS key MATCH (r:Run {job: key}) RETURN key, r.run_id"
STARTED_BY: Final = """
UNWIND $ids AS id
MATCH (f:Facet {parent: id}) MATCH (r:Run {key: substring(f.owner, 4)})
RETURN id, r.key, r.job, r.run_id
"""


def get_jobs(tx: ManagedTransaction, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
    """The jobs with their facets."""
    rows = tx.run(JOBS, keys=[named_text(key) for key in keys]).values()
    return {
        job_of(key): Job(
            job_of(key), answers.newest(map(FacetRow._make, facets)), moment(first), moment(last)
        )
        for key, first, last, facets in rows
    }


def used_by_jobs(tx: ManagedTransaction, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
    """The datasets that each job's runs used."""
    texts = {named_text(key): key for key in keys}
    rows = map(UsedRow._make, tx.run(USED_BY_JOBS, keys=list(texts)).values())
    return answers.used_by(texts, rows, ())


def used_by_runs(tx: ManagedTransaction, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
    """The datasets that each run used."""
    texts = {run_text(key.job, key.run_id.lower()): key for key in keys}
    rows = tx.run(USED_BY_RUNS, keys=list(texts)).values()
    facets = (FacetRow._make(facet) for row in rows for facet in row[5])
    return answers.used_by(texts, (UsedRow._make(row[:5]) for row in rows), facets)


def runs_below(tx: ManagedTransaction, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[RunKey]]:
    """The runs below each run."""
    texts = {run_text(key.job, key.run_id.lower()): key for key in keys}
    below = _below(tx, [(text, key.run_id.lower()) for text, key in texts.items()])
    return answers.below(texts, sorted({(root, run) for root, run, _ in below if run != root}), run_of)


def jobs_below(tx: ManagedTransaction, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[JobKey]]:
    """The jobs of the runs below each job's."""
    texts = {named_text(key): key for key in keys}
    below = _below(tx, tx.run(RUNS_OF_JOBS, keys=list(texts)).values())
    return answers.below(texts, sorted({(root, job) for root, _, job in below if job != root}), job_of)


def _below(tx: ManagedTransaction, roots: Iterable[Sequence[str]]) -> set[tuple[str, str, str]]:
    """(root, run, its job) of all runs below, from (root, run id) pairs: one query a level, each run once."""
    found: set[tuple[str, str, str]] = set()
    level = {(root, run_id) for root, run_id in roots}
    while level:
        roots_of: dict[str, list[str]] = {}
        for root, run_id in level:
            roots_of.setdefault(run_id, []).append(root)
        level = set()
        for parent, run, job, run_id in tx.run(STARTED_BY, ids=list(roots_of)).values():
            fresh = {(root, run, job) for root in roots_of[parent]} - found
            found |= fresh
            level |= {(root, run_id) for root, _, _ in fresh}
    return found
