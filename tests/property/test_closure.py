"""The closure equals the enumeration of every route."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import (
    Ahead,
    Direction,
    Edge,
    Fan,
    LineageType,
    Neighbours,
    NodeKey,
    Transformation,
)
from headwater_backend.ports import NOTHING_AHEAD
from headwater_backend.questions.closure import Reach, lineage
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from kit.memory_store import MemoryStore, edge, node

_NODES = [f"{name}{path}" for name in "abc" for path in (":x", ":s", ":s.p", ":s.q", ":s.p.r", "")]
_KINDS = ["IDENTITY", "COMPUTE", "IDENTITY+COMPUTE", "FILTER", "IDENTITY+FILTER"]

edges = st.builds(
    lambda source, kinds, target, job: edge(f"{source} -{kinds}-> {target} @{job}"),
    st.sampled_from(_NODES),
    st.sampled_from(_KINDS),
    st.sampled_from(_NODES),
    st.sampled_from(["one", "two"]),
)
graphs = st.lists(edges, max_size=7, unique_by=lambda e: (e.source, e.target, e.job))
KNOWN = [node(text) for text in _NODES]


@settings(max_examples=400, deadline=None)
@given(
    graphs,
    st.sampled_from(KNOWN),
    st.sampled_from(list(Direction)),
    st.sampled_from([DIRECT_ONLY, ALL_TYPES]),
    st.integers(0, 4),
)
def test_the_closure_is_the_union_of_all_routes(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType], depth: int
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    answer = lineage(store, start, direction, types, Bounds(depth=depth))
    distance: dict[NodeKey, int] = {}
    direct: set[NodeKey] = set()
    shown: set[tuple[NodeKey, NodeKey, str]] = set()
    for visited, steps, by_value, ends in _routes(drawn, start, direction, types, depth):
        distance[visited] = min(steps, distance.get(visited, steps))
        if by_value:
            direct.add(visited)
        if ends:
            shown.add(ends)
    assert {n.key: n.distance for n in answer.nodes} == distance
    assert {n.key for n in answer.nodes if n.reach is Reach.DIRECT} == direct
    assert [(e.source, e.target, e.job.name) for e in answer.edges] == sorted(shown)


@given(graphs, st.sampled_from(KNOWN), st.sampled_from(list(Direction)))
def test_the_answer_does_not_depend_on_the_order_of_the_edges(
    drawn: list[Edge], start: NodeKey, direction: Direction
) -> None:
    one = lineage(MemoryStore(drawn, paths=KNOWN), start, direction, ALL_TYPES)
    other = lineage(MemoryStore(drawn[::-1], paths=KNOWN), start, direction, ALL_TYPES)
    assert one == other


@given(graphs, st.sampled_from(KNOWN), st.sampled_from(list(Direction)), st.integers(1, 6))
def test_a_limited_answer_is_part_of_the_whole_and_reports_it(
    drawn: list[Edge], start: NodeKey, direction: Direction, limit: int
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    whole = lineage(store, start, direction, ALL_TYPES)
    part = lineage(store, start, direction, ALL_TYPES, Bounds(nodes=limit))
    assert len(part.nodes) <= limit
    assert {n.key for n in part.nodes} <= {n.key for n in whole.nodes}
    assert part.complete == (part.edges == whole.edges)


class ReadingAhead(MemoryStore):
    """Answers for a part of the nodes that come next, too."""

    def neighbours(
        self,
        frontier: Sequence[NodeKey],
        direction: Direction,
        types: frozenset[LineageType],
        as_of: datetime | None = None,
        ahead: Ahead = NOTHING_AHEAD,
    ) -> Neighbours:
        opened, fans = set(frontier), dict[Fan, None]()
        for hop in range(ahead.hops + 1):
            found = super().neighbours(frontier, direction, types, as_of).fans
            fans.update(dict.fromkeys(found))
            fars = {far for fan in found for far in fan.fars}
            frontier = sorted(fars - opened)[hop % 2 :]
            if hop < ahead.hops:
                opened.update(frontier)
        return Neighbours(list(fans), opened)


@settings(max_examples=300, deadline=None)
@given(
    graphs,
    st.sampled_from(KNOWN),
    st.sampled_from(list(Direction)),
    st.sampled_from([DIRECT_ONLY, ALL_TYPES]),
    st.builds(Bounds, depth=st.none() | st.integers(0, 4), nodes=st.integers(2, 20)),
)
def test_what_a_store_reads_ahead_changes_no_answer(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType], bounds: Bounds
) -> None:
    expected = lineage(MemoryStore(drawn, paths=KNOWN), start, direction, types, bounds)
    assert lineage(ReadingAhead(drawn, paths=KNOWN), start, direction, types, bounds) == expected


Visit = tuple[NodeKey, int, bool, tuple[NodeKey, NodeKey, str] | None]


def _routes(
    drawn: list[Edge],
    at: NodeKey,
    direction: Direction,
    types: frozenset[LineageType],
    depth: int,
    steps: int = 0,
    by_value: bool = True,
) -> Iterator[Visit]:
    """Every visit of every route from ``at``: node, edges so far, whether by value alone, the edge shown."""
    yield at, steps, by_value, None
    if steps == depth:
        return
    for stored in drawn:
        for part in (LineageType.DIRECT, LineageType.INDIRECT):
            kinds = [t for t in stored.transformations if t.type is part and t.type in types]
            step = _step(stored, at, direction, kinds) if kinds else None
            if step is None:
                continue
            near, far = step
            ends = (far, near) if direction is Direction.BACKWARD else (near, far)
            yield near, steps, by_value, (*ends, stored.job.name)
            value = by_value and part is LineageType.DIRECT
            yield from _routes(drawn, far, direction, types, depth, steps + 1, value)


def _step(
    stored: Edge, at: NodeKey, direction: Direction, kinds: list[Transformation]
) -> tuple[NodeKey, NodeKey] | None:
    back = direction is Direction.BACKWARD
    near, far = (stored.target, stored.source) if back else (stored.source, stored.target)
    if near.dataset != at.dataset:
        return None
    if near.path[: len(at.path)] == at.path:
        return near, far
    if at.path[: len(near.path)] != near.path:
        return None
    if back and near.path == () and kinds[0].type is LineageType.INDIRECT:
        return near, far
    if all(t.subtype == "IDENTITY" for t in kinds):
        finer = far._replace(path=far.path + at.path[len(near.path) :])
        return at, finer if finer in KNOWN else far
    return at, far
