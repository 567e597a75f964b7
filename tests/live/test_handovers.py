"""Jobs that hand data over under other names, or to other places: lineage goes on, or has a gap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import LineageGraph, backward, forward
from headwater_backend.stores import open_store
from kit.jobs import run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark

EXACT = (
    "csv_unnamed",
    "csv_own",
    "csv_own_header",
    "csv_header",
    "csv_checked",
    "csv_parted",
    "csv_bars",
    "text",
    "text_own",
    "map_as_struct",
    "struct_as_map",
    "array",
    "parquet_case",
    "orc_case",
    "table",
    "table_files",
    "subset",
    "loaded",
    "added",
    "moved",
    "pointed",
    "renamed",
    "renamed_outside",
    "renamed_view",
)
MIXED = ("csv_commas", "csv_text")
UNKNOWN = ("drifted", "exact_case", "loaded_drift")


class Chain:
    """What the job gave, in a store."""

    def __init__(self, store: LineageStore, folder: Path) -> None:
        self.store = store
        self.folder = folder

    def node(self, dataset: str, column: str) -> NodeKey:
        return NodeKey(DatasetKey("file", str(self.folder / dataset)), (column,))

    def sources(self, name: str) -> tuple[set[str], LineageGraph]:
        """The columns of ``people`` that an output is made of."""
        graph = backward(self.store, self.node(f"out_{name}", "x"))
        people = self.node("people", "").dataset
        return {node.key.path[0] for node in graph.nodes if node.key.dataset == people}, graph


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def chain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("chain")
    store = open_store(f"sqlite:///{folder / 'lineage.db'}")
    job = run_job(request.param, folder, "handovers.py", conf={"spark.sql.shuffle.partitions": "1"})
    assert job.code == 0, job.output
    assert all(outcome.stored for outcome in ingest(store, job.events))
    yield Chain(store, folder)
    store.close()


@pytest.mark.parametrize("name", EXACT)
def test_what_is_read_is_what_was_written_there(chain: Chain, name: str) -> None:
    sources, graph = chain.sources(name)
    assert sources == {"ssn"}
    assert graph.complete, graph.incomplete
    assert chain.node(f"out_{name}", "x") in {
        n.key for n in forward(chain.store, chain.node("people", "ssn")).nodes
    }


@pytest.mark.parametrize("name", MIXED)
def test_what_may_be_any_column_is_made_of_all(chain: Chain, name: str) -> None:
    sources, graph = chain.sources(name)
    assert sources == {"name", "ssn", "city"}
    assert graph.complete, graph.incomplete


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_known_is_a_gap(chain: Chain, name: str) -> None:
    sources, graph = chain.sources(name)
    assert sources == set()
    assert [gap.reason for gap in graph.incomplete] == ["SCHEMA_DRIFT"]


def test_looking_ahead_says_who_may_read_it_under_another_name(chain: Chain) -> None:
    graph = forward(chain.store, chain.node("people", "ssn"))
    gaps = {(Path(gap.dataset.name).name, gap.path) for gap in graph.incomplete}
    assert gaps == {("drifted", ("ssn",)), ("exact_case", ("SsnNumber",)), ("to_drift", ("nummer",))}


def test_a_table_like_another_has_none_of_its_data(chain: Chain) -> None:
    sources, graph = chain.sources("liked")
    assert sources == set()
    assert graph.complete, graph.incomplete
