"""Jobs and the history of their runs: when, how they ended, and what they read and wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater_backend.cursors import made, read
from headwater_backend.errors import UnknownJob
from headwater_backend.model import DatasetKey, Job, JobKey, Run, RunKey, RunPlace, Use, Used
from headwater_backend.moments import EPOCH, micros, moment
from headwater_backend.ports import LineageStore
from headwater_backend.questions.find import dataset, did_you_mean
from headwater_backend.questions.pages import Page, page, size

HINTED_AT = 100_000
"""Among so many jobs a near name is looked for."""


def job(store: LineageStore, key: JobKey) -> Job:
    """The job; raises ``UnknownJob`` with the nearest known names."""
    found = store.described_jobs([key]).get(key)
    if found is None:
        known = [f"{near.namespace} {near.name}" for near in store.jobs_like("", HINTED_AT)]
        raise UnknownJob(
            f"there is no job {key.name!r} in namespace {key.namespace!r}",
            did_you_mean(f"{key.namespace} {key.name}", known),
        )
    return found


def maybe_job(store: LineageStore, key: JobKey) -> Job | None:
    """The job, or None."""
    return store.described_jobs([key]).get(key)


def of_job(store: LineageStore, key: JobKey, first: int | None = None, after: str | None = None) -> Page[Run]:
    """The job's runs, newest first. Raises ``UnknownJob``, ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    found = store.runs(key, wanted + 1, place)
    if not found and place is None:
        job(store, key)
    return page(found, wanted)


def of_dataset(
    store: LineageStore,
    key: DatasetKey,
    use: Use | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Page[Run]:
    """The runs that used the dataset, newest first. Raises ``UnknownDataset``, ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    return page(store.runs_with(dataset(store, key).key, use, wanted + 1, place), wanted)


def history(
    store: LineageStore,
    key: DatasetKey,
    use: Use | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[Run, Sequence[Used]]]:
    """The runs that used the dataset, newest first, and what each told of it, under whichever of its names.

    Raises ``UnknownDataset``, ``BadQuestion``.
    """
    own = dataset(store, key)
    names = {own.key, *own.names}
    found = of_dataset(store, own.key, use, first, after)
    told = store.used_by_runs([run.key for run in found.items])
    items = [
        (run, [used for used in told.get(run.key, ()) if used.dataset in names and use in (None, used.use)])
        for run in found.items
    ]
    return Page(tuple(items), found.has_next)


def children(
    store: LineageStore, run_id: str, first: int | None = None, after: str | None = None
) -> Page[Run]:
    """The runs that the run started, newest first. Raises ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    return page(store.child_runs(run_id, wanted + 1, place), wanted)


def cursor(run: Run) -> str:
    """Where a list of runs goes on behind this one."""
    return made(micros(run.first_seen or EPOCH), *run.job, run.run_id)


def known(store: LineageStore, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
    """The runs of these keys that are known."""
    return store.described_runs(keys)


def used(store: LineageStore, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
    """What each run read and wrote."""
    return store.used_by_runs(keys)


def described(store: LineageStore, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
    """The jobs that are known, with their facets."""
    return store.described_jobs(keys)


def newest(store: LineageStore, keys: Sequence[JobKey]) -> Mapping[JobKey, Run]:
    """The newest run of each job that has any."""
    return store.newest_runs(keys)


def used_by_jobs(store: LineageStore, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
    """What the runs of each job read and wrote."""
    return store.used_by_jobs(keys)


def _place(after: str | None) -> RunPlace | None:
    if after is None:
        return None
    first_seen, namespace, name, run_id = read(after, (int, str, str, str))
    return RunPlace(moment(first_seen), RunKey(JobKey(namespace, name), run_id))
