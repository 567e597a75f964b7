"""Paths that look personal: by their names and types (``name_table``), or by what jobs join on beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final, NamedTuple

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Fan,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
)
from headwater_backend.ports import Edges, NamedEdges
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.name_table import suggestion
from headwater_backend.questions.resolving import DescribedPath, describe_paths
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


def described_leaves(
    store: NamedEdges, keys: Sequence[DatasetKey]
) -> Iterator[tuple[NodeKey, DescribedPath]]:
    """The innermost known paths of the datasets, with their types."""
    described, paths = store.get_datasets(keys), store.paths(keys)
    for key in keys:
        fields = described[key].fields if key in described else ()
        for each in describe_paths(list(leaves(paths[key])), fields):
            yield NodeKey(key, each.path), each


def leaves(paths: Collection[PathSteps]) -> Iterator[PathSteps]:
    """The paths that contain no other of them."""
    holders = {path[:-1] for path in paths}
    return (path for path in paths if path not in holders)


def suggested(found: Iterable[tuple[NodeKey, DescribedPath]]) -> Iterator[Proposal]:
    """A proposal for each path whose name or type suggests one."""
    for node, each in found:
        proposal = suggested_for(node, each.type)
        if proposal:
            yield proposal


def suggested_for(node: NodeKey, type_: str | None) -> Proposal | None:
    """What the path's name suggests, or else its type."""
    return _by_name(node, type_) or _by_type(node, type_)


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


class Joined(NamedTuple):
    """A path, and one of another dataset that the job joins on beside it."""

    node: NodeKey
    other: NodeKey
    job: JobKey


def joined_with(store: Edges, nodes: Collection[NodeKey], as_of: datetime | None = None) -> Iterator[Joined]:
    """What jobs join on beside the nodes."""
    ends: dict[tuple[JobKey, NodeKey], set[NodeKey]] = defaultdict(set)
    for fan in _joins(store, nodes, Direction.FORWARD, as_of):
        for far in fan.fars if fan.near in nodes else ():
            ends[fan.job, far].add(fan.near)
    for fan in _joins(store, {far for _, far in ends}, Direction.BACKWARD, as_of):
        for node in sorted(ends.get((fan.job, fan.near), ())):
            yield from (Joined(node, far, fan.job) for far in fan.fars if far.dataset != node.dataset)


def _joins(
    store: Edges, nodes: Iterable[NodeKey], direction: Direction, as_of: datetime | None
) -> Iterator[Fan]:
    frontier = sorted(nodes)
    if frontier:
        fans = store.neighbours(frontier, direction, frozenset({LineageType.INDIRECT}), as_of).fans
        yield from (fan for fan in fans if any(kind.subtype == "JOIN" for kind in fan.transformations))
