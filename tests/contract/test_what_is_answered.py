"""Containment, names, pages, tags and gaps: what each verb of the store answers."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, LineageType
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from kit.openlineage import (
    DIRECT,
    JOB,
    NAMESPACE,
    columns,
    dataset,
    event,
    facet,
    near,
    node,
    paths,
)

TWEET = ("id", ("user", ["id_str", "name"]), ("entities", [("user_mentions", [("_element", ["id_str"])])]))


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    for outcome in ingest(store, events):
        assert outcome.error is None


def key(name: str) -> DatasetKey:
    return DatasetKey(NAMESPACE, name)


@pytest.fixture
def tweets(store: LineageStore) -> LineageStore:
    """``tweets.user`` is copied to ``authors.author``, ``tweets.id`` decides which rows exist."""
    read = {"namespace": NAMESPACE, "name": "tweets", "path": ["id"]}
    lineage = paths(
        (["author"], "tweets", ["user"], "IDENTITY"),
        (["names"], "tweets", ["user", "name"], "AGGREGATION"),
        dataset=[
            {**read, "transformations": [{"type": "INDIRECT", "subtype": "FILTER", "access": "FILTER"}]}
        ],
    )
    target = dataset("authors", ("author", ["id_str", "name"]), "names", headwater_pathLineage=lineage)
    take(store, event("COMPLETE", 1, "run", [dataset("tweets", *TWEET)], [target]))
    return store


IDENTICAL = {
    ("tweets:user/id_str", "authors:author/id_str"),
    ("tweets:user/name", "authors:author/name"),
}


def test_a_copied_struct_is_known_leaf_by_leaf(tweets: LineageStore) -> None:
    assert near(tweets, node("authors", "author"), Direction.BACKWARD, types=DIRECT) == IDENTICAL


def test_a_struct_that_was_nested_whole_is_known_leaf_by_leaf(store: LineageStore) -> None:
    lineage = paths((["list", "_element"], "tweets", ["user"], "AGGREGATION"), manipulation=["NEST"])
    target = dataset("nested", ("list", [("_element", ["id_str", "name"])]), headwater_pathLineage=lineage)
    take(store, event("COMPLETE", 1, "run", [dataset("tweets", *TWEET)], [target]))
    assert near(store, node("nested", "list"), Direction.BACKWARD, types=DIRECT) == {
        ("tweets:user/id_str", "nested:list/_element/id_str"),
        ("tweets:user/name", "nested:list/_element/name"),
    }


def test_a_node_meets_the_edges_of_its_descendants_and_ancestors(tweets: LineageStore) -> None:
    names = ("tweets:user/name", "authors:names")
    whole = ("tweets:id", "authors:")
    ask = near(tweets, node("tweets", "user"), Direction.FORWARD)
    assert ask == {*IDENTICAL, names}
    assert near(tweets, node("tweets", "user", "name", "first"), Direction.FORWARD) == {
        ("tweets:user/name", "authors:author/name"),
        names,
    }
    assert near(tweets, node("authors", "names"), Direction.BACKWARD) == {names, whole}
    assert near(tweets, node("authors"), Direction.BACKWARD) == {*IDENTICAL, names, whole}


def test_a_sibling_whose_name_begins_alike_is_not_met(store: LineageStore) -> None:
    copied = columns({"a": [("in", "a")], "ab": [("in", "ab")], "a/b": [("in", "a/b")], "a!": [("in", "a!")]})
    take(store, event("COMPLETE", 1, "run", [], [dataset("out", columnLineage=copied)]))
    assert near(store, node("out", "a"), Direction.BACKWARD) == {("in:a", "out:a")}
    assert near(store, node("out", "a/b"), Direction.BACKWARD) == {("in:a/b", "out:a/b")}


def test_edges_of_the_other_type_are_left_out(tweets: LineageStore) -> None:
    indirect = frozenset({LineageType.INDIRECT})
    assert near(tweets, node("authors"), Direction.BACKWARD, types=indirect) == {("tweets:id", "authors:")}
    assert near(tweets, node("tweets", "id"), Direction.FORWARD, types=DIRECT) == set()


def test_an_edge_has_its_job_and_transformations(tweets: LineageStore) -> None:
    (edge,) = tweets.neighbours([node("tweets", "id")], Direction.FORWARD, frozenset(LineageType)).edges(
        Direction.FORWARD
    )
    (how,) = edge.transformations
    assert (edge.job, how.type, how.subtype, how.access) == (JOB, LineageType.INDIRECT, "FILTER", "FILTER")


def test_a_frontier_of_many_nodes_meets_each_edge_once(tweets: LineageStore) -> None:
    frontier = [node("tweets", "user"), node("tweets", "user", "name"), node("tweets")]
    edges = tweets.neighbours(frontier, Direction.FORWARD, frozenset(LineageType)).edges(Direction.FORWARD)
    assert len(edges) == len(set(edges)) == 4
    assert tweets.neighbours([], Direction.FORWARD, frozenset(LineageType)).edges(Direction.FORWARD) == []


def test_inner_paths_are_known_too(tweets: LineageStore) -> None:
    known = tweets.paths([key("tweets")])[key("tweets")]
    assert list(known) == sorted(known)
    assert ("entities", "user_mentions", "_element") in known
    assert ("entities", "user_mentions", "_element", "id_str") in known
    assert list(tweets.paths([key("no such dataset")])[key("no such dataset")]) == []


@pytest.mark.parametrize("name", ["a/b%2F", "a%", "ü 🕷", "x\0y", "'; DROP TABLE edge; --", "` {key: 1}", ""])
def test_any_name_is_kept_as_it_is(store: LineageStore, name: str) -> None:
    take(
        store,
        event(
            "COMPLETE",
            1,
            "run",
            [],
            [dataset(name, (name, ["x"]), columnLineage=columns({name: [(name, "a")]}))],
        ),
    )
    found = get_dataset(store, key(name))
    assert found is not None
    assert found.key == key(name)
    assert (name, "x") in store.paths([key(name)])[key(name)]
    (edge,) = store.neighbours([node(name, name)], Direction.BACKWARD, DIRECT).edges(Direction.BACKWARD)
    assert (edge.source, edge.target) == (node(name, "a", "x"), node(name, name, "x"))


def test_what_does_not_exist_is_not_found(store: LineageStore) -> None:
    assert get_dataset(store, key("nothing")) is None
    assert store.newest_runs([JOB]).get(JOB) is None
    assert list(store.runs(JOB)) == []
    assert list(store.dataset_keys()) == []
    assert store.datasets().total == store.datasets(first=0).total == 0


def linked(name: str, other: str, minute: int, **lineage: Any) -> dict[str, Any]:
    links = facet(identifiers=[{"namespace": NAMESPACE, "name": other, "type": "TABLE"}])
    return event(
        "COMPLETE", minute, f"run {name} {minute}", [], [dataset(name, "c", symlinks=links, **lineage)]
    )


def test_a_table_and_its_path_are_one_dataset(store: LineageStore) -> None:
    written = columns({"c": [("source", "s")]})
    copied = columns({"d": [("table", "c")]})
    reading = event("COMPLETE", 1, "reads", [], [dataset("out", columnLineage=copied)], job="reader")
    take(store, reading, linked("/path", "table", 2, columnLineage=written))
    found = get_dataset(store, key("table"))
    assert found is not None
    assert found.key == key("/path")
    assert list(store.dataset_keys()) == [key("/path"), key("out"), key("source")]
    assert near(store, node("/path", "c"), Direction.FORWARD) == {("/path:c", "out:d")}
    assert near(store, node("out", "d"), Direction.BACKWARD) == {("/path:c", "out:d")}
    assert near(store, node("table", "c"), Direction.BACKWARD) == {("source:s", "/path:c")}


def test_a_table_that_moved_is_where_it_was_last_reported(store: LineageStore) -> None:
    take(store, linked("/new", "table", 5), linked("/old", "table", 1))
    found = get_dataset(store, key("table"))
    assert found is not None
    assert found.key == key("/new")


def test_names_that_lead_to_each_other_are_one_dataset(store: LineageStore) -> None:
    take(store, linked("b", "a", 1), linked("a", "b", 2))
    assert list(store.dataset_keys()) == [key("a")]
    found = get_dataset(store, key("b"))
    assert found is not None
    assert found.key == key("a")


def test_pages_follow_each_other_without_gap_or_repetition(store: LineageStore) -> None:
    names = ["a", "a b", "a!", "b", "B", "ü"]
    take(store, event("COMPLETE", 1, "run", [dataset(name) for name in names]))
    seen: list[str] = []
    after = None
    while True:
        page = store.datasets(first=2, after=after)
        assert page.total == len(names)
        seen += [item.key.name for item in page.items]
        after = page.end_cursor
        if not page.has_next:
            break
    assert seen == sorted(names)


def test_a_search_looks_for_a_part_of_the_name_in_any_case(store: LineageStore) -> None:
    take(
        store,
        event("COMPLETE", 1, "run", [dataset(name) for name in ("Orders", "old_orders", "Übersicht", "x%")]),
    )

    def found(search: str) -> set[str]:
        return {item.key.name for item in store.datasets(search).items}

    assert found("ORDERS") == {"Orders", "old_orders"}
    assert found("üBER") == {"Übersicht"}
    assert found("%") == {"x%"}
    assert len(found(NAMESPACE)) == 4


def test_a_made_up_cursor_is_refused(store: LineageStore) -> None:
    with pytest.raises(BadQuestion):
        store.datasets(after="made up")


def test_field_tags_are_found_at_their_paths(store: LineageStore) -> None:
    tags = facet(
        tags=[
            {"key": "pii", "value": "email", "field": "email"},
            {"key": "pii", "value": "name", "field": "user.name"},
            {"key": "pii", "value": "id", "field": "mentions[].id"},
            {"key": "owner", "value": "of the whole dataset"},
        ]
    )
    take(store, event("COMPLETE", 1, "run", [dataset("d", "email", ("user", ["name"]), tags=tags)]))
    assert list(store.tagged_fields()) == [
        (node("d", "email"), "pii", "email"),
        (node("d", "mentions", "_element", "id"), "pii", "id"),
        (node("d", "user", "name"), "pii", "name"),
    ]


def test_what_could_not_be_traced_is_reported(store: LineageStore) -> None:
    lineage = paths(
        (["score"], "in", ["a"], "TRANSFORMATION"),
        opaque=[{"path": ["score"], "reason": "PYTHON_UDF", "name": "score_user"}],
        complete=False,
        incomplete=[{"reason": "RDD", "paths": [["rest"]], "detail": "map at job.py:7"}],
    )
    take(store, event("COMPLETE", 1, "run", [], [dataset("out", headwater_pathLineage=lineage)]))
    assert list(store.incomplete([key("out")])) == [
        Incomplete("RDD", key("out"), ("rest",), JOB, "map at job.py:7"),
        Incomplete("PYTHON_UDF", key("out"), ("score",), JOB, "score_user"),
    ]
    assert list(store.incomplete([key("in")])) == []
    assert list(store.incomplete([])) == []
