"""Cached rows are listed with the time at which they were read, and what is read anew is not."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from kit.completed_writes import written
from kit.jobs import Job, run_job
from kit.spark_lines import EITHER_LINE

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def cached(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("cached")
    job = run_job(request.param, folder, "cached_rows.py", str(folder / "data"))
    assert job.code == 0, job.output
    return job


def read_at(job: Job, output: str, source: str) -> int | None:
    """When the rows of a source were read, in epoch milliseconds; None if the run has read them."""
    found: Any = written(job, output).inputs[source]["facets"]["headwater_access"]
    return int(datetime.fromisoformat(found["readAt"]).timestamp() * 1000) if "readAt" in found else None


def replaced(job: Job, source: str) -> int:
    return int(json.loads((job.folder / "replaced.json").read_text("utf-8"))[source])


@pytest.mark.parametrize(
    ("output", "source"),
    [
        ("cached", "p_cached"),
        ("persisted", "p_persisted"),
        ("joined", "p_joined"),
        ("table", "p_table"),
        ("as_select", "p_table"),
        ("cleared", "p_cleared"),
        ("rdd", "p_rdd"),
        ("nested", "p_nested"),
        ("checkpoint", "p_checkpoint"),
        ("collected", "p_collected"),
    ],
)
def test_cached_rows_were_read_before_their_source_was_replaced(
    cached: Job, output: str, source: str
) -> None:
    at = read_at(cached, output, source)

    assert at is not None
    assert at < replaced(cached, source)


@pytest.mark.parametrize(
    ("output", "source"), [("lazy", "p_lazy"), ("joined", "p_fresh"), ("again", "p_again")]
)
def test_what_no_cache_held_was_read_by_the_run(cached: Job, output: str, source: str) -> None:
    at = read_at(cached, output, source)

    assert at is None or at >= replaced(cached, source)
