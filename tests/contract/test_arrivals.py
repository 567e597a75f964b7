"""A search whose state is the way that it came, over the conditions of each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater_backend.domain.model import Direction, Fan, Making, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import arrivals as searched
from headwater_backend.questions.arrivals import Arrivals, arrivals
from headwater_backend.questions.traversal import Bounds
from headwater_facets.schemas import CONDITIONS
from kit.openlineage import NAMESPACE, at, dataset, event, facet, node, paths


def copies(minute: int, source: str, target: str, kind: str | None = None, job: str = "") -> dict[str, Any]:
    """A run that copies ``x`` where ``kind`` is that, or always."""
    out = dataset(target, "x", headwater_pathLineage=paths((["x"], source, ["x"], "IDENTITY")))
    name = job or f"{source} to {target}"
    found = event("COMPLETE", minute, f"{name} {minute}", [dataset(source, "x", "kind")], [out], name)
    if kind:
        place = {"path": {"namespace": NAMESPACE, "name": source, "path": ["kind"]}}
        equal = {"op": "=", "args": [place, {"literal": kind, "type": "string"}]}
        one = {"operator": 1, "access": "FILTER", "sql": kind, "expression": equal}
        found["job"]["facets"] = {CONDITIONS: facet(conditions=[one])}
    return found


def one_kind(state: str, fan: Fan, makings: Sequence[Making]) -> str | None:
    """The only kind that a value may have; None where the way asks for two."""
    del fan
    known = [(each.conditions and each.conditions.predicates) or () for each in makings]
    asked = {each[0].sql if each else "" for each in known}
    if "" in asked or not asked or state in asked:
        return state
    return asked.pop() if not state and len(asked) == 1 else None


def search(
    store: LineageStore, start: NodeKey, direction: Direction = Direction.FORWARD, minute: int | None = None
) -> Arrivals[str]:
    bounds = Bounds(as_of=None if minute is None else at(minute))
    return arrivals(store, {start: ""}, direction, one_kind, bounds=bounds)


def arrived(found: Arrivals[str]) -> dict[str, set[str]]:
    return {place.dataset.name: set(states) for place, states in found.states.items()}


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def test_a_path_is_reached_again_by_another_way_with_another_state(store: LineageStore) -> None:
    """Cats come to ``last`` by one way, dogs by the other: a search that opens each path once would see one of them."""
    take(
        store,
        copies(1, "in", "cats", "cat"),
        copies(2, "in", "dogs", "dog"),
        copies(3, "cats", "all"),
        copies(4, "dogs", "all"),
        copies(5, "all", "last", "dog"),
    )
    assert arrived(search(store, node("in", "x"))) == {
        "in": {""},
        "cats": {"cat"},
        "dogs": {"dog"},
        "all": {"cat", "dog"},
        "last": {"dog"},
    }
    assert arrived(search(store, node("last", "x"), Direction.BACKWARD))["in"] == {"dog"}


def test_a_way_whose_conditions_contradict_each_other_ends_as_of_their_time(store: LineageStore) -> None:
    take(store, copies(1, "in", "mid", "cat"), copies(2, "mid", "out", "cat"), copies(3, "mid", "out", "dog"))
    assert "out" in arrived(search(store, node("in", "x"), minute=2))
    found = search(store, node("in", "x"))
    assert {place.dataset.name for place in found.explored.distance} == {"in", "mid", "out"}
    assert arrived(found)["mid"] == {"cat"}


def test_conditions_that_are_not_known_end_no_way(store: LineageStore) -> None:
    take(store, copies(1, "in", "mid", "cat"), copies(2, "mid", "out"), copies(3, "out", "in"))
    assert arrived(search(store, node("in", "x"))) == {"in": {"", "cat"}, "mid": {"cat"}, "out": {"cat"}}


def test_behind_a_path_with_too_many_states_all_is_undecided(store: LineageStore, monkeypatch: Any) -> None:
    monkeypatch.setattr(searched, "MOST_STATES", 1)
    take(
        store,
        copies(1, "in", "all", "cat", "a"),
        copies(2, "in", "all", "dog", "b"),
        copies(3, "all", "last", "bird"),
    )
    found = search(store, node("in", "x"))
    assert {place.dataset.name for place in found.undecided} == {"all", "last"}
