"""The whole graph: all edges that count, what the jobs do that made them, and what is not known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import Protocol

from headwater_backend.active.passages import Step
from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    Fan,
    JobKey,
    LineageType,
    NodeKey,
    Transformation,
)
from headwater_backend.ports import Presence
from headwater_backend.questions.active.steps import ActiveGraph, MadeBy, made_by
from headwater_backend.questions.around.rows import of_rows
from headwater_backend.questions.traversal import ALL_TYPES


class CheckedGraph(ActiveGraph, Presence, Protocol):
    """The ports of the checks."""


class Check(str, Enum):
    """What is checked; ``checking`` says of each what it finds."""

    REDUNDANT_MAPPING = "REDUNDANT_MAPPING"
    DEAD_END = "DEAD_END"
    LOOP = "LOOP"
    BROKEN_WAY = "BROKEN_WAY"
    CONDITIONS_ONLY = "CONDITIONS_ONLY"
    ALWAYS_TRUE = "ALWAYS_TRUE"
    ALWAYS_FALSE = "ALWAYS_FALSE"
    WEAK_FILTER = "WEAK_FILTER"
    COPIED_FOR_NOTHING = "COPIED_FOR_NOTHING"


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found, and where: a path or a whole dataset, and the job whose statement it is, if it is one's.

    ``sql`` is the condition, ``because`` a sentence for people, ``along`` what else belongs to it.
    """

    check: Check
    node: NodeKey
    job: JobKey | None = None
    sql: str = ""
    because: tuple[str, ...] = ()
    along: tuple[NodeKey, ...] = ()

    @property
    def order(self) -> tuple[object, ...]:
        return (
            list(Check).index(self.check),
            self.node,
            self.job or ("", ""),
            self.sql,
            self.along,
            self.because,
        )


@dataclass(frozen=True)
class Whole:
    """All edges of a store, and the steps that made them.

    ``foreign`` are datasets that may have rows which nobody is known to have written, ``unlisted`` those of which a
    reader does not tell what it made of which path.
    """

    datasets: tuple[DatasetKey, ...]
    fans: tuple[Fan, ...]
    made_by: MadeBy
    foreign: frozenset[DatasetKey]
    unlisted: frozenset[DatasetKey]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self.made_by.steps())

    @cached_property
    def flows(self) -> tuple[Edge, ...]:
        """The edges that move values, each once, without what else they do."""
        return tuple(_merged(_direct(self.fans)))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, each once; what is made of rows alone uses no path."""
        return tuple(_merged(fan for fan in self.fans if not of_rows(fan)))


def whole_graph(store: CheckedGraph, as_of: datetime | None) -> Whole:
    """The whole graph of a store, now or at the moment."""
    keys = store.dataset_keys()
    present = store.existing(keys, as_of)
    datasets = tuple(each for each in keys if each in present)
    everywhere: tuple[str, ...] = ()
    nodes = [NodeKey(each, everywhere) for each in datasets]
    fans = store.neighbours(nodes, Direction.BACKWARD, ALL_TYPES, as_of).fans
    return Whole(
        datasets,
        tuple(fans),
        made_by(store, datasets, as_of, fans),
        frozenset(store.found_there(datasets, as_of)),
        frozenset(store.possible_outputs(datasets, as_of)),
    )


def _direct(fans: Iterable[Fan]) -> Iterator[Fan]:
    for fan in fans:
        kinds = tuple(each for each in fan.transformations if each.type is LineageType.DIRECT)
        if kinds:
            yield fan._replace(transformations=kinds)


def _merged(fans: Iterable[Fan]) -> Iterator[Edge]:
    kinds: dict[tuple[NodeKey, NodeKey, JobKey], dict[Transformation, None]] = {}
    for fan in fans:
        for far in fan.fars:
            kinds.setdefault((far, fan.near, fan.job), {}).update(dict.fromkeys(fan.transformations))
    for (source, target, job), listed in kinds.items():
        yield Edge(source, target, job, tuple(listed))


def by_source(edges: Iterable[Edge]) -> Mapping[DatasetKey, Sequence[Edge]]:
    """The edges by the dataset that they come from."""
    found: dict[DatasetKey, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.source.dataset, []).append(edge)
    return found


def by_target(edges: Iterable[Edge]) -> Mapping[DatasetKey, Sequence[Edge]]:
    """The edges by the dataset that they lead to."""
    found: dict[DatasetKey, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.target.dataset, []).append(edge)
    return found
