"""What the jobs of an answer do to make its datasets, by all conditions under which their runs did."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Final, Protocol

from headwater_backend.active.passages import Step, unknown_step
from headwater_backend.active.reading import Population, read_populations
from headwater_backend.domain import deadline
from headwater_backend.domain.model import (
    EARLIER_LINEAGE,
    Conditions,
    DatasetKey,
    Fan,
    Incomplete,
    JobKey,
    Making,
    Writer,
)
from headwater_backend.ports import CataloguedGraph, ConditionedGraph
from headwater_facets.canonical_json import canonical
from headwater_facets.producer import FACET_PRODUCER

NOBODY: Final = JobKey("", "")
"""Stands for whoever else wrote."""

Pair = tuple[JobKey, DatasetKey]
"""A job and what it writes."""


class ActiveGraph(CataloguedGraph, ConditionedGraph, Protocol):
    """The ports of active lineage."""


@dataclass(frozen=True, slots=True)
class MadeBy:
    """What each job does that writes a dataset of an answer: by the versions of its lineage, how runs made them.

    ``unknown`` are the jobs and datasets of which more may be that nobody knows.
    """

    makings: Mapping[Pair, Mapping[str, Sequence[Making]]]
    unknown: tuple[Pair, ...]

    def steps(self) -> list[Step]:
        """A step for each way in which a job made a dataset."""
        known = [
            step
            for (job, output), versions in self.makings.items()
            for version, makings in versions.items()
            for step in _made(job, output, version, makings)
        ]
        return [*known, *(unknown_step(job, output) for job, output in self.unknown)]

    def version(self, pairs: Iterable[Pair]) -> str:
        """A text that is another one as soon as one of the jobs makes its dataset in another way."""
        stated = [
            [list(job), list(output), version, sorted(canonical(_stated(each)) for each in makings)]
            for job, output in sorted(set(pairs))
            for version, makings in sorted(self.makings.get((job, output), {}).items())
        ]
        return hashlib.sha256(canonical({"steps": stated}).encode()).hexdigest()[:32]


def made_by(
    store: ActiveGraph,
    datasets: Sequence[DatasetKey],
    as_of: datetime | None,
    fans: Sequence[Fan] | None = None,
) -> MadeBy:
    """What the jobs do that write the datasets, now or at the moment; ``fans`` are all edges into them, if known."""
    writers = store.writers(datasets, as_of) if fans is None else map(_writer, fans)
    versions = _versions(writers)
    listed = {version for some in versions.values() for version in some if version}
    makings = store.conditions(listed, as_of) if listed else {}
    known = {pair: {version: makings.get(version, ()) for version in some} for pair, some in versions.items()}
    gaps = store.incomplete(datasets, as_of, earlier=True)
    return MadeBy(known, tuple(_unknown(gaps, known)))


def _writer(fan: Fan) -> Writer:
    return Writer(fan.job, fan.near.dataset, fan.version)


def half_time() -> Callable[[], bool]:
    """Whether half of the time for the question is over: the rest is for the answer."""
    current = deadline.current()
    return (lambda: False) if current is None else current.part(0.5).is_over


def _unknown(gaps: Iterable[Incomplete], known: Mapping[Pair, object]) -> Iterator[Pair]:
    """Who may have written what in another way than is known.

    What earlier lineage brought, and was replaced since, may be left in what was made of it: the conditions of now do
    not say what the readers of that dataset found.
    """
    left = set()
    for gap in gaps:
        if gap.job is None or (gap.job, gap.dataset) not in known:
            yield gap.job or NOBODY, gap.dataset
        if gap.reason == EARLIER_LINEAGE:
            left.add(gap.dataset)
    yield from (each for each in known if each[1] in left)


def _versions(writers: Iterable[Writer]) -> Mapping[Pair, Iterable[str]]:
    """By job and output, the versions of lineage that are in an answer."""
    versions: dict[Pair, dict[str, None]] = defaultdict(dict)
    for job, output, version in writers:
        versions[job, output][version] = None
    return versions


def _made(job: JobKey, output: DatasetKey, version: str, makings: Sequence[Making]) -> Iterator[Step]:
    """A step for each of the conditions under which the version was made; one of which nothing is known, if none."""
    for number, making in enumerate(makings):
        yield Step(job, output, partial(_populations, making.conditions, (job, output, version, number)))
    if not makings:
        yield unknown_step(job, output)


@lru_cache(maxsize=1_024)
def _populations(stated: Conditions | None, of: Hashable) -> tuple[Population, ...] | None:
    """The populations that are stated; those of another producer are not believed.

    They are known by the text that states them, so no store and no reader gets what only another one has.
    """
    if stated is None or not f"{stated.producer}/".startswith(f"{FACET_PRODUCER}/"):
        return None
    return read_populations(stated.populations, of)


def _stated(making: Making) -> dict[str, object]:
    stated = making.conditions
    return {"producer": stated.producer, "populations": list(stated.populations)} if stated else {}
