"""Proposals of paths that look personal and have no class: questions to a steward, and never a fact.

A path is proposed for its name (``classification.suggestions``), for its type, or because a job joins on it, and on a
path of another dataset that holds an identifying attribute. It is not proposed if a steward decided on it or rejected
the proposal, if it or what holds it is classified, or if a classified value was moved there: then it is known. Only
leaves are proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from itertools import takewhile
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.ports import CataloguedGraph, Edges, NamedEdges
from headwater_backend.privacy.classification.categories import checked, includes
from headwater_backend.privacy.classification.decided import Decided, PathClass, decided, place
from headwater_backend.privacy.classification.place_patterns import DATASETS_AT_ONCE, PlacePattern
from headwater_backend.privacy.classification.suggestions import (
    Confidence,
    Proposal,
    described_leaves,
    joined_with,
    suggested_for,
)
from headwater_backend.privacy.exposure import AttributeExposure, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.questions.resolving import did_you_mean, resolve_node, written


@dataclass(frozen=True, slots=True)
class Selection:
    """Which proposals are meant: those at one of the places, of the category or a kind of it, of that confidence.

    Without any, all. Raises ``UnknownCategory``.
    """

    places: tuple[PlacePattern, ...] = ()
    category: str | None = None
    confidence: Confidence | None = None

    def __post_init__(self) -> None:
        if self.category:
            checked(self.category)

    def selects(self, each: Proposal) -> bool:
        """Whether the proposal is one of those."""
        return (
            (not self.places or any(self._is_at(place, each.node) for place in self.places))
            and (not self.category or any(includes(self.category, key) for key in each.categories))
            and self.confidence in (None, each.confidence)
        )

    @staticmethod
    def _is_at(place: PlacePattern, node: NodeKey) -> bool:
        return place.covers(node.dataset) and place.includes(node.dataset, written(node.path))


EVERY_PROPOSAL: Final = Selection()


def proposals(
    store: CataloguedGraph,
    ruling: Ruling,
    selection: Selection = EVERY_PROPOSAL,
    *,
    first: int | None = None,
    after: str | None = None,
) -> Page[tuple[str, Proposal]]:
    """A page of the selected proposals, the likely ones first, then by path."""
    selected = filter(selection.selects, _proposals(store, ruling))
    found = sorted(selected, key=lambda each: (each.confidence.value, each.node))
    return numbered(found, first, after, "proposals")


def confirmed(store: CataloguedGraph, ruling: Ruling, nodes: Sequence[NodeKey]) -> tuple[PathClass, ...]:
    """The classes that are proposed for the nodes. Raises ``BadQuestion`` where none is proposed."""
    known = {each.node: each for each in _proposals(store, ruling)}
    found = []
    for node in nodes:
        own = node if node in known else resolve_node(store, node)
        if own not in known:
            near = did_you_mean(place(own), map(place, known))
            raise BadQuestion(
                f"nothing is proposed for {place(own)}", near or "classify it, and name the categories"
            )
        found.append(PathClass(own, known[own].categories, f"proposed: {known[own].why}"))
    return tuple(found)


def _proposals(store: CataloguedGraph, ruling: Ruling) -> Iterator[Proposal]:
    decisions = decided(store, datetime.now(timezone.utc))
    report = exposed(store, Scope(), replace(ruling, lenient=True), decisions)
    joined = _joined(store, report)
    keys = store.dataset_keys()
    for start in range(0, len(keys), DATASETS_AT_ONCE):
        some = keys[start : start + DATASETS_AT_ONCE]
        for proposal in _of_datasets(store, some, joined):
            if not _is_known(proposal.node, report, decisions):
                yield proposal


def _of_datasets(
    store: NamedEdges, keys: Sequence[DatasetKey], joined: Mapping[NodeKey, Proposal]
) -> Iterator[Proposal]:
    for node, each in described_leaves(store, keys):
        found = suggested_for(node, each.type) or joined.get(node)
        if found:
            yield found


def _is_known(node: NodeKey, report: ExposureReport, decisions: Decided) -> bool:
    if not decisions.is_open(node):
        return True
    return any(bool(each.propagation.held_at(node, {Form.IDENTITY})) for each in report.attributes[:1])


def _joined(store: Edges, report: ExposureReport) -> dict[NodeKey, Proposal]:
    """What a job joins on beside a path of another dataset that holds an identifying attribute."""
    keys = _identifying(report)
    found: dict[NodeKey, Proposal] = {}
    for key, node, job in joined_with(store, keys):
        why = f"the job {job.name} joins on it, and on {place(key)}"
        found.setdefault(node, Proposal(node, keys[key], why, Confidence.POSSIBLE))
    return found


def _identifying(report: ExposureReport) -> dict[NodeKey, tuple[str, ...]]:
    """The nodes that hold identifying attributes as they are, with the categories."""
    found: dict[NodeKey, tuple[str, ...]] = {}
    for each in report.attributes:
        if each.attribute.identifies:
            found[each.attribute.node] = each.attribute.categories
            for node in takewhile(partial(_is_held, each), each.holders):
                found.setdefault(node, each.attribute.categories)
    return found


def _is_held(exposure: AttributeExposure, node: NodeKey) -> bool:
    return exposure.output(node).form is Form.IDENTITY
