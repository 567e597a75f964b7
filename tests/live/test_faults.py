"""Never in the way: whatever goes wrong with the agent, the job has the same result, exit code and speed.

Each fault runs over a job that writes, and is compared with the same job without the agent. What is lost is reported in
one line; what is only late arrives once, and in order.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kit.eye import DIES, HANGS, TALKS, brain, is_running, kill, script, surroundings, wait_for
from kit.faults import (
    WRITES,
    Ran,
    Rude,
    agent,
    faulty_brain,
    killed_at,
    raising,
    resets,
    run,
    talks_garbage,
    without_class,
)
from kit.jobs import headwater
from kit.receiver import Receiver
from kit.shared import ROOT
from kit.spark_lines import LINES, SPARK_4, SparkLine, short_lived
from kit.spooled import spooled

pytestmark = pytest.mark.spark

SOURCES = ROOT / "integration" / "jvm" / "src" / "main" / "java"
EVENTS = 2 + 2 * (WRITES + 1)
"""Of the application, each write, and the read that gives its result to the program."""
LOST = "lineage is lost. The job goes on."


class Control:
    """The job without the agent, ``ran`` once, and again when the machine seems to have become slower."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ran = self.again()

    def again(self) -> Ran:
        self.ran = run(SPARK_4, self._folder, {})
        return self.ran


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Control:
    return Control(tmp_path_factory.mktemp("control"))


def assert_unharmed(ran: Ran, control: Control, stop: float = 4.0) -> None:
    """As without the agent; ``stop`` seconds more may go by at the end. Other jobs run on this machine: loosely."""
    assert (ran.code, ran.result) == (control.ran.code, control.ran.result), ran.output
    assert was_as_fast(ran, control.ran, stop) or was_as_fast(ran, control.again(), stop), (ran, control.ran)


def was_as_fast(ran: Ran, plain: Ran, stop: float) -> bool:
    return ran.took < 2.5 * plain.took + 2 and ran.stopped < plain.stopped + stop


def keys(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["run"]["runId"], event["eventType"]) for event in events]


def assert_each_once_and_in_order(events: list[dict[str, Any]], count: int = EVENTS) -> None:
    sent = keys(events)
    assert len(sent) == len(set(sent)) == count, sent
    for run_id, kind in sent:
        assert sent.index((run_id, "START")) <= sent.index((run_id, kind))


def written(folder: Path) -> list[dict[str, Any]]:
    file = folder / "events.ndjson"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def flushed(folder: Path) -> subprocess.CompletedProcess[str]:
    return headwater(SPARK_4, folder, "spool", "flush")


def test_a_brain_that_is_killed_in_the_middle_costs_one_line(control: Control, tmp_path: Path) -> None:
    conf = agent(spark__headwater__python=faulty_brain(tmp_path, killed_at(4)))
    ran = run(SPARK_4, tmp_path, conf)

    assert_unharmed(ran, control)
    assert len(ran.warnings) == 1
    assert LOST in ran.warnings[0]


def test_a_receiver_that_sleeps_costs_the_job_nothing_and_no_event(control: Control, tmp_path: Path) -> None:
    with Receiver(answer=slow) as receiver:
        conf = agent(receiver.url, spark__headwater__flush__timeout="8s")
        ran = run(SPARK_4, tmp_path, conf)
        assert_unharmed(ran, control, stop=10)
        assert len(ran.warnings) == 1
        assert "events wait in" in ran.warnings[0]
        receiver.answer = lambda _: 201
        wait_for(lambda: flushed(tmp_path).returncode == 0)
        assert_each_once_and_in_order(receiver.events)


def slow(_: dict[str, Any]) -> int:
    time.sleep(2)
    return 201


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))"


@pytest.mark.slow
def test_a_full_disk_under_the_spool_is_reported_and_events_arrive_all_the_same(
    control: Control, tmp_path: Path
) -> None:
    with Receiver() as receiver:
        conf = agent(receiver.url, spark__headwater__python=faulty_brain(tmp_path, FULL))
        ran = run(SPARK_4, tmp_path, conf)

    assert_unharmed(ran, control)
    assert len(ran.warnings) == 1
    assert "kept in memory" in ran.warnings[0]
    assert_each_once_and_in_order(receiver.events)


ENDLESS = """
from pyspark.sql.functions import udf
def waits(x):
    import time
    time.sleep(60)
    return x
spark.range(3).write.mode("overwrite").parquet("in")
print("writing", flush=True)
spark.read.parquet("in").select(udf(waits, "long")("id").alias("x")).write.mode("overwrite").parquet("out")
"""


@pytest.mark.parametrize(
    "with_it",
    [
        pytest.param(False, id="the driver alone"),
        pytest.param(True, id="its brain as well", marks=pytest.mark.slow),
    ],
)
def test_a_driver_that_is_killed_leaves_a_spool_that_is_delivered_later(
    with_it: bool, tmp_path: Path
) -> None:
    receiver = Receiver()
    job = script(tmp_path, ENDLESS, agent(receiver.url))
    environment = surroundings({**short_lived(SPARK_4), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    with ExitStack() as stack:
        log = stack.enter_context((tmp_path / "log").open("wb"))
        process = stack.enter_context(
            subprocess.Popen(
                [str(SPARK_4.python), str(job)], cwd=tmp_path, env=environment, stdout=log, stderr=log
            )
        )
        stack.callback(process.kill)
        wait_for(lambda: spooled(tmp_path / "cache" / "headwater" / "spool") >= 4, 60)
        below = descendants(process.pid)
        agents = [pid for pid in below if b"headwater_spark.brain" in command(pid)]
        assert len(agents) == 1
        for pid in below:
            if with_it or pid not in agents:
                kill(pid)
    wait_for(lambda: not any(is_running(pid) for pid in agents), 30)

    with receiver:
        assert flushed(tmp_path).returncode == 0
        assert flushed(tmp_path).returncode == 0
    ends = 0 if with_it else 2
    assert_each_once_and_in_order(receiver.events, 4 + ends)
    assert [kind for _, kind in keys(receiver.events)].count("ABORT") == ends


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(pid: int) -> list[int]:
    """The processes below one, itself last."""
    asked = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in asked.splitlines())}

    def below(root: int) -> Iterator[int]:
        for child, parent in parents.items():
            if parent == root:
                yield from below(child)
        yield root

    return list(below(pid))


WIDE = """
import time
began = time.perf_counter()
columns = [f"id + {i} AS column_{i}" for i in range(1_000)]
spark.range(3).selectExpr(*columns).write.mode("overwrite").parquet("wide")
print("took", time.perf_counter() - began)
print("result", spark.read.parquet("wide").count())
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
"""


@pytest.mark.slow
def test_a_brain_that_reads_nothing_of_much_does_not_hold_up_the_end(tmp_path: Path) -> None:
    interpreter = brain(tmp_path, HANGS)
    conf = agent(spark__headwater__python=str(interpreter), spark__headwater__flush__timeout="1s")
    try:
        ran = run(SPARK_4, tmp_path, conf, WIDE)
    finally:
        kill(int((tmp_path / "pid").read_text()))

    assert (ran.code, ran.result) == (0, "3")
    assert len(ran.warnings) == 1
    assert LOST in ran.warnings[0]


BRAINS = {
    "dies at once": (DIES, LOST),
    "is killed at its start": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", LOST),
    "hangs": (HANGS, LOST),
    "floods standard error": (TALKS, "more lines, which are not shown"),
    "has no package": ("import sys; sys.exit('No module named headwater_spark')", "No module named"),
}


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=str)
@pytest.mark.parametrize("fault", BRAINS)
def test_a_brain_that_is_no_use(fault: str, line: SparkLine, control: Control, tmp_path: Path) -> None:
    program, says = BRAINS[fault]
    interpreter = brain(tmp_path, program)
    conf = agent(spark__headwater__python=str(interpreter), spark__headwater__flush__timeout="2s")
    try:
        ran = run(line, tmp_path, conf)
    finally:
        if (tmp_path / "pid").exists():
            kill(int((tmp_path / "pid").read_text()))

    assert_unharmed(ran, control, stop=8)
    assert len(ran.warnings) == 1, ran.warnings
    assert says in ran.warnings[0]


@pytest.mark.slow
def test_python_is_missing(control: Control, tmp_path: Path) -> None:
    ran = run(SPARK_4, tmp_path, agent(spark__headwater__python=str(tmp_path / "no-python")))

    assert_unharmed(ran, control)
    assert len(ran.warnings) == 1
    assert LOST in ran.warnings[0]


@pytest.mark.slow
@pytest.mark.parametrize("document", [1, 2, 2 + 2 * WRITES])
def test_a_brain_that_is_killed_later(document: int, control: Control, tmp_path: Path) -> None:
    conf = agent(spark__headwater__python=faulty_brain(tmp_path, killed_at(document)))
    ran = run(SPARK_4, tmp_path, conf)

    assert_unharmed(ran, control)
    assert len(ran.warnings) == 1


@pytest.mark.slow
def test_a_brain_that_raises_at_every_event(control: Control, tmp_path: Path) -> None:
    conf = agent(spark__headwater__python=faulty_brain(tmp_path, raising("headwater_spark.emit.events:fit")))
    ran = run(SPARK_4, tmp_path, conf)

    assert_unharmed(ran, control)
    assert len(ran.warnings) == 1, ran.warnings
    assert "is incomplete" in ran.warnings[0]


LOADED_BY_SPARK = {"HeadwaterListener", "HeadwaterSource"}
EYE = sorted({source.stem for source in SOURCES.rglob("[A-Z]*.java")} - LOADED_BY_SPARK)
"""All classes but those that Spark itself loads."""
NOT_NEEDED = {
    "DeltaCommits", "IcebergSnapshots", "Options", "Places", "PlanDocuments", "PlanTooLarge", "RddInputs", "RddJob",
}  # fmt: skip
"""What this job's plans have no use for."""


@pytest.mark.slow
@pytest.mark.parametrize("name", EYE)
def test_an_exception_in_any_stage_of_the_eye(name: str, control: Control, tmp_path: Path) -> None:
    ran = run(SPARK_4, tmp_path, agent(jar=without_class(tmp_path, name)))

    assert_unharmed(ran, control)
    complete = len(written(tmp_path)) == EVENTS
    assert ran.warnings or (complete and reported_incomplete(tmp_path)) or name in NOT_NEEDED
    assert len(ran.warnings) <= 1, ran.warnings


def reported_incomplete(folder: Path) -> bool:
    """Whether each write's event says that something is missing."""
    outputs = [output for event in written(folder) for output in event["outputs"]]
    facets = [output["facets"].get("headwater_pathLineage", {"complete": False}) for output in outputs]
    return not any(facet["complete"] for facet in facets)


@pytest.mark.slow
@pytest.mark.parametrize("status", [500, 503, 429, 401])
def test_a_receiver_that_refuses_for_now(status: int, control: Control, tmp_path: Path) -> None:
    with Receiver(answer=lambda _: status) as receiver:
        ran = run(SPARK_4, tmp_path, agent(receiver.url))
        assert_unharmed(ran, control, stop=8)
        receiver.answer = lambda _: 201
        assert flushed(tmp_path).returncode == 0
    assert len(ran.warnings) == 1, ran.warnings
    assert "wait in" in ran.warnings[0]
    assert_each_once_and_in_order(receiver.events)


@pytest.mark.slow
@pytest.mark.parametrize("manner", [resets, talks_garbage])
def test_a_receiver_that_is_no_receiver(manner: Any, control: Control, tmp_path: Path) -> None:
    with Rude(manner) as receiver:
        ran = run(SPARK_4, tmp_path, agent(receiver.url))
    assert_unharmed(ran, control, stop=8)
    assert len(ran.warnings) == 1, ran.warnings
    assert "wait in" in ran.warnings[0]
    assert spooled(tmp_path / "cache" / "headwater" / "spool") == EVENTS


@pytest.mark.slow
def test_a_receiver_that_is_down_for_the_whole_job(control: Control, tmp_path: Path) -> None:
    receiver = Receiver()
    ran = run(SPARK_4, tmp_path, agent(receiver.url))
    assert_unharmed(ran, control, stop=8)
    assert len(ran.warnings) == 1, ran.warnings
    assert f"{EVENTS} events wait in" in ran.warnings[0]
    with receiver:
        (tmp_path / "next").mkdir()
        again = run(SPARK_4, tmp_path, agent(receiver.url))
    assert again.code == control.ran.code
    assert_each_once_and_in_order(receiver.events, 2 * EVENTS)


@pytest.mark.slow
def test_a_full_disk_and_a_receiver_that_is_away_say_what_is_lost(control: Control, tmp_path: Path) -> None:
    with Receiver() as receiver:
        url = receiver.url
    ran = run(SPARK_4, tmp_path, agent(url, spark__headwater__python=faulty_brain(tmp_path, FULL)))
    assert_unharmed(ran, control, stop=8)
    assert len(ran.warnings) == 1, ran.warnings
    assert f"{EVENTS} events are lost" in ran.warnings[0]


LARGE = """
import time
from functools import reduce
began = time.perf_counter()
level = [spark.range(i, i + 1, 1, 1).selectExpr("id + 1 AS x").where(f"x >= {i}") for i in range(1_250)]
while len(level) > 1:
    level = [a.union(b) for a, b in zip(level[::2], level[1::2])] + level[len(level) // 2 * 2:]
level[0].coalesce(1).write.mode("overwrite").parquet("large")
print("took", time.perf_counter() - began)
print("result", spark.read.parquet("large").count())
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
sys.exit(3)
"""
CACHED = """
import time
began = time.perf_counter()
spark.range(50).selectExpr("id", "named_struct('a', id) AS s").write.mode("overwrite").parquet("in")
frame = spark.read.parquet("in").cache()
spark.conf.set("spark.sql.shuffle.partitions", "2")
for _ in range(3):
    frame = frame.join(frame.select("id"), "id").union(frame).distinct().cache()
frame.write.mode("overwrite").parquet("cached")
frame.count()
spark.read.parquet("cached").union(frame).cache().write.mode("overwrite").parquet("again")
print("took", time.perf_counter() - began)
print("result", spark.read.parquet("again").count())
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
sys.exit(3)
"""


@pytest.mark.slow
@pytest.mark.parametrize("body", [LARGE, CACHED], ids=["5,000 operators", "in itself through cache"])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_plan_that_is_hard_to_walk(body: str, line: SparkLine, tmp_path: Path) -> None:
    plain = run(line, tmp_path, {}, body, timeout=600)
    ran = run(line, tmp_path, agent(), body, timeout=600)

    assert (ran.code, ran.result) == (plain.code, plain.result)
    assert ran.took < 2.5 * plain.took + 2, f"{ran.took} s instead of {plain.took} s"
    assert ran.warnings == []
    ended = [event for event in written(tmp_path) if event["eventType"] == "COMPLETE" and event["outputs"]]
    assert len(ended) == body.count(".write.")
    assert all(o["facets"]["headwater_pathLineage"]["complete"] for e in ended for o in e["outputs"])
