"""Proposals of paths that look personal and have no class: questions to a steward, and never a fact.

A path is proposed for its name (``name_table``), for its type, or because a job joins on it, and on a
path of another dataset that holds an identifying attribute. It is not proposed if a steward decided on it or rejected
the proposal, if it or what holds it is classified, or if a classified value was moved there: then it is known. Only
leaves are proposed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from functools import partial
from itertools import takewhile
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction, Fan, JobKey, LineageType, NodeKey, PathSteps
from headwater_backend.domain.pages import Page, numbered
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.decided import Decided, PathClass, decided, place
from headwater_backend.privacy.classification.place_patterns import DATASETS_AT_ONCE
from headwater_backend.privacy.exposure import AttributeExposure, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.proposals.name_table import suggestion
from headwater_backend.questions.resolving import describe_paths, did_you_mean, resolve_node
from headwater_facets.path import Inside

_INSIDE: Final = frozenset(step.value for step in Inside)
_SUGGESTED_BY_TYPE: Final = (
    (re.compile(r"inet|cidr", re.IGNORECASE), "user.device.ip_address"),
    (re.compile(r"macaddr.*", re.IGNORECASE), "user.device.device_id"),
    (re.compile(r"geography|geometry|point|st_point", re.IGNORECASE), "user.location.precise"),
)
_NOT_PERSONAL: Final = re.compile(r"bool(ean)?", re.IGNORECASE)
_NOT_TEXT: Final = re.compile(
    r"(big|small|tiny)?int(eger)?|long|short|float|double|decimal.*|numeric.*|date|timestamp.*", re.IGNORECASE
)
_ONLY_TEXT: Final = (
    "user.name",
    "user.contact.email",
    "user.contact.address.street",
    "user.contact.address.city",
)


class Confidence(str, Enum):
    """How sure a proposal is."""

    LIKELY = "LIKELY"
    POSSIBLE = "POSSIBLE"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Categories that a path may have, and why."""

    node: NodeKey
    categories: tuple[str, ...]
    why: str
    confidence: Confidence


def proposals(
    store: CataloguedGraph, ruling: Ruling, *, first: int | None = None, after: str | None = None
) -> Page[tuple[str, Proposal]]:
    """A page of the proposals, the likely ones first, then by path."""
    found = sorted(_proposals(store, ruling), key=lambda each: (each.confidence.value, each.node))
    return numbered(found, first, after, "proposals")


def confirmed(store: CataloguedGraph, ruling: Ruling, nodes: Sequence[NodeKey]) -> tuple[PathClass, ...]:
    """The classes that are proposed for the nodes. Raises ``BadQuestion`` where none is proposed."""
    known = {each.node: each for each in _proposals(store, ruling)}
    found = []
    for node in nodes:
        own = resolve_node(store, node)
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
    store: CataloguedGraph, keys: Sequence[DatasetKey], joined: Mapping[NodeKey, Proposal]
) -> Iterator[Proposal]:
    described, paths = store.get_datasets(keys), store.paths(keys)
    for key in keys:
        fields = described[key].fields if key in described else ()
        for each in describe_paths(list(_leaves(paths[key])), fields):
            node = NodeKey(key, each.path)
            found = _by_name(node, each.type) or _by_type(node, each.type) or joined.get(node)
            if found:
                yield found


def _leaves(paths: Collection[PathSteps]) -> Iterator[PathSteps]:
    holders = {path[:-1] for path in paths}
    return (path for path in paths if path not in holders)


def _by_name(node: NodeKey, type_: str | None) -> Proposal | None:
    names = [step for step in node.path if step not in _INSIDE] or list(node.path)
    holder = names[-2] if len(names) > 1 else node.dataset.name
    found = suggestion(names[-1], holder)
    if found is None or (type_ and not _fits(found.category, type_)):
        return None
    confidence = Confidence.LIKELY if found.whole else Confidence.POSSIBLE
    return Proposal(node, (found.category,), f"its name has {found.phrase!r}", confidence)


def _fits(category: str, type_: str) -> bool:
    only_text = any(categories.includes(each, category) for each in _ONLY_TEXT)
    return not (_NOT_PERSONAL.fullmatch(type_) or (only_text and _NOT_TEXT.fullmatch(type_)))


def _by_type(node: NodeKey, type_: str | None) -> Proposal | None:
    for pattern, category in _SUGGESTED_BY_TYPE:
        if type_ and pattern.fullmatch(type_):
            return Proposal(node, (category,), f"its type is {type_}", Confidence.POSSIBLE)
    return None


def _is_known(node: NodeKey, report: ExposureReport, decisions: Decided) -> bool:
    if not decisions.is_open(node):
        return True
    return any(bool(each.propagation.held_at(node, {Form.IDENTITY})) for each in report.attributes[:1])


def _joined(store: CataloguedGraph, report: ExposureReport) -> dict[NodeKey, Proposal]:
    """What a job joins on beside a path of another dataset that holds an identifying attribute."""
    keys = _identifying(report)
    ends: dict[tuple[JobKey, NodeKey], NodeKey] = {}
    for fan in _joins(store, keys, Direction.FORWARD):
        ends.update(((fan.job, far), fan.near) for far in fan.fars if fan.near in keys)
    found: dict[NodeKey, Proposal] = {}
    for fan in _joins(store, {far for _, far in ends}, Direction.BACKWARD):
        key = ends.get((fan.job, fan.near))
        for node in fan.fars if key else ():
            if key and node.dataset != key.dataset:
                why = f"the job {fan.job.name} joins on it, and on {place(key)}"
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


def _joins(store: CataloguedGraph, nodes: Iterable[NodeKey], direction: Direction) -> Iterator[Fan]:
    frontier = sorted(nodes)
    if frontier:
        fans = store.neighbours(frontier, direction, frozenset({LineageType.INDIRECT})).fans
        yield from (fan for fan in fans if any(kind.subtype == "JOIN" for kind in fan.transformations))
