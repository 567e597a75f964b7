"""Executors in processes of their own: only the driver has the agent, and nothing is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.completed_writes import runs, written
from kit.events import validate_event
from kit.jobs import found_by, run_job
from kit.spark_lines import LINES, SparkLine, spark_home

pytestmark = [pytest.mark.spark, pytest.mark.slow]

CLUSTER = {
    "spark.master": "local-cluster[1,1,1024]",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "1",
}


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_job_on_a_cluster_is_reported_as_on_one_machine(
    line: SparkLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", spark_home(line))  # where the workers find Spark
    job = run_job(line, tmp_path, "cluster.py", str(tmp_path), conf=CLUSTER)
    assert job.code == 0, job.output
    for event in job.events:
        validate_event(event)
    out = written(job, "out")

    assert list(runs(job).values()) == [["START", "COMPLETE"], ["START", "COMPLETE"]]
    assert out.direct == {"one <- in:it.all[] IDENTITY", "number <- in:it.number IDENTITY"}
    assert out.complete
    (read,) = out.inputs.values()
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 10


@pytest.mark.parametrize("line", LINES, ids=str)
def test_members_of_groups_are_exact_when_an_executor_is_killed(
    line: SparkLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", spark_home(line))
    conf = {**CLUSTER, "spark.master": "local-cluster[2,1,1024]", "spark.sql.shuffle.partitions": "4"}
    found = found_by(line, "captured_on_a_cluster.py", str(tmp_path), conf=conf)
    assert found == {"carried": True, "again": "", "killed": True, "wrong": [], "left": []}
