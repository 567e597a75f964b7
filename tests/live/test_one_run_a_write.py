"""What goes wrong elsewhere does not here: one job under a slow and moody receiver, looked at from all sides.

Another agent posts on the listener thread that it shares with others, forgets what the receiver did not take, leaves a
START without an end behind when Spark infers a schema, tells a CREATE TABLE AS SELECT as two runs, and a failed write
as FAIL and then as COMPLETE.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from kit.faults import Ran, agent, run
from kit.jobs import headwater
from kit.receiver import Receiver
from kit.spark_lines import SPARK_4

pytestmark = pytest.mark.spark

SLEEP = 2.0  # seconds a request
MOST = 4
"""Events that the receiver takes at most while the job runs."""
BODY = """
import time
began = time.perf_counter()
spark.range(5).selectExpr("id", "named_struct('a', id) AS s").write.mode("overwrite").json("in")
inferred = spark.read.json("in")
spark.read.option("inferSchema", True).option("sep", "|").csv("in").count()
inferred.write.mode("overwrite").parquet("out")
spark.sql("CREATE TABLE made USING parquet AS SELECT s.a FROM json.`in`")
failing = inferred.selectExpr("if(id >= 0, CAST(raise_error('no ' || id) AS long), id) AS x")
try:
    failing.write.mode("overwrite").parquet("failed")
except Exception as error:
    print("caught", type(error).__name__)
noted = time.perf_counter()
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(120_000)
print("noted in", time.perf_counter() - noted)
print("took", time.perf_counter() - began)
print("result", [row.a for row in spark.table("made").orderBy("a").collect()])
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
"""


@dataclass(frozen=True)
class Job:
    """The job, what has arrived when the receiver was quick again, and how much of it had while the job ran."""

    ran: Ran
    events: list[dict[str, Any]]
    in_time: int

    def kinds(self, name: str) -> list[str]:
        """The types of the events about the write of that dataset, over all runs."""
        return [e["eventType"] for e in self.events if e["job"]["name"].endswith(f"_{name}")]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    folder = tmp_path_factory.mktemp("slow")
    with Receiver(answer=moody()) as receiver:
        writes_only: dict[str, Any] = {"spark__headwater__access__driver__enabled": "false"}
        conf = agent(receiver.url, spark__headwater__flush__timeout="4s", **writes_only)
        ran = run(SPARK_4, folder, conf, BODY)
        in_time = len(receiver.events)
        receiver.answer = lambda _: 201
        assert headwater(SPARK_4, folder, "spool", "flush").returncode == 0
    return Job(ran, receiver.events, in_time)


def moody() -> Callable[[dict[str, Any]], int]:
    """A receiver that takes its time, and after some events takes no more."""
    requests = count()

    def answer(_: dict[str, Any]) -> int:
        time.sleep(SLEEP)
        return 201 if next(requests) < MOST else 503

    return answer


def test_the_listener_thread_waits_for_no_receiver(job: Job) -> None:
    (noted,) = re.findall(r"^noted in ([\d.]+)$", job.ran.output, re.MULTILINE)
    assert float(noted) < len(job.events) * SLEEP / 2
    assert (job.ran.code, job.ran.result) == (0, "[0, 1, 2, 3, 4]")


def test_what_the_receiver_did_not_take_in_time_is_kept_and_arrives_once(job: Job) -> None:
    kinds = [(event["run"]["runId"], event["eventType"]) for event in job.events]
    assert len(set(kinds)) == len(kinds)
    assert len(job.ran.warnings) == 1
    assert 0 < job.in_time <= MOST
    assert f"{len(job.events) - job.in_time} events wait in" in job.ran.warnings[0]


def test_every_run_has_one_start_and_one_end_and_there_is_none_for_a_schema(job: Job) -> None:
    runs: dict[str, list[str]] = {}
    for event in job.events:
        runs.setdefault(event["run"]["runId"], []).append(event["eventType"])
    assert sorted(runs.values()) == [["START", "COMPLETE"]] * 4 + [["START", "FAIL"]]


def test_a_create_table_as_select_is_one_run(job: Job) -> None:
    assert job.kinds("made") == ["START", "COMPLETE"]


def test_a_failed_write_fails_once_and_does_not_complete(job: Job) -> None:
    assert "caught" in job.ran.output
    assert job.kinds("failed") == ["START", "FAIL"]
