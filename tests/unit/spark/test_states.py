"""What a streaming query keeps for its next micro-batches is a dataset, also for the programs that go on with it."""

from __future__ import annotations

from typing import Any

import pytest
from openlineage.client.event_v2 import RunEvent

from headwater_spark.runs.lifecycle import Runs
from headwater_spark.tracing import Analyst
from kit.events import validate_event
from kit.executions import application, wire
from kit.plans import copy_plan, end, files, over, start

SINK = "WriteToMicroBatchDataSourceV1"
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
KEEPING = {
    "Aggregate": ["groupingExpressions", "aggregateExpressions", "child"],
    "Deduplicate": ["keys", "child"],
    "Filter": ["condition", "child"],
}
BOOM = {"class": "java.lang.Exception", "message": "boom", "stackTrace": "at x"}


def plan(source: Any, *operators: str, target: Any = None) -> dict[str, Any]:
    """The plan of a micro-batch that takes a stream through some operators."""
    made = copy_plan(source, target or files("/out"), SINK)
    attribute, leaf, write = made["nodes"]
    streams = made["classes"][leaf["c"]]["fields"].index("isStreaming")
    leaf = {**leaf, "a": [True if i == streams else each for i, each in enumerate(leaf["a"])]}
    nodes = [attribute, leaf]
    for name in operators:
        fields = KEEPING[name]
        made["classes"].append({"name": name, "class": f"{LOGICAL}.{name}", "fields": fields})
        column: Any = {"r": 0} if name == "Filter" else [{"r": 0}]
        values = [{"r": len(nodes) - 1} if field == "child" else column for field in fields]
        nodes.append({"c": len(made["classes"]) - 1, "a": values})
    made["nodes"] = [*nodes, over(write, len(nodes) - 1, ["id"])]
    made["root"] = len(nodes)
    return made


def run(*batches: tuple[int, Any], query: str = "q", error: Any = None) -> list[dict[str, Any]]:
    """The events of a run of a query with these micro-batches, the last one with the error."""
    events: list[dict[str, Any]] = []

    def keep(event: RunEvent) -> None:
        validate_event(wire(event))
        events.append(wire(event))

    runs = Runs(application(), Analyst().analyse, keep)
    for number, each in batches:
        is_last = number == batches[-1][0]
        described = f"name\nid = {query}\nrunId = run-{batches[0][0]}\nbatch = {number}"
        runs.start_execution({**start(number, each), "description": described})
        runs.end_execution(end(number, each, error=error if is_last else None))
    runs.end_query({"time": 1_767_225_603_000, "query": f"run-{batches[0][0]}", "error": error})
    return events


def last(events: list[dict[str, Any]], output: str) -> dict[str, Any]:
    """The last event that has the output."""
    (*_, found) = (e for e in events if any(each["name"] == output for each in e["outputs"]))
    return found


def inputs(event: dict[str, Any]) -> set[str]:
    return {each["name"] for each in event["inputs"]}


def extent(events: list[dict[str, Any]], state: str = "q/state/0") -> dict[str, Any]:
    """What a run found in a state, and left there."""
    facet = last(events, state)["outputs"][0]["facets"]["headwater_extent"]
    return {name: facet[name]["version"] for name in ("base", "state") if name in facet}


def test_a_run_that_begins_the_query_writes_the_state_and_does_not_read_it() -> None:
    events = run((0, plan(files("/in"), "Aggregate")), (1, plan(files("/in"), "Aggregate")))

    assert inputs(last(events, "/out")) == {"/in"}
    assert inputs(last(events, "q/state/0")) == {"/in"}
    assert extent(events)["state"].startswith("2 ")
    assert "base" not in extent(events)


def test_a_run_that_goes_on_reads_the_state_as_it_was_left() -> None:
    before = run((0, plan(files("/in"), "Aggregate")), (1, plan(files("/in"), "Aggregate")))
    events = run((2, plan(files("/in"), "Aggregate")), (3, plan(files("/in"), "Aggregate")))

    assert inputs(last(events, "/out")) == {"/in", "q/state/0"}
    assert inputs(last(events, "q/state/0")) == {"/in"}
    assert extent(events)["base"] == extent(before)["state"]
    assert extent(events)["state"].startswith("4 ")


def test_the_job_of_a_state_is_named_by_the_query() -> None:
    names = {
        last(run((0, plan(files("/in"), "Aggregate")), query=query), f"{query}/state/0")["job"]["name"]
        for query in ("q", "other")
    }
    assert len(names) == 2


def test_a_query_without_state_has_no_more_datasets() -> None:
    events = run((3, plan(files("/in"), "Filter")))

    assert {output["name"] for event in events for output in event["outputs"]} == {"/out"}
    assert inputs(last(events, "/out")) == {"/in"}


@pytest.mark.parametrize(
    "source", [files("/in"), files("/elsewhere"), {"kind": "memory"}], ids=["same", "other", "none"]
)
def test_what_is_read_does_not_make_it_another_program(source: Any) -> None:
    before = run((0, plan(files("/in"), "Filter", "Aggregate")))
    events = run((1, plan(source, "Filter", "Aggregate")))

    assert extent(events)["base"] == extent(before)["state"]


@pytest.mark.parametrize(
    "operators", [("Aggregate",), ("Filter", "Filter", "Aggregate"), ("Aggregate", "Filter")]
)
def test_another_program_finds_no_state_of_its_own(operators: tuple[str, ...]) -> None:
    before = run((0, plan(files("/in"), "Filter", "Aggregate")))
    events = run((1, plan(files("/in"), *operators)))

    assert extent(events)["base"] != extent(before)["state"]


def test_a_batch_that_fails_leaves_the_state_as_it_was() -> None:
    batches = [(number, plan(files("/in"), "Aggregate")) for number in (0, 1)]
    failed, again = run(*batches, error=BOOM), run((1, plan(files("/in"), "Aggregate")))

    assert last(failed, "q/state/0")["eventType"] == "FAIL"
    assert extent(failed)["state"].startswith("1 ")
    assert extent(again)["base"] == extent(failed)["state"]


def test_each_operator_has_a_state_of_its_own() -> None:
    events = run((1, plan(files("/in"), "Deduplicate", "Aggregate")))

    assert inputs(last(events, "q/state/1")) == {"/in", "q/state/0"}
    assert inputs(last(events, "/out")) == {"/in", "q/state/0", "q/state/1"}


def test_rows_that_are_dropped_only_decide() -> None:
    lineage = last(run((1, plan(files("/in"), "Deduplicate"))), "/out")["outputs"][0]["facets"]
    fields = lineage["headwater_pathLineage"]["fields"]
    decide = {each["name"] for each in lineage["headwater_pathLineage"]["dataset"]}

    assert {each["name"] for field in fields for each in field["inputFields"]} == {"/in"}
    assert "q/state/0" in decide


def test_what_goes_to_memory_leaves_no_state_that_is_reported_and_reads_one() -> None:
    memory = {"kind": "memory", "instance": 7}
    events = run((1, plan(files("/in"), "Aggregate", target=memory)))

    assert [event for event in events if event["outputs"]] == []
