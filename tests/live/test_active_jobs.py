"""Active lineage of jobs over real orders and tweets: which sources the rows of a report can come from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from pyarrow import parquet

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope, lineage
from headwater_backend.stores import open_store
from kit.jobs import run_job
from kit.shared import shared
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark


def sources(found: LineageGraph) -> set[str]:
    """The files at which an answer ends, but for those to which no row can come."""
    made = {edge.target for edge in found.edges} | {each.edge.target for each in found.pruned}
    return {Path(edge.source.dataset.name).name for edge in found.edges if edge.source not in made}


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_of_five_jobs_the_ways_stay_that_a_row_can_take(line: SparkLine, tmp_path: Path) -> None:
    orders, tweets = shared("data/orders"), shared("data/tweets/tweets.ndjson")
    job = run_job(line, tmp_path, "five_conditions.py", str(orders), str(tweets), str(tmp_path / "out"))
    assert job.code == 0, job.output
    report = parquet.read_table(tmp_path / "out" / "report").to_pylist()
    assert {row["what"] for row in report} == {"toys"}
    start = NodeKey(DatasetKey("file", str(tmp_path / "out" / "report")), ("what",))
    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        assert all(each.stored for each in ingest(store, job.events))
        passive = lineage(store, start, Direction.BACKWARD, Scope())
        found = active_lineage(store, start, Direction.BACKWARD, Scope(), verify=True)
        small = active_lineage(store, start, Direction.BACKWARD, Scope(), where="number < 75")
        forward = [
            active_lineage(
                store, NodeKey(DatasetKey("file", str(place)), (path,)), Direction.FORWARD, Scope()
            )
            for place, path in ((orders / "orders2.csv", "id"), (orders / "sales_part1.csv", "category"))
        ]
    files = {"sales_part1.csv", "sales_part2.csv"}
    assert sources(passive) == {*files, "orders2.csv", "tweets.ndjson"}
    assert sources(found) == files
    assert found.complete
    because = {Path(each.edge.source.dataset.name).name: " ".join(each.because) for each in found.pruned}
    assert because.keys() == {"orders2.csv", "tweets.ndjson"}
    assert "amount < 100" in because["orders2.csv"] and "amount >= 100" in because["orders2.csv"]
    assert "(count > " in because["tweets.ndjson"] and "(retweet_count = " in because["tweets.ndjson"]
    assert {proof.checked for each in found.pruned for proof in each.proofs} <= {"TRIED", "SOLVED"}
    assert sources(small) == files
    ends = [{Path(node.key.dataset.name).name for node in each.nodes} for each in forward]
    assert ["report" in each for each in ends] == [False, True]
