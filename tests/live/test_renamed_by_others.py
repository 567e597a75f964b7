"""Columns that change their names with each other, unseen by Spark, are followed by their identifiers."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.questions.closure import backward
from headwater_backend.stores import open_store
from kit.completed_writes import written
from kit.connectors import DELTA, ICEBERG, LAKES, jars
from kit.events import validate_event
from kit.jobs import Job, run_job
from kit.spark_lines import installed

pytestmark = [pytest.mark.spark, pytest.mark.slow]

VALUES = {"email": "mail-token", "ssn": "number-token"}
OUTPUTS = ("of_created", "of_filled", "of_member", "of_element")


@pytest.fixture(scope="module", params=LAKES)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    line, kind = request.param
    installed(line)
    folder = tmp_path_factory.mktemp(f"{kind}-{line}")
    (folder / "data").mkdir()
    parquet.write_table(
        pyarrow.table({name: [VALUES[name]] for name in VALUES}), folder / "data/people.parquet"
    )
    catalogs = {
        "delta": {**DELTA, "spark.sql.warehouse.dir": str(folder / "warehouse")},
        "iceberg": {**ICEBERG, "spark.sql.catalog.lake.warehouse": str(folder / "lake")},
    }[kind]
    conf = {"spark.jars": jars(line, kind), "spark.sql.shuffle.partitions": "1", **catalogs}
    done = run_job(line, folder, "renamed_by_others.py", str(folder / "data"), kind, conf=conf)
    assert done.code == 0, done.output
    return done


@pytest.mark.parametrize("output", OUTPUTS)
def test_what_a_file_holds_is_followed_to_where_it_was_read(job: Job, output: str) -> None:
    rows = parquet.read_table(job.folder / "data" / output).column("email").to_pylist()
    (held,) = {name for name, value in VALUES.items() if [value] == rows}
    assert held == "ssn"
    with closing(open_store(f"sqlite:///{job.folder}/lineage.db")) as store:
        assert all(each.stored for each in ingest(store, job.events))
        graph = backward(store, NodeKey(DatasetKey("file", written(job, output).name), ("email",)))
    origins = {
        each.key.path[0] for each in graph.nodes if Path(each.key.dataset.name).name == "people.parquet"
    }

    assert held in origins


def test_every_event_is_valid(job: Job) -> None:
    for event in job.events:
        validate_event(event)
