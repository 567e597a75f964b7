"""What leaves read and commands write, from their fields as the driver sends them."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_plan.nodes import Local, OpaqueRelation, Read
from headwater_spark.decode import decode, source_of_leaf, target_of
from headwater_spark.decode.values import Places
from kit.plan_documents import plan

TABLE = {
    "k": "table",
    "table": "t",
    "database": "d",
    "catalog": None,
    "type": "MANAGED",
    "provider": "parquet",
}
NAMED = {"table": "t", "database": "d", "catalog": None}
FS = {
    "o": "org.apache.spark.sql.execution.datasources.HadoopFsRelation",
    "roots": ["file:/in"],
    "format": "csv",
}
LAKE = {"k": "catalog", "name": "lake"}
IN_LAKE = {"k": "identifier", "namespace": ["a", "b"], "name": "t"}
V2 = {"o": "org.apache.iceberg.spark.source.SparkTable", "location": "/lake/t", "provider": "iceberg"}
SERVERS = [["kafka.bootstrap.servers", "b1:9092"]]


def source(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return dict(source_of_leaf(plan(*nodes)))


def target(*nodes: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    found = target_of(plan(*nodes))
    assert found is not None
    return {key: value for key, value in found[1].items() if key != "extent"}


def options(**given: str) -> dict[str, Any]:
    return {"m": [[key.replace("_", "."), each] for key, each in given.items()]}


def test_files_are_read_at_their_roots() -> None:
    found = source(
        ("LogicalRelation", {"relation": {**FS, "options": options(sep="|")}, "catalogTable": None})
    )

    assert found == {
        "kind": "files",
        "partitionColumns": [],
        "roots": ["file:/in"],
        "format": "csv",
        "separator": "|",
    }


def test_a_stream_of_files_reads_the_directory_that_it_watches() -> None:
    relation = {**FS, "roots": ["file:/in/a", "file:/in/b"], "options": options(basePath="/in")}

    assert source(("LogicalRelation", {"relation": relation, "isStreaming": True}))["roots"] == [
        "hdfs://nn/in"
    ]
    assert (
        source(("LogicalRelation", {"relation": relation, "isStreaming": False}))["roots"]
        == relation["roots"]
    )


def test_delta_is_known_by_its_index() -> None:
    index = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
    found = source(
        ("LogicalRelation", {"relation": {**FS, "format": "parquet", "index": index, "version": "3"}})
    )

    assert (found["format"], found["version"]) == ("delta", "3")


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (("LocalRelation", {"data": {"o": "x.List"}}), {"kind": "memory", "handedIn": False}),
        (
            ("LocalRelation", {"data": {"o": "x.List", "of": "UnsafeRow"}}),
            {"kind": "memory", "handedIn": True},
        ),
        (("x", {}), {"kind": "unknown", "class": "x.x"}),
        (
            ("LogicalRelation", {"relation": {"o": "shop.Relation"}}),
            {"kind": "unknown", "class": "shop.Relation"},
        ),
        (
            (
                "LogicalRelation",
                {"relation": {"o": "o.a.JDBCRelation", "jdbc": options(url="jdbc:x", dbtable="t")}},
            ),
            {"kind": "jdbc", "url": "jdbc:x", "dbtable": "t"},
        ),
        (
            (
                "LogicalRelation",
                {"relation": {"o": "k.KafkaRelation", "options": {"m": [*SERVERS, ["topic", "a"]]}}},
            ),
            {"kind": "kafka", "bootstrapServers": "b1:9092", "topic": "a"},
        ),
        (
            (
                "StreamingRelation",
                {"dataSource": {"o": "x", "format": "json", "options": options(path="/p")}},
            ),
            {"kind": "files", "roots": ["hdfs://nn/p"], "format": "json"},
        ),
        (
            (
                "StreamingRelation",
                {
                    "dataSource": {
                        "o": "x",
                        "options": options(path="/p"),
                        "table": {"k": "table", "table": "t"},
                    }
                },
            ),
            {
                "kind": "table",
                "identifier": {"table": "t", "database": None, "catalog": None},
                "location": None,
                "provider": None,
                "type": None,
                "partitionColumns": [],
            },
        ),
        (
            (
                "StreamingRelation",
                {"dataSource": {"o": "x", "format": "json", "options": options(path="/p/*")}},
            ),
            {"kind": "unknown", "class": "json"},
        ),
        (
            ("StreamingRelation", {"dataSource": {"o": "x", "format": "a.Source", "options": options()}}),
            {"kind": "unknown", "class": "a.Source"},
        ),
        (
            (
                "StreamingRelation",
                {"dataSource": {"o": "x", "format": "kafka", "options": options(subscribe="a")}},
            ),
            {"kind": "kafka", "bootstrapServers": None, "subscribe": "a"},
        ),
        (
            (
                "StreamingDataSourceV2Relation",
                {"stream": {"o": "k.KafkaMicroBatchStream", "servers": "b", "topics": ["x", "y"]}},
            ),
            {"kind": "kafka", "bootstrapServers": "b", "subscribe": "x,y"},
        ),
        (
            ("DataSourceV2Relation", {"table": {"o": "k.KafkaTable"}, "options": {"m": SERVERS}}),
            {"kind": "kafka", "bootstrapServers": "b1:9092"},
        ),
        (
            ("DataSourceV2Relation", {"table": {"o": "x.CSVTable", "roots": ["file:/a"], "format": "csv"}}),
            {"kind": "files", "roots": ["file:/a"], "format": "csv"},
        ),
        (
            ("DataSourceV2Relation", {"table": {"o": "x.T", "name": "shop"}, "options": options(path="p")}),
            {"kind": "files", "roots": ["hdfs://nn/user/ann/p"], "format": "shop"},
        ),
        (("LogicalRDD", {"rdd": {"k": "rdd", "kind": "memory"}}), {"kind": "memory", "inputs": []}),
    ],
)
def test_a_leaf_reads(node: tuple[str, dict[str, Any]], expected: dict[str, Any]) -> None:
    assert source(node) == expected


def test_a_scan_reads_what_its_relation_is() -> None:
    relation = ("DataSourceV2Relation", {"table": V2, "catalog": LAKE, "identifier": IN_LAKE})
    found = source(relation, ("DataSourceV2ScanRelation", {"relation": 0}))

    assert found["identifier"] == {"table": "t", "database": "a.b", "catalog": "lake"}
    assert found["location"] == "hdfs://nn/lake/t"


CREATE = "CreateDataSourceTableAsSelectCommand"


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ({"location": "file:/own"}, "file:/own"),
        ({"defaultLocation": "file:/w/d.db/t"}, "file:/w/d.db/t"),
        ({"location": "own", "defaultLocation": "file:/w/d.db/t"}, "file:/w/d.db/own"),
    ],
)
def test_a_new_table_lies_where_it_is_put(stated: dict[str, Any], place: str) -> None:
    found = target((CREATE, {"table": {**TABLE, **stated}, "mode": {"e": "Overwrite"}}))

    assert (found["location"], found["mode"], found["identifier"]) == (place, "overwrite", NAMED)


def test_a_table_that_exists_is_appended_to_where_it_is() -> None:
    stated = {**TABLE, "defaultLocation": "/w/t", "entry": {**NAMED, "location": "/elsewhere"}}

    assert target((CREATE, {"table": stated, "mode": {"e": "Append"}}))["location"] == "/elsewhere"
    assert target((CREATE, {"table": stated, "mode": {"e": "Overwrite"}}))["location"] == "/w/t"


@pytest.mark.parametrize(
    ("name", "fields", "mode"),
    [
        ("CreateTableAsSelect", {}, "errorifexists"),
        ("CreateTableAsSelect", {"ignoreIfExists": True}, "ignore"),
        ("ReplaceTableAsSelect", {}, "overwrite"),
    ],
)
def test_a_v2_catalog_decides_where_a_table_lies_that_names_no_place(
    name: str, fields: dict[str, Any], mode: str
) -> None:
    named = plan(
        ("ResolvedIdentifier", {"catalog": LAKE, "identifier": IN_LAKE}), (name, {"name": 0, **fields})
    )
    named["nodes"][0] |= {"defaultLocation": "/w/t"}
    found = target_of(named)

    assert found is not None
    assert (found[1]["location"], found[1]["defaultLocation"], found[1]["mode"]) == (None, "/w/t", mode)
    named["nodes"][0] |= {"entry": {"location": "/known"}}
    found = target_of(named)
    assert found is not None
    assert found[1]["defaultLocation"] == "/known"


def test_a_table_that_the_catalog_of_a_database_creates_is_in_the_database() -> None:
    name = {"o": "x.Identifier", "namespace": ["hr"], "name": 'pay"roll'}
    nodes = (
        ("ResolvedIdentifier", {"catalog": {"name": "shop"}, "identifier": name}),
        ("CreateTableAsSelect", {"name": 0}),
    )
    made = plan(*nodes)
    made["nodes"][0] |= {"jdbc": options(url="jdbc:postgresql://h/d", dbtable="__invalid_dbtable")}
    found = target_of(made)

    assert found is not None
    assert (
        found[1].items()
        >= {
            "kind": "jdbc",
            "url": "jdbc:postgresql://h/d",
            "dbtable": '"hr"."pay""roll"',
            "mode": "errorifexists",
        }.items()
    )


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (
            (
                "SaveIntoDataSourceCommand",
                {
                    "dataSource": {"o": "x.P", "format": "jdbc"},
                    "options": options(url="jdbc:x", dbtable="t"),
                    "mode": {"e": "Append"},
                },
            ),
            {"kind": "jdbc", "url": "jdbc:x", "dbtable": "t", "mode": "append"},
        ),
        (
            (
                "SaveIntoDataSourceCommand",
                {"dataSource": {"o": "x.P", "format": "kafka"}, "options": {"m": [*SERVERS, ["topic", "a"]]}},
            ),
            {"kind": "kafka", "bootstrapServers": "b1:9092", "topic": "a", "mode": None},
        ),
        (
            ("SaveIntoDataSourceCommand", {"dataSource": {"o": "x.P"}, "options": options(path="/p")}),
            {"kind": "files", "roots": ["hdfs://nn/p"], "format": "x.P", "mode": None},
        ),
        (
            ("InsertIntoHiveDirCommand", {"storage": {"k": "storage", "location": "/p"}, "overwrite": True}),
            {"kind": "files", "roots": ["hdfs://nn/p"], "format": None, "mode": "overwrite"},
        ),
        (
            (
                "WriteToMicroBatchDataSourceV1",
                {"sink": {"o": "x.ForeachBatchSink"}, "outputMode": {"e": "Append"}},
            ),
            {"kind": "memory", "mode": "append"},
        ),
        (
            (
                "WriteToMicroBatchDataSource",
                {"table": {"o": "x.NoopTable$"}, "outputMode": {"e": "Complete"}},
            ),
            {"kind": "memory", "keeps": "nothing", "mode": "overwrite"},
        ),
        (
            ("WriteToMicroBatchDataSource", {"table": {"o": "k.KafkaTable"}, "writeOptions": {"m": SERVERS}}),
            {"kind": "kafka", "bootstrapServers": "b1:9092", "mode": "append"},
        ),
        (
            (
                "WriteToMicroBatchDataSourceV1",
                {"sink": {"o": "x.FileStreamSink"}, "writeOptions": options(path="p")},
            ),
            {"kind": "files", "roots": ["hdfs://nn/user/ann/p"], "mode": "append"},
        ),
        (
            ("CreateViewCommand", {"name": {"k": "name", **NAMED}, "replace": True}),
            {
                "kind": "table",
                "identifier": NAMED,
                "location": None,
                "provider": None,
                "type": "VIEW",
                "mode": "overwrite",
            },
        ),
        (
            ("WriteIntoDelta", {"deltaLog": {"o": "x.DeltaLog", "path": "/lake/t"}, "mode": {"e": "Append"}}),
            {"kind": "files", "roots": ["/lake/t"], "format": "delta", "mode": "append"},
        ),
        (("WriteToDataSourceV2", {}), {"kind": "stream", "class": "x.WriteToDataSourceV2"}),
    ],
)
def test_a_command_writes(node: tuple[str, dict[str, Any]], expected: dict[str, Any]) -> None:
    assert target(node) == expected


@pytest.mark.parametrize(
    ("name", "field"),
    [("MergeIntoTable", "targetTable"), ("UpdateCommand", "target"), ("DeleteFromTable", "table")],
)
def test_rows_are_changed_in_the_table_below_its_aliases(name: str, field: str) -> None:
    relation = ("LogicalRelation", {"relation": FS, "catalogTable": {**TABLE, "location": "/w/t"}})
    found = target(relation, ("SubqueryAlias", {"child": 0}), (name, {field: 1}))

    assert (found["identifier"], found["mode"]) == (NAMED, "update")


HADOOP = "org.apache.hadoop.mapred"


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (
            {"format": f"{HADOOP}.TextOutputFormat", "path": "/out"},
            {"kind": "files", "roots": ["hdfs://nn/out"], "format": "Text"},
        ),
        (
            {"format": "x.OutputFormat", "path": "/out"},
            {"kind": "files", "roots": ["hdfs://nn/out"], "format": "OutputFormat"},
        ),
        ({"format": "x.Other", "path": None}, {"kind": "unknown", "class": "x.Other"}),
    ],
)
def test_an_action_on_an_rdd_writes(write: dict[str, Any], expected: dict[str, Any]) -> None:
    document = {"rdd": {"kind": "rdd", "inputs": []}, "write": write, "working": "hdfs://nn/user/ann"}
    found = decode(document)

    assert found.write is not None
    assert found.write.target == {**expected, "mode": "errorifexists"}
    assert target_of(document) == (found.write.command, found.write.target)
    assert [a.name for a in found.write.columns.fields] == (["value"] if "Text" in write["format"] else [""])


def test_an_action_that_reads_has_the_places_that_its_rdd_goes_back_to() -> None:
    found = decode({"rdd": {"kind": "rdd", "inputs": [{"kind": "files", "roots": ["file:/in"]}]}})

    assert found.write is None
    assert isinstance(found.relation, OpaqueRelation)
    assert [each.source["roots"] for each in found.relation.inputs if isinstance(each, Read)] == [
        ["file:/in"]
    ]
    assert isinstance(decode({"rdd": {"kind": "memory", "inputs": []}}).relation, Local)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/a//b/./c/", "hdfs://nn/a/b/c"),
        ("a/../b", "hdfs://nn/user/ann/b"),
        ("hdfs:/a", "hdfs://nn/a"),
        ("hdfs://other/a", "hdfs://other/a"),
        ("file:/a", "file:/a"),
        ("a:b/c", "a:b/c"),
    ],
)
def test_a_path_is_qualified_as_spark_does(path: str, place: str) -> None:
    assert Places("hdfs://nn/user/ann").qualified(path) == place


def test_without_a_working_directory_a_path_stays() -> None:
    assert Places().qualified("a/b") == "a/b"


def test_what_a_data_source_in_python_reads_and_writes_is_reported_as_not_known() -> None:
    table = {"o": "org.apache.spark.sql.execution.datasources.v2.python.PythonTable", "name": "mine"}
    at: dict[str, Any] = {"table": table, "identifier": None, "options": options(path="/in"), "output": []}

    read = decode(plan(("DataSourceV2Relation", at)))
    written = decode(
        plan(
            ("DataSourceV2Relation", at),
            ("LocalRelation", {"output": [], "data": {"of": "UnsafeRow"}}),
            ("AppendData", {"table": {"r": 0}, "query": {"r": 1}}),
        )
    )

    assert isinstance(read.relation, OpaqueRelation)
    (place,) = read.relation.inputs
    assert isinstance(place, Read)
    assert place.source["roots"] == ["hdfs://nn/in"]
    assert [p.reason for p in read.problems] == ["UNKNOWN_SOURCE"]
    assert written.write is not None
    assert "UNKNOWN_SOURCE" in [p.reason for p in written.problems]
