"""Jobs and runs, what they used, and what they started."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import Alike, DatasetKey, Job, JobKey, Run, RunKey, RunPlace, Use, Used
from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.node_keys import dataset_of, job_of, named_text, run_of, run_text, used_part
from headwater_backend.in_force.datasets.facets import FacetRow
from headwater_backend.in_force.datasets.facets import newest as in_force_of
from headwater_backend.stores import answers
from headwater_backend.stores.answers import RunRow, UsedRow
from headwater_backend.stores.rows.transaction import Transaction, with_facets

if TYPE_CHECKING:
    from typing_extensions import LiteralString

K = TypeVar("K")


def of_job(tx: Transaction, job: JobKey, first: int, after: RunPlace | None) -> list[Run]:
    """A page of the job's runs."""
    return _runs(tx, tx.statements.runs.of_job, job=named_text(job), **_place(after), count=first)


def with_datasets(
    tx: Transaction, datasets: Sequence[DatasetKey], use: Use | None, first: int, after: RunPlace | None
) -> dict[DatasetKey, list[Run]]:
    """For each dataset a page of the runs that used it."""
    texts = {named_text(dataset): dataset for dataset in datasets}
    wanted = {"keys": list(texts), "use": use.value if use else None, "count": first, **_place(after)}
    pairs = tx.rows(tx.statements.runs.with_datasets, **wanted)
    runs = {
        run_text(run.job, run.run_id): run
        for run in _runs(tx, tx.statements.runs.of_keys, keys=sorted({run for _, run in pairs}))
    }
    found: dict[DatasetKey, list[Run]] = {}
    for dataset, run in pairs:
        found.setdefault(texts[dataset], []).append(runs[run])
    return found


def jobs_with_datasets(
    tx: Transaction, datasets: Sequence[DatasetKey], use: Use
) -> dict[DatasetKey, list[JobKey]]:
    """For each dataset all jobs that used it so."""
    texts = {named_text(dataset): dataset for dataset in datasets}
    rows = tx.rows(tx.statements.runs.jobs_with_datasets, keys=list(texts), use=use.value)
    found: dict[DatasetKey, list[JobKey]] = {}
    for dataset, job in sorted((texts[dataset], job_of(job)) for dataset, job in rows):
        found.setdefault(dataset, []).append(job)
    return found


def counted_alike(tx: Transaction, datasets: Sequence[DatasetKey], use: Use) -> list[Alike]:
    """What runs counted the same of the datasets, and of others that they used in the other way."""
    statements, texts = tx.statements.runs, {named_text(key): key for key in datasets}
    by_figure: dict[tuple[str, int], set[DatasetKey]] = defaultdict(set)
    for text, size, rows in tx.rows(statements.figures, keys=list(texts), use=use.value):
        for figure, value in (("size", size), ("rows", rows)):
            if isinstance(value, int) and value > 0:
                by_figure[figure, value].add(texts[text])
    other_use = Use.OUTPUT if use is Use.INPUT else Use.INPUT
    asked = {kind: [value for figure, value in by_figure if figure == kind] for kind in ("size", "rows")}
    counted = tx.rows(statements.counted, sizes=asked["size"], rows=asked["rows"])
    others = {
        (figure, value, dataset_of(used_part(owner)))
        for figure, value, owner in counted
        if owner.startswith(f"{other_use.value.lower()} ")
    }
    return sorted(
        Alike(key, other, figure, value)
        for figure, value, other in others
        for key in by_figure[figure, value]
        if key != other
    )


def children(tx: Transaction, run_id: str, first: int, after: RunPlace | None) -> list[Run]:
    """A page of the runs whose parent has that id."""
    return _runs(tx, tx.statements.runs.children, run_id=run_id.lower(), **_place(after), count=first)


def get_runs(tx: Transaction, keys: Sequence[RunKey]) -> dict[RunKey, Run]:
    """Each run, by the key asked for."""
    asked = _texts(keys)
    runs = _runs(tx, tx.statements.runs.of_keys, keys=list(asked))
    return {asked[run_text(run.job, run.run_id)]: run for run in runs}


def newest(tx: Transaction, jobs: Sequence[JobKey]) -> dict[JobKey, Run]:
    """The newest run of each job."""
    keys = list(map(named_text, jobs))
    return {run.job: run for run in _runs(tx, tx.statements.runs.newest, keys=keys)}


def get_jobs(tx: Transaction, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
    """The jobs with their facets."""
    statements = tx.statements.runs
    texts = list(map(named_text, keys))
    rows = with_facets(tx, statements.jobs, statements.facets_of_jobs, keys=texts)
    return {
        job_of(key): Job(job_of(key), in_force_of(facets), moment(first), moment(last))
        for (key, first, last), facets in rows
    }


def used_by_jobs(tx: Transaction, keys: Sequence[JobKey]) -> dict[JobKey, list[Used]]:
    """The datasets that each job's runs used."""
    texts = {named_text(key): key for key in keys}
    rows = tx.rows(tx.statements.runs.used_by_jobs, keys=list(texts))
    return answers.used_by(texts, map(UsedRow._make, rows), ())


def used_by_runs(tx: Transaction, keys: Sequence[RunKey]) -> dict[RunKey, list[Used]]:
    """The datasets that each run used, with facets."""
    statements = tx.statements.runs
    texts = _texts(keys)
    rows = tx.rows(statements.used_by_runs, keys=list(texts))
    facets = (
        tx.rows(statements.facets_of_used, keys=list(texts))
        if statements.facets_of_used
        else (facet for row in rows for facet in row[5])
    )
    return answers.used_by(texts, (UsedRow._make(row[:5]) for row in rows), map(FacetRow._make, facets))


def runs_below(tx: Transaction, keys: Sequence[RunKey]) -> dict[RunKey, list[RunKey]]:
    """The runs below each run."""
    texts = _texts(keys)
    below = _below(tx, ((text, key.job.namespace, key.run_id.lower()) for text, key in texts.items()))
    return answers.below(texts, sorted({(root, run) for root, run, _ in below if run != root}), run_of)


def jobs_below(tx: Transaction, keys: Sequence[JobKey]) -> dict[JobKey, list[JobKey]]:
    """The jobs of the runs below each job's."""
    texts = {named_text(key): key for key in keys}
    ids = tx.rows(tx.statements.runs.of_jobs, keys=list(texts))
    below = _below(tx, ((job, texts[job].namespace, run_id) for job, run_id in ids))
    return answers.below(texts, sorted({(root, job) for root, _, job in below if job != root}), job_of)


def _below(tx: Transaction, roots: Iterable[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """(root, run, its job) of all runs below, from (root, namespace, run id): one query a level, each run once.

    A run is below the one that its parent facet names by namespace and id. The namespace decides who may be below it;
    producers write the names of jobs in different ways.
    """
    found: set[tuple[str, str, str]] = set()
    level = set(roots)
    while level:
        roots_of: dict[tuple[str, str], list[str]] = {}
        for root, *run_of_root in level:
            roots_of.setdefault((run_of_root[0], run_of_root[1]), []).append(root)
        level = set()
        ids = sorted({run_id for _, run_id in roots_of})
        for run, job, run_id, parent in tx.rows(tx.statements.runs.started_by, ids=ids):
            above = facet_readers.parent({"parent": json.loads(parent)})
            if above is not None:
                at = (above.job.namespace, above.run_id)
                fresh = {(root, run, job) for root in roots_of.get(at, ())} - found
                found |= fresh
                level |= {(root, job_of(job).namespace, run_id) for root, _, _ in fresh}
    return found


def _runs(tx: Transaction, statement: LiteralString, **parameters: Any) -> list[Run]:
    rows = with_facets(tx, statement, tx.statements.runs.facets_of_runs, **parameters)
    return [answers.run_of(RunRow._make(row), facets) for row, facets in rows]


def _texts(keys: Iterable[RunKey]) -> Mapping[str, RunKey]:
    return {run_text(key.job, key.run_id.lower()): key for key in keys}


def _place(after: RunPlace | None) -> dict[str, Any]:
    if after is None:
        return {"time": None, "key": None}
    return {"time": micros(after.first_seen), "key": run_text(after.key.job, after.key.run_id)}
