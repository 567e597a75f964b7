"""The effect of decisions that are not made yet: where personal data would be known, and no longer known, by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.moments import moment
from headwater_backend.domain.records import DecisionMade
from headwater_backend.ports import CataloguedGraph
from headwater_backend.ports.decisions import Decisions
from headwater_backend.privacy.classification.decided import in_force
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope


@dataclass(frozen=True, slots=True)
class Holding:
    """The number of paths of a dataset at which data of a category are known."""

    dataset: DatasetKey
    category: str
    paths: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Where data of a category would be known that are not now, and the other way round; by dataset and category.

    ``complete`` is whether all is known that the decisions lead to.
    """

    gained: tuple[Holding, ...]
    lost: tuple[Holding, ...]
    complete: bool


def effect(store: CataloguedGraph, made: Sequence[DecisionMade], ruling: Ruling) -> Effect:
    """What answers would list, and list no longer, if the decisions were made. What is only influenced is left out."""
    now = store.decisions()
    as_of = max([datetime.now(timezone.utc), *(moment(each.time) for each in made)])
    before, _ = _held(store, now, as_of, ruling)
    after, complete = _held(store, Decisions((*now, *made), now.canonical), as_of, ruling)
    return Effect(_counted(after - before), _counted(before - after), complete)


def _held(
    store: CataloguedGraph, decisions: Decisions, as_of: datetime, ruling: Ruling
) -> tuple[Set[tuple[NodeKey, str]], bool]:
    """Each path with each category of what it holds by these decisions, and whether that is all."""
    report = exposed(store, Scope(), replace(ruling, lenient=True), in_force(decisions, as_of))
    held = {
        (node, category)
        for each in report.attributes
        for node in (each.attribute.node, *each.holders)
        for category in each.attribute.categories
    }
    return held, report.complete


def _counted(held: Set[tuple[NodeKey, str]]) -> tuple[Holding, ...]:
    found = Counter((node.dataset, category) for node, category in held)
    return tuple(Holding(dataset, category, paths) for (dataset, category), paths in sorted(found.items()))
