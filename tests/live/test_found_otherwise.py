"""Columns that are found by position or by ids, and that are renamed; former versions of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.completed_writes import Write, writes, written
from kit.connectors import DELTA, ICEBERG, LAKES, jars
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE, SparkLine, installed

pytestmark = pytest.mark.spark

RENAMES = [
    {"tmp <- t:email IDENTITY", "ssn <- t:ssn IDENTITY"},
    {"tmp <- t:tmp IDENTITY", "email <- t:ssn IDENTITY"},
    {"ssn <- t:tmp IDENTITY", "email <- t:email IDENTITY"},
]


def run(line: SparkLine, folder: Path, kind: str, conf: dict[str, str]) -> Job:
    installed(line)
    conf = {"spark.sql.shuffle.partitions": "1", **conf}
    job = run_job(line, folder, "found_otherwise.py", str(folder / "data"), kind, conf=conf)
    assert job.code == 0, job.output
    return job


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    conf = {"spark.jars": jars(request.param, "spark-avro")}
    return run(request.param, tmp_path_factory.mktemp("files"), "files", conf)


@pytest.fixture(scope="module", params=LAKES)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line, kind = request.param
    folder = tmp_path_factory.mktemp(f"{kind}-{line}")
    catalogs = DELTA if kind == "delta" else {**ICEBERG, "spark.sql.catalog.lake.warehouse": str(folder)}
    return run(line, folder, kind, {"spark.jars": jars(line, kind), **catalogs})


def read_at(write: Write) -> str | None:
    (read,) = write.inputs.values()
    found: str | None = read["facets"]["headwater_access"].get("readAt")
    return found


@pytest.mark.parametrize(
    ("output", "source", "matching"),
    [
        ("by_name", "orc", None),
        ("by_option", "orc", "position"),
        ("by_session", "orc", "position"),
        ("by_avro", "avro", "position"),
        ("by_id", "parquet", "id"),
    ],
)
def test_a_reader_says_by_what_it_finds_columns(
    files: Job, output: str, source: str, matching: str | None
) -> None:
    facets = written(files, output).inputs[source]["facets"]

    assert facets.get("headwater_layout", {}).get("matching") == matching


@pytest.mark.slow
def test_a_renamed_column_is_made_of_the_one_with_its_former_name(table: Job) -> None:
    found = [write for write in writes(table) if "rename_column" in write.command]

    assert [write.direct for write in found] == RENAMES
    assert all(write.complete for write in found)


@pytest.mark.slow
def test_a_former_version_was_read_when_it_was_made(table: Job) -> None:
    now, then = written(table, "now"), written(table, "then")

    assert read_at(now) is None
    assert read_at(then) is not None


@pytest.mark.slow
def test_a_table_that_is_restored_is_made_of_itself(table: Job) -> None:
    restoring = ("restore", "call", "branch")
    restored = [write for write in writes(table) if any(word in write.command for word in restoring)]

    calls = 3 if "spark-3.5" in table.folder.name else 0  # Spark 4 executes procedures as it analyses them
    assert len(restored) == 1 + ("iceberg" in table.folder.name) * calls
    assert all(read_at(write) == "1970-01-01T00:00:00.000Z" for write in restored)


@pytest.mark.slow
def test_what_was_brought_back_was_read_when_it_was_made(table: Job) -> None:
    if "delta" in table.folder.name:
        return
    back = written(table, "rolled_back")

    assert read_at(back) == read_at(written(table, "then"))
    assert back.inputs["t"]["name"] in {write.name for write in writes(table) if "append" in write.command}
