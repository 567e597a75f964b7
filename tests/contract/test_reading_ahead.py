"""What a store reads ahead equals what it would have returned later, for levels of any size."""

from __future__ import annotations

import random
from typing import Any

import pytest

from headwater_backend.domain.model import Ahead, Direction, Edge, Neighbours, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import backward, forward
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from kit.openlineage import NAMESPACE, columns, dataset, event, facet, node, paths

LEAVES = [("x",), ("s", "p"), ("s", "q", "r"), ("s", "q", "t")]
INNER = [("s",), ("s", "q"), ()]
SCHEMA = ("x", ("s", ["p", ("q", ["r", "t"])]))
CHAIN = 120


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert {outcome.error for outcome in ingest(store, events)} == {None}


def random_job(chance: random.Random, number: int) -> dict[str, Any]:
    """Made of any of eight datasets, one of which has another name, whole or in part."""
    names = [f"t{n}" for n in range(8)]
    source, target = chance.sample(names, 2)
    path_lineage = paths(
        *(
            (list(chance.choice(LEAVES + INNER[:2])), source, list(chance.choice(LEAVES + INNER)), "IDENTITY")
            for _ in range(3)
        )
    )
    other = facet(identifiers=[{"namespace": NAMESPACE, "name": "t0 by path", "type": "LOCATION"}])
    linked = {"symlinks": other} if target == "t0" else {}
    output = dataset(target, *SCHEMA, headwater_pathLineage=path_lineage, **linked)
    read = dataset("t0 by path" if source == "t0" and number % 2 else source, *SCHEMA)
    return event("COMPLETE", 1, f"run {number}", [read], [output], f"job {number}")


def at_node(found: Neighbours, at: NodeKey, direction: Direction) -> set[Edge]:
    """The edges whose near end is comparable with the node."""
    ends = (
        (edge.target if direction is Direction.BACKWARD else edge.source, edge)
        for edge in found.edges(direction)
    )
    return {edge for near, edge in ends if near.dataset == at.dataset and _comparable(near, at)}


def _comparable(one: NodeKey, other: NodeKey) -> bool:
    length = min(len(one.path), len(other.path))
    return one.path[:length] == other.path[:length]


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("ahead", [Ahead(0, 0), Ahead(1, 100), Ahead(50, 3), Ahead(50, 100)])
def test_all_edges_of_an_opened_node_are_returned(
    store: LineageStore, direction: Direction, ahead: Ahead
) -> None:
    chance = random.Random(7)
    take(store, *(random_job(chance, number) for number in range(25)))
    starts = [node(f"t{number}", *chance.choice(LEAVES)) for number in range(8)]
    for start in starts:
        found = store.neighbours([start], direction, ALL_TYPES, ahead=ahead)
        assert start in found.opened
        edges = found.edges(direction)
        assert len(edges) == len(set(edges))
        for opened in found.opened:
            alone = store.neighbours([opened], direction, ALL_TYPES)
            assert at_node(found, opened, direction) == set(alone.edges(direction))


def test_a_level_of_hundreds_of_jobs_is_answered(store: LineageStore) -> None:
    names = [f"column_{number}" for number in range(20)]
    parts = [f"part {number}" for number in range(250)]
    made = [
        event(
            "COMPLETE",
            1,
            part,
            [dataset("raw")],
            [dataset(part, *names, columnLineage=columns({name: [("raw", name)] for name in names}))],
            f"make {part}",
        )
        for part in parts
    ]
    union = dataset("all", columnLineage=columns({name: [(part, name) for part in parts] for name in names}))
    take(store, *made, event("COMPLETE", 2, "union", [dataset(part) for part in parts], [union], "union"))
    answer = backward(store, node("all"))
    assert len(answer.nodes) == 1 + 20 + 250 * 20 + 20
    assert len(answer.edges) == 2 * 250 * 20
    level = [node(part) for part in parts]
    assert len(store.neighbours(level, Direction.BACKWARD, DIRECT_ONLY).edges(Direction.BACKWARD)) == 250 * 20


def chained(number: int) -> dict[str, Any]:
    """Members are made of members, but sometimes of whole columns."""
    path_lineage = paths((["s", "a"], f"link {number}", ["s", "a"] if number % 20 else ["s"], "IDENTITY"))
    output = dataset(f"link {number + 1}", ("s", ["a"]), headwater_pathLineage=path_lineage)
    return event("COMPLETE", 1, f"run {number}", [dataset(f"link {number}")], [output], f"job {number}")


class Counting:
    """Counts the calls of the store."""

    def __init__(self, store: LineageStore) -> None:
        self._store = store
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._store, name)
        self.calls += name == "neighbours"
        return verb


def test_a_long_chain_takes_neo4j_few_calls(store: LineageStore, store_url: str) -> None:
    take(store, *map(chained, range(CHAIN)))
    calls = []
    for question, start in ((backward, node(f"link {CHAIN}")), (forward, node("link 0"))):
        counting = Counting(store)
        answer = question(counting, start, bounds=Bounds(depth=None))
        assert answer.nodes[-1].distance == CHAIN
        calls.append(counting.calls)
    assert max(calls) <= (CHAIN + 1 if store_url.startswith("sqlite") else CHAIN // 10)
