"""Where data may go on from datasets, or come from: along lineage, and to what jobs made of them earlier, by datasets.

Of what a job brought earlier, and does not bring now, it is known that it may be left, and not where
(``EARLIER_LINEAGE``): at any output of the job, or wherever data went on from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from headwater_backend.domain.model import (
    AFTER_THE_FACT,
    EARLIER_LINEAGE,
    DatasetKey,
    Direction,
    NodeKey,
    Use,
)
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, Exploration, Part, explore


@dataclass(frozen=True, slots=True)
class Onward:
    """From each dataset to the ``targets`` that values may come to at once; ``earlier`` are those that jobs brought
    values to which they do not bring now.
    """

    targets: Mapping[DatasetKey, set[DatasetKey]] = field(default_factory=lambda: defaultdict(set))
    earlier: set[DatasetKey] = field(default_factory=set)

    def from_any(self, starts: Iterable[DatasetKey]) -> set[DatasetKey]:
        """The datasets, and those that values may come to from them."""
        return _along(self.targets, starts)

    def before_any(self, ends: Iterable[DatasetKey]) -> set[DatasetKey]:
        """The datasets, and those from which values may come to them."""
        sources = defaultdict[DatasetKey, set[DatasetKey]](set)
        for dataset, targets in self.targets.items():
            for each in targets:
                sources[each].add(dataset)
        return _along(sources, ends)

    def after_earlier(self, start: DatasetKey) -> set[DatasetKey]:
        """Those to which lineage alone may not lead."""
        return self.from_any(self.from_any([start]) & self.earlier)


def _along(steps: Mapping[DatasetKey, set[DatasetKey]], starts: Iterable[DatasetKey]) -> set[DatasetKey]:
    seen = set(starts)
    frontier = list(seen)
    while frontier:
        more = steps.get(frontier.pop(), set()) - seen
        seen |= more
        frontier += more
    return seen


def onward(
    store: CataloguedGraph, starts: Iterable[DatasetKey], bounds: Bounds, part: Part | None
) -> Onward | None:
    """Where data may go on from the datasets, along these parts; None if the search did not end."""
    known = Onward()
    done, frontier = set[DatasetKey](), set(starts)
    while frontier:
        found = _explored(store, frontier, Direction.FORWARD, bounds, part)
        if found is None:
            return None
        for fan in (fan for fans in found.fans.values() for fan in fans):
            known.targets[fan.near.dataset].update(far.dataset for far in fan.fars)
        reached = {*frontier, *found.datasets()} - done
        done |= reached
        outputs = set[DatasetKey]()
        for dataset, made in _made_earlier(store, reached, bounds):
            known.targets[dataset].update(made)
            outputs.update(made)
        known.earlier.update(outputs)
        frontier = outputs - done
    return known


def before(
    store: CataloguedGraph, ends: Iterable[DatasetKey], bounds: Bounds, part: Part | None
) -> Set[DatasetKey] | None:
    """The datasets, and those from which data may come to them, along these parts; None if the search did not end."""
    known, frontier = set[DatasetKey](), set(ends)
    while frontier:
        found = _explored(store, frontier, Direction.BACKWARD, bounds, part)
        if found is None:
            return None
        reached = {*frontier, *found.datasets()} - known
        known |= reached
        frontier = _brought_earlier(store, reached, bounds) - known
    return known


def _explored(
    store: CataloguedGraph, datasets: Set[DatasetKey], direction: Direction, bounds: Bounds, part: Part | None
) -> Exploration | None:
    """What is found from the datasets as wholes; None if the search did not end."""
    nodes = [NodeKey(key, ()) for key in sorted(datasets)]
    found = explore(store, nodes, direction, ALL_TYPES, bounds, part=part)
    return None if found.limited or found.cut else found


def _brought_earlier(store: CataloguedGraph, outputs: Set[DatasetKey], bounds: Bounds) -> set[DatasetKey]:
    """The datasets from which jobs brought values earlier that may be left in one of the outputs."""
    jobs = set().union(*store.jobs_with(sorted(outputs), Use.OUTPUT).values())
    used = store.used_by_jobs(sorted(jobs)).values() if jobs else ()
    read = {use.dataset for uses in used for use in uses}
    return {dataset for dataset, made in _made_earlier(store, read, bounds) if not made.isdisjoint(outputs)}


def _made_earlier(
    store: CataloguedGraph, datasets: Collection[DatasetKey], bounds: Bounds
) -> Iterator[tuple[DatasetKey, Set[DatasetKey]]]:
    """The datasets from which jobs brought values that may be left, with the outputs of these jobs."""
    beyond = store.possible_outputs(sorted(datasets), bounds.as_of, earlier=True)
    jobs = {
        dataset: {gap.job for gap in gaps if gap.reason in (EARLIER_LINEAGE, AFTER_THE_FACT) and gap.job}
        for dataset, gaps in beyond.items()
    }
    asked = sorted(set().union(*jobs.values()))
    used = store.used_by_jobs(asked) if asked else {}
    for dataset, some in jobs.items():
        yield (
            dataset,
            {use.dataset for job in some for use in used.get(job, ()) if use.use is Use.OUTPUT},
        )
