"""What the agent must keep to whatever the job: sizes of events, time for a plan, memory, and the time at the end.

    python tests/bench/bench_agent_limits.py [--only widest tweets plans receiver heap]

prints, each with its aim: the event of a write of 5,000 columns (2 MB, complete); the event and the analysis of tweets
with 1,000 leaf paths behind 5 operators (200 KB, 200 ms); the analysis of chains of 100, 1,000 and 10,000 operators
(linear); how long a job of 11 writes takes to stop when the receiver sleeps 2 s a request, and how many events are
lost, beside the official agent (the flush limit of 10 s, none); and the driver's heap that is held for an agent that
hangs, over writes of 1,000 columns (32 MB). Its resident memory is measured by bench_agent_startup.py.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headwater_spark.delivery.backlog import flush_all, pending
from headwater_spark.tracing import analyse
from kit.agents import NONE, OFFICIAL, OURS, Cost, settings, submitted
from kit.eye import HANGS, brain, kill
from kit.large_plans import filters, projections
from kit.receiver import Receiver
from kit.spark_lines import SPARK_35

JOBS = Path(__file__).with_name("jobs")
WRITES = 11
SLEEP = 2.0  # seconds a request


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=MEASURED)
    options = parser.parse_args()
    for name in options.only or MEASURED:
        with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
            MEASURED[name](Path(folder))


def widest(folder: Path) -> None:
    """The largest event of a job that writes 5,000 computed columns."""
    widest = largest(ours(folder, "wide", "20", "2", "5000"))
    print(f"5,000 columns: the event has {len(widest) / 1e6:.2f} MB (aim 2), complete: {is_complete(widest)}")


def tweets(folder: Path) -> None:
    """Nested rows that are copied as they are."""
    captured = folder / "documents.ndjson"
    widest = largest(ours(folder, "tweets", "1000", **{"spark.headwater.capture.file": str(captured)}))
    documents = map(json.loads, captured.read_text("utf-8").splitlines())
    plans = [document["plan"] for document in documents if document["kind"] == "execution-end"]
    taken = max(min(seconds(plan) for _ in range(5)) for plan in plans)
    print(
        f"1,000 leaf paths through 5 operators: the event has {len(widest) / 1e3:.0f} KB (aim 200),"
        f" complete: {is_complete(widest)}; the analysis takes {taken * 1e3:.0f} ms (aim 200)"
    )


def plans(_: Path) -> None:
    """Chains of operators; processor time, the best of three."""
    for chain in (filters, projections):
        best = {count: min(seconds(chain(count)) for _ in range(3)) for count in (100, 1_000, 10_000)}
        times = ", ".join(f"{count:,}: {taken * 1e3:.0f} ms" for count, taken in best.items())
        per = best[10_000] / 100 / best[100]
        print(f"analysis of {chain.__name__}: {times}; an operator of 10,000 takes {per:.2f} × one of 100")


def seconds(plan: dict[str, Any]) -> float:
    """Processor time of one analysis."""
    began = time.process_time()
    analyse(plan)
    return time.process_time() - began


def receiver(folder: Path) -> None:
    """Stopping while the receiver is slow; what the official agent emits is known from a run with a file."""
    for agent in (OURS, OFFICIAL):
        place = folder / agent
        quick = len(job(folder / "quick" / agent, agent, "small_writes", str(WRITES - 1)).events)
        with Receiver(answer=slow) as slow_one:
            cost = submitted(
                SPARK_35,
                place,
                JOBS / "small_writes.py",
                settings(agent, place, slow_one.url),
                str(WRITES - 1),
            )
            arrived = len(slow_one.events)
            spool = {"spark.headwater.spool.dir": str(place / "cache" / "headwater" / "spool")}
            kept = sum(each.waiting for each in pending(spool))
            slow_one.answer = lambda _: 201
            flush_all(spool)
            missing = quick - len(
                {(e["run"]["runId"], e["eventType"], e["eventTime"]) for e in slow_one.events}
            )
        (stopped,) = re.findall(r"^stopped in ([\d.]+)$", cost.output, re.MULTILINE)
        print(
            f"a receiver that sleeps {SLEEP:.0f} s, {WRITES} writes, {agent}: stop() takes {float(stopped):.1f} s;"
            f" of {quick} events {arrived} arrived in time, {kept} were kept, {missing} are lost"
        )


def slow(_: dict[str, Any]) -> int:
    time.sleep(SLEEP)
    return 201


def heap(folder: Path) -> None:
    """In use after the same writes, without the agent and with one whose process hangs."""
    used = {NONE: in_use(job(folder / NONE, NONE, "held_heap", "1000", "16"))}
    place = folder / OURS
    hangs = brain(place, HANGS)
    try:
        more = {"spark.headwater.python": str(hangs), "spark.headwater.flush.timeout": "1s"}
        used[OURS] = in_use(job(place, OURS, "held_heap", "1000", "16", **more))
    finally:
        kill(int((place / "pid").read_text()))
    print(f"driver's heap held for an agent that hangs: {(used[OURS] - used[NONE]) / 2**20:.0f} MB (aim 32)")


def in_use(cost: Cost) -> int:
    (found,) = re.findall(r"^in use (\d+)$", cost.output, re.MULTILINE)
    return int(found)


def ours(folder: Path, name: str, *args: str, **more: str) -> Cost:
    return job(folder, OURS, name, *args, **more)


def job(folder: Path, agent: str, name: str, *args: str, **more: str) -> Cost:
    """A job of the folder beside this file, under an agent."""
    conf = {**settings(agent, folder), **more}
    return submitted(SPARK_35, folder, JOBS / f"{name}.py", conf, *args)


def largest(cost: Cost) -> bytes:
    """The largest of its events, as it was sent."""
    return max(cost.events, key=len)


def is_complete(event: bytes) -> bool:
    outputs = json.loads(event)["outputs"]
    return all(output["facets"]["headwater_pathLineage"]["complete"] for output in outputs)


MEASURED: dict[str, Callable[[Path], None]] = {
    "widest": widest,
    "tweets": tweets,
    "plans": plans,
    "receiver": receiver,
    "heap": heap,
}


if __name__ == "__main__":
    main()
