"""A declarative pipeline under the agent: its tables are followed to the sources, through both flows of one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.closure import backward
from headwater_backend.stores import open_store
from kit.eye import surroundings
from kit.jobs import JOBS, headwater
from kit.spark_lines import SPARK_4

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PIPELINE = """name: clinic
storage: file://{folder}/storage
libraries:
  - glob:
      include: definitions.py
"""
PERSON = {"id": 1, "name": "Ann", "contact": {"mail": "a@x"}, "visits": [{"place": "Rome"}]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pipeline ran, with its events."""
    folder = tmp_path_factory.mktemp("clinic")
    (folder / "in").mkdir()
    (folder / "in" / "people.json").write_text(json.dumps(PERSON), "utf-8")
    text = (JOBS / "declarative_pipeline.py").read_text("utf-8")
    text = text.replace('"IN"', f'"{folder}/in"').replace('"OUT"', f'"{folder}/sent"')
    (folder / "definitions.py").write_text(text, "utf-8")
    (folder / "spark-pipeline.yml").write_text(PIPELINE.format(folder=folder), "utf-8")
    (folder / "conf").mkdir()
    defaults = folder / "conf" / "spark-defaults.conf"
    defaults.touch()
    done = headwater(
        SPARK_4, folder, "spark-conf", "--into", str(defaults), "--events", f"{folder}/events.ndjson"
    )
    assert done.returncode == 0, done.stderr
    run = subprocess.run(
        [str(SPARK_4.python.with_name("spark-pipelines")), "run"],
        cwd=folder,
        env={**surroundings(), "SPARK_CONF_DIR": str(defaults.parent), "PYSPARK_PYTHON": str(SPARK_4.python)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[LineageStore]:
    store = open_store(f"sqlite:///{folder / 'lineage.db'}")
    lines = (folder / "events.ndjson").read_text("utf-8").splitlines()
    assert all(outcome.stored for outcome in ingest(store, [json.loads(line) for line in lines]))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("output", "column", "sources"),
    [
        ("spark-warehouse/letters", "address", {"contact.mail"}),
        ("spark-warehouse/words", "word", {"name", "visits._element.place"}),
        ("sent", "sent", {"name", "visits._element.place"}),
    ],
)
def test_each_table_is_followed_to_the_sources(
    store: LineageStore, folder: Path, output: str, column: str, sources: set[str]
) -> None:
    graph = backward(store, NodeKey(DatasetKey("file", f"{folder}/{output}"), (column,)))
    read = DatasetKey("file", f"{folder}/in")
    assert {".".join(node.key.path) for node in graph.nodes if node.key.dataset == read} == sources
    assert graph.complete, graph.incomplete
