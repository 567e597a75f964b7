"""Where one record comes from: the sources that several attributes have in common, and what each has alone.

A value may come from several sources, one by one under different conditions. A record has all of its attributes from
the same ones, so that those which only some attributes can come from are none of the record as a whole: such an
attribute was written otherwise, or belongs to other records.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey
from headwater_backend.questions.closure import Fetch, LineageGraph, gaps_in_order

MOST_ATTRIBUTES: Final = 20


@dataclass(frozen=True, slots=True)
class SharedSource:
    """A source of all attributes that have any, with the rows that each of them comes from, in their order."""

    dataset: DatasetKey
    fetches: tuple[Fetch, ...]


@dataclass(frozen=True, slots=True)
class AttributeSources:
    """An attribute, and the rows of sources that others cannot come from.

    ``has_none`` is one that comes from no source: a constant, or a value that no row can bring.
    """

    node: NodeKey
    label: str
    alone: tuple[Fetch, ...]
    has_none: bool


@dataclass(frozen=True, slots=True)
class RecordSources:
    """The sources of one record, and its attributes in the order that they were asked for."""

    shared: tuple[SharedSource, ...]
    attributes: tuple[AttributeSources, ...]
    incomplete: tuple[Incomplete, ...]

    @property
    def complete(self) -> bool:
        return not self.incomplete


def check_attributes(nodes: Sequence[NodeKey]) -> None:
    """Raises ``BadQuestion`` unless these are attributes of one dataset."""
    datasets = list(dict.fromkeys(node.dataset for node in nodes))
    if len(datasets) != 1:
        raise BadQuestion(
            f"one record has attributes of one dataset, and {len(datasets)} are given",
            "name at least one path, all of the same dataset",
        )
    if len(nodes) > MOST_ATTRIBUTES:
        raise BadQuestion(
            f"{len(nodes)} paths are asked for together", f"ask for up to {MOST_ATTRIBUTES} at once"
        )


def record_sources(answers: Sequence[LineageGraph]) -> RecordSources:
    """The sources of one record, by the active lineage of each of its attributes backward."""
    found = [_sources(answer) for answer in answers]
    known = [{each.node.dataset for each in fetches} for fetches in found if fetches]
    shared: Collection[DatasetKey] = reduce(and_, known) if known else set()
    return RecordSources(
        shared=tuple(
            SharedSource(key, tuple(each for some in found for each in some if each.node.dataset == key))
            for key in sorted(shared)
        ),
        attributes=tuple(map(partial(_attribute, shared), answers, found)),
        incomplete=gaps_in_order({gap for answer in answers for gap in answer.incomplete}),
    )


def _sources(answer: LineageGraph) -> tuple[Fetch, ...]:
    """Where the values begin: not where the answer ends only because no row can bring them there."""
    ended = {each.edge.target for each in answer.pruned}
    return tuple(fetch for fetch in answer.fetches if fetch.node not in ended)


def _attribute(
    shared: Collection[DatasetKey], answer: LineageGraph, fetches: tuple[Fetch, ...]
) -> AttributeSources:
    start = next(node for node in answer.nodes if node.distance == 0)
    alone = tuple(fetch for fetch in fetches if fetch.node.dataset not in shared)
    return AttributeSources(start.key, start.label, alone, has_none=not fetches)
