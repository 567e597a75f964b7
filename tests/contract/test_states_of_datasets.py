"""Datasets are created, renamed, emptied and dropped: what that does to their lineage, in every store."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.model import Dataset, DatasetKey, Direction, JobKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from kit.openlineage import BOTH, NAMESPACE, at, columns, dataset, event, facet, near, node, run_id, written

BACKWARD, FORWARD = Direction.BACKWARD, Direction.FORWARD


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def changed(change: str, before: str | None = None) -> dict[str, Any]:
    named = {"previousIdentifier": {"namespace": NAMESPACE, "name": before}} if before else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=change, **named)}


def wrote(minute: int, name: str, source: str = "in", job: str = "job", **facets: Any) -> dict[str, Any]:
    output = dataset(name, "x", columnLineage=columns({"x": [(source, "y")]}), **facets)
    return event("COMPLETE", minute, f"{job} {minute}", [dataset(source, "y")], [output], job=job)


def did(
    minute: int, name: str, kind: str = "COMPLETE", run: str | None = None, **facets: Any
) -> dict[str, Any]:
    return event(kind, minute, run or f"ddl {minute}", [], [dataset(name, **facets)], job="ddl")


def known(store: LineageStore, name: str) -> Dataset:
    found = get_dataset(store, DatasetKey(NAMESPACE, name))
    assert found is not None
    return found


def test_a_renamed_dataset_continues_under_its_new_name_with_the_change(store: LineageStore) -> None:
    ingest_all(store, wrote(1, "old"), did(2, "new", **changed("RENAME", "old")))
    found = known(store, "old")
    assert found.key.name == "new"
    assert found.names == (DatasetKey(NAMESPACE, "old"),)
    (change,) = found.changes
    assert (change.change, change.at, change.previous) == ("RENAME", at(2), DatasetKey(NAMESPACE, "old"))
    assert (change.job, change.run_id) == (JobKey(NAMESPACE, "ddl"), run_id("ddl 2"))
    for name in ("old", "new"):
        assert near(store, node(name, "x"), BACKWARD) == {("in:y", "new:x")}
    assert near(store, node("in", "y"), FORWARD) == {("in:y", "new:x")}
    assert [key.name for key in store.dataset_keys()] == ["in", "new"]


def test_what_is_written_to_the_new_name_joins_what_came_before(store: LineageStore) -> None:
    ingest_all(
        store, wrote(1, "old"), did(2, "new", **changed("RENAME", "old")), wrote(3, "new", "more", "later")
    )
    assert near(store, node("new"), BACKWARD) == {("in:y", "new:x"), ("more:y", "new:x")}


def test_a_table_that_is_swapped_every_night_keeps_its_name(store: LineageStore) -> None:
    for night in (10, 20):
        ingest_all(
            store,
            wrote(night, "staged", f"in {night}", **changed("CREATE")),
            did(night + 1, "final_old", **changed("RENAME", "final")),
            did(night + 2, "final", **changed("RENAME", "staged")),
        )
        assert known(store, "final").key.name == "final"
        assert near(store, node("final", "x"), BACKWARD) == {(f"in {night}:y", "final:x")}
    ingest_all(
        store,
        did(25, "final", **changed("DROP")),
        wrote(26, "staged"),
        did(27, "final", **changed("RENAME", "staged")),
    )
    assert near(store, node("final", "x"), BACKWARD) == {("in:y", "final:x")}


def test_a_name_that_is_created_anew_is_another_dataset(store: LineageStore) -> None:
    ingest_all(
        store,
        wrote(1, "a"),
        did(2, "b", **changed("RENAME", "a")),
        wrote(3, "a", "new in", **changed("CREATE")),
    )
    assert known(store, "a").key.name == "a"
    assert near(store, node("a", "x"), BACKWARD) == {("new in:y", "a:x")}


def test_a_rename_that_failed_changes_nothing(store: LineageStore) -> None:
    ingest_all(store, wrote(1, "old"), did(2, "new", "START", "r", **changed("RENAME", "old")))
    assert known(store, "old").key.name == "new"
    ingest_all(store, did(3, "new", "FAIL", "r"))
    assert known(store, "old").key.name == "old"
    assert known(store, "new").changes == ()


def test_the_current_lineage_of_a_dropped_dataset_is_closed(store: LineageStore) -> None:
    ingest_all(store, wrote(1, "out"), did(5, "out", **changed("DROP")))
    assert known(store, "out").dropped_at == at(5)
    assert near(store, node("out"), BACKWARD) == near(store, node("in"), FORWARD) == set()
    assert near(store, node("out"), BACKWARD, as_of=at(4)) == {("in:y", "out:x")}
    assert near(store, node("out"), BACKWARD, as_of=at(6)) == set()
    assert store.incomplete([DatasetKey(NAMESPACE, "out")]) == []


def test_a_dropped_dataset_that_is_written_again_lives_again(store: LineageStore) -> None:
    ingest_all(
        store, did(5, "out", **changed("DROP")), wrote(7, "out", "new in"), wrote(1, "out", job="other")
    )
    assert known(store, "out").dropped_at is None
    assert near(store, node("out"), BACKWARD) == {("new in:y", "out:x")}
    assert near(store, node("out"), BACKWARD, as_of=at(3)) == {("in:y", "out:x")}


def test_a_drop_that_failed_changes_nothing(store: LineageStore) -> None:
    ingest_all(
        store, wrote(1, "out"), did(5, "out", "START", "r", **changed("DROP")), did(6, "out", "FAIL", "r")
    )
    assert known(store, "out").dropped_at is None
    assert near(store, node("out"), BACKWARD) == {("in:y", "out:x")}


def test_a_drop_under_another_name_is_one_of_the_dataset(store: LineageStore) -> None:
    links: dict[str, Any] = {
        "symlinks": facet(identifiers=[{"namespace": NAMESPACE, "name": "table", "type": "TABLE"}])
    }
    ingest_all(store, wrote(1, "location", **links), did(5, "table", **changed("DROP")))
    assert known(store, "location").dropped_at == at(5)
    assert near(store, node("location"), BACKWARD) == set()


def test_a_dataset_that_was_emptied_is_still_made_by_the_same_programs(store: LineageStore) -> None:
    ingest_all(
        store, wrote(1, "out"), did(5, "out", **changed("TRUNCATE")), did(6, "out", **changed("OVERWRITE"))
    )
    assert [change.change for change in known(store, "out").changes] == ["OVERWRITE", "TRUNCATE"]
    assert near(store, node("out"), BACKWARD) == {("in:y", "out:x")}


def test_a_dataset_event_drops_as_well(store: LineageStore) -> None:
    dropped = {
        "eventTime": at(5).isoformat(),
        "producer": "https://example.org/test",
        "dataset": dataset("out", **changed("DROP")),
    }
    ingest_all(store, wrote(1, "out"), dropped)
    (change,) = known(store, "out").changes
    assert (change.change, change.job, change.run_id) == ("DROP", None, None)
    assert store.neighbours([node("out")], BACKWARD, BOTH).edges(BACKWARD) == []
    assert {
        written(edge.target)
        for edge in store.neighbours([node("out")], BACKWARD, BOTH, at(2)).edges(BACKWARD)
    } == {"out:x"}
