"""Several writes of one job into one output: all count whose data are in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import backward, forward
from headwater_backend.stores import open_store
from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

Written = tuple[LineageStore, Path]


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    folder = tmp_path_factory.mktemp("writes")
    store = open_store(f"sqlite:///{folder / 'lineage.db'}")
    job = run_job(request.param, folder, "repeated_writes.py", conf={"spark.sql.shuffle.partitions": "1"})
    assert job.code == 0, job.output
    assert all(outcome.stored for outcome in ingest(store, job.events))
    yield store, folder
    store.close()


@pytest.mark.parametrize(
    ("output", "sources"),
    [
        ("appended", "ab"),
        ("replaced", "c"),
        ("replaced_and_appended", "bc"),
        ("ignored", "a"),
        ("spark-warehouse/inserted", "abc"),
        ("spark-warehouse/saved", "abc"),
        ("spark-warehouse/saved_again", "b"),
        ("parted", "ab"),
        ("spark-warehouse/parted_table", "ab"),
        ("spark-warehouse/first", "ac"),
        ("spark-warehouse/second", "b"),
    ],
)
def test_the_columns_whose_data_are_in_an_output_are_its_sources(
    written: Written, output: str, sources: str
) -> None:
    store, folder = written
    source = DatasetKey("file", str(folder / "source"))
    target = NodeKey(DatasetKey("file", str(folder / output)), ("x",))
    graph = backward(store, target)
    assert graph.complete
    # What `ignore` did not write is listed as well: whether there was something is not known beforehand.
    assert {*sources} <= {node.key.path[0] for node in graph.nodes if node.key.dataset == source}
    for column in "abc":
        ahead = {node.key for node in forward(store, NodeKey(source, (column,))).nodes}
        assert (target in ahead) == (column in sources)
