"""What an edge leads through: the populations that the steps of its job write, and the rows that they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from headwater_backend.active.carrying import Fact, Reason, shown
from headwater_backend.active.flowing import values_in
from headwater_backend.active.reading import Made, Population
from headwater_backend.active.terms import Term
from headwater_backend.domain.model import (
    PACKED,
    DatasetKey,
    Edge,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
)
from headwater_facets import packing


@dataclass(frozen=True, eq=False)
class Step:
    """What a job does to make a dataset. Most steps of an answer are not on its ways, so it is read when it is asked
    for.
    """

    job: JobKey
    output: DatasetKey
    read: Callable[[], tuple[Population, ...] | None]

    @cached_property
    def populations(self) -> tuple[Population, ...] | None:
        """The populations; None where nothing is known of the rows."""
        return self.read()


def unknown_step(job: JobKey, output: DatasetKey) -> Step:
    """A step of which nothing is known."""
    return Step(job, output, lambda: None)


class Through(NamedTuple):
    """A population and the row of it that an edge leads through, with what must hold for its value to be taken."""

    population: Population
    row: int
    guards: tuple[Term, ...] = ()


def through(edge: Edge, steps: Iterable[Step]) -> list[Through] | None:
    """The populations and rows through which values flow along the edge; None if there may be others.

    ``steps`` are those of its job that write its target's dataset.
    """
    if not _only_flows(edge):
        return None
    found: list[Through] = []
    for step in steps:
        for population in step.populations or ():
            made = _made(population, edge.target.path)
            if made is None or made.others:
                return None
            found += _ways(population, made, edge.source)
        if step.populations is None:
            return None
    return found or None


def _only_flows(edge: Edge) -> bool:
    """Whether the edge is one of values alone: what only influences may do so by being absent."""
    return all(each.type is LineageType.DIRECT for each in edge.transformations)


def _made(population: Population, path: PathSteps) -> Made | None:
    """What is written at a path or at the column around it."""
    found = (population.values.get(path[:length]) for length in range(len(path), 0, -1))
    return next(filter(None, found), None)


def _ways(population: Population, made: Made, source: NodeKey) -> Iterator[Through]:
    """The rows of the source whose path may be in what is written, in each branch of a CASE on its own."""
    flows = values_in(made.term) if made.exact else ((of, ()) for of in made.of)
    for of, guards in dict.fromkeys(flows):
        row = population.rows.get(of.row)
        if row is not None and source.dataset in row.datasets and related(of.path, source.path):
            yield Through(population, of.row, guards)


def guarding(edge: Edge, way: Through) -> Iterator[Fact]:
    """The conditions under which a CASE takes the value."""
    for guard in way.guards:
        yield Fact(guard, (Reason(edge.job, f"{'.'.join(edge.target.path)} is taken where {shown(guard)}"),))


def related(one: PathSteps, other: PathSteps) -> bool:
    """Whether one path is the other one, or inside it, or may be the same in another notation of a packed text."""
    shared = min(len(one), len(other))
    if one[:shared] == other[:shared]:
        return True
    text = next((at for at in range(shared) if one[at] != other[at]), 0)
    return PACKED in one[:text] and packing.related(*_below_text(one, other))


def _below_text(one: PathSteps, other: PathSteps) -> tuple[PathSteps, PathSteps]:
    at = one.index(PACKED) + 1
    return one[at:], other[at:]
