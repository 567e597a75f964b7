"""One run for a streaming query and each dataset that it writes, however many micro-batches it takes."""

from __future__ import annotations

from typing import Any

from openlineage.client.event_v2 import RunEvent

from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.execution import Outcome
from headwater_spark.runs.lifecycle import Runs
from headwater_spark.runs.streams import Stream
from headwater_spark.tracing import Analyst
from headwater_spark.tracing.batches import MOST_PLANS
from kit.events import validate_event
from kit.executions import application, execution, wire
from kit.plans import copy_plan, end, files, start, table

SINK = "WriteToMicroBatchDataSourceV1"
BATCH = copy_plan(files("/in"), files("/out"), SINK)
EMPTY = copy_plan({"kind": "memory"}, files("/out"), SINK)
IN_MEMORY = copy_plan(files("/in"), {"kind": "memory"}, SINK)
INSIDE = copy_plan(files("/in"), files("/inside"))
BOOM = {"class": "java.lang.Exception", "message": "boom", "stackTrace": "at x"}


def batch(number: int, plan: Any, query: str = "q1", **more: Any) -> dict[str, Any]:
    """The start of a micro-batch."""
    described = f"name\nid = 1\nrunId = {query}\nbatch = {number}"
    return {**start(number, plan, **more), "description": described}


def stopped(query: str = "q1", error: Any = None) -> dict[str, Any]:
    """The end of a query."""
    return {"kind": "stream-end", "time": 1_767_225_603_000, "query": query, "error": error}


def emitted(*documents: dict[str, Any], ends: bool = False) -> list[dict[str, Any]]:
    """The valid events of some documents."""
    events: list[dict[str, Any]] = []

    def keep(event: RunEvent) -> None:
        validate_event(wire(event))
        events.append(wire(event))

    runs = Runs(application(), Analyst().analyse, keep)
    process = {
        "execution-start": runs.start_execution,
        "execution-end": runs.end_execution,
        "stream-end": runs.end_query,
    }
    for document in documents:
        process[document["kind"]](document)
    if ends:
        runs.end_application(1_767_225_604_000, ApplicationEnd())
    return events


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["eventType"] for event in events]


def kinds(events: list[dict[str, Any]]) -> list[tuple[str, str] | None]:
    """How the job of each event is processed, and its type; START leaves that to the others."""
    facets = [event["job"]["facets"].get("jobType") for event in events]
    return [facet and (facet["processingType"], facet["jobType"]) for facet in facets]


def rows(event: dict[str, Any]) -> int:
    return int(event["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"])


def test_batches_are_progress_of_one_run() -> None:
    events = emitted(
        batch(1, BATCH), end(1, BATCH, rows=2), batch(2, BATCH), end(2, BATCH, rows=3), stopped()
    )

    assert types(events) == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    assert len({event["run"]["runId"] for event in events}) == 1
    assert [rows(event) for event in events[1:]] == [2, 5, 5]


def test_a_query_that_fails_has_one_fail_with_its_error() -> None:
    events = emitted(batch(1, BATCH), end(1, BATCH, error=BOOM), stopped(error=BOOM))

    assert types(events) == ["START", "FAIL"]
    assert (
        events[-1]["run"]["facets"]["errorMessage"]["message"] == "java.lang.Exception: the message is hidden"
    )


def test_a_batch_without_new_input_does_not_remove_the_querys_source() -> None:
    events = emitted(batch(1, BATCH), end(1, BATCH), batch(2, EMPTY), end(2, EMPTY), stopped())

    assert [[each["name"] for each in event["inputs"]] for event in events] == [["/in"]] * 4


def test_batches_that_alternate_between_sources_list_them_all() -> None:
    plans = [copy_plan(files(place), files("/out"), SINK) for place in ("/in", "/other", "/in")]
    batches = [(batch(n, plan), end(n, plan)) for n, plan in enumerate(plans, 1)]
    *_, last = emitted(*(document for both in batches for document in both), stopped())

    lineage = last["outputs"][0]["facets"]["headwater_pathLineage"]
    assert {each["name"] for each in last["inputs"]} == {"/in", "/other"}
    assert {i["name"] for field in lineage["fields"] for i in field["inputFields"]} == {"/in", "/other"}
    assert lineage["complete"]


def to_column(plan: Any, name: str) -> Any:
    """The plan with another column written."""
    *before, write = plan["nodes"]
    query, _, *rest = write["a"]
    return {**plan, "nodes": [*before, {**write, "a": [query, [name], *rest]}]}


def last_output(*plans: Any) -> dict[str, Any]:
    """The output of a query with a batch for each of the plans."""
    batches = [(batch(n, plan), end(n, plan)) for n, plan in enumerate(plans, 1)]
    *_, last = emitted(*(document for both in batches for document in both), stopped())
    (output,) = last["outputs"]
    return dict(output)


def of_columns(output: dict[str, Any]) -> dict[str, set[str]]:
    """The datasets that each written column comes from."""
    fields = output["facets"]["headwater_pathLineage"]["fields"]
    return {field["path"][0]: {i["name"] for i in field["inputFields"]} for field in fields}


def test_batches_that_write_other_columns_list_those_of_all() -> None:
    one, other = (
        to_column(copy_plan(files(place), files("/out")), name)
        for place, name in (("/in", "a"), ("/other", "b"))
    )
    for plans in ((one, other), (one, other, one)):
        output = last_output(*plans)
        assert of_columns(output) == {"a": {"/in"}, "b": {"/other"}}
        assert {field["name"] for field in output["facets"]["schema"]["fields"]} == {"a", "b"}
        assert output["facets"]["headwater_pathLineage"]["complete"]


def test_a_column_that_several_batches_write_comes_from_all_of_them() -> None:
    plans = [
        to_column(copy_plan(files(place), files("/out")), name)
        for place, name in (("/in", "a"), ("/other", "b"), ("/third", "a"))
    ]
    assert of_columns(last_output(*plans)) == {"a": {"/in", "/third"}, "b": {"/other"}}


def test_batches_in_different_modes_are_one_and_leave_what_one_of_them_leaves() -> None:
    append = copy_plan(files("/in"), files("/out", mode="append"))
    overwrite = copy_plan(files("/other"), files("/out"))
    for plans in ((append, overwrite), (overwrite, append), (append, overwrite, overwrite)):
        output = last_output(*plans)
        assert of_columns(output) == {"id": {"/in", "/other"}}
        assert "lifecycleStateChange" not in output["facets"]
    state = last_output(overwrite, overwrite)["facets"]["lifecycleStateChange"]
    assert state["lifecycleStateChange"] == "OVERWRITE"


def test_a_batch_of_another_format_writes_the_same_files() -> None:
    plans = [
        copy_plan(files(place), files("/out", format=form))
        for place, form in (("/in", "parquet"), ("/other", "orc"))
    ]
    assert of_columns(last_output(*plans)) == {"id": {"/in", "/other"}}


def test_a_table_and_its_files_are_one_place() -> None:
    plans = [
        copy_plan(files("/in"), files("/out")),
        copy_plan(files("/other"), table("t", location="file:/out")),
    ]
    output = last_output(*plans)
    assert of_columns(output) == {"id": {"/in", "/other"}}
    assert output["facets"]["headwater_pathLineage"]["complete"]


def test_batches_that_were_not_joined_are_a_gap() -> None:
    one, other = (
        execution(Analyst().analyse(copy_plan(files(source), files("/out")))) for source in ("/in", "/other")
    )
    for first, second in ((one, other), (other, one)):
        stream = Stream(first)
        for each in (first, second, first):
            stream.add(each, Outcome(1_767_225_602_000))
        assert [gap.reason.name for gap in stream.execution.lineage.incomplete] == ["TRUNCATED"]


def test_more_different_batches_than_are_kept_are_a_gap() -> None:
    plans = [copy_plan(files(f"/in/{n}"), files("/out"), SINK) for n in range(MOST_PLANS + 1)]
    batches = [(batch(n, plan), end(n, plan)) for n, plan in enumerate([*plans, plans[0]], 1)]
    *_, last = emitted(*(document for both in batches for document in both), stopped())

    lineage = last["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [gap["reason"] for gap in lineage["incomplete"]] == ["TRUNCATED"]


def test_queries_at_the_same_time_are_runs_of_their_own() -> None:
    events = emitted(
        batch(1, BATCH), batch(2, BATCH, "q2"), end(1, BATCH), end(2, BATCH), stopped("q2"), stopped("q1")
    )

    assert types(events) == ["START", "START", "RUNNING", "RUNNING", "COMPLETE", "COMPLETE"]
    assert events[4]["run"]["runId"] == events[1]["run"]["runId"] != events[5]["run"]["runId"]


def test_a_write_inside_a_batch_belongs_to_the_query() -> None:
    events = emitted(
        batch(1, IN_MEMORY),
        batch(2, INSIDE, root=1),
        end(2, INSIDE, root=1),
        end(1, IN_MEMORY),
        stopped(),
    )

    assert types(events) == ["START", "RUNNING", "COMPLETE"]
    assert {event["outputs"][0]["name"] for event in events} == {"/inside"}


def test_a_query_is_a_streaming_job_and_so_is_a_write_inside_its_batches() -> None:
    of_query = emitted(batch(1, BATCH), end(1, BATCH), stopped())
    inside = emitted(batch(1, IN_MEMORY), batch(2, INSIDE, root=1), end(2, INSIDE, root=1), end(1, IN_MEMORY))
    alone = emitted(start(1, BATCH), end(1, BATCH))

    assert kinds(of_query) == [None, ("STREAMING", "SQL_JOB"), ("STREAMING", "SQL_JOB")]
    assert kinds(inside) == [None, ("STREAMING", "SQL_JOB")]
    assert kinds(alone) == [None, ("BATCH", "SQL_JOB")]


def test_a_sink_in_memory_is_no_run() -> None:
    assert emitted(batch(1, IN_MEMORY), end(1, IN_MEMORY), stopped()) == []


def test_a_running_query_is_aborted_with_its_application() -> None:
    events = emitted(batch(1, BATCH), end(1, BATCH), ends=True)

    assert types(events) == ["START", "RUNNING", "ABORT", "COMPLETE"]


def test_the_version_that_the_last_batch_created_is_the_querys() -> None:
    batches = [
        (batch(number, BATCH), {**end(number, BATCH, rows=1), "version": version})
        for number, version in enumerate(("5", None, "7"), 1)
    ]
    events = emitted(*[document for both in batches for document in both], stopped())
    made = [event["outputs"][0]["facets"].get("version", {}).get("datasetVersion") for event in events]
    assert made == [None, "5", None, "7", "7"]


def test_the_line_that_started_a_query_is_kept_after_a_batch_without_a_job() -> None:
    line = {"calledFrom": "start at /jobs/a.py:3"}
    events = emitted(
        batch(1, BATCH),
        {**end(1, BATCH), **line},
        batch(2, BATCH),
        {**end(2, BATCH), "calledFrom": ""},
        stopped(),
    )
    urls = [event["job"]["facets"]["sourceCodeLocation"]["url"] for event in events[1:]]
    assert urls == ["file:///jobs/a.py#L3"] * 3
