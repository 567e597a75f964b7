"""``spark.stop()`` waits no longer for the agent than its flush timeout; a capture that fails ends alone."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kit.eye import HANGS, brain, kill
from kit.faults import Rude, agent, faulty_brain, run
from kit.receiver import Receiver, eventually
from kit.spark_lines import SPARK_4

pytestmark = pytest.mark.spark

SHORT = """
import time
began = time.perf_counter()
spark.range(20).write.mode("overwrite").parquet("out")
print("took", time.perf_counter() - began)
print("result", 20)
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
"""
SLACK = 1.2
"""Seconds that Spark itself takes to stop, on a machine that has other things to do."""


def slow(_: dict[str, Any]) -> int:
    time.sleep(5)
    return 201


@contextmanager
def answering_late() -> Iterator[str]:
    with Receiver(slow) as receiver:
        yield receiver.url


@contextmanager
def never_answering() -> Iterator[str]:
    over = threading.Event()
    with Rude(lambda _: over.wait(60)) as receiver:
        yield receiver.url
        over.set()


@pytest.mark.parametrize("receiver", [answering_late, never_answering])
@pytest.mark.parametrize("limit", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_a_receiver_that_takes_its_time_does_not_take_more_than_the_limit(
    receiver: Any, limit: int, tmp_path: Path
) -> None:
    with receiver() as url:
        ran = run(SPARK_4, tmp_path, agent(url, spark__headwater__flush__timeout=f"{limit}s"), SHORT)
    assert ran.stopped < limit + SLACK
    assert len(ran.warnings) == 1
    assert "events wait in" in ran.warnings[0]


@pytest.mark.slow
def test_a_brain_that_hangs_does_not_take_more_than_the_limit_either(tmp_path: Path) -> None:
    conf = agent(spark__headwater__python=str(brain(tmp_path, HANGS)), spark__headwater__flush__timeout="3s")
    try:
        ran = run(SPARK_4, tmp_path, conf, SHORT)
    finally:
        kill(int((tmp_path / "pid").read_text()))
    assert ran.stopped < 3 + SLACK


LATE = """
import pathlib, time
begin = brain.at_low_priority
def late(action):
    while not pathlib.Path("begin").exists(): time.sleep(0.1)
    return begin(action)
brain.at_low_priority = late
"""
"""The fault that nothing is converted before there is a file ``begin``."""


def test_an_agent_that_begins_too_late_goes_on_after_the_driver_and_nothing_is_lost(tmp_path: Path) -> None:
    """As on a machine whose processors are overloaded."""
    late = agent(spark__headwater__python=faulty_brain(tmp_path, LATE), spark__headwater__flush__timeout="2s")
    ran = run(SPARK_4, tmp_path, late, SHORT)
    delivered = tmp_path / "events.ndjson"
    assert not delivered.exists()
    assert ran.stopped < 2 + SLACK
    (warning,) = ran.warnings
    assert "it goes on by itself, for 120 s at most (spark.headwater.linger.timeout)" in warning
    (tmp_path / "begin").touch()
    eventually(lambda: delivered.exists() and delivered.read_text("utf-8").count("\n") == 4)
    events = [json.loads(line) for line in delivered.read_text("utf-8").splitlines()]
    assert [event["eventType"] for event in events] == ["START", "START", "COMPLETE", "COMPLETE"]


@pytest.mark.slow
def test_without_time_of_its_own_it_is_ended_with_the_driver_and_says_what_is_lost(tmp_path: Path) -> None:
    late = agent(
        spark__headwater__python=faulty_brain(tmp_path, LATE),
        spark__headwater__flush__timeout="2s",
        spark__headwater__linger__timeout="0",
    )
    (warning,) = run(SPARK_4, tmp_path, late, SHORT).warnings
    assert "is ended: from here on this application's lineage is lost" in warning


def test_a_capture_file_that_cannot_be_written_ends_the_capture_and_nothing_else(tmp_path: Path) -> None:
    ran = run(SPARK_4, tmp_path, agent(spark__headwater__capture__file="/dev/full"), SHORT)
    events = [json.loads(line) for line in (tmp_path / "events.ndjson").read_text("utf-8").splitlines()]
    assert [event["eventType"] for event in events] == ["START", "START", "COMPLETE", "COMPLETE"]
    (warning,) = ran.warnings
    assert "captures no more documents to /dev/full" in warning
