"""Which lineage is true: runs that fail, programs that change, and the past."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.model import DatasetKey, Direction, Incomplete
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.questions.lineage import Scope, lineage
from kit.openlineage import (
    JOB,
    NAMESPACE,
    at,
    columns,
    dataset,
    event,
    facet,
    near,
    node,
    paths,
    run_id,
)


def writes(source: str, kind: str | None, minute: int, run: str) -> dict[str, Any]:
    """An event of a run that copies ``source.a`` into ``out.x``."""
    out = dataset("out", columnLineage=columns({"x": [(source, "a")]}))
    return event(kind, minute, run, [dataset(source, "a")], [out])


def origins(store: LineageStore, **options: Any) -> set[str]:
    edges = near(store, node("out", "x"), Direction.BACKWARD, **options)
    return {source for source, _ in edges}


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    for outcome in ingest(store, events):
        assert outcome.error is None


def test_a_changed_program_replaces_its_earlier_lineage(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"))
    assert origins(store) == {"old:a"}
    take(store, writes("new", "COMPLETE", 2, "second"))
    assert origins(store) == {"new:a"}


def test_a_late_event_of_an_older_run_replaces_nothing(store: LineageStore) -> None:
    take(store, writes("new", "COMPLETE", 2, "second"), writes("old", "COMPLETE", 1, "first"))
    assert origins(store) == {"new:a"}


def test_two_jobs_into_one_output_are_both_current(store: LineageStore) -> None:
    take(
        store,
        writes("one", "COMPLETE", 1, "first"),
        {**writes("two", "COMPLETE", 2, "other"), "job": OTHER_JOB},
    )
    assert origins(store) == {"one:a", "two:a"}


def adds(source: str, minute: int, run: str, kind: str = "COMPLETE") -> dict[str, Any]:
    """An event of a run of Spark that appends ``source.a`` to ``out.x``."""
    return {**writes(source, kind, minute, run), "job": SPARK_JOB}


def overwrites(source: str, minute: int, run: str, extent: str | None = None) -> dict[str, Any]:
    """An event of a run of Spark that overwrites ``out.x`` with ``source.a``."""
    found = adds(source, minute, run)
    facets = found["outputs"][0]["facets"]
    facets["lifecycleStateChange"] = facet(lifecycleStateChange="OVERWRITE")
    if extent:
        facets["headwater_extent"] = facet(replaced=extent)
    return found


SPARK_JOB = {
    "namespace": NAMESPACE,
    "name": JOB.name,
    "facets": {"jobType": facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")},
}


def test_what_was_appended_stays_when_a_later_run_appends_something_else(store: LineageStore) -> None:
    take(store, adds("one", 1, "first"), adds("two", 2, "second"), adds("one", 3, "third"))
    assert origins(store) == {"one:a", "two:a"}
    forward = near(store, node("one", "a"), Direction.FORWARD)
    assert {target for _, target in forward} == {"out:x"}


def test_an_overwrite_replaces_what_was_appended_before(store: LineageStore) -> None:
    take(store, adds("one", 1, "first"), adds("two", 2, "second"))
    take(store, overwrites("three", 3, "third"), adds("four", 4, "fourth"))
    assert origins(store) == {"three:a", "four:a"}
    found = [origins(store, as_of=at(minute)) for minute in range(5)]
    assert found == [set(), {"one:a"}, {"one:a", "two:a"}, {"three:a"}, {"three:a", "four:a"}]


def test_an_overwrite_of_a_part_replaces_nothing(store: LineageStore) -> None:
    take(store, overwrites("one", 1, "first", "WHOLE"), overwrites("two", 2, "second", "PART"))
    assert origins(store) == {"one:a", "two:a"}
    take(store, overwrites("three", 3, "third", "WHOLE"))
    assert origins(store) == {"three:a"}


def test_a_failed_overwrite_replaces_nothing_that_was_appended(store: LineageStore) -> None:
    take(store, adds("one", 1, "first"), adds("two", 2, "second"), overwrites("three", 3, "third"))
    take(store, {**overwrites("three", 4, "third"), "eventType": "FAIL"})
    assert origins(store) == {"one:a", "two:a"}


def test_an_overwrite_stays_the_end_when_its_lineage_is_appended_again(store: LineageStore) -> None:
    take(store, adds("zero", 1, "first"), overwrites("one", 2, "second"), adds("one", 3, "third"))
    assert origins(store) == {"one:a"}


def test_an_append_that_has_only_begun_changes_nothing(store: LineageStore) -> None:
    begun = event("START", 3, "third", [dataset("two", "a")], [dataset("out", "x")])
    take(store, adds("one", 1, "first"), adds("two", 2, "second"), {**begun, "job": SPARK_JOB})
    assert origins(store) == {"one:a", "two:a"}
    assert list(store.incomplete([DatasetKey(NAMESPACE, "out")])) == []


def test_an_append_without_lineage_leaves_a_gap_beside_what_is_known(store: LineageStore) -> None:
    begun, ended = (
        {**event(kind, minute, "second", [dataset("two", "a")], [dataset("out", "x")]), "job": SPARK_JOB}
        for kind, minute in (("START", 2), ("COMPLETE", 3))
    )
    take(store, adds("one", 1, "first"), begun, ended, adds("three", 4, "third"))
    assert origins(store) == {"one:a", "three:a"}
    missing = Incomplete("NO_LINEAGE_FACET", DatasetKey(NAMESPACE, "out"), (), JOB)
    assert list(store.incomplete([DatasetKey(NAMESPACE, "out")])) == [missing]
    reads = store.possible_outputs([DatasetKey(NAMESPACE, "two")])
    assert [gap.reason for gap in reads[DatasetKey(NAMESPACE, "two")]] == ["NO_LINEAGE_FACET"]


OTHER_JOB = {"namespace": NAMESPACE, "name": "other job"}


def test_lineage_of_a_start_counts_until_the_run_fails(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"), writes("new", "START", 2, "second"))
    assert origins(store) == {"new:a"}
    take(store, writes("new", "FAIL", 3, "second"))
    assert origins(store) == {"old:a"}


def test_a_failure_is_not_undone_by_a_later_complete(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"))
    take(store, writes("new", "FAIL", 3, "second"), writes("new", "COMPLETE", 4, "second"))
    assert origins(store) == {"old:a"}
    assert [run.state for run in store.runs(JOB)] == ["FAIL", "COMPLETE"]


def test_an_aborted_run_changes_nothing(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"), writes("new", "START", 2, "second"))
    take(store, event("ABORT", 3, "second"))
    assert origins(store) == {"old:a"}


def test_a_run_that_has_only_begun_does_not_hide_what_is_known(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"))
    take(store, event("START", 2, "second", [dataset("old", "a")], [dataset("out", "x")]))
    assert origins(store) == {"old:a"}


def test_a_completed_run_without_lineage_hides_it_and_is_reported(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"))
    take(store, event("COMPLETE", 2, "second", [dataset("old", "a")], [dataset("out", "x")]))
    assert origins(store) == set()
    missing = Incomplete("NO_LINEAGE_FACET", DatasetKey(NAMESPACE, "out"), (), JOB)
    assert list(store.incomplete([DatasetKey(NAMESPACE, "out")])) == [missing]


def test_facets_accumulate_over_the_events_of_a_run(store: LineageStore) -> None:
    take(store, writes("old", "START", 1, "run"), event("COMPLETE", 2, "run", [], [dataset("out")]))
    assert origins(store) == {"old:a"}
    assert list(store.incomplete([DatasetKey(NAMESPACE, "out")])) == []


def test_path_lineage_is_believed_before_column_lineage(store: LineageStore) -> None:
    fine = dataset(
        "out",
        columnLineage=columns({"x": [("coarse", "a")]}),
        headwater_pathLineage=paths((["x"], "fine", ["a", "b"], "TRANSFORMATION")),
    )
    take(store, event("COMPLETE", 1, "run", [], [fine]), writes("coarse", "COMPLETE", 2, "run"))
    assert origins(store) == {"fine:a/b"}


def test_a_job_event_reports_lineage_without_a_run(store: LineageStore) -> None:
    static = writes("design", None, 1, "none")
    del static["run"]
    take(store, static)
    assert origins(store) == {"design:a"}
    assert store.newest_runs([JOB]).get(JOB) is None
    take(store, writes("real", "COMPLETE", 2, "run"))
    assert origins(store) == {"real:a"}


def test_the_past_is_answered_as_it_was_then(store: LineageStore) -> None:
    take(store, writes("old", "COMPLETE", 1, "first"), writes("broken", "START", 3, "second"))
    take(store, writes("broken", "FAIL", 4, "second"), writes("new", "COMPLETE", 6, "third"))
    found = [origins(store, as_of=at(minute)) for minute in range(8)]
    assert found == [set(), {"old:a"}, {"old:a"}, {"broken:a"}, {"old:a"}, {"old:a"}, {"new:a"}, {"new:a"}]


def test_the_newest_run_of_a_job_is_the_one_that_began_last(store: LineageStore) -> None:
    take(store, event("START", 5, "late"), event("START", 1, "early"), event("COMPLETE", 9, "early"))
    found = store.newest_runs([JOB]).get(JOB)
    assert found is not None
    assert (found.run_id, found.state, found.started_at, found.ended_at) == (
        run_id("late"),
        "START",
        at(5),
        None,
    )
    assert [run.run_id for run in store.runs(JOB)] == [run_id("late"), run_id("early")]
    assert [run.ended_at for run in store.runs(JOB, first=2)] == [None, at(9)]


def test_a_facet_keeps_its_newest_state_whatever_comes_first(store: LineageStore) -> None:
    take(store, event("COMPLETE", 5, "b", outputs=[dataset("out", "new")]))
    take(store, event("COMPLETE", 1, "a", outputs=[dataset("out", "old")]))
    found = get_dataset(store, DatasetKey(NAMESPACE, "out"))
    assert found is not None
    assert [field.name for field in found.fields] == ["new"]
    assert (found.first_seen, found.last_seen) == (at(1), at(5))
    assert list(store.paths([found.key])[found.key]) == [("new",), ("old",)]


def test_a_deleted_facet_stays_deleted_though_an_older_one_comes_late(store: LineageStore) -> None:
    deleted = {"namespace": NAMESPACE, "name": "out", "facets": {"schema": {"_deleted": True}}}
    take(store, event("COMPLETE", 5, "b", outputs=[deleted]))
    take(store, event("COMPLETE", 1, "a", outputs=[dataset("out", "old")]))
    found = get_dataset(store, DatasetKey(NAMESPACE, "out"))
    assert found is not None
    assert "schema" not in found.facets


def test_facets_of_a_failed_run_s_output_are_not_kept(store: LineageStore) -> None:
    take(store, event("FAIL", 5, "b", outputs=[dataset("out", "attempted")]))
    found = get_dataset(store, DatasetKey(NAMESPACE, "out"))
    assert found is not None
    assert found.fields == ()


def test_an_edge_of_several_current_runs_is_listed_once(store: LineageStore) -> None:
    both = dataset("out", columnLineage=columns({"x": [("one", "a")], "y": [("two", "a")]}))
    second = {**event("COMPLETE", 2, "second", [dataset("one", "a")], [both]), "job": SPARK_JOB}
    take(store, adds("one", 1, "first"), second)
    graph = lineage(store, node("one", "a"), Direction.FORWARD, Scope())
    assert len(graph.edges) == 1
    assert near(store, node("out", "y"), Direction.BACKWARD) == {("two:a", "out:y")}
