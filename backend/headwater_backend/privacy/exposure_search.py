"""The search for the values of personal attributes, and the part of the graph that it covers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from headwater_backend.domain.model import DatasetKey, Direction, Fan, NodeKey
from headwater_backend.ports import PathGraph
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.classification.stops import Stops
from headwater_backend.privacy.classification.vocabulary import special_category
from headwater_backend.privacy.forms import Form, FormTable, carrying, decide, of_rows
from headwater_backend.privacy.grouping import aggregated, group_keys, grouped_by_person
from headwater_backend.privacy.propagation import UNGROUPED, Propagation
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, Exploration, Part, explore


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the matrix that is queried.

    ``of`` is a node at or under which the attributes are, ``at`` a node that holds them, or an ancestor or a descendant
    of one. ``influenced`` includes paths on which an attribute only has an influence.
    """

    of: NodeKey | None = None
    at: NodeKey | None = None
    category: str | None = None
    influenced: bool = False
    bounds: Bounds = field(default_factory=Bounds)


class Basis(NamedTuple):
    """What values are judged by: the forms that functions give them, the attributes that identify a person, alone or
    together, and the places at which values end.
    """

    forms: FormTable
    identifying: tuple[Attribute, ...]
    stops: Stops


def search(
    store: PathGraph,
    asked: Sequence[Attribute],
    scope: Scope,
    basis: Basis,
    among: frozenset[DatasetKey] | None = None,
) -> tuple[Exploration, Propagation]:
    """The search from the attributes, and the forms in which their values arrive."""
    nodes, starts = [each.node for each in asked], [each.node for each in basis.identifying]
    found = explore(store, nodes, Direction.FORWARD, ALL_TYPES, scope.bounds, part=values(scope, among))
    propagate = partial(
        Propagation,
        depth=scope.bounds.depth,
        forms=basis.forms,
        stops=basis.stops,
        identifiers=[each.node for each in (*asked, *basis.identifying) if each.identifies_alone],
        special=[each.node for each in asked if any(map(special_category, each.categories))],
        influenced=scope.influenced,
    )
    outputs = aggregated(found)
    keys = group_keys(store, outputs, scope.bounds.as_of) if starts else ()
    if not keys:
        return found, propagate(found, nodes)
    spread, origins = found, nodes
    if among is not None or not set(starts) <= set(nodes):
        spread, origins, keys = _identifying(store, starts, outputs, keys, scope)
    grouped, identifying = UNGROUPED, propagate(spread, origins)
    # What is aggregated by person may identify the person, and be a key itself.
    while (more := grouped_by_person(keys, identifying, basis.identifying)) != grouped:
        del identifying  # not needed beside the next one, and each is large
        grouped, identifying = more, propagate(spread, origins, grouped=more)
    return found, identifying if spread is found else propagate(found, nodes, grouped=grouped)


def _identifying(
    store: PathGraph,
    starts: Sequence[NodeKey],
    outputs: set[NodeKey],
    keys: Sequence[Fan],
    scope: Scope,
) -> tuple[Exploration, list[NodeKey], Sequence[Fan]]:
    """The search for what identifies a person in the tables of the keys, from which starts, and all keys: aggregates on
    the way have some, too.
    """
    alone = replace(scope, influenced=False)
    while True:
        tables = sorted({NodeKey(far.dataset, ()) for fan in keys for far in fan.fars})
        back = explore(
            store, tables, Direction.BACKWARD, ALL_TYPES, scope.bounds, part=values(alone, backward=True)
        )
        among = None if back.limited else frozenset(back.datasets())
        origins = [start for start in starts if among is None or start.dataset in among]
        part = values(alone, among)
        spread = explore(store, origins, Direction.FORWARD, ALL_TYPES, scope.bounds, part=part)
        if aggregated(spread) <= outputs:
            return spread, origins, keys
        outputs = outputs | aggregated(spread)
        keys = group_keys(store, outputs, scope.bounds.as_of)


def identifying_among(
    store: PathGraph, nodes: Collection[NodeKey], scope: Scope, basis: Basis
) -> Set[NodeKey]:
    """The nodes that hold what identifies a person as it is; all, where the search for it does not end."""
    alone = replace(scope, influenced=False)
    part = values(alone, backward=True)
    back = explore(store, sorted(nodes), Direction.BACKWARD, ALL_TYPES, scope.bounds, part=part)
    among = None if back.limited else frozenset(back.datasets())
    starts = [
        each.node
        for each in basis.identifying
        if each.identifies and (among is None or each.node.dataset in among)
    ]
    if not starts:
        return set()
    part = values(alone, among)
    found = explore(store, starts, Direction.FORWARD, ALL_TYPES, scope.bounds, part=part)
    if found.limited:
        return set(nodes)
    spread = Propagation(found, starts, scope.bounds.depth, basis.forms, stops=basis.stops)
    return {node for node in nodes if spread.held_at(node, {Form.IDENTITY})}


def values(
    scope: Scope, among: frozenset[DatasetKey] | None = None, *, backward: bool = False
) -> Part | None:
    """The parts of a fan to follow: transformations that may carry a value, into the datasets ``among``.

    A search ``backward`` comes from the targets.
    """
    if scope.influenced and among is None:
        return None

    def parts(fan: Fan) -> Iterator[Fan]:
        near, fars, job, kinds, version = fan
        if among is not None:
            fars = tuple(far for far in fars if far.dataset in among)
        if scope.influenced or not decide(kinds):
            alike = [(fars, kinds if scope.influenced else carrying(kinds))]
        elif backward:
            alike = [(fars, carrying(kinds if near.path else of_rows(kinds)))]
        else:
            rows = tuple(far for far in fars if not far.path)
            paths = tuple(far for far in fars if far.path) if rows else fars
            alike = [(paths, carrying(kinds)), (rows, carrying(of_rows(kinds)))]
        return (Fan(near, some, job, left, version) for some, left in alike if some and left)

    return parts


def holds(one: NodeKey, other: NodeKey) -> bool:
    """Whether the first is the second, or contains it."""
    return one.dataset == other.dataset and other.path[: len(one.path)] == one.path


def comparable(one: NodeKey, other: NodeKey) -> bool:
    """Whether one is the other, or contains it."""
    return holds(one, other) or holds(other, one)
