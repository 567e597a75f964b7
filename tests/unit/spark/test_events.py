"""Every event that is built here validates against OpenLineage's schemas and ours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from openlineage.client.event_v2 import RunEvent

from headwater_facets.kinds import Access, IncompleteReason, LineageType, Subtype
from headwater_spark.capture.application import Application, snake
from headwater_spark.capture.application_end import ApplicationEnd
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit.events import application_ended, application_started, ended, started
from headwater_spark.executions.execution import Execution
from headwater_spark.tracing.result import (
    Condition,
    FieldLineage,
    Gap,
    InputPath,
    PlanLineage,
    Read,
    Target,
    Touched,
    Transformation,
)
from kit.events import validate_event
from kit.executions import (
    COMMAND,
    COPIED,
    FILES,
    START_DOCUMENT,
    TARGET,
    TWEETS,
    application,
    execution,
    plan_lineage,
    struct,
    wire,
)

END = 1_767_225_605_000
DONE = Outcome(
    END,
    output={"rows": 7, "bytes": 700, "files": 2},
    inputs=({"roots": ["file:/in/tweets"], "rows": 9, "bytes": 900, "files": 3},),
)


def valid(event: RunEvent) -> dict[str, Any]:
    document = wire(event)
    validate_event(document)
    return document


def output(lineage: PlanLineage | None = None, outcome: Outcome = DONE, **conf: str) -> dict[str, Any]:
    (only,) = valid(ended(execution(lineage, **conf), outcome))["outputs"]
    return dict(only)


def path_lineage(lineage: PlanLineage | None = None, outcome: Outcome = DONE) -> dict[str, Any]:
    return dict(output(lineage, outcome)["facets"]["headwater_pathLineage"])


def test_start_and_complete_are_of_one_run_and_one_job() -> None:
    run = execution()
    start, end = valid(started(run)), valid(ended(run, DONE))
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert start["job"]["name"] == end["job"]["name"]
    assert (start["eventTime"], end["eventTime"]) == ("2026-01-01T00:00:01.000Z", "2026-01-01T00:00:05.000Z")


def test_a_job_is_named_as_the_official_agent_names_it() -> None:
    assert execution().job.name == "my_tweets.execute_insert_into_hadoop_fs_relation_command.out_tweets"
    assert execution().job.namespace == "default"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nested", "nested"),
        ("Open Lineage Integration Create Table", "open_lineage_integration_create_table"),
        ("CreateDataSourceTableAsSelectCommand", "create_data_source_table_as_select_command"),
        ("AppendData", "append_data"),
        ("HTTPServer v2.1!", "http_server_v2_1"),
    ],
)
def test_names_become_snake_case(name: str, expected: str) -> None:
    assert snake(name) == expected


@pytest.mark.parametrize(
    ("conf", "expected"),
    [
        ({"spark__openlineage__appName": "Other"}, "other.append_data.default_t"),
        ({"spark__openlineage__jobName__appendDatasetName": "false"}, "my_tweets.append_data"),
        (
            {"spark__openlineage__jobName__replaceDotWithUnderscore": "true"},
            "my_tweets.append_data_default_t",
        ),
    ],
)
def test_the_official_agents_job_name_settings_hold(conf: dict[str, Any], expected: str) -> None:
    source = {"kind": "table", "identifier": {"database": "default", "table": "t"}, "location": "file:/wh/t"}
    lineage = plan_lineage(target=Target(3, source, "AppendData", struct(a="long")))
    assert execution(lineage, **conf).job.name == expected


def test_inputs_and_outputs_are_named_typed_and_counted() -> None:
    event = valid(ended(execution(), DONE))
    (tweets,), (out,) = event["inputs"], event["outputs"]
    assert (tweets["namespace"], tweets["name"]) == ("file", "/in/tweets")
    assert (out["namespace"], out["name"]) == ("file", "/out/tweets")
    assert counted(tweets["inputFacets"]["inputStatistics"]) == (9, 900, 3)
    assert counted(out["outputFacets"]["outputStatistics"]) == (7, 700, 2)
    assert out["facets"]["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"
    assert out["facets"]["storage"]["fileFormat"] == "parquet"
    assert out["facets"]["dataSource"]["uri"] == "file"


def counted(facet: dict[str, Any]) -> tuple[int, int, int]:
    return facet["rowCount"], facet["size"], facet["fileCount"]


def test_nested_schemas_have_openlineages_step_names() -> None:
    (tweets,) = valid(ended(execution(), DONE))["inputs"]
    fields = {field["name"]: field for field in tweets["facets"]["schema"]["fields"]}
    users = [{"name": "id_str", "type": "string"}, {"name": "name", "type": "string"}]
    element = {"name": "_element", "type": "struct", "fields": users}
    assert fields["user_mentions"] == {"name": "user_mentions", "type": "array", "fields": [element]}
    assert fields["props"]["fields"] == [{"name": "key", "type": "string"}, {"name": "value", "type": "long"}]
    assert fields["user"]["type"] == "struct"


def test_column_lineage_is_at_columns_and_a_part_of_one_is_a_transformation_of_it() -> None:
    facet = output()["facets"]["columnLineage"]
    inputs = {name: field["inputFields"] for name, field in facet["fields"].items()}
    assert set(inputs) == {"text", "user", "score"}
    assert column_transformations(inputs["text"]) == [("text", "DIRECT", "IDENTITY")]
    assert column_transformations(inputs["user"]) == [("user_mentions", "DIRECT", "TRANSFORMATION")]
    assert column_transformations(facet["dataset"]) == [("retweet_cnt", "INDIRECT", "FILTER")]


def test_without_dataset_lineage_every_column_has_the_datasets_influences() -> None:
    conf: dict[str, Any] = {"spark__openlineage__columnLineage__datasetLineageEnabled": "false"}
    facet = output(**conf)["facets"]["columnLineage"]
    assert ("retweet_cnt", "INDIRECT", "FILTER") in column_transformations(
        facet["fields"]["at"]["inputFields"]
    )
    assert facet["dataset"] == []


def test_names_in_a_text_are_left_out_from_one_that_may_not_leave() -> None:
    names = ("user", "https://ada:wonder@example.org", "mail")
    packed = replace(COPIED, packed=names, unpacked=names[:1])
    lineage = plan_lineage(fields=(FieldLineage(("text",), (InputPath(0, ("text",), (packed,)),)),))
    (transformation,) = path_lineage(lineage)["fields"][0]["inputFields"][0]["transformations"]
    assert (transformation["packed"], transformation["unpacked"]) == (["user"], ["user"])


def column_transformations(inputs: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(i["field"], t["type"], t["subtype"]) for i in inputs for t in i["transformations"]]


def test_path_lineage_is_complete() -> None:
    facet = path_lineage()
    by_path = {tuple(field["path"]): field["inputFields"] for field in facet["fields"]}
    assert by_path["user", "id_str"] == [
        {
            "namespace": "file",
            "name": "/in/tweets",
            "path": ["user_mentions", "_element", "id_str"],
            "transformations": [
                {
                    "type": "DIRECT",
                    "subtype": "IDENTITY",
                    "masking": False,
                    "manipulation": ["FLATTEN", "EXTRACT"],
                    "operators": [2],
                }
            ],
        }
    ]
    assert facet["generated"] == [{"path": ["at"], "how": "current_timestamp()"}]
    assert facet["opaque"] == [{"path": ["score"], "reason": "PYTHON_UDF", "name": "score_user"}]
    assert (facet["complete"], facet["incomplete"]) == (True, [])


def test_operators_conditions_and_access_are_emitted() -> None:
    event = valid(ended(execution(), DONE))
    operators = event["job"]["facets"]["headwater_operators"]["operators"]
    assert [o["type"] for o in operators] == ["READ", "FILTER", "SELECT", "WRITE"]
    assert "manipulated" not in operators[3]
    (condition,) = event["job"]["facets"]["headwater_conditions"]["conditions"]
    assert condition["expression"]["args"][0] == {
        "path": {"namespace": "file", "name": "/in/tweets", "path": ["retweet_cnt"]}
    }
    paths = event["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert [(p["path"], p["access"], p["reachesOutput"]) for p in paths] == [
        (["retweet_cnt"], ["FILTER"], False),
        (["text"], ["PROJECT"], True),
    ]


def test_two_reads_of_one_dataset_are_one_input() -> None:
    other = {**FILES, "roots": ["file:/in/tweets/day=1", "file:/in/tweets/day=2"]}
    joined = Transformation(LineageType.INDIRECT, Subtype.JOIN, access=Access.JOIN)
    lineage = plan_lineage(
        reads=(Read(0, FILES, TWEETS), Read(1, other, struct(day="date"))),
        fields=(
            FieldLineage(("text",), (InputPath(0, ("text",), (COPIED,)), InputPath(1, ("text",), (COPIED,)))),
        ),
        dataset=(InputPath(0, ("user",), (joined,)), InputPath(1, ("user",), (joined,))),
        access=(
            Touched(0, ("text",), (Access.PROJECT,), True),
            Touched(1, ("text",), (Access.JOIN,), False),
        ),
    )
    event = valid(ended(execution(lineage), DONE))
    (tweets,) = event["inputs"]
    assert [f["name"] for f in tweets["facets"]["schema"]["fields"]][-1] == "day"
    (touched,) = tweets["facets"]["headwater_access"]["paths"]
    assert (touched["access"], touched["reachesOutput"]) == (["PROJECT", "JOIN"], True)
    facet = event["outputs"][0]["facets"]["headwater_pathLineage"]
    assert len(facet["fields"][0]["inputFields"]) == len(facet["dataset"]) == 1


def test_a_read_of_several_roots_is_lineage_from_each() -> None:
    both = {**FILES, "roots": ["file:/a", "file:/b"]}
    event = valid(ended(execution(plan_lineage(reads=(Read(0, both, TWEETS),))), DONE))
    assert [i["name"] for i in event["inputs"]] == ["/a", "/b"]
    facet = event["outputs"][0]["facets"]["headwater_pathLineage"]
    assert [i["name"] for i in facet["fields"][0]["inputFields"]] == ["/a", "/b"]


def test_data_in_memory_is_generated_and_data_of_an_unknown_source_is_incomplete() -> None:
    in_memory = path_lineage(plan_lineage(reads=(Read(0, {"kind": "memory"}, TWEETS),)))
    assert {"path": ["text"], "how": "data in memory"} in in_memory["generated"]
    assert (in_memory["fields"], in_memory["complete"]) == ([], True)
    unknown = path_lineage(plan_lineage(reads=(Read(0, {"kind": "unknown", "class": "x.Y"}, TWEETS),)))
    assert unknown["incomplete"] == [{"reason": "UNKNOWN_SOURCE", "detail": "x.Y"}]
    assert unknown["complete"] is False


def test_gaps_and_dropped_documents_make_the_lineage_incomplete() -> None:
    gap = Gap(IncompleteReason.RDD, "mapPartitions", (("score",),))
    facet = path_lineage(plan_lineage(incomplete=(gap,)), replace(DONE, dropped=3))
    assert facet["complete"] is False
    assert facet["incomplete"][0] == {"reason": "RDD", "paths": [["score"]], "detail": "mapPartitions"}
    assert facet["incomplete"][1]["reason"] == "DROPPED"


@pytest.mark.parametrize(
    ("error", "language"),
    [
        ({"class": "org.apache.spark.SparkException", "message": "boom", "stackTrace": "at x"}, "JAVA"),
        ({"class": "org.apache.spark.api.python.PythonException", "message": "boom"}, "PYTHON"),
        ({"class": "java.lang.StackOverflowError", "message": None}, "JAVA"),
    ],
)
def test_a_failed_execution_is_fail_with_its_error(error: dict[str, Any], language: str) -> None:
    event = valid(ended(execution(), Outcome(END, error=error)))
    facet = event["run"]["facets"]["errorMessage"]
    assert event["eventType"] == "FAIL"
    assert facet["message"] == f"{error['class']}: the message is hidden"
    assert facet["programmingLanguage"] == language


def test_an_error_is_complete_if_constants_are_shown() -> None:
    error = {"class": "java.lang.Exception", "message": "boom", "stackTrace": "boom\n at x"}
    event = valid(ended(execution(spark__headwater__literals="show"), Outcome(END, error=error)))
    facet = event["run"]["facets"]["errorMessage"]
    assert (facet["message"], facet["stackTrace"]) == ("boom", "boom\n at x")


def test_an_execution_that_never_ended_is_aborted() -> None:
    assert valid(ended(execution(), Outcome(END, aborted=True)))["eventType"] == "ABORT"


def test_an_execution_whose_output_is_unknown_has_the_reason() -> None:
    broken = PlanLineage(incomplete=(Gap(IncompleteReason.ERROR, "no root"),))
    event = valid(ended(execution(broken), DONE))
    assert event["outputs"] == []
    assert event["job"]["name"] == "my_tweets.unknown"
    assert event["run"]["facets"]["extractionError"]["errors"] == [{"errorMessage": "ERROR: no root"}]


def test_a_known_output_with_a_failed_analysis_is_incomplete_and_no_extraction_error() -> None:
    lineage = PlanLineage(
        target=plan_lineage().target, incomplete=(Gap(IncompleteReason.ERROR, "ValueError: x"),)
    )
    event = valid(ended(execution(lineage), DONE))
    assert "extractionError" not in event["run"]["facets"]
    facet = event["outputs"][0]["facets"]["headwater_pathLineage"]
    assert (facet["complete"], facet["incomplete"][0]["reason"]) == (False, "ERROR")


@pytest.mark.parametrize(
    ("command", "mode", "state"),
    [
        ("CreateDataSourceTableAsSelectCommand", "overwrite", "CREATE"),
        ("ReplaceTableAsSelect", None, "OVERWRITE"),
        (COMMAND, "append", None),
        (COMMAND, "errorifexists", "CREATE"),
        (COMMAND, None, None),
    ],
)
def test_what_a_write_does_to_its_dataset(command: str, mode: str | None, state: str | None) -> None:
    target = Target(3, {**TARGET, "mode": mode}, command, struct(a="long"))
    facet = output(plan_lineage(target=target))["facets"].get("lifecycleStateChange")
    assert (facet and facet["lifecycleStateChange"]) == state


@pytest.mark.parametrize(
    ("place", "former"),
    [({"location": "/w/t"}, ("file", "/w/t")), ({"location": "/w/u"}, ("file:/wh", "d.t"))],
)
def test_a_renaming_has_the_former_location_or_else_the_former_table_name(
    place: dict[str, str], former: tuple[str, str]
) -> None:
    def named(table: str, **more: Any) -> dict[str, Any]:
        return {"kind": "table", "identifier": {"table": table, "database": "d"}, **more}

    source = named("u", location="/w/u", previous=named("t", **place))
    target = Target(0, source, "AlterTableRenameCommand", struct())
    facet = output(PlanLineage(target=target))["facets"]["lifecycleStateChange"]

    assert facet["lifecycleStateChange"] == "RENAME"
    assert (facet["previousIdentifier"]["namespace"], facet["previousIdentifier"]["name"]) == former


def test_a_table_that_was_found_at_a_location_is_named_by_it() -> None:
    source = {"kind": "table", "identifier": {"database": "default", "table": "t"}, "provider": "parquet"}
    lineage = plan_lineage(target=Target(3, source, "CreateDataSourceTableAsSelectCommand", struct(a="long")))
    run = replace(execution(lineage), location="file:/elsewhere/t")
    (out,) = valid(ended(run, DONE))["outputs"]
    assert out["name"] == "/elsewhere/t"
    assert out["facets"]["symlinks"]["identifiers"][0]["name"] == "default.t"


def test_the_application_is_the_parent_and_the_root_of_what_it_executes() -> None:
    run = execution()
    parent = valid(started(run))["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == parent["root"]["run"]["runId"] == run.application.run_id
    assert parent["job"] == {"namespace": "default", "name": "my_tweets"}


def test_a_configured_parent_is_the_applications_parent_and_everyones_root() -> None:
    above: dict[str, Any] = {
        "spark__openlineage__parentRunId": "01a1fb48-6953-779e-b810-bb8c3b522e23",
        "spark__openlineage__parentJobName": "dag.task",
        "spark__openlineage__parentJobNamespace": "airflow",
        "spark__openlineage__namespace": "etl",
    }
    run = execution(**above)
    top = valid(application_started(run.application))["run"]["facets"]["parent"]
    inner = valid(started(run))["run"]["facets"]["parent"]
    assert top["job"]["name"] == inner["root"]["job"]["name"] == "dag.task"
    assert inner["run"]["runId"] == run.application.run_id
    assert run.job.namespace == "etl"


def test_the_application_starts_and_ends_without_datasets() -> None:
    app = application()
    start, end = (
        valid(application_started(app)),
        valid(application_ended(app, ApplicationEnd(), END)),
    )
    assert (start["inputs"], start["outputs"], start["job"]["name"]) == ([], [], "my_tweets")
    assert start["job"]["facets"]["jobType"]["jobType"] == "APPLICATION"
    assert start["run"]["runId"] == end["run"]["runId"]
    assert start["run"]["facets"]["processing_engine"]["version"] == "3.5.9"
    assert start["run"]["facets"]["spark_applicationDetails"]["applicationId"] == "local-1"


def test_each_event_names_the_engine_and_only_the_applications_own_what_the_application_is() -> None:
    """Some receivers identify the producer by the engine's facet."""
    run = execution()
    sent = [valid(started(run)), valid(ended(run, DONE))]
    assert [event["run"]["facets"]["processing_engine"]["name"] for event in sent] == ["spark", "spark"]
    assert not any("spark_applicationDetails" in event["run"]["facets"] for event in sent)


def test_tags_and_owners_come_from_the_configuration() -> None:
    conf: dict[str, Any] = {
        "spark__openlineage__job__tags": "pii;team:growth:HR",
        "spark__openlineage__run__tags": "env:test",
        "spark__openlineage__job__owners__team": "growth",
    }
    event = valid(started(execution(**conf)))
    tags = event["job"]["facets"]["tags"]["tags"]
    assert [(t["key"], t["value"], t["source"]) for t in tags] == [
        ("pii", "true", "CONFIG"),
        ("team", "growth", "HR"),
    ]
    assert event["run"]["facets"]["tags"]["tags"][0]["key"] == "env"
    assert event["job"]["facets"]["ownership"]["owners"] == [{"name": "growth", "type": "team"}]


def test_sql_is_emitted_and_long_texts_are_cut_with_a_note() -> None:
    run = Execution.from_document({**START_DOCUMENT, "sql": "SELECT " + "x" * 100}, application())
    run = run.with_lineage(plan_lineage())
    assert valid(ended(run, DONE))["job"]["facets"]["sql"]["query"].startswith("SELECT x")
    short: dict[str, Any] = {"spark__headwater__text__maxLength": "10"}
    operators = valid(ended(execution(**short), DONE))["job"]["facets"]["headwater_operators"]["operators"]
    assert operators[1]["text"] == "retweet_cn… (5 more characters)"


@pytest.mark.parametrize("columns", [3, 800])
@pytest.mark.parametrize("limit", [9_000, 40_000])
def test_an_event_over_the_limit_is_truncated_and_marked_as_such(columns: int, limit: int) -> None:
    names = [f"column_{i}" for i in range(columns)]
    wide = struct(**dict.fromkeys(names, "string"))
    lineage = plan_lineage(
        reads=(Read(0, FILES, wide),),
        target=Target(3, TARGET, COMMAND, wide),
        fields=tuple(FieldLineage((n,), (InputPath(0, (n,), (COPIED,)),)) for n in names),
    )
    event = valid(ended(execution(lineage, spark__headwater__event__maxBytes=str(limit)), DONE))
    facet = event["outputs"][0]["facets"]["headwater_pathLineage"]
    if columns == 3 and limit == 40_000:
        assert facet["complete"] is True
        return
    reasons = [entry["reason"] for entry in facet["incomplete"]]
    assert columns == 3 or (facet["complete"], reasons) == (False, ["TRUNCATED"])
    assert len(wire_bytes(event)) <= limit


def wire_bytes(event: dict[str, Any]) -> bytes:
    import json

    return json.dumps(event).encode()


def test_a_condition_on_memory_or_nested_too_deep_is_text() -> None:
    deep: dict[str, Any] = {"literal": True, "type": "boolean"}
    for _ in range(300):
        deep = {"op": "not", "args": [deep]}
    chain: dict[str, Any] = {"literal": 0, "type": "int"}
    for i in range(1, 300):
        chain = {"op": "and", "args": [chain, {"literal": i, "type": "int"}]}
    unnamed = {"op": "=", "args": [{"path": {"read": None, "path": ["a", "b"]}}, {"opaque": "f(x)"}]}
    lineage = plan_lineage(
        conditions=(
            Condition(1, "FILTER", deep, "NOT …"),
            Condition(1, "CASE", unnamed, "a.b = f(x)"),
            Condition(1, "JOIN", chain, "0 and 1 and …"),
        )
    )
    first, second, third = valid(ended(execution(lineage), DONE))["job"]["facets"]["headwater_conditions"][
        "conditions"
    ]
    assert first["sql"] == "NOT …"
    assert [arg["literal"] for arg in third["expression"]["args"]] == list(range(300))
    assert second["access"] == "CONDITION"
    assert second["expression"]["args"] == [{"opaque": "a.b"}, {"opaque": "f(x)"}]


def test_a_parent_run_that_is_not_a_uuid_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    conf: dict[str, Any] = {
        "spark__openlineage__parentRunId": "manual__1",
        "spark__openlineage__parentJobName": "dag",
    }
    run = execution(**conf)
    assert valid(started(run))["run"]["facets"]["parent"]["job"]["name"] == "my_tweets"
    assert caplog.text.count("is not a UUID") == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], {"o": "x"}])
def test_a_constant_that_json_does_not_have_is_text(value: Any) -> None:
    tree = {"literal": value, "type": "double"}
    lineage = plan_lineage(conditions=(Condition(1, "FILTER", tree, "x"),))
    (condition,) = valid(ended(execution(lineage), DONE))["job"]["facets"]["headwater_conditions"][
        "conditions"
    ]
    assert condition["expression"] == {"opaque": str(value)}


def test_a_run_of_an_application_has_one_id_for_all_processes_that_know_it() -> None:
    def started(**details: Any) -> str:
        return Application.from_document({"kind": "application", "time": END, "application": details}).run_id

    known = {"id": "local-17", "user": "ann", "startTime": END}
    assert started(**known) == started(**known)
    assert len({started(**known), started(**{**known, "startTime": END + 1}), started(id="local-17")}) == 3
    assert started() != started()


def test_a_bare_application_document_still_makes_valid_events() -> None:
    app = Application.from_document({"kind": "application", "time": END})
    assert valid(application_started(app))["job"]["name"] == "spark"


@pytest.mark.parametrize(
    "conf",
    [
        {"spark__openlineage__facets__columnLineage__disabled": "true"},
        {"spark__openlineage__facets__disabled": "[columnLineage;spark_unknown]"},
    ],
)
def test_a_facet_can_be_switched_off_as_in_the_official_agent(conf: dict[str, Any]) -> None:
    facets = output(**conf)["facets"]
    assert "columnLineage" not in facets
    assert "headwater_pathLineage" in facets


def test_what_an_access_took_is_reported_with_whole_rows_where_its_paths_are_too_many() -> None:
    taken = tuple(Touched(0, (f"column{number}",), (Access.PROJECT,), number == 7) for number in range(1_000))
    read = replace(plan_lineage(), target=None, fields=(), dataset=(), access=taken)
    event = valid(ended(execution(read, spark__headwater__event__maxBytes="20000"), DONE))
    (facet,) = [each["facets"]["headwater_access"] for each in event["inputs"]]
    assert facet["paths"] == [{"path": [], "access": ["PROJECT"], "reachesOutput": True}]
