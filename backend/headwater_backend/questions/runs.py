"""Jobs and the history of their runs: times, states, inputs and outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from headwater_backend.domain import facet_readers, pages
from headwater_backend.domain.errors import BadQuestion, UnknownJob
from headwater_backend.domain.model import (
    DatasetKey,
    Incomplete,
    Job,
    JobKey,
    Run,
    RunKey,
    RunPlace,
    Use,
    Used,
)
from headwater_backend.domain.moments import EPOCH, micros, moment
from headwater_backend.domain.pages import Page, page, size
from headwater_backend.ports import CataloguedRuns, Jobs, LineageAndRuns, RunHistory, Runs, RunUse
from headwater_backend.questions.resolving import did_you_mean, resolve_dataset

MOST_JOBS = 1_000
MOST_BELOW = 10_000
"""The most runs below a run that are examined."""
RUNS_AT_ONCE = 500
"""The number of runs that are read together where only some of them count."""
HINTED_AT = 100_000
"""The number of jobs among which similar names are looked for."""


class UsedBelow(NamedTuple):
    """A dataset that runs below a run used: the number of these runs, and their statistics together."""

    use: Use
    dataset: DatasetKey
    runs: int
    statistics: facet_readers.Statistics


@dataclass(frozen=True, slots=True)
class Below:
    """The runs below a run, which it or they started, and the datasets that they used."""

    runs: Sequence[Run]
    used: Sequence[UsedBelow]
    cut: bool
    """Whether the run has more runs below it than these."""

    @property
    def states(self) -> list[tuple[str, int]]:
        """The number of runs in each state, the most frequent first."""
        return Counter(run.state or "" for run in self.runs).most_common()


def job(store: CataloguedRuns, key: JobKey) -> Job:
    """The job; raises ``UnknownJob`` with the nearest known names."""
    found = store.get_jobs([key]).get(key)
    if found is None:
        known = [f"{near.namespace} {near.name}" for near in store.jobs_like("", HINTED_AT)]
        raise UnknownJob(
            f"no job {key.name!r} exists in namespace {key.namespace!r}",
            did_you_mean(f"{key.namespace} {key.name}", known),
        )
    return found


def maybe_job(store: Jobs, key: JobKey) -> Job | None:
    """The job, or None."""
    return store.get_jobs([key]).get(key)


def jobs(
    store: CataloguedRuns, text: str | None = None, first: int | None = None, after: str | None = None
) -> Page[Job]:
    """The jobs whose namespace or name contains the text, in key order. Raises ``BadQuestion``."""
    wanted = size(first, "jobs")
    place = JobKey(*pages.read_cursor(after, (str, str))) if after is not None else None
    found = page(store.jobs_like(text or "", wanted + 1, place), wanted)
    known = store.get_jobs(found.items)
    return Page(tuple(known[key] for key in found.items if key in known), found.has_next)


def of_job(
    store: CataloguedRuns, key: JobKey, first: int | None = None, after: str | None = None
) -> Page[Run]:
    """The job's runs, newest first. Raises ``UnknownJob``, ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    found = store.runs(key, wanted + 1, place)
    if not found and place is None:
        job(store, key)
    return page(found, wanted)


def of_dataset(
    store: CataloguedRuns,
    key: DatasetKey,
    use: Use | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Page[Run]:
    """The runs that used the dataset, newest first. Raises ``UnknownDataset``, ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    own = resolve_dataset(store, key).key
    return page(store.runs_with([own], use, wanted + 1, place).get(own, ()), wanted)


def history(
    store: CataloguedRuns,
    key: DatasetKey,
    use: Use | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[Run, Sequence[Used]]]:
    """The runs that used the dataset, newest first, each with its uses of the dataset, under any of its names.

    Raises ``UnknownDataset``, ``BadQuestion``.
    """
    own = resolve_dataset(store, key)
    names = {own.key, *own.names}
    found = of_dataset(store, own.key, use, first, after)
    uses = store.used_by_runs([run.key for run in found.items])
    items = [
        (run, [used for used in uses.get(run.key, ()) if used.dataset in names and use in (None, used.use)])
        for run in found.items
    ]
    return Page(tuple(items), found.has_next)


def with_records(
    store: CataloguedRuns, key: DatasetKey, first: int | None = None, after: str | None = None
) -> Page[Run]:
    """The runs that wrote the dataset and reported where its records are, newest first.

    Raises ``UnknownDataset``, ``BadQuestion``.
    """
    wanted, place = size(first, "runs"), _place(after)
    own = resolve_dataset(store, key).key
    found: list[Run] = []
    while len(found) <= wanted:
        some = store.runs_with([own], Use.OUTPUT, RUNS_AT_ONCE, place).get(own, ())
        found += [run for run in some if facet_readers.records(run.facets) is not None]
        if len(some) < RUNS_AT_ONCE:
            break
        place = RunPlace(some[-1].first_seen or EPOCH, some[-1].key)
    return page(found[: wanted + 1], wanted)


def children(store: Runs, run_id: str, first: int | None = None, after: str | None = None) -> Page[Run]:
    """The runs that the run started, newest first. Raises ``BadQuestion``."""
    wanted, place = size(first, "runs"), _place(after)
    return page(store.child_runs(run_id, wanted + 1, place), wanted)


def cursor(run: Run) -> str:
    """The cursor of a list of runs after this one."""
    return pages.cursor(micros(run.first_seen or EPOCH), *run.job, run.run_id)


def known(store: Runs, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
    """The known runs of these keys."""
    return store.get_runs(keys)


def used(store: RunUse, keys: Sequence[RunKey]) -> Mapping[RunKey, Sequence[Used]]:
    """The datasets that each run read and wrote."""
    return store.used_by_runs(keys)


def get_jobs(store: Jobs, keys: Sequence[JobKey]) -> Mapping[JobKey, Job]:
    """The known jobs, with their facets."""
    return store.get_jobs(keys)


def newest(store: Runs, keys: Sequence[JobKey]) -> Mapping[JobKey, Run]:
    """The newest run of each job that has any."""
    return store.newest_runs(keys)


def newest_of(store: Runs, keys: Sequence[JobKey]) -> Mapping[JobKey, Run]:
    """The newest run of each job that has any. Raises ``BadQuestion`` for more than ``MOST_JOBS``."""
    if len(keys) > MOST_JOBS:
        raise BadQuestion(f"at most {MOST_JOBS} jobs are asked for at once")
    return newest(store, list(dict.fromkeys(keys)))


def used_by_jobs(store: RunHistory, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Used]]:
    """The datasets that the runs of each job, and the runs below them, read and wrote."""
    below = store.jobs_below(keys)
    known = store.used_by_jobs(list(dict.fromkeys([*keys, *chain.from_iterable(below.values())])))
    return {key: _once([known.get(job, ()) for job in (key, *below.get(key, ()))]) for key in keys}


def gaps_of_jobs(store: LineageAndRuns, keys: Sequence[JobKey]) -> Mapping[JobKey, Sequence[Incomplete]]:
    """The gaps of the current lineage of each job, and of the jobs below it."""
    below, used = store.jobs_below(keys), used_by_jobs(store, keys)
    written = {each.dataset for some in used.values() for each in some if each.use is Use.OUTPUT}
    gaps = store.incomplete(sorted({each.key for each in store.get_datasets(sorted(written)).values()}))
    jobs_of = {key: {key, *below.get(key, ())} for key in keys}
    return {key: [gap for gap in gaps if gap.job in jobs] for key, jobs in jobs_of.items()}


def below(store: RunHistory, keys: Sequence[RunKey]) -> Mapping[RunKey, Below]:
    """The runs below each run, the first ``MOST_BELOW`` in key order; runs without any are left out."""
    found = {key: runs[: MOST_BELOW + 1] for key, runs in store.runs_below(keys).items()}
    every = list(dict.fromkeys(chain.from_iterable(found.values())))
    if not every:
        return {}
    runs, used = store.get_runs(every), store.used_by_runs(every)
    return {key: _below([each for each in some if each in runs], runs, used) for key, some in found.items()}


def _below(
    keys: Sequence[RunKey], runs: Mapping[RunKey, Run], used: Mapping[RunKey, Sequence[Used]]
) -> Below:
    some = keys[:MOST_BELOW]
    statistics: dict[tuple[Use, DatasetKey], list[facet_readers.Statistics]] = {}
    for each in chain.from_iterable(used.get(key, ()) for key in some):
        statistics.setdefault((each.use, each.dataset), []).append(facet_readers.statistics(each.facets))
    return Below(
        runs=[runs[key] for key in some],
        used=[
            UsedBelow(*key, len(statistics[key]), _sum(statistics[key]))
            for key in sorted(statistics, key=_use_order)
        ],
        cut=len(keys) > MOST_BELOW,
    )


def _sum(statistics: Sequence[facet_readers.Statistics]) -> facet_readers.Statistics:
    """The sum of each figure over the runs that have it."""
    columns = (
        [figure for figure in column if figure is not None] for column in zip(*statistics, strict=True)
    )
    return facet_readers.Statistics(*(sum(column) if column else None for column in columns))


def _use_order(key: tuple[Use, DatasetKey]) -> tuple[str, DatasetKey]:
    return key[0].value, key[1]


def _once(lists: Sequence[Sequence[Used]]) -> list[Used]:
    """Each dataset once for each use, in the order of a store's answer."""
    found = {(used.use, used.dataset): used for some in lists for used in some}
    return [found[key] for key in sorted(found, key=_use_order)]


def _place(after: str | None) -> RunPlace | None:
    if after is None:
        return None
    first_seen, namespace, name, run_id = pages.read_cursor(after, (int, str, str, str))
    return RunPlace(moment(first_seen), RunKey(JobKey(namespace, name), run_id))
