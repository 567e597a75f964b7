"""One run for each write that a user made: one START, and one COMPLETE or FAIL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from openlineage.client.event_v2 import RunEvent

from headwater_spark.capture.application_end import LOST_DRIVER
from headwater_spark.runs.lifecycle import Runs
from headwater_spark.tracing import Analyst, PlanLineage
from headwater_spark.tracing.collected import Collected
from kit.events import validate_event
from kit.executions import application, wire
from kit.plans import copy_plan, end, files, literal_plan, observing_plan, read_plan, start, table

COPY = copy_plan(files("/in/a"), files("/out/b"))
CTAS = copy_plan(files("/in/a"), table("t"), "CreateDataSourceTableAsSelectCommand")
IN_LAKE = table("t", identifier={"catalog": "lake", "database": "db", "table": "t"})
CREATED = copy_plan(files("/in/a"), IN_LAKE, "CreateTableAsSelect")
FILLED = copy_plan(files("/in/a"), {**IN_LAKE, "location": "file:/lake/db/t"}, "AppendData")
INNER = copy_plan(files("/in/a"), files("/wh/t"))
ELSEWHERE = copy_plan(files("/in/a"), files("/elsewhere/t"))
READ = read_plan(files("/in/a"))
COUNT = "count at job.py:3"
COLLECT = "collect at job.py:4"
BOOM = {"class": "java.lang.Exception", "message": "boom", "stackTrace": "at x"}
LOST = {"error": {"class": "java.lang.StackOverflowError", "message": None}}


class RecordedRuns:
    """Runs that were given some documents, and their events."""

    def __init__(
        self,
        *documents: Mapping[str, Any],
        how: Any = None,
        fails: int = 0,
        conf: Mapping[str, str] | None = None,
        collected: Collected | None = None,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.fails = fails
        self.runs = Runs(
            application(**(conf or {})), how or Analyst().analyse, self._keep, collected=collected
        )
        for document in documents:
            is_start = document["kind"] == "execution-start"
            (self.runs.start_execution if is_start else self.runs.end_execution)(document)

    def _keep(self, event: RunEvent) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError("no room")
        document = wire(event)
        validate_event(document)
        self.events.append(document)

    @property
    def story(self) -> list[str]:
        """``START out_b`` and so on."""
        return [f"{e['eventType']} {e['job']['name'].rpartition('.')[2]}" for e in self.events]

    @property
    def last(self) -> dict[str, Any]:
        """The last event."""
        return self.events[-1]

    @property
    def lineage(self) -> dict[str, Any]:
        """Path lineage of the last event."""
        return dict(self.last["outputs"][0]["facets"]["headwater_pathLineage"])


def test_a_write_is_a_start_and_a_complete() -> None:
    recorded = RecordedRuns(start(1, COPY), end(1, COPY, rows=7))
    assert recorded.story == ["START out_b", "COMPLETE out_b"]
    assert recorded.last["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 7
    assert recorded.lineage["complete"] is True


def test_a_write_whose_plan_comes_only_with_its_end_is_reported_then() -> None:
    assert RecordedRuns(start(1, None), end(1, COPY)).story == ["START out_b", "COMPLETE out_b"]


def test_a_write_whose_end_has_no_plan_keeps_that_of_its_start() -> None:
    assert RecordedRuns(start(1, COPY), end(1, None)).story == ["START out_b", "COMPLETE out_b"]


def test_a_write_whose_start_was_lost_is_reported_at_its_end() -> None:
    recorded = RecordedRuns(end(1, COPY, dropped=1))
    assert recorded.story == ["START out_b", "COMPLETE out_b"]


def test_a_failed_write_is_a_start_and_a_fail_and_no_complete() -> None:
    assert RecordedRuns(start(1, COPY), end(1, COPY, error=BOOM)).story == ["START out_b", "FAIL out_b"]


IF_ABSENT = copy_plan(files("/in/a"), {**files("/out/b"), "mode": "ignore"})
CREATED_IF_ABSENT = copy_plan(
    files("/in/a"),
    {**table("t", location="file:/w/t"), "mode": "ignore"},
    "CreateDataSourceTableAsSelectCommand",
)


def test_a_write_that_leaves_what_exists_alone_is_a_run_only_if_it_has_written() -> None:
    nothing = {"output": {"rows": 0, "bytes": 0, "files": 0}, "input": []}
    left = RecordedRuns(start(1, IF_ABSENT), {**end(1, IF_ABSENT), "metrics": nothing, "jobs": 0})
    wrote = RecordedRuns(start(1, IF_ABSENT), {**end(1, IF_ABSENT, rows=7), "jobs": 1})

    assert left.story == []
    assert wrote.story == ["START out_b", "COMPLETE out_b"]
    assert wrote.lineage["complete"]


@pytest.mark.parametrize("counted", [{}, {"jobs": 2}])
def test_where_nobody_knows_whether_it_has_written_its_lineage_is_incomplete(counted: dict[str, int]) -> None:
    recorded = RecordedRuns(start(1, IF_ABSENT), {**end(1, IF_ABSENT), **counted})

    assert recorded.story == ["START out_b", "COMPLETE out_b"]
    assert "whether anything was written" in recorded.lineage["incomplete"][0]["detail"]


def test_a_connector_that_is_not_known_may_have_written_without_a_job() -> None:
    plan = copy_plan(files("/in/a"), {"kind": "unknown", "class": "x.Own", "mode": "ignore"})
    recorded = RecordedRuns(start(1, plan), {**end(1, plan), "jobs": 0})

    assert recorded.last["eventType"] == "COMPLETE"
    assert not recorded.lineage["complete"]


def test_a_table_that_is_created_unless_it_exists_is_written_by_the_insert_inside() -> None:
    insert = copy_plan(files("/in/a"), files("/w/t"))
    inside = start(2, insert, root=1), {**end(2, insert, root=1), "jobs": 1}
    wrote = RecordedRuns(start(1, CREATED_IF_ABSENT), *inside, {**end(1, CREATED_IF_ABSENT), "jobs": 1})
    left = RecordedRuns(start(1, CREATED_IF_ABSENT), {**end(1, CREATED_IF_ABSENT), "jobs": 0})

    assert [each.split()[0] for each in wrote.story] == ["START", "COMPLETE"]
    assert wrote.lineage["complete"]
    assert left.story == []


def test_a_write_that_failed_or_was_aborted_is_a_run_though_it_may_have_left_what_exists() -> None:
    failed = RecordedRuns(start(1, IF_ABSENT), {**end(1, IF_ABSENT, error=BOOM), "jobs": 0})
    assert failed.story == ["START out_b", "FAIL out_b"]

    aborted = RecordedRuns(start(1, IF_ABSENT))
    aborted.runs.end_application(1_767_225_603_000, None)
    assert aborted.story == ["START out_b", "ABORT out_b"]


STARTED = 1_767_225_601_000


@pytest.mark.parametrize(
    ("created", "complete"),
    [(STARTED - 1_001, None), (STARTED - 1, None), (STARTED, True), (STARTED + 5, True), (None, True)],
)
def test_a_view_that_is_created_unless_it_exists_is_new_if_the_catalog_got_it_since(
    created: int | None, complete: bool | None
) -> None:
    recorded = RecordedRuns(*view_if_absent(created, STARTED))

    assert [recorded.lineage["complete"]] == [complete] if complete else recorded.story == []


def test_a_view_of_a_catalog_that_counts_seconds_may_be_new() -> None:
    recorded = RecordedRuns(*view_if_absent(STARTED, STARTED + 500))

    assert recorded.story[-1].startswith("COMPLETE") and not recorded.lineage["complete"]


def view_if_absent(created: int | None, started: int) -> list[dict[str, Any]]:
    entry = {"entry": {"table": "v", "created": created}} if created else {}
    name = {"k": "name", "table": "v", "database": "d", "catalog": "spark_catalog", **entry}
    plan = copy_plan(files("/in/a"), {**table("v"), "mode": "ignore"}, "CreateDataSourceTableAsSelectCommand")
    fields = {"name": name, "plan": {"r": 1}, "allowExisting": True, "replace": False, "viewType": VIEWED}
    plan["classes"][-1] = {**plan["classes"][-1], "name": "CreateViewCommand", "fields": list(fields)}
    plan["nodes"][-1] = {**plan["nodes"][-1], "a": list(fields.values())}
    return [start(1, plan, time=started), {**end(1, plan), "jobs": 0}]


VIEWED = {"e": "PersistedView"}


def versions(recorded: RecordedRuns) -> list[str | None]:
    """The version of the output in each last event."""
    ends = [event for event in recorded.events if event["eventType"] != "START"]
    return [e["outputs"][0]["facets"].get("version", {}).get("datasetVersion") for e in ends]


def test_the_version_that_a_write_created_is_in_its_last_event() -> None:
    assert versions(RecordedRuns(start(1, COPY), {**end(1, COPY), "version": "5"})) == ["5"]
    assert versions(RecordedRuns(start(1, COPY), end(1, COPY))) == [None]
    assert versions(RecordedRuns(start(1, COPY), {**end(1, COPY, error=BOOM), "version": "5"})) == [None]


@pytest.mark.parametrize(
    ("inside", "expected"), [(("5",), "5"), (("5", "5"), "5"), (("5", "6"), None), ((None,), None)]
)
def test_a_version_created_by_nested_executions_is_the_outer_ones_if_it_is_unique(
    inside: tuple[str | None, ...], expected: str | None
) -> None:
    inner = [
        document
        for number, version in enumerate(inside, 2)
        for document in (start(number, INNER, root=1), {**end(number, INNER, root=1), "version": version})
    ]
    assert versions(RecordedRuns(start(1, CTAS), *inner, end(1, CTAS))) == [expected]


@pytest.mark.parametrize("plan", [READ, None])
def test_what_writes_nothing_and_returns_no_values_is_no_run(plan: Any) -> None:
    counted = start(1, plan, description=COUNT)
    assert RecordedRuns(counted, end(1, plan)).story == []


@pytest.mark.parametrize(
    "target",
    [table("v", type="LocalTempView"), {"kind": "unknown", "class": "org.apache.spark.sql.NoopTable$"}],
)
def test_a_temporary_view_and_the_sink_for_benchmarks_are_no_datasets(target: dict[str, Any]) -> None:
    plan = copy_plan(files("/in/a"), target)
    assert RecordedRuns(start(1, plan), end(1, plan, rows=3)).story == []


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_target_without_a_name_is_named_by_its_class_with_the_reason(mode: str) -> None:
    plan = copy_plan(files("/in/a"), {"kind": "unknown", "class": "x.Sink", "mode": mode})
    recorded = RecordedRuns(start(1, plan), end(1, plan))
    assert recorded.story[0] == "START execute_save_into_data_source_command"
    (error,) = recorded.last["run"]["facets"]["extractionError"]["errors"]
    assert error["errorMessage"].endswith("has no name: x.Sink")
    (output,) = recorded.last["outputs"]
    assert (output["namespace"], output["name"]) == ("unknown", "x.Sink")
    lineage = output["facets"]["headwater_pathLineage"]
    assert lineage["fields"]
    assert [(gap["reason"], gap["detail"]) for gap in lineage["incomplete"]] == [
        ("UNKNOWN_SOURCE", error["errorMessage"])
    ]
    assert "lifecycleStateChange" not in output["facets"]


@pytest.mark.parametrize("plan", [CTAS, None])
def test_the_insert_inside_a_create_table_as_select_is_a_part_of_it(plan: Any) -> None:
    recorded = RecordedRuns(
        start(1, plan), start(2, INNER, root=1), end(2, INNER, root=1, rows=7), end(1, CTAS)
    )
    assert recorded.story == ["START default_t", "COMPLETE default_t"]
    assert recorded.last["outputs"][0]["name"] == "/wh/t"
    assert recorded.last["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 7


def test_the_location_that_the_nested_insert_wrote_to_is_the_tables() -> None:
    recorded = RecordedRuns(
        start(1, CTAS), start(2, ELSEWHERE, root=1), end(2, ELSEWHERE, root=1), end(1, CTAS)
    )
    assert outputs(recorded) == [
        ("START", "/elsewhere/t", "default.t"),
        ("COMPLETE", "/elsewhere/t", "default.t"),
    ]


def outputs(recorded: RecordedRuns) -> list[tuple[str, str, str | None]]:
    """Each event's type, and the names of what it writes: its own, and the one in a catalog."""
    found = []
    for event in recorded.events:
        for output in event["outputs"]:
            linked = output["facets"].get("symlinks", {"identifiers": [{"name": None}]})
            found.append((event["eventType"], output["name"], linked["identifiers"][0]["name"]))
    return found


@pytest.mark.parametrize("command", ["CreateTableAsSelect", "ReplaceTableAsSelect"])
@pytest.mark.parametrize("failed", [None, BOOM])
def test_a_table_whose_location_its_catalog_chooses_has_one_name_in_all_events(
    command: str, failed: Any
) -> None:
    created = copy_plan(files("/in/a"), IN_LAKE, command)
    inside = [start(2, FILLED, root=1), end(2, FILLED, root=1, error=failed)]
    recorded = RecordedRuns(start(1, created), *inside, end(1, created, error=failed))
    assert outputs(recorded) == [
        ("START", "/lake/db/t", "db.t"),
        ("FAIL" if failed else "COMPLETE", "/lake/db/t", "db.t"),
    ]


def test_a_table_whose_location_is_never_revealed_keeps_its_name() -> None:
    late = [start(2, copy_plan(files("/in/a"), IN_LAKE, "AppendData"), root=1), end(2, FILLED, root=1)]

    for inside in ([], late):
        recorded = RecordedRuns(start(1, CREATED), *inside, end(1, CREATED))
        assert outputs(recorded) == [("START", "db.t", None), ("COMPLETE", "db.t", None)]


def test_a_table_that_waits_for_its_location_is_aborted_with_the_application() -> None:
    recorded = RecordedRuns(start(1, CREATED))
    recorded.runs.end_application(1_767_225_609_000, LOST_DRIVER)
    assert recorded.story == ["START db_t", "ABORT db_t", "ABORT my_tweets"]


@pytest.mark.parametrize("root", [READ, None])
def test_the_insert_into_a_table_whose_location_its_catalog_chooses_is_a_part_of_its_creation(
    root: Any,
) -> None:
    inside = [start(2, CREATED, root=1), start(3, FILLED, root=1)]
    recorded = RecordedRuns(
        start(1, root), *inside, end(3, FILLED, root=1), end(2, CREATED, root=1), end(1, root)
    )
    assert outputs(recorded) == [("START", "/lake/db/t", "db.t"), ("COMPLETE", "/lake/db/t", "db.t")]


def test_a_failure_inside_and_outside_is_one_fail() -> None:
    inside = [start(2, INNER, root=1), end(2, INNER, root=1, error=BOOM)]
    recorded = RecordedRuns(start(1, CTAS), *inside, end(1, CTAS, error=BOOM))
    assert recorded.story == ["START default_t", "FAIL default_t"]


def test_writes_inside_something_that_writes_nothing_are_runs_of_their_own() -> None:
    counted = start(1, READ, description=COUNT)
    recorded = RecordedRuns(counted, start(2, COPY, root=1), end(2, COPY, root=1), end(1, READ))
    assert recorded.story == ["START out_b", "COMPLETE out_b"]


@pytest.mark.parametrize("root", [READ, None])
def test_the_inner_of_two_alike_is_a_part_of_the_outer_whatever_the_root_is(root: Any) -> None:
    inside = [start(2, CTAS, root=1), start(3, INNER, root=1)]
    done = [end(3, INNER, root=1, rows=7), end(2, CTAS, root=1)]
    recorded = RecordedRuns(start(1, root, description=COUNT), *inside, *done, end(1, root))
    assert recorded.story == ["START default_t", "COMPLETE default_t"]
    assert recorded.last["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 7


def test_one_write_after_another_to_one_dataset_are_two_runs() -> None:
    recorded = RecordedRuns(start(1, COPY), end(1, COPY), start(2, COPY), end(2, COPY))
    assert recorded.story == ["START out_b", "COMPLETE out_b"] * 2
    assert len({event["run"]["runId"] for event in recorded.events}) == 2


def test_two_writes_at_once_do_not_mix() -> None:
    other = copy_plan(files("/in/a"), files("/out/c"))
    recorded = RecordedRuns(start(1, COPY), start(2, other), end(1, COPY), end(2, other))
    assert recorded.story == ["START out_b", "START out_c", "COMPLETE out_b", "COMPLETE out_c"]


def test_only_what_ran_while_documents_were_dropped_is_incomplete() -> None:
    recorded = RecordedRuns(
        start(1, COPY), start(2, CTAS), end(1, COPY, dropped=2), start(3, COPY), end(3, COPY, dropped=2)
    )
    assert recorded.lineage["complete"] is True
    first = next(e for e in recorded.events if e["eventType"] == "COMPLETE")
    facet = first["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [entry["reason"] for entry in facet["incomplete"]] == ["DROPPED"]


MALFORMED: dict[str, Any] = {
    "a reference to nowhere": {**COPY, "nodes": [{**COPY["nodes"][0], "c": 99}, *COPY["nodes"][1:]]},
    "a field too few": {**COPY, "nodes": [{**COPY["nodes"][0], "a": []}, *COPY["nodes"][1:]]},
    "no types": {key: value for key, value in COPY.items() if key != "types"},
}


@pytest.mark.parametrize("plan", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_plan_whose_root_can_be_read_is_an_incomplete_event(plan: Any) -> None:
    recorded = RecordedRuns(start(1, plan), end(1, plan))
    assert recorded.story == ["START out_b", "COMPLETE out_b"]
    assert recorded.lineage["complete"] is False
    assert recorded.lineage["incomplete"][0]["reason"] == "ERROR"


HOPELESS: dict[str, Any] = {
    "an error": LOST,
    "empty": {},
    "a list": [],
    "text": "plan",
    "no root": {**COPY, "root": 77},
}


@pytest.mark.parametrize("plan", HOPELESS.values(), ids=HOPELESS)
def test_a_plan_that_cannot_be_read_at_all_is_an_event_with_the_reason(plan: Any) -> None:
    recorded = RecordedRuns(start(1, plan), end(1, plan))
    assert recorded.story == ["START unknown", "COMPLETE unknown"]
    assert recorded.last["run"]["facets"]["extractionError"]["errors"][0]["errorMessage"].startswith(
        "ERROR: "
    )


def test_a_write_without_any_plan_is_an_event_with_the_reason() -> None:
    recorded = RecordedRuns(start(1, None), end(1, None, rows=3))
    assert recorded.story == ["START unknown", "COMPLETE unknown"]


def test_an_analysis_that_fails_over_a_plan_that_only_reads_is_no_event() -> None:
    assert RecordedRuns(start(1, READ), end(1, READ), how=fails).story == []


def test_an_analysis_that_fails_over_a_write_is_an_incomplete_event() -> None:
    recorded = RecordedRuns(start(1, COPY), end(1, COPY), how=fails)
    (gap,) = recorded.lineage["incomplete"]
    assert gap["reason"] == "ERROR"
    assert re.fullmatch(r"RecursionError at test_runs\.py:\d+", gap["detail"]), "and not its message"


def fails(*_: object) -> PlanLineage:
    raise RecursionError("too deep")


def test_an_event_that_cannot_be_stored_is_tried_again_with_less_lineage() -> None:
    recorded = RecordedRuns(start(1, COPY))
    recorded.fails = 1
    recorded.runs.end_execution(end(1, COPY))
    assert recorded.story == ["START out_b", "COMPLETE out_b"]
    assert recorded.lineage["incomplete"][0]["reason"] == "ERROR"


def test_runs_continue_if_no_event_can_be_stored() -> None:
    assert RecordedRuns(start(1, COPY), end(1, COPY), fails=6).story == []


def test_running_executions_are_aborted_with_the_application() -> None:
    recorded = RecordedRuns(start(1, CTAS), start(2, INNER, root=1))
    recorded.runs.end_application(1_767_225_609_000, LOST_DRIVER)
    assert recorded.story == ["START default_t", "ABORT default_t", "ABORT my_tweets"]
    assert recorded.events[1]["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]


REQUESTED = {"spark__headwater__access__enabled": "true"}


def test_a_read_is_a_run_without_outputs_if_accesses_are_requested() -> None:
    recorded = RecordedRuns(start(1, READ), end(1, READ), conf=REQUESTED)
    assert [e["eventType"] for e in recorded.events] == ["START", "COMPLETE"]
    assert recorded.last["outputs"] == []
    (entry,) = recorded.last["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert entry == {"path": ["id"], "access": ["PROJECT", "DRIVER"], "reachesOutput": True}
    assert "extractionError" not in recorded.last["run"]["facets"]


def test_a_read_whose_plan_comes_only_with_its_end_is_reported_then() -> None:
    recorded = RecordedRuns(start(1, None), end(1, READ), conf=REQUESTED)
    assert [e["eventType"] for e in recorded.events] == ["START", "COMPLETE"]


@pytest.mark.parametrize(
    ("description", "api", "action"),
    [
        ("collect at job.py:3", "", "collect"),
        ("showString at NativeMethodAccessorImpl.java:0", "", "show"),
        ("the nightly report", "org.apache.spark.sql.Dataset.collectToPython(Dataset.scala:2139)", "collect"),
        ("the nightly report", "", "read"),
    ],
)
def test_an_access_is_named_after_its_action_and_its_inputs(description: str, api: str, action: str) -> None:
    recorded = RecordedRuns(
        {**start(1, READ), "description": description, "api": api}, end(1, READ), conf=REQUESTED
    )
    assert recorded.last["job"]["name"] == f"my_tweets.{action}.in_a"


def test_an_execution_of_a_connect_server_is_reported_under_its_clients_name() -> None:
    requested = {**start(1, COPY), "client": {"user": "grace", "application": "Her Notebook"}}
    recorded = RecordedRuns(requested, end(1, COPY))
    assert recorded.last["job"]["name"].startswith("her_notebook.")
    details = recorded.last["run"]["facets"]["spark_applicationDetails"]
    assert (details["userName"], details["appName"]) == ("grace", "Her Notebook")
    assert recorded.last["run"]["facets"]["parent"]["job"]["name"] == "my_tweets"


def test_a_read_that_infers_a_schema_is_no_access() -> None:
    inferring = {
        **start(1, READ),
        "api": "org.apache.spark.sql.classic.DataFrameReader.csv(DataFrameReader.scala:9)",
    }
    assert RecordedRuns(inferring, end(1, READ), conf=REQUESTED).events == []


def test_a_read_inside_another_execution_is_a_part_of_it() -> None:
    recorded = RecordedRuns(
        start(1, COPY), start(2, READ, root=1), end(2, READ, root=1), end(1, COPY), conf=REQUESTED
    )
    assert recorded.story == ["START out_b", "COMPLETE out_b"]


def test_a_write_inside_a_read_is_a_run_of_its_own() -> None:
    recorded = RecordedRuns(
        start(1, READ), start(2, COPY, root=1), end(2, COPY, root=1), end(1, READ), conf=REQUESTED
    )
    assert recorded.story == ["START in_a", "START out_b", "COMPLETE out_b", "COMPLETE in_a"]


def test_the_sql_of_a_write_is_emitted_if_only_its_end_document_has_it() -> None:
    recorded = RecordedRuns(start(1, COPY), {**end(1, COPY), "sql": "INSERT INTO b TABLE a"})
    assert recorded.last["job"]["facets"]["sql"]["query"] == "INSERT INTO b TABLE a"


def test_a_read_that_returns_values_to_the_program_is_reported_by_default() -> None:
    recorded = RecordedRuns(start(1, READ, description=COLLECT), end(1, READ))
    assert recorded.story == ["START in_a", "COMPLETE in_a"]
    (entry,) = recorded.last["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert entry["access"] == ["PROJECT", "DRIVER"]


def test_ten_thousand_equal_reads_are_reported_once_and_again_only_after_a_failure() -> None:
    def collected(number: int, error: Any = None) -> list[dict[str, Any]]:
        return [start(number, READ, description=COLLECT), end(number, READ, error=error)]

    recorded = RecordedRuns(*(document for number in range(1, 10_001) for document in collected(number)))
    assert recorded.story == ["START in_a", "COMPLETE in_a"]
    assert RecordedRuns(*collected(1, BOOM), *collected(2)).story == [
        "START in_a",
        "FAIL in_a",
        "START in_a",
        "COMPLETE in_a",
    ]


def test_reads_of_one_name_that_return_different_paths_are_different_jobs() -> None:
    other = read_plan(files("/in/a"), column="name")
    recorded = RecordedRuns(
        *(start(1, READ, description=COLLECT), end(1, READ)),
        *(start(2, other, description=COLLECT), end(2, other)),
    )
    assert [event["job"]["name"] for event in recorded.events[1::2]] == [
        "my_tweets.collect.in_a",
        "my_tweets.collect.in_a.2",
    ]


def test_beyond_a_thousand_different_reads_the_others_return_whole_rows() -> None:
    def collected(number: int, place: str) -> list[dict[str, Any]]:
        read = read_plan(files(place), column=f"c{number}")
        return [start(number, read, description=COLLECT), end(number, read)]

    places = ["/in/a"] * 1_002 + ["/in/b"] * 2
    recorded = RecordedRuns(*(each for n, place in enumerate(places) for each in collected(n, place)))
    assert len(recorded.story) == 2 * 1_002
    assert recorded.story[-2:] == ["START in_b", "COMPLETE in_b"]
    for event in (recorded.events[-3], recorded.last):
        paths = event["inputs"][0]["facets"]["headwater_access"]["paths"]
        assert {"path": [], "access": ["DRIVER"], "reachesOutput": True} in paths


def test_reads_that_return_values_are_not_reported_if_the_setting_is_off() -> None:
    conf = {"spark__headwater__access__driver__enabled": "false"}
    assert RecordedRuns(start(1, READ, description=COLLECT), end(1, READ), conf=conf).story == []


def test_values_that_a_writing_command_collects_internally_are_not_returned_to_the_program() -> None:
    recorded = RecordedRuns(
        start(1, COPY), start(2, READ, root=1, description=COLLECT), end(2, READ, root=1), end(1, COPY)
    )
    assert recorded.story == ["START out_b", "COMPLETE out_b"]


def test_what_a_table_format_reads_before_it_writes_goes_to_the_table() -> None:
    other = read_plan(files("/in/secret"))
    api = "org.apache.spark.sql.classic.DataFrameWriter.parquet(DataFrameWriter.scala:9)"
    reads = {**start(1, other, description="parquet at job.py:4"), "api": api}
    complete, listed, _ = driver_story(reads, end(1, other), start(2, LITERAL), end(2, LITERAL))
    assert (complete, listed) == (True, [])


LITERAL = literal_plan(files("/in/a"), files("/out/b"))


def driver_story(*documents: Mapping[str, Any]) -> tuple[bool, list[Any], list[Any]]:
    """Whether the last event's lineage is complete, what is listed from the program, and why it is incomplete."""
    collected = Collected()
    recorded = RecordedRuns(*documents, how=Analyst(collected=collected).analyse, collected=collected)
    lineage = recorded.lineage
    listed = [
        (field["path"], entry["name"], entry["path"], way["access"])
        for field in lineage["fields"]
        for entry in field["inputFields"]
        for way in entry["transformations"]
        if way.get("access") == "DRIVER"
    ]
    return lineage["complete"], listed, lineage["incomplete"]


def test_a_constant_of_a_program_that_collected_before_may_contain_the_collected_data() -> None:
    other = read_plan(files("/in/secret"))
    collects = [start(1, other, description=COLLECT), end(1, other)]
    complete, listed, gaps = driver_story(*collects, start(2, LITERAL), end(2, LITERAL))
    assert not complete
    assert listed == [(["made"], "/in/secret", ["id"], "DRIVER")]
    assert [(gap["reason"], gap["paths"]) for gap in gaps] == [("DRIVER", [["made"]])]
    assert "after it had collected /in/secret (id)" in gaps[0]["detail"]


def test_a_constant_of_a_program_that_observed_data_may_contain_the_figures() -> None:
    observes = observing_plan(files("/in/secret"), files("/out/c"))
    complete, listed, _ = driver_story(
        start(1, observes), end(1, observes), start(2, LITERAL), end(2, LITERAL)
    )
    assert not complete
    assert listed == [(["made"], "/in/secret", ["id"], "DRIVER")]


def test_a_constant_has_no_origin_before_a_collect_nor_after_counts_and_prints_only() -> None:
    kept = [
        document
        for number, action in enumerate((COUNT, "show at job.py:5", "isEmpty at job.py:6"), 3)
        for document in (start(number, READ, description=action), end(number, READ))
    ]
    assert driver_story(*kept, start(2, LITERAL), end(2, LITERAL)) == (True, [], [])


def saved(number: int, place: str, source: str = "/in/a") -> list[dict[str, Any]]:
    """Spark's machine learning library writes a part of a model."""
    plan = copy_plan(files(source), files(place))
    return [{**start(number, plan), "model": True}, end(number, plan)]


def test_a_saved_model_is_one_dataset_however_many_directories_it_has() -> None:
    places = [
        "/m/churn/metadata",
        "/m/churn/stages/0_a/metadata",
        "/m/churn/stages/0_a/data",
        "/m/churn/data",
    ]
    recorded = RecordedRuns(*(document for n, place in enumerate(places, 1) for document in saved(n, place)))
    assert {output["name"] for event in recorded.events for output in event["outputs"]} == {"/m/churn"}
    assert {event["job"]["name"].rpartition(".")[2] for event in recorded.events} == {"m_churn"}


def test_directories_called_metadata_that_no_model_is_saved_in_keep_their_names() -> None:
    plan = copy_plan(files("/in/a"), files("/lake/t/metadata"))
    assert RecordedRuns(start(1, plan), end(1, plan)).last["outputs"][0]["name"] == "/lake/t/metadata"


def test_who_loads_a_model_reads_the_model_and_collects_it() -> None:
    read = read_plan(files("/m/churn/metadata"))
    recorded = RecordedRuns({**start(1, read, description="first at job.py:3"), "model": True}, end(1, read))
    (dataset,) = recorded.last["inputs"]
    assert dataset["name"] == "/m/churn"
    assert "DRIVER" in dataset["facets"]["headwater_access"]["paths"][0]["access"]


def moments(event: Mapping[str, Any]) -> dict[str, str | None]:
    """When each input's rows were read, if they were kept since."""
    return {each["name"]: each["facets"]["headwater_access"].get("readAt") for each in event["inputs"]}


def at(time: int, *documents: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents at a time, in seconds."""
    return [{**each, "time": time * 1000} for each in documents]


def test_what_was_collected_is_an_input_as_of_the_time_when_it_was_read() -> None:
    other, collected = read_plan(files("/in/secret")), Collected()
    documents = [
        *at(10, start(1, other, description=COLLECT), end(1, other)),
        *at(20, start(2, LITERAL), end(2, LITERAL)),
        *at(30, start(3, COPY), end(3, COPY)),
    ]
    recorded = RecordedRuns(*documents, how=Analyst(collected=collected).analyse, collected=collected)
    made, copied = (event for event in recorded.events[2:] if event["eventType"] == "COMPLETE")

    assert moments(made) == {"/in/a": None, "/in/secret": "1970-01-01T00:00:10.000Z"}
    assert moments(copied) == {"/in/a": None}


def test_what_was_collected_before_and_is_read_after_it_was_written_is_incomplete() -> None:
    other, overwrites = read_plan(files("/in/a")), copy_plan(files("/in/b"), files("/in/a"))
    collects, writes = (
        [start(1, other, description=COLLECT), end(1, other)],
        [start(2, overwrites), end(2, overwrites)],
    )
    uses = [start(3, LITERAL), end(3, LITERAL)]

    def gaps(*documents: dict[str, Any]) -> list[str]:
        collected = Collected()
        recorded = RecordedRuns(*documents, how=Analyst(collected=collected).analyse, collected=collected)
        assert moments(recorded.last) == {"/in/a": "1970-01-01T00:00:10.000Z"}
        return [
            each["detail"] for each in recorded.lineage["incomplete"] if each["reason"] == "UNKNOWN_SOURCE"
        ]

    both = "rows of /in/a were read both before and after it was written"
    assert gaps(*at(10, *collects), *at(20, *writes), *at(30, *uses)) == [both]
    assert gaps(*at(10, *collects), *at(30, *uses)) == []


def test_checkpointed_rows_were_read_when_the_checkpoint_was_made() -> None:
    kept, checkpoint = {"kind": "rdd", "id": 7}, "localCheckpoint at job.py:3"
    use, overwrites = copy_plan(kept, files("/out/y")), copy_plan(files("/in/o"), files("/in/a"))
    recorded = RecordedRuns(
        *at(10, start(1, READ, description=checkpoint), end(1, READ)),
        *at(20, start(2, overwrites), end(2, overwrites)),
        *at(30, start(3, use), end(3, use)),
    )

    assert recorded.lineage["complete"] is True
    assert moments(recorded.last) == {"/in/a": "1970-01-01T00:00:10.000Z"}
    assert moments(recorded.events[1]) == {"/in/o": None}


def test_rows_of_a_micro_batch_have_no_time_of_their_own() -> None:
    batch = "id = 1\nrunId = q\nbatch = 0"
    use = copy_plan({"kind": "rdd", "id": 7}, files("/out/y"))
    recorded = RecordedRuns(
        *at(10, start(1, READ, description=batch)),
        *at(20, start(2, use, root=1, description=batch), end(2, use, root=1)),
    )

    assert moments(recorded.last) == {"/in/a": None}


def cached(since: int, source: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What an execution's end says of a cache that was filled at a time, in seconds."""
    leaf = {} if source is None else {"leaf": read_plan(source)}
    return {"since": since * 1000, **leaf}


@pytest.mark.parametrize("cache", [cached(10, files("/in/a")), cached(10), {"since": 10_000, "leaf": "odd"}])
def test_cached_rows_were_read_when_the_cache_was_filled(cache: dict[str, Any]) -> None:
    recorded = RecordedRuns(*at(30, start(3, COPY), {**end(3, COPY), "cached": [cache]}))

    assert moments(recorded.last) == {"/in/a": "1970-01-01T00:00:10.000Z"}


def test_rows_that_are_kept_or_collected_of_a_cache_were_read_when_it_was_filled() -> None:
    kept, checkpoint = {"kind": "rdd", "id": 7}, "localCheckpoint at job.py:3"
    use, collected, filled = copy_plan(kept, files("/out/y")), Collected(), [cached(10, files("/in/a"))]
    recorded = RecordedRuns(
        *at(20, start(1, READ, description=checkpoint), {**end(1, READ), "cached": filled}),
        *at(30, start(2, READ, description=COLLECT), {**end(2, READ), "cached": filled}),
        *at(40, start(3, use), end(3, use)),
        *at(50, start(4, LITERAL), end(4, LITERAL)),
        how=Analyst(collected=collected).analyse,
        collected=collected,
    )
    of_checkpoint, of_program = (e for e in recorded.events[2:] if e["eventType"] == "COMPLETE")

    assert moments(of_checkpoint) == moments(of_program) == {"/in/a": "1970-01-01T00:00:10.000Z"}


def test_a_cache_of_another_source_says_nothing_of_what_the_run_reads() -> None:
    recorded = RecordedRuns(*at(30, start(3, COPY), {**end(3, COPY), "cached": [cached(10, files("/in/o"))]}))

    assert moments(recorded.last) == {"/in/a": None}


def test_what_a_command_takes_out_of_a_cache_is_in_the_insert_that_it_runs() -> None:
    recorded = RecordedRuns(
        *at(30, start(1, CTAS), start(2, INNER, root=1)),
        *at(31, {**end(2, INNER, root=1), "cached": [cached(10, files("/in/a"))]}, end(1, CTAS)),
    )

    assert moments(recorded.last) == {"/in/a": "1970-01-01T00:00:10.000Z"}


KEPT = {
    "mode": "full",
    "folder": "s3a://key:secret@lake/records",
    "entry": "a",
    "carried": True,
    "operators": [{"id": 1, "type": "read"}, {"id": 2, "type": "filter", "rows": 3}],
}


def kept(execution: int, root: int | None = None) -> dict[str, Any]:
    return {
        "kind": "records",
        "time": STARTED + 9_000,
        "execution": execution,
        "root": execution if root is None else root,
        "records": KEPT,
    }


def test_what_was_kept_of_records_is_added_to_the_run_that_ended() -> None:
    recorded = RecordedRuns(start(1, COPY), end(1, COPY))
    recorded.runs.add_records(kept(1))
    ended, added = recorded.events[-2:]
    assert (ended["eventType"], added["eventType"]) == ("COMPLETE", "OTHER")
    assert [added[part].get(name) for part, name in (("run", "runId"), ("job", "name"))] == [
        ended[part][name] for part, name in (("run", "runId"), ("job", "name"))
    ]
    facet = added["run"]["facets"]["headwater_records"]
    assert {name: facet[name] for name in ("mode", "entry", "operators")} == {
        name: KEPT[name] for name in ("mode", "entry", "operators")
    }
    assert "secret" not in facet["folder"]
    assert not added.get("inputs") and not added.get("outputs")


def test_records_of_a_step_are_those_of_its_command() -> None:
    inside = start(2, INNER, root=1), end(2, INNER, root=1)
    recorded = RecordedRuns(start(1, CTAS), *inside, end(1, CTAS))
    recorded.runs.add_records(kept(2, root=1))
    assert recorded.events[-1]["run"]["runId"] == recorded.events[0]["run"]["runId"]
    assert recorded.events[-1]["eventType"] == "OTHER"


def test_records_of_what_is_no_run_or_switched_off_are_not_reported() -> None:
    unknown = RecordedRuns(start(1, COPY), end(1, COPY))
    unknown.runs.add_records(kept(7))
    assert [each["eventType"] for each in unknown.events] == ["START", "COMPLETE"]

    off = {"spark.openlineage.facets.headwater_records.disabled": "true"}
    silent = RecordedRuns(start(1, COPY), end(1, COPY), conf=off)
    silent.runs.add_records(kept(1))
    assert [each["eventType"] for each in silent.events] == ["START", "COMPLETE"]
