"""Pruning deletes old runs, and nothing that present questions, or those about moments since then, need."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, JobKey, Pruned, RunKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.digest import graph_digest
from headwater_facets.schemas import EXTENT
from kit.openlineage import JOB, NAMESPACE, at, columns, dataset, event, facet, near, node, run_id

BACKWARD = Direction.BACKWARD


WHOLE: dict[str, Any] = {
    "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
    EXTENT: facet(replaced="WHOLE"),
}


def wrote(
    minute: int, source: str, name: str = "out", job: str = "job", kind: str = "COMPLETE", **facets: Any
) -> dict[str, Any]:
    output = dataset(name, "x", columnLineage=columns({"x": [(source, "y")]}), **facets)
    counted = {**output, "outputFacets": {"outputStatistics": facet(rowCount=minute)}}
    return event(kind, minute, f"{job} {minute}", [dataset(source, "y")], [counted], job=job)


def take(store: LineageStore, *ingested: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, ingested, received=1)] == [None] * len(ingested)


def minutes(store: LineageStore, job: str = "job") -> set[int]:
    """When the runs that are known began."""
    runs = store.runs(JobKey(NAMESPACE, job), 100_000)
    known = {run_id(f"{job} {minute}"): minute for minute in range(200)}
    return {known[run.run_id] for run in runs}


def test_a_program_that_ran_often_keeps_its_lineage(store: LineageStore) -> None:
    take(store, *(wrote(minute, "in") for minute in range(1, 21)))
    assert store.prune(at(15), dry_run=True) == Pruned(12)
    assert minutes(store) == set(range(1, 21))
    assert store.prune(at(15)) == Pruned(12)
    assert minutes(store) == {1, 14, *range(15, 21)}
    assert near(store, node("out"), BACKWARD) == {("in:y", "out:x")}
    assert store.prune(at(15)) == Pruned()


def test_lineage_that_only_old_runs_have_is_deleted_with_them(store: LineageStore) -> None:
    anew = [wrote(minute, name, **WHOLE) for minute, name in ((2, "second"), (3, "third"), (9, "third"))]
    take(store, wrote(1, "first"), *anew)
    take(store, event("COMPLETE", 20, "reader", [dataset("first"), dataset("second")], job="reader"))
    gone = store.prune(at(5))
    assert (gone.runs, gone.versions, gone.edges) == (2, 2, 2)
    assert near(store, node("out"), BACKWARD, as_of=at(5)) == {("third:y", "out:x")}
    assert near(store, node("out"), BACKWARD, as_of=at(1)) == set()
    assert get_dataset(store, DatasetKey(NAMESPACE, "first")) is not None


def test_what_shows_that_old_data_are_left_stays(store: LineageStore) -> None:
    """They went on before they were replaced; runs of the same programs before and after show nothing more."""
    archives = [
        event(
            "COMPLETE", minute, f"archive {minute}", [dataset("out", "x")], [dataset("kept")], job="archive"
        )
        for minute in (2, 4, 6, 8, 12, 30)
    ]
    loads = [
        wrote(minute, "first" if 3 <= minute < 10 else "second", **WHOLE) for minute in (1, 3, 5, 7, 11, 20)
    ]
    take(store, *loads, *archives)
    before = store.possible_outputs([DatasetKey(NAMESPACE, "first")], earlier=True)
    assert [gap.reason for gap in before[DatasetKey(NAMESPACE, "first")]] == ["EARLIER_LINEAGE"]
    assert store.prune(at(15)).runs > 0
    assert store.possible_outputs([DatasetKey(NAMESPACE, "first")], earlier=True) == before
    assert minutes(store) == {1, 3, 7, 11, 20}
    assert minutes(store, "archive") == {4, 8, 12, 30}
    emptied = event("COMPLETE", 40, "empty", [], [dataset("kept", **WHOLE)], job="empty")
    take(store, emptied)
    assert not store.possible_outputs([DatasetKey(NAMESPACE, "first")], earlier=True)
    assert store.prune(at(50)).runs > 0
    assert minutes(store) == {1, 7, 20}, (
        "the first and the last that brought what is there, and the newest reader"
    )


def test_what_is_current_stays_however_old_it_is(store: LineageStore) -> None:
    take(store, wrote(1, "in"), wrote(2, "other", kind="FAIL"), wrote(3, "more", "second", "b"))
    store.prune(at(100))
    assert near(store, node("out"), BACKWARD) == {("in:y", "out:x")}
    assert near(store, node("second"), BACKWARD) == {("more:y", "second:x")}
    assert minutes(store) == {1, 2}, "the newest run of a job stays, failed or not"


def test_a_run_that_fails_later_leaves_the_one_before_it(store: LineageStore) -> None:
    """At the moment it counts; that it failed comes out afterwards, and then the older one is current again."""
    started = wrote(4, "bad", kind="START")
    take(
        store,
        wrote(1, "older"),
        wrote(2, "good"),
        started,
        {**wrote(8, "bad", kind="FAIL"), "run": started["run"]},
    )
    store.prune(at(5))
    assert near(store, node("out"), BACKWARD, as_of=at(5)) == {("bad:y", "out:x")}
    assert near(store, node("out"), BACKWARD, as_of=at(9)) == {("good:y", "out:x")}
    assert near(store, node("out"), BACKWARD) == {("good:y", "out:x")}


def test_the_newest_reader_of_a_dataset_stays(store: LineageStore) -> None:
    reads = [
        event("COMPLETE", minute, f"reads {minute}", [dataset("rare")], job="reads") for minute in (1, 2)
    ]
    later = event("COMPLETE", 9, "reads 9", [dataset("often")], job="reads")
    take(store, *reads, later)
    assert store.prune(at(5)).runs == 1
    assert minutes(store, "reads") == {2, 9}


def test_facets_of_forgotten_runs_are_gone_and_all_others_stay(store: LineageStore) -> None:
    take(store, *(wrote(minute, "in", **WHOLE) for minute in (0, 1, 2, 8)))
    assert store.prune(at(5)).runs == 1
    owners = {
        row[1].split(" ")[0] for row in store.contents() if row[0] == "facet" and run_id("job 1") in row[1]
    }
    assert owners == set()
    (used,) = [use for use in store.used_by_runs([key(8)])[key(8)] if use.use.value == "OUTPUT"]
    assert used.facets["outputStatistics"]["rowCount"] == 8


def key(minute: int) -> RunKey:
    return RunKey(JOB, run_id(f"job {minute}"))


def test_names_and_drops_are_remembered_without_their_runs(store: LineageStore) -> None:
    def ddl(minute: int, name: str, change: str, before: str | None = None) -> dict[str, Any]:
        previous = {"previousIdentifier": {"namespace": NAMESPACE, "name": before}} if before else {}
        ingested = facet(lifecycleStateChange=change, **previous)
        return event(
            "COMPLETE", minute, f"ddl {minute}", [], [dataset(name, lifecycleStateChange=ingested)], job="ddl"
        )

    take(store, wrote(1, "in", "old"), ddl(2, "new", "RENAME", "old"), wrote(3, "in", "gone", "b"))
    take(store, ddl(4, "gone", "DROP"), ddl(5, "new", "OVERWRITE"), ddl(9, "new", "OVERWRITE"))
    store.prune(at(8))
    assert near(store, node("old"), BACKWARD) == {("in:y", "new:x")}
    assert near(store, node("gone"), BACKWARD) == set()
    known = get_dataset(store, DatasetKey(NAMESPACE, "gone"))
    assert known is not None
    assert known.dropped_at == at(4)


def test_a_forgotten_event_that_comes_again_is_known_again(store: LineageStore) -> None:
    ingested = [wrote(minute, f"in {minute % 3}", **WHOLE) for minute in range(1, 9)]
    take(store, *ingested)
    before = graph_digest(store).digest
    assert store.prune(at(6)).runs > 0
    take(store, *ingested)
    assert graph_digest(store).digest == before


def answers(store: LineageStore, moments: Sequence[int]) -> list[Any]:
    """All edges now and at each moment."""
    outputs = [node(name) for name in ("a", "b", "c")]
    now = [sorted(near(store, output, BACKWARD)) for output in outputs]
    return now + [sorted(near(store, output, BACKWARD, as_of=at(m))) for output in outputs for m in moments]


def may_be_left(store: LineageStore, moment: int) -> set[tuple[str, str]]:
    """Of which paths it is stated that what was brought of them earlier may be left, and by which job."""
    keys = [DatasetKey(NAMESPACE, name) for name in "abcde"]
    found = store.possible_outputs(keys, at(moment), earlier=True)
    return {
        (f"{gap.dataset.name}:{gap.path[-1]}", gap.job.name if gap.job else "")
        for gaps in found.values()
        for gap in gaps
        if gap.reason == "EARLIER_LINEAGE"
    }


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 7))])
def test_no_answer_about_now_or_since_then_changes(store: LineageStore, seed: int) -> None:
    chance = random.Random(seed)
    kinds = ["START", "COMPLETE", "COMPLETE", "FAIL", "ABORT", None]
    ingested = []
    for _ in range(200):
        name, number = chance.choice("abc"), chance.randrange(38)
        minute = number + chance.randrange(3)
        change = chance.choice(["DROP", "CREATE", "OVERWRITE", "OVERWRITE"])
        facets: dict[str, Any] = {}
        if chance.random() < 0.8:
            facets["columnLineage"] = columns({"x": [(chance.choice("ade"), chance.choice("xyz"))]})
        if chance.random() < 0.5:
            facets["lifecycleStateChange"] = facet(lifecycleStateChange=change)
            facets[EXTENT] = facet(replaced=chance.choice(["WHOLE", "WHOLE", "PART"]))
        job = f"job {chance.randrange(3)}"
        run = f"{job} {number}"
        ingested.append(
            event(
                chance.choice(kinds),
                minute,
                run,
                [dataset(chance.choice("abd"), "x", "y", "z")],
                [dataset(name, **facets)],
                job=job,
            )
        )
    take(store, *ingested)
    moments = range(20, 41)
    before = answers(store, moments)
    gaps = [may_be_left(store, moment) for moment in moments]
    assert store.prune(at(20)).runs > 0
    assert answers(store, moments) == before
    for moment, known in zip(moments, gaps, strict=True):
        assert known <= may_be_left(store, moment), "an end may be forgotten, what is left may not"


def test_a_pruned_store_is_the_same_in_each_sort_of_store(store: LineageStore, tmp_path: Path) -> None:
    ingested = [
        wrote(minute, f"in {minute % 4}", f"out {minute % 2}", f"job {minute % 3}") for minute in range(40)
    ]
    with closing(open_store(f"sqlite:///{tmp_path}/other.db")) as other:
        for each in (store, other):
            take(each, *ingested)
            each.prune(at(30))
        assert graph_digest(store).differ(graph_digest(other)) == []
