from __future__ import annotations

from typing import Any

import pytest

from headwater_facets.jdbc import jdbc_name
from headwater_facets.locations import DatasetId
from headwater_spark.naming.datasets import Catalogs, at_location, location_id, resolve_datasets

NOWHERE = Catalogs()

LOCATIONS = {
    "file:/in/tweets": ("file", "/in/tweets"),
    "file:///in/tweets/": ("file", "/in/tweets"),
    "/in/tweets": ("file", "/in/tweets"),
    "file:/": ("file", "/"),
    "file:/a:b/c": ("file", "/a:b/c"),
    "/a:b/c": ("file", "/a:b/c"),
    "file:/with space/ü%20": ("file", "/with space/ü%20"),
    "hdfs://nn:8020/data/x": ("hdfs://nn:8020", "/data/x"),
    "hdfs:///data/x": ("hdfs", "/data/x"),
    "s3a://bucket/a/b": ("s3://bucket", "a/b"),
    "s3n://bucket/a": ("s3://bucket", "a"),
    "s3://bucket": ("s3://bucket", "/"),
    "gs://bucket/a/b/": ("gs://bucket", "a/b"),
    "abfss://box@account.dfs.core.windows.net/a/b": ("abfss://box@account.dfs.core.windows.net", "a/b"),
    "dbfs:/mnt/x": ("dbfs", "/mnt/x"),
    "file:/in/t/day=2024-01-01/hour=7": ("file", "/in/t"),
    "s3a://bucket/t/day=2024-01-01": ("s3://bucket", "t"),
    "file:/in/a=b/t": ("file", "/in/a=b/t"),
}

JDBC = {
    ("jdbc:postgresql://db:5433/shop?user=x", "sales.orders"): ("postgres://db:5433", "shop.sales.orders"),
    ("jdbc:postgresql://db/shop", "orders"): ("postgres://db:5432", "shop.public.orders"),
    ("jdbc:postgresql://db/shop", '"Sales"."a.b"'): ("postgres://db:5432", "shop.Sales.a.b"),
    ("jdbc:mysql://db:3306/shop", "orders"): ("mysql://db:3306", "shop.orders"),
    ("jdbc:mysql://db1:3306,db2:3306/shop", "`other`.`orders`"): ("mysql://db1:3306", "other.orders"),
    ("jdbc:sqlserver://db;databaseName=shop;encrypt=true", "[dbo].[orders]"): (
        "sqlserver://db:1433",
        "shop.dbo.orders",
    ),
    ("jdbc:oracle:thin:@//db:1521/XE", "HR.EMP"): ("oracle://db:1521", "XE.HR.EMP"),
    ("jdbc:oracle:thin:@db:1521:XE", "HR.EMP"): ("oracle://db:1521", "XE.HR.EMP"),
    ("jdbc:snowflake://org-acc.snowflakecomputing.com/?db=SHOP&schema=PUBLIC", "orders"): (
        "snowflake://org-acc",
        "SHOP.PUBLIC.ORDERS",
    ),
    ("jdbc:trino://db:8080/hive/sales", "orders"): ("trino://db:8080", "hive.sales.orders"),
    ("jdbc:sqlite:/data/shop.db", "orders"): ("sqlite:/data/shop.db", "orders"),
    ("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "orders"): ("h2:mem:shop", "orders"),
    ("jdbc:clickhouse://db:8123/shop", "orders"): ("clickhouse://db:8123", "shop.orders"),
}


def names(source: dict[str, Any], catalogs: Catalogs = NOWHERE) -> list[tuple[str, str]]:
    return [(found.id[0], found.id[1]) for found in resolve_datasets(source, catalogs)]


def table(**changes: Any) -> dict[str, Any]:
    identifier = {"catalog": "spark_catalog", "database": "default", "table": "orders"}
    return {"kind": "table", "identifier": identifier, "location": "file:/wh/orders", **changes}


@pytest.mark.parametrize(("location", "expected"), LOCATIONS.items())
def test_a_location_is_a_dataset_by_openlineages_rules(location: str, expected: tuple[str, str]) -> None:
    assert location_id(location) == expected


@pytest.mark.parametrize(("source", "expected"), JDBC.items())
def test_a_jdbc_table_is_named_by_its_server(source: tuple[str, str], expected: tuple[str, str]) -> None:
    assert jdbc_name(*source) == expected


@pytest.mark.parametrize(
    ("url", "dbtable"),
    [
        ("jdbc:postgresql://db/shop", "(select * from orders) t"),
        ("jdbc:postgresql://db/shop", "select 1"),
        ("jdbc:postgresql://db/shop", None),
        ("", "orders"),
        ("postgresql://db/shop", "orders"),
    ],
)
def test_a_jdbc_query_has_no_dataset(url: str, dbtable: str | None) -> None:
    assert jdbc_name(url, dbtable) is None
    assert names({"kind": "jdbc", "url": url, "dbtable": dbtable}) == []


def test_several_roots_are_several_datasets_and_partitions_of_one_are_one() -> None:
    source = {"kind": "files", "roots": ["file:/a/d=1", "file:/a/d=2", "hdfs://nn/b"], "format": "parquet"}
    assert names(source) == [("file", "/a"), ("hdfs://nn", "/b")]
    assert resolve_datasets(source, NOWHERE)[0].format == "parquet"


def test_data_in_memory_and_unknown_sources_are_no_dataset() -> None:
    for source in ({"kind": "memory"}, {"kind": "unknown", "class": "x.Y"}, {}):
        assert names(source) == []


def test_an_rdd_is_the_files_found_behind_it() -> None:
    files = {"kind": "files", "roots": ["file:/a"]}
    assert names({"kind": "rdd", "inputs": [files, {"kind": "memory"}, files]}) == [("file", "/a")]


def test_kafka_topics_are_datasets_of_the_first_bootstrap_server() -> None:
    source = {"kind": "kafka", "bootstrapServers": "b1:9092,b2:9092", "subscribe": "orders, refunds"}
    assert names(source) == [("kafka://b1:9092", "orders"), ("kafka://b1:9092", "refunds")]


def test_topics_that_are_read_by_partition_are_named_and_a_broken_list_names_none() -> None:
    source = {"kind": "kafka", "bootstrapServers": "b1", "assign": '{"orders": [0, 1], "refunds": [0]}'}
    assert names(source) == [("kafka://b1:9092", "orders"), ("kafka://b1:9092", "refunds")]
    assert names({**source, "assign": "[orders"}) == []


def test_a_table_is_its_location_with_its_name_in_the_warehouse_as_a_symlink() -> None:
    (found,) = resolve_datasets(table(), Catalogs({"spark.sql.warehouse.dir": "file:///wh"}))
    assert found.id == ("file", "/wh/orders")
    assert found.table == ("file:/wh", "default.orders")
    assert found.short_name == "default_orders"


@pytest.mark.parametrize("key", ["spark.hadoop.hive.metastore.uris", "hive.metastore.uris"])
def test_a_hive_metastore_is_the_namespace_of_its_tables(key: str) -> None:
    (found,) = resolve_datasets(table(), Catalogs({key: "thrift://meta:9083,thrift://other:9083"}))
    assert found.table == ("hive://meta:9083", "default.orders")


def test_without_any_configuration_the_warehouse_is_where_the_table_lies() -> None:
    (found,) = resolve_datasets(table(), NOWHERE)
    assert found.table == ("file:/wh", "default.orders")
    sales = {"database": "sales", "table": "orders"}
    (found,) = resolve_datasets(table(identifier=sales, location="file:/wh/sales.db/orders"), NOWHERE)
    assert found.table == ("file:/wh", "sales.orders")


def test_a_managed_table_that_is_about_to_be_made_is_already_named_by_its_location() -> None:
    warehouse = Catalogs({"spark.sql.warehouse.dir": "/wh"})
    assert names(table(location=None), warehouse) == [("file", "/wh/orders")]
    sales = {"catalog": None, "database": "sales", "table": "orders"}
    assert names(table(location=None, identifier=sales), warehouse) == [("file", "/wh/sales.db/orders")]


@pytest.mark.parametrize("kind", ["VIEW", "PersistedView"])
def test_a_view_lies_nowhere_and_is_its_name_in_the_warehouse(kind: str) -> None:
    warehouse = Catalogs({"spark.sql.warehouse.dir": "/wh"})
    assert names(table(location=None, type=kind), warehouse) == [("file:/wh", "default.orders")]


def test_a_table_lies_where_the_sessions_catalog_would_put_it_before_where_the_warehouse_is() -> None:
    catalogs = Catalogs({"spark.sql.warehouse.dir": "/wh"})
    apart = table(location=None, defaultLocation="file:/apart/orders")
    assert names(apart, catalogs) == [("file", "/apart/orders")]
    assert names({**apart, "location": "file:/own"}, catalogs) == [("file", "/own")]


def test_a_table_without_a_database_is_in_the_one_of_its_location() -> None:
    bare = {"catalog": None, "database": None, "table": "orders"}
    for location, name in (("file:/wh/orders", "default.orders"), ("file:/wh/s.db/orders", "s.orders")):
        (found,) = resolve_datasets(table(identifier=bare, location=location), NOWHERE)
        assert found.table == ("file:/wh", name)


@pytest.mark.parametrize("place", ["/data/orders", "file:/data/orders", "file:///data/orders"])
def test_a_table_that_is_named_by_its_location_is_that_location(place: str) -> None:
    called = {"catalog": "spark_catalog", "database": "delta", "table": place}
    warehouse = Catalogs({"spark.sql.warehouse.dir": "/wh"})
    (found,) = resolve_datasets(table(identifier=called, location=None, provider="delta"), warehouse)
    assert (found.id, found.table, found.layer) == (("file", "/data/orders"), None, "delta")
    assert resolve_datasets(
        table(identifier=called, location="file:/data/orders", provider="delta"), warehouse
    ) == (found,)


def test_a_table_without_any_location_is_its_name() -> None:
    assert names(table(location=None)) == [("spark", "default.orders")]


def test_a_table_of_another_catalog_lives_in_that_catalogs_namespace() -> None:
    lake = {"catalog": "lake", "database": "db", "table": "t"}
    conf = {"spark.sql.catalog.lake.type": "hadoop", "spark.sql.catalog.lake.warehouse": "s3a://w/x"}
    (found,) = resolve_datasets(
        table(identifier=lake, location="s3a://w/x/db/t", provider="iceberg"), Catalogs(conf)
    )
    assert (found.id, found.table, found.layer) == (("s3://w", "x/db/t"), ("s3a://w/x", "db.t"), "iceberg")
    rest = Catalogs({"spark.sql.catalog.lake.type": "rest", "spark.sql.catalog.lake.uri": "http://c:8181"})
    assert names(table(identifier=lake, location=None), rest) == [("http://c:8181", "db.t")]


def test_a_table_found_at_its_location_later_keeps_its_name_as_a_symlink() -> None:
    (found,) = resolve_datasets(table(location=None), NOWHERE)
    moved = at_location(found, "file:/wh/orders", NOWHERE)
    assert (moved.id, moved.table) == (("file", "/wh/orders"), DatasetId("spark", "default.orders"))


@pytest.mark.parametrize(
    "part",
    [
        "part-00001-1a382d38-7ffd-4903-9984-b5317ce3ff9c-c000.snappy.parquet",
        "part-00001",
        "part-00001.gz",
        "part-m-00001.snappy.parquet",
    ],
)
def test_a_file_that_spark_wrote_belongs_to_the_dataset_of_its_folder(part: str) -> None:
    assert location_id(f"file:/out/a/day=1/{part}") == location_id("file:/out/a")


def test_a_file_of_somebody_else_is_a_dataset() -> None:
    assert location_id("file:/out/a/part-of-it.csv").name == "/out/a/part-of-it.csv"
    assert location_id("file:/out/a/part-00001-of-00010.csv").name == "/out/a/part-00001-of-00010.csv"
