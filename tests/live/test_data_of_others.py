"""What others stored where jobs write is found where their rows are, and nowhere else."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from kit.connectors import DELTA, ICEBERG, jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import SPARK_4, SPARK_35, SPARK_41, SparkLine, installed

pytestmark = pytest.mark.spark

H2 = "jdbc:h2:mem:others;DB_CLOSE_DELAY=-1"
DATABASE = {
    "spark.sql.catalog.shop": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    "spark.sql.catalog.shop.url": H2,
    "spark.sql.catalog.shop.driver": "org.h2.Driver",
}
IN_DOUBT = {"DECLARED"}
"""Tables of which it is not known that they were empty: no event tells of one that is created without rows."""
ALONE = {"own", "read_empty", "merged_empty", "restored"}
"""The tables of a job that is alone."""
JARS = {"delta": "delta", "iceberg": "iceberg", "database": "h2"}


def case(line: SparkLine, kind: str) -> Any:
    core = line is SPARK_35 and kind == "files"
    return pytest.param((line, kind), id=f"{kind}-{line}", marks=() if core else pytest.mark.slow)


LINES = {
    "files": (SPARK_35, SPARK_4),
    "database": (SPARK_35, SPARK_4),
    "delta": (SPARK_35, SPARK_41),
    "delta-alone": (SPARK_35, SPARK_41),
    "iceberg": (SPARK_35, SPARK_41),
}


@pytest.fixture(
    scope="module",
    params=[case(line, kind) for kind, lines in LINES.items() for line in lines],
)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line, kind = request.param
    installed(line)
    folder = tmp_path_factory.mktemp(f"{kind}-{line}")
    schema = pyarrow.schema([("id", pyarrow.int32()), ("day", pyarrow.string())])
    stranger = pyarrow.Table.from_pydict({"id": [0], "day": ["x"]}, schema)
    parquet.write_table(stranger, folder / "stranger.parquet")
    warehouse = {"spark.sql.catalog.lake.warehouse": str(folder / "lake")}
    product = kind.removesuffix("-alone")
    conf = {"delta": DELTA, "iceberg": {**ICEBERG, **warehouse}, "database": DATABASE}.get(product, {})
    if product in JARS:
        conf = {**conf, "spark.jars": jars(line, JARS[product])}
    conf = {"spark.sql.shuffle.partitions": "1", **conf}
    done = run_job(line, folder, "data_of_others.py", str(folder / "data"), kind, H2, conf=conf)
    assert done.code == 0, done.output
    return done


def found(job: Job) -> set[str]:
    """The datasets, by the last part of their names, in which there are data of others."""
    with closing(open_store(f"sqlite:///{job.folder}/lineage.db")) as store:
        assert all(each.stored for each in ingest(store, job.events))
        written = {output["name"] for event in job.events for output in event.get("outputs", ())}
        there = {key.name for key in store.found_there()}
    return {name.replace(".", "/").rpartition("/")[2] for name in there & written}


def test_data_of_others_are_found_where_they_are(job: Job) -> None:
    there = json.loads((job.folder / "data" / "there.json").read_text("utf-8"))
    holding = {name for name, holds in there.items() if holds}

    assert holding or there.keys() == ALONE
    assert found(job) == holding | (IN_DOUBT & there.keys())


def test_every_event_is_valid(job: Job) -> None:
    for event in job.events:
        validate_event(event)
