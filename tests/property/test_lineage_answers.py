"""Levels are roll-ups of the finest answer, pages are parts of the whole one, and bounds only ever leave out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import Direction, Edge, JobKey, LineageType, NodeKey
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.questions.closure import LineageGraph, LineageNode, Reach
from headwater_backend.questions.closure import lineage as closure
from headwater_backend.questions.levels import JobEdge, Level, LineageJob
from headwater_backend.questions.lineage import Scope, jobs, lineage
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from kit.memory_store import MemoryStore, edge, node

_NODES = [f"{name}{path}" for name in "abcd" for path in (":x", ":s", ":s.p", ":s.q", "")]
_KINDS = ["IDENTITY", "COMPUTE", "IDENTITY+COMPUTE", "FILTER", "IDENTITY+FILTER"]
KNOWN = [node(text) for text in _NODES]

edges = st.builds(
    lambda source, kinds, target, job: edge(f"{source} -{kinds}-> {target} @{job}"),
    st.sampled_from(_NODES),
    st.sampled_from(_KINDS),
    st.sampled_from(_NODES),
    st.sampled_from(["one", "two", "three"]),
)
graphs = st.lists(edges, max_size=12, unique_by=lambda e: (e.source, e.target, e.job))
starts = st.sampled_from(KNOWN)
directions = st.sampled_from(list(Direction))
kinds = st.sampled_from([DIRECT_ONLY, ALL_TYPES])


@settings(deadline=None)
@given(graphs, starts, directions, kinds, st.sampled_from([Level.COLUMN, Level.DATASET]))
def test_a_coarser_level_has_for_each_node_what_its_paths_have_together(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType], level: Level
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    steps = {Level.COLUMN: 1, Level.DATASET: 0}[level]
    finest = closure(store, start, direction, types)
    answer = lineage(store, start, direction, Scope(types), level)
    paths = {n.key: [f for f in finest.nodes if _cut(f.key, steps) == n.key] for n in answer.nodes}
    assert sum(map(len, paths.values())) == len(finest.nodes)
    for n in answer.nodes:
        assert n.distance == min(f.distance for f in paths[n.key])
        assert (n.reach is Reach.DIRECT) == any(f.reach is Reach.DIRECT for f in paths[n.key])
    rolled = {
        (_cut(e.source, steps), _cut(e.target, steps), e.job, how)
        for e in finest.edges
        for how in e.transformations
    }
    assert rolled == {(e.source, e.target, e.job, how) for e in answer.edges for how in e.transformations}
    assert answer.nodes[0].key == _cut(finest.nodes[0].key, steps)
    assert answer.incomplete == finest.incomplete


@settings(deadline=None)
@given(graphs, starts, directions, kinds)
def test_the_jobs_are_those_of_the_edges_and_hand_over_what_meets(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType]
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    finest = closure(store, start, direction, types)
    answer = jobs(store, start, direction, Scope(types))
    assert {job.key for job in answer.jobs} == {e.job for e in finest.edges}
    expected_through = {
        (wrote.job, read.job, wrote.target.dataset)
        for wrote in finest.edges
        for read in finest.edges
        if _holds(wrote.target, read.source) or _holds(read.source, wrote.target)
    }
    assert {(e.source, e.target, key) for e in answer.edges for key in e.through} == expected_through
    for job in answer.jobs:
        assert job.distance == 1 + min(_near(finest, e, direction) for e in finest.edges if e.job == job.key)


@settings(max_examples=300, deadline=None)
@given(graphs, starts, directions, kinds, st.integers(1, 5), st.sampled_from(list(Level)))
def test_all_pages_together_are_the_whole_answer(
    drawn: list[Edge],
    start: NodeKey,
    direction: Direction,
    types: frozenset[LineageType],
    limit: int,
    level: Level,
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    whole = lineage(store, start, direction, Scope(types), level)
    nodes: dict[NodeKey, LineageNode] = {}
    shown: dict[tuple[NodeKey, NodeKey, JobKey], Edge] = {}
    after, page = None, None
    for _ in range(len(KNOWN) + 2):
        page = lineage(store, start, direction, Scope(types, Bounds(nodes=limit), after), level)
        nodes.update((n.key, n) for n in page.nodes)
        shown.update(((e.source, e.target, e.job), e) for e in page.edges)
        assert {end for e in page.edges for end in (e.source, e.target)} <= {n.key for n in page.nodes}
        after = page.cursor
        assert (after is None) == page.complete
        if after is None:
            break
    assert page is not None and page.complete
    assert set(nodes.values()) == set(whole.nodes)
    assert set(shown.values()) == set(whole.edges)


@settings(deadline=None)
@given(graphs, starts, directions, kinds, st.integers(1, 5))
def test_all_pages_of_jobs_together_are_all_jobs(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType], limit: int
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    whole = jobs(store, start, direction, Scope(types))
    found: dict[JobKey, LineageJob] = {}
    handed: dict[tuple[JobKey, JobKey], JobEdge] = {}
    after: str | None = None
    while True:
        page = jobs(store, start, direction, Scope(types, Bounds(nodes=limit), after))
        found.update((job.key, job) for job in page.jobs)
        handed.update(((e.source, e.target), e) for e in page.edges)
        after = page.cursor
        if after is None:
            break
    assert set(found.values()) == set(whole.jobs)
    assert set(handed.values()) == set(whole.edges)


@settings(deadline=None)
@given(graphs, starts, directions, kinds, st.sets(st.sampled_from("abcd"), max_size=2))
def test_a_filter_keeps_to_its_datasets_and_reports_where_an_edge_left_them(
    drawn: list[Edge],
    start: NodeKey,
    direction: Direction,
    types: frozenset[LineageType],
    allowed: set[str],
) -> None:
    within = tuple(DatasetPattern("n*", name) for name in sorted({*allowed, start.dataset.name}))
    kept = [e for e in drawn if {e.source.dataset.name, e.target.dataset.name} <= {p.name for p in within}]
    answer = closure(MemoryStore(drawn, paths=KNOWN), start, direction, types, Bounds(within=within))
    alone = closure(MemoryStore(kept, paths=KNOWN), start, direction, types)
    assert (answer.nodes, answer.edges) == (alone.nodes, alone.edges)
    left = closure(MemoryStore(drawn, paths=KNOWN), start, direction, types).edges != alone.edges
    assert {entry.reason for entry in answer.incomplete} == ({"FILTER"} if left else set())


@settings(deadline=None)
@given(graphs, starts, directions, kinds, st.sampled_from("abcd"))
def test_beyond_a_stop_nothing_is_followed_and_the_answer_reports_it(
    drawn: list[Edge], start: NodeKey, direction: Direction, types: frozenset[LineageType], stop: str
) -> None:
    store = MemoryStore(drawn, paths=KNOWN)
    answer = closure(store, start, direction, types, Bounds(stops=(DatasetPattern(name=stop),)))
    whole = closure(store, start, direction, types)
    assert {n.key for n in answer.nodes} <= {n.key for n in whole.nodes}
    assert answer.complete == (answer.edges == whole.edges)
    if start.dataset.name != stop:
        nears = {e.target if direction is Direction.BACKWARD else e.source for e in answer.edges}
        assert not any(near.dataset.name == stop for near in nears)


def _cut(key: NodeKey, steps: int) -> NodeKey:
    return NodeKey(key.dataset, key.path[:steps])


def _holds(one: NodeKey, other: NodeKey) -> bool:
    return one.dataset == other.dataset and other.path[: len(one.path)] == one.path


def _near(answer: LineageGraph, of: Edge, direction: Direction) -> int:
    near = of.target if direction is Direction.BACKWARD else of.source
    return next(n.distance for n in answer.nodes if n.key == near)


def test_jobs_are_listed_by_distance() -> None:
    store = MemoryStore([edge("a:x -IDENTITY-> b:x @one"), edge("b:x -FILTER-> c @two")])
    answer = jobs(store, node("a:x"), Direction.FORWARD, Scope(ALL_TYPES))
    assert [(job.key.name, job.distance, job.reach.value) for job in answer.jobs] == [
        ("one", 1, "DIRECT"),
        ("two", 2, "INFLUENCED"),
    ]
    assert [(e.source.name, e.target.name) for e in answer.edges] == [("one", "two")]
    assert answer.edges[0].source == JobKey("ns", "one")
