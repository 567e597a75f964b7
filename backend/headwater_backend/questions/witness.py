"""Shortest witnesses: the jobs and transformations by which one path gets to another.

Theory of operation
===================

A *witness* is a route of stored edges from the source to the target, no node twice. A search goes backward from the
target (``questions.traversal``); each edge that it found is a possible step. From the nodes that are comparable with
the source (the same path, an ancestor, or a descendant), the number of steps to each node is counted once, so the
routes can be built best first: the next one to be extended is always one of those that can end soonest (A* with exact
distances). Routes are therefore returned in order of length, and none is begun that cannot arrive.

Two routes differ when a step differs, be it only in its job. A route ends where it first reaches the source.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import (
    Direction,
    Edge,
    Fan,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
    Transformation,
)
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.closure import Reach, missing, possible_outputs
from headwater_backend.questions.edges import transformation_order
from headwater_backend.questions.resolving import labels, resolve_node
from headwater_backend.questions.traversal import DIRECT_ONLY, Bounds, Exploration, explore

WITNESSES = 3
MAX_WITNESSES = 100
MAX_TRIALS = 200_000
"""The most routes that are extended: only with cycles do many of them fail."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A route from source to target; DIRECT when a value can have come all the way."""

    steps: tuple[Edge, ...]

    @property
    def reach(self) -> Reach:
        direct = all(any(kind.type is LineageType.DIRECT for kind in e.transformations) for e in self.steps)
        return Reach.DIRECT if direct else Reach.INFLUENCED


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The witnesses, the shortest first; ``more`` is whether others exist. Without any, no known route leads to the
    target.
    """

    witnesses: tuple[Witness, ...]
    more: bool
    incomplete: tuple[Incomplete, ...]
    labels: Mapping[NodeKey, str]

    @property
    def complete(self) -> bool:
        return not self.incomplete


def witnesses(
    store: CataloguedGraph,
    source: NodeKey,
    target: NodeKey,
    types: frozenset[LineageType] = DIRECT_ONLY,
    bounds: Bounds | None = None,
    *,
    first: int = WITNESSES,
) -> Witnesses:
    """The ``first`` shortest witnesses over edges of the types.

    Raises ``UnknownDataset``, ``UnknownPath``, ``BadQuestion``, ``StoreUnavailable``.
    """
    if not 1 <= first <= MAX_WITNESSES:
        raise BadQuestion(f"{first} witnesses are asked for", f"ask for 1 to {MAX_WITNESSES}")
    begin, end = resolve_node(store, source), resolve_node(store, target)
    found = explore(store, [end], Direction.BACKWARD, types, bounds or Bounds())
    routes = _Routes(found, begin)
    laid = list(islice(routes.shortest(end), first + 1))
    shown = tuple(laid[:first])
    nodes = {node for witness in shown for edge in witness.steps for node in (edge.source, edge.target)}
    gaps = missing(store, found, possible_outputs(store, found))
    if routes.given_up:
        gaps += (Incomplete("ROUTE_LIMIT", end.dataset, end.path),)
    return Witnesses(shown, len(laid) > first, gaps, labels(store, nodes))


class _Step(NamedTuple):
    """A step from an open node over a stored edge to the node that is opened next."""

    edge: Edge
    far: NodeKey


class _Route(NamedTuple):
    """A partial route from the target on: its last node, and the route without its last step."""

    at: NodeKey
    step: _Step | None = None
    before: _Route | None = None

    def nodes(self) -> Iterator[NodeKey]:
        route: _Route | None = self
        while route is not None:
            yield route.at
            route = route.before

    def edges(self) -> Iterator[Edge]:
        route: _Route | None = self
        while route is not None and route.step is not None:
            yield route.step.edge
            route = route.before


class _Routes:
    """All routes back to the source, over the edges of an exploration."""

    def __init__(self, found: Exploration, source: NodeKey) -> None:
        self._steps = {node: _steps(fans) for node, fans in found.fans.items()}
        self._left = _steps_left(self._steps, {node for node in found.distance if _comparable(node, source)})
        self.given_up = False

    def shortest(self, target: NodeKey) -> Iterator[Witness]:
        """The witnesses, the shortest first."""
        order = count()
        waiting: list[tuple[int, int, int, _Route]] = []
        self._push(waiting, order, _Route(target), 0)
        for _ in range(MAX_TRIALS):
            if not waiting:
                return
            _, negative_length, _, route = heapq.heappop(waiting)
            length = -negative_length
            if length and self._left[route.at] == 0:
                yield Witness(tuple(route.edges()))
                continue
            passed = set(route.nodes())
            for step in self._steps.get(route.at, ()):
                if step.far in self._left and step.far not in passed:
                    self._push(waiting, order, _Route(step.far, step, route), length + 1)
        self.given_up = True

    def _push(
        self, waiting: list[tuple[int, int, int, _Route]], order: Iterator[int], route: _Route, length: int
    ) -> None:
        left = self._left.get(route.at, 0)
        heapq.heappush(waiting, (length + left, -length, next(order), route))


def _steps(fans: Sequence[Fan]) -> list[_Step]:
    """One step for each edge, with all its transformations, in order."""
    kinds: dict[tuple[NodeKey, NodeKey, JobKey], dict[Transformation, None]] = defaultdict(dict)
    for fan in fans:
        for source, target, job, transformations in fan.edges(Direction.BACKWARD):
            kinds[source, target, job].update(dict.fromkeys(transformations))
    return [
        _Step(Edge(far, near, job, tuple(sorted(kinds[far, near, job], key=transformation_order))), far)
        for far, near, job in sorted(kinds)
    ]


def _steps_left(steps: Mapping[NodeKey, Sequence[_Step]], ends: set[NodeKey]) -> dict[NodeKey, int]:
    """The number of steps from each node to the nearest of the ends, for nodes with a route."""
    towards: dict[NodeKey, list[NodeKey]] = defaultdict(list)
    for node, each in steps.items():
        for step in each:
            towards[step.far].append(node)
    left = dict.fromkeys(ends, 0)
    frontier = list(ends)
    while frontier:
        following = []
        for node in frontier:
            for nearer in towards.get(node, ()):
                if nearer not in left:
                    left[nearer] = left[node] + 1
                    following.append(nearer)
        frontier = following
    return left


def _comparable(one: NodeKey, other: NodeKey) -> bool:
    length = min(len(one.path), len(other.path))
    return one.dataset == other.dataset and one.path[:length] == other.path[:length]
