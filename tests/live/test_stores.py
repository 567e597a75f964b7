"""Formats, partitions, tables, views, Hive and databases: written, read, and traced on both Spark lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.completed_writes import names, runs, writes, written
from kit.connectors import jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.postgres import postgres
from kit.spark_lines import EITHER_LINE, LINES, SparkLine

pytestmark = pytest.mark.spark

PASSWORD = "a-secret-of-the-test"
H2 = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1"


def run_stores(line: SparkLine, folder_of: pytest.TempPathFactory, url: str) -> Job:
    folder = folder_of.mktemp("stores")
    conf = {"spark.jars": jars(line, "h2", "postgresql", "spark-avro"), "spark.sql.shuffle.partitions": "1"}
    job = run_job(line, folder, "stores.py", str(folder / "data"), url, PASSWORD, conf=conf)
    assert job.code == 0, job.output
    return job


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    return run_stores(request.param, tmp_path_factory, H2)


def test_every_event_is_valid_and_every_write_has_a_start_and_an_end(stores: Job) -> None:
    for event in stores.events:
        validate_event(event)
    assert all(types == ["START", "COMPLETE"] for types in runs(stores).values())


@pytest.mark.parametrize("kind", ["parquet", "orc", "json", "csv", "text", "avro"])
def test_a_format_is_written_and_read(stores: Job, kind: str) -> None:
    to, back = written(stores, kind), written(stores, f"from_{kind}")

    assert to.direct == {"value <- people:name.mail IDENTITY"}
    assert back.direct == {f"value <- {kind}:value IDENTITY"}
    assert back.influences == {f"{kind}:value FILTER"}
    assert to.facets["storage"]["fileFormat"] == kind
    assert back.inputs[kind]["facets"]["storage"]["fileFormat"] == kind


def test_a_partition_is_its_table(stores: Job) -> None:
    assert written(stores, "by_day").facets["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"
    assert written(stores, "of_one_day").direct == {"first <- by_day:first IDENTITY"}


def test_a_relative_place_is_reported_where_it_is(stores: Job) -> None:
    near = [write for write in writes(stores) if "near/" in write.name]

    files = ["near/lines", "near/rows", "near/listed"]
    tables = [f"spark-warehouse/near/{name}" for name in ("placed", "saved", "saved", "again")]
    assert [write.name for write in near] == [stores.path(name) for name in (*files, *tables)]
    assert all(Path(write.name).is_dir() for write in near)
    read = [each["name"] for write in near for each in write.inputs.values() if "near/" in each["name"]]
    assert set(read) == {stores.path("near/lines"), stores.path("near/rows")}


def test_a_dataset_has_one_name_in_all_events_of_a_run(stores: Job) -> None:
    assert len(names(stores)) > 10
    assert [each for each in names(stores).values() if len(each) > 1] == []


def test_a_static_partition_is_a_constant(stores: Job) -> None:
    first = next(write for write in writes(stores) if write.name.endswith("/days"))

    assert first.direct == {"id <- people:id IDENTITY", "first <- people:name.first IDENTITY"}
    assert [g["path"] for g in first.facets["headwater_pathLineage"]["generated"]] == [["day"]]


def test_inserts_are_by_the_tables_columns(stores: Job) -> None:
    days = [write for write in writes(stores) if write.name.endswith("/days")]

    assert len(days) == 3
    assert days[1].direct == {
        "id <- people:id IDENTITY",
        "first <- people:name.mail IDENTITY",
        "day <- people:day IDENTITY",
    }
    assert "first <- people:name.first IDENTITY" in days[2].direct


def test_bucketed_tables_and_tables_made_by_the_second_interface(stores: Job) -> None:
    assert "name <- people:name IDENTITY" in written(stores, "bucketed").direct
    assert "first <- bucketed:name.first IDENTITY" in written(stores, "made").direct


def test_a_directory_is_written_by_sql(stores: Job) -> None:
    assert written(stores, "directory").direct == {"mail <- people:name.mail IDENTITY"}


def test_a_view_is_derived_from_its_query_and_looked_through_when_read(stores: Job) -> None:
    view, read = written(stores, "default.firsts"), written(stores, "of_view")

    for each in (view, read):
        assert each.direct == {"id <- days:id IDENTITY", "first <- days:first IDENTITY"}
        assert each.influences == {"days:day FILTER"}


def test_hive_tables_and_their_partitions(stores: Job) -> None:
    fixed = written(stores, "hive_days")
    moved = next(write for write in writes(stores) if write.name.endswith("/hive_days"))

    assert written(stores, "serde").direct == {
        "id <- people:id IDENTITY",
        "first <- people:name.first IDENTITY",
    }
    assert "day <- people:day IDENTITY" in moved.direct
    assert fixed.direct == {"id <- serde:id IDENTITY", "first <- serde:first IDENTITY"}
    assert fixed.facets["headwater_pathLineage"]["generated"] == [{"path": ["day"], "how": "<string>"}]
    assert written(stores, "of_hive").direct == {
        "first <- hive_days:first IDENTITY",
        "day <- hive_days:day IDENTITY",
    }
    assert [each["name"] for each in fixed.facets["symlinks"]["identifiers"]] == ["default.hive_days"]


def test_a_database_is_written_and_read(stores: Job) -> None:
    assert written(stores, "people").direct == {
        "id <- people:id IDENTITY",
        "mail <- people:name.mail IDENTITY",
    }
    assert written(stores, "of_database").direct == {
        "id <- people:id IDENTITY",
        "mail <- people:mail IDENTITY",
    }


def test_a_query_in_a_databases_own_sql_is_traced_to_its_tables(stores: Job) -> None:
    queried = written(stores, "of_query")

    assert list(queried.inputs) == ["people"]
    assert queried.direct == {"mail <- people:mail IDENTITY"}
    assert queried.influences == {"people:id FILTER"}
    assert queried.complete


def test_a_query_for_all_columns_of_a_table_is_that_table(stores: Job) -> None:
    queried = written(stores, "of_subquery")

    assert queried.direct == {"id <- people:id IDENTITY", "mail <- people:mail IDENTITY"}
    assert queried.complete


def test_no_password_leaves_the_driver(stores: Job) -> None:
    assert PASSWORD not in (stores.folder / "events.ndjson").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
def test_postgresql_tables_are_named_by_server_database_and_schema(
    line: SparkLine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with postgres(PASSWORD) as url:
        job = run_stores(line, tmp_path_factory, url)
    server = url.removeprefix("jdbc:postgresql://").partition("/")[0]
    table = written(job, "postgres.public.people")
    (read,) = written(job, "of_database").inputs.values()

    assert "mail <- people:name.mail IDENTITY" in table.direct
    assert (read["namespace"], read["name"]) == (f"postgres://{server}", "postgres.public.people")
    assert PASSWORD not in (job.folder / "events.ndjson").read_text("utf-8")
