"""What the eye sends of real jobs, on both Spark lines."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from headwater_spark.decode.values import Source
from kit.plan_documents import named, problems, sources

pytestmark = pytest.mark.spark

Captured = dict[str, list[dict[str, Any]]]


def plans(documents: list[dict[str, Any]], kind: str = "execution-end") -> Iterator[dict[str, Any]]:
    return (document["plan"] for document in of_queries(documents, kind))


def of_queries(documents: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    """Those of SQL executions: the end of an action on an RDD has no plan."""
    return (each for each in documents if each["kind"] == kind and each["execution"] >= 0)


def targets(documents: list[dict[str, Any]]) -> list[Source]:
    return [source for plan in plans(documents) for source in sources(plan) if "mode" in source]


def test_every_plan_keeps_the_documents_rules(captured: Captured) -> None:
    for job, documents in captured.items():
        for plan in plans(documents):
            assert "error" not in plan, job
            assert plan["truncated"] is False
            assert list(problems(plan)) == [], job


def test_start_carries_the_plan_of_the_end_unless_spark_had_forgotten_it(captured: Captured) -> None:
    started, ended = (
        {d["execution"]: d["plan"] for ds in captured.values() for d in of_queries(ds, kind)}
        for kind in ("execution-start", "execution-end")
    )
    known = {execution for execution, plan in started.items() if plan is not None}

    assert started.keys() == ended.keys()
    assert all(started[execution] == ended[execution] for execution in known)
    assert len(known) > len(ended) / 2


def test_every_leaf_and_every_write_has_a_known_source(captured: Captured) -> None:
    for job, documents in captured.items():
        for plan in plans(documents):
            assert all(source["kind"] != "unknown" for source in sources(plan)), job


def test_types_stand_once_and_are_sparks_own(captured: Captured) -> None:
    for documents in captured.values():
        for plan in plans(documents):
            spelled = [json.dumps(kind) for kind in plan["types"]]
            assert len(set(spelled)) == len(spelled)


def test_files_are_named_by_root_and_format(captured: Captured) -> None:
    (plan,) = plans(captured["example_json_to_parquet"])
    read, written = sources(plan)[0], sources(plan)[-1]

    assert (read["kind"], read["format"]) == ("files", "json")
    assert read["roots"][0].endswith("/tweets.ndjson")
    assert (written["kind"], written["format"], written["mode"]) == ("files", "parquet", "overwrite")
    assert written["roots"][0].startswith("file:/")


def test_partition_columns_of_a_write_are_named(captured: Captured) -> None:
    assert [t["partitionColumns"] for t in targets(captured["tables"]) if t.get("format") == "json"] == [
        ["id"]
    ]


def test_a_new_table_is_named_with_catalog_and_location(captured: Captured) -> None:
    tables = [t for t in targets(captured["example_parquet_to_table"]) if t["kind"] == "table"]

    assert tables
    assert tables[0]["identifier"]["table"] == "mentions"
    assert any(
        t["identifier"] == {"table": "mentions", "database": "default", "catalog": "spark_catalog"}
        for t in tables
    )
    assert all(t["location"].endswith("/warehouse/mentions") for t in tables)


def test_the_executions_inside_a_command_name_their_root(captured: Captured) -> None:
    starts = [d for d in captured["example_parquet_to_table"] if d["kind"] == "execution-start"]

    assert len(starts) > 1
    assert {start["root"] for start in starts} == {starts[0]["execution"]}


def test_a_static_partition_of_an_insert_is_kept(captured: Captured) -> None:
    inserts = [
        n for plan in plans(captured["tables"]) for n in named(plan, "InsertIntoHadoopFsRelationCommand")
    ]

    assert {"m": [["day", "2024-01-01"]]} in [insert["staticPartitions"] for insert in inserts]


def test_a_database_is_named_without_its_credentials(captured: Captured) -> None:
    databases = [
        source for plan in plans(captured["jdbc"]) for source in sources(plan) if source["kind"] == "jdbc"
    ]

    assert {source["dbtable"] for source in databases} == {"PEOPLE"}
    assert all(source["url"].startswith("jdbc:derby:memory:plans;create=true") for source in databases)
    assert "hunter2" not in json.dumps(captured)


def test_an_rdd_round_trip_still_names_its_files(captured: Captured) -> None:
    rdds = [
        source
        for plan in plans(captured["rdd_round_trip"])
        for source in sources(plan)
        if source["kind"] == "rdd"
    ]
    roots = [root for rdd in rdds for source in rdd["inputs"] for root in source["roots"]]

    assert [root.rsplit("/", 1)[1] for root in roots] == ["people", "lines.txt"]


def test_an_rdd_of_a_join_says_whether_rows_were_broadcast(captured: Captured) -> None:
    rdds = [
        source
        for plan in plans(captured["rdd_of_a_join"])
        for source in sources(plan)
        if source["kind"] == "rdd"
    ]

    assert [rdd.get("partial", False) for rdd in rdds] == [True, True, False, True]
    assert [len(rdd["inputs"]) for rdd in rdds] == [1, 1, 2, 1]


def test_struct_members_are_named(captured: Captured) -> None:
    members = [n["f"] for plan in plans(captured["select_struct"]) for n in named(plan, "GetStructField")]

    assert {"first", "mail", "city"} <= set(members)


def test_lambda_variables_have_their_identity(captured: Captured) -> None:
    (plan,) = plans(captured["lambdas"])
    (first, *_) = named(plan, "LambdaFunction")

    assert {"function", "arguments", "hidden"} <= set(first)
    assert all("id" in variable for variable in named(plan, "NamedLambdaVariable"))


def test_python_functions_are_named_and_have_their_commands(captured: Captured) -> None:
    (plan,) = plans(captured["python_udf"])
    functions = named(plan, "PythonUDF")

    assert functions
    assert all(function["func"]["k"] == "python" for function in functions)
    assert all(b64decode(function["func"]["command"]) for function in functions)


def test_case_objects_are_names(captured: Captured) -> None:
    kinds = {n["joinType"]["e"] for plan in plans(captured["joins"]) for n in named(plan, "Join")}

    assert {"Inner", "LeftOuter", "FullOuter", "LeftSemi", "LeftAnti", "Cross"} <= kinds


def test_a_checkpoint_is_recognised_by_its_attributes(captured: Captured) -> None:
    *_, checkpointed, after = plans(captured["cache_and_checkpoint"])
    (rdd,) = named(after, "LogicalRDD")
    kept = {after["nodes"][index]["id"] for index in rdd["out"]}
    made = {node["id"] for node in checkpointed["nodes"] if "id" in node}

    assert rdd["rdd"]["checkpointed"] is True
    assert kept <= made


def test_a_failure_is_reported_with_its_plan(captured: Captured) -> None:
    end = next(document for document in captured["failing"] if document["kind"] == "execution-end")

    assert "ZeroDivisionError" in end["error"]["message"] + end["error"]["stackTrace"]
    assert end["plan"]["nodes"]


def test_a_thousand_columns_and_twenty_steps_take_less_than_a_megabyte(captured: Captured) -> None:
    (plan,) = plans(captured["wide"])

    assert len(json.dumps(plan)) < 1_000_000
