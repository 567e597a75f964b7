"""A queue on disk never stops at its head: what a receiver keeps failing on waits aside, and the rest arrives."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

from headwater_spark.capture.application import PRODUCER
from headwater_spark.delivery import backlog, deliverer
from headwater_spark.delivery import spool as spool_module
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.delivery.spool import Spool, orphans
from headwater_spark.delivery.transport_settings import destinations
from kit.executions import wire
from kit.faults import Rude
from kit.receiver import Receiver, eventually

Answer = Callable[[dict[str, Any]], int]


def event(job: str, run: int) -> RunEvent:
    return RunEvent(
        eventTime="2026-01-01T00:00:00Z",
        eventType=RunState.START,
        producer=PRODUCER,
        run=Run(f"01a1fb48-6953-779e-b810-{run:012d}"),
        job=Job("default", job),
    )


def conf(url: str, folder: Path, **more: str) -> dict[str, str]:
    return {
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.timeoutInMillis": "1000",
        "spark.headwater.spool.dir": str(folder),
        **{key.replace("__", "."): value for key, value in more.items()},
    }


def where(folder: Path) -> dict[str, str]:
    return {"spark.headwater.spool.dir": str(folder)}


def left(folder: Path) -> tuple[int, int]:
    """Events that wait, and that are parked."""
    (found,) = backlog.pending(where(folder))
    return found.waiting, found.parked


def refusing(*jobs: str, status: int = 503) -> Answer:
    return lambda event: status if event["job"]["name"].startswith(jobs) else 201


@pytest.mark.parametrize("status", [500, 503, 429, 302])
def test_an_event_that_is_refused_for_ever_holds_up_no_other_run(
    tmp_path: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver(refusing("poison", status=status)) as receiver, caplog.at_level(logging.WARNING):
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        outbox.emit(event("poison", 0))
        outbox.emit(event("behind-poison", 0))
        for run in range(1, 20):
            outbox.emit(event(f"job-{run:02d}", run))
        began = time.monotonic()
        assert outbox.flush(20) == 2
        took = time.monotonic() - began
        outbox.close()
    assert receiver.names == [f"job-{run:02d}" for run in range(1, 20)]
    assert left(tmp_path) == (0, 2)
    assert took < 5
    (message,) = caplog.messages
    assert f"it keeps failing on some runs while it accepts others (HTTP {status}); 2 events" in message


def test_a_run_goes_on_in_order_once_its_first_event_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "FIRST_PAUSE", 0.2)
    with Receiver(refusing("a")) as receiver:
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for job, run in (("a1", 0), ("b1", 1), ("a2", 0), ("c1", 2), ("a3", 0), ("d1", 3)):
            outbox.emit(event(job, run))
        (spool, _), *_ = outbox._spools
        eventually(lambda: receiver.names == ["b1", "c1", "d1"] and spool.parked == 3)
        outbox.emit(event("a4", 0))
        eventually(lambda: spool.parked == 4)
        receiver.answer = lambda _: 201
        eventually(lambda: len(receiver.events) == 7)
        outbox.close()
    assert receiver.names == ["b1", "c1", "d1", "a1", "a2", "a3", "a4"]
    assert left(tmp_path) == (0, 0)
    assert not list(tmp_path.glob("*/*.db"))


def test_pauses_grow_and_survive_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Receiver(refusing("poison")) as receiver:
        park_one(receiver, tmp_path)
        (folder,) = tmp_path.iterdir()
        pauses = []
        for _ in range(4):
            (spool,) = orphans(folder)
            pauses += [round(due - time.time()) for due in spool.parked_streams().values()]
            spool.make_due()
            entry = spool.next()
            assert entry
            spool.park(entry)
            spool.close()
        assert pauses == [30, 120, 480, 900]
        tries = len(receiver.requests)

        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        outbox.emit(event("next", 9))
        assert outbox.flush(10) == 0
        outbox.close()
        assert len(receiver.requests) == tries + 1


def park_one(receiver: Receiver, folder: Path) -> None:
    outbox = Outbox.from_conf(conf(receiver.url, folder))
    for job, run in (("poison", 0), ("b", 1), ("c", 2), ("d", 3)):
        outbox.emit(event(job, run))
    assert outbox.flush(20) == 1
    outbox.close()
    assert left(folder)[1] == 1


def test_what_is_parked_is_delivered_by_a_flush_or_dropped_or_given_to_another(tmp_path: Path) -> None:
    with Receiver(refusing("poison")) as receiver, Receiver() as other:
        for folder in (tmp_path / "flushed", tmp_path / "dropped", tmp_path / "given"):
            receiver.answer = refusing("poison")
            park_one(receiver, folder)
        assert backlog.drop(backlog.find("", where(tmp_path / "dropped"))) == 1
        assert backlog.redirect(backlog.find("", where(tmp_path / "given")), other.url) == 1
        backlog.flush_all(where(tmp_path / "given"), timeout=10)
        assert [(p.waiting, p.parked) for p in backlog.flush_all(where(tmp_path / "flushed"), 10)] == [(0, 1)]
        receiver.answer = lambda _: 201
        assert [(p.waiting, p.parked) for p in backlog.flush_all(where(tmp_path / "flushed"), 10)] == [(0, 0)]
    assert other.names == ["poison"]
    assert receiver.names.count("poison") == 1
    assert not list(tmp_path.glob("*/*/*.db"))


def test_events_of_a_run_wait_behind_those_that_an_ended_process_parked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the end of an application does, which another process reports."""
    monkeypatch.setattr(spool_module, "FIRST_PAUSE", 1.5)
    monkeypatch.setattr(deliverer, "FIRST_RETRY", 1.5)
    with Receiver(refusing("poison")) as receiver:
        park_one(receiver, tmp_path)
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for job, run in (("poison-end", 0), ("e", 5)):
            outbox.emit(event(job, run))
        eventually(partial(_has, receiver, "e"))
        receiver.answer = lambda _: 201
        eventually(partial(_has, receiver, "poison-end"))
        outbox.close()
    assert receiver.names == ["b", "c", "d", "e", "poison", "poison-end"]
    assert left(tmp_path) == (0, 0)


def test_the_same_run_parked_for_two_receivers_is_whole_after_a_redirect(tmp_path: Path) -> None:
    with Receiver(refusing("poison")) as first, Receiver(refusing("poison")) as second:
        park_one(first, tmp_path)
        (found,) = backlog.pending(where(tmp_path))
        outbox = Outbox.from_conf(conf(second.url, tmp_path))
        for job, run in (("poison-too", 0), ("b", 1), ("c", 2), ("d", 3)):
            outbox.emit(event(job, run))
        outbox.flush(20)
        outbox.close()
        assert backlog.redirect(found, second.url) == 1
        second.answer = lambda _: 201
        backlog.flush_all(where(tmp_path), 10)
        assert sorted(name for name in second.names if "poison" in name) == ["poison", "poison-too"]


def test_a_receiver_that_is_away_for_long_parks_nothing(tmp_path: Path) -> None:
    with Receiver(lambda _: 503) as receiver:
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for run in range(5):
            outbox.emit(event(f"job-{run}", run))
        eventually(lambda: len(receiver.requests) >= 5)
        (spool, _), *_ = outbox._spools
        assert (spool.parked, receiver.events) == (0, [])
        receiver.answer = lambda _: 201
        outbox.flush(20)
        outbox.close()
    assert sorted(receiver.names) == [f"job-{run}" for run in range(5)]
    assert left(tmp_path) == (0, 0)


def test_a_receiver_that_fails_now_and_then_gets_everything_without_parking(tmp_path: Path) -> None:
    turns = count()
    with Receiver(lambda _: 503 if next(turns) % 3 == 0 else 201) as receiver:
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for run in range(30):
            outbox.emit(event(f"job-{run:02d}", run))
        assert outbox.flush(30) == 0
        outbox.close()
    assert sorted(receiver.names) == [f"job-{run:02d}" for run in range(30)]


def abandoned(url: str, folder: Path, *jobs: tuple[str, int]) -> Path:
    """A spool of an ended process, for that receiver; the destination's folder."""
    (receiver,) = destinations(conf(url, folder))
    spool = Spool.create(folder / receiver.key, 10_000_000)
    for job, run in jobs:
        spool.append(json.dumps(wire(event(job, run))), event(job, run).run.runId)
    spool.close()
    return folder / receiver.key


def _has(receiver: Receiver, name: str) -> bool:
    return name in receiver.names


def test_spools_of_dead_jobs_that_hold_nothing_but_such_runs_do_not_hold_up_a_new_job(
    tmp_path: Path,
) -> None:
    with Receiver(refusing("poison")) as receiver:
        for each in range(70):
            abandoned(receiver.url, tmp_path, (f"poison-{each}", each))
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for run in range(100, 110):
            outbox.emit(event(f"job-{run}", run))
            eventually(partial(_has, receiver, f"job-{run}"))
        outbox.close()
    assert sum(left(tmp_path)) == 70


def test_every_event_is_taken_from_among_many_that_are_refused(tmp_path: Path) -> None:
    jobs = [(f"{'poison' if run % 2 else 'good'}-{run:03d}", run) for run in range(100)]
    with Receiver(refusing("poison")) as receiver:
        abandoned(receiver.url, tmp_path, *jobs)
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        eventually(lambda: len(receiver.events) == 50)
        outbox.emit(event("good-last", 200))
        eventually(lambda: len(receiver.events) == 51)
        outbox.close()
    assert sum(left(tmp_path)) == 50


def test_one_event_that_makes_the_receiver_hang_does_not_eat_the_time_of_the_end(tmp_path: Path) -> None:
    """Once it is parked: a flush does not try it."""
    go_on = threading.Event()

    def hanging(found: dict[str, Any]) -> int:
        return 201 if found["job"]["name"] != "poison" else (go_on.wait(10), 503)[1]

    with Hanging(hanging) as receiver:
        slow = conf(receiver.url, tmp_path, spark__openlineage__transport__timeoutInMillis="4000")
        outbox = Outbox.from_conf(slow)
        for job, run in (("poison", 0), ("b", 1), ("c", 2), ("d", 3)):
            outbox.emit(event(job, run))
        (spool, _), *_ = outbox._spools
        eventually(lambda: spool.parked == 1)
        outbox.emit(event("last", 4))
        began = time.monotonic()
        assert outbox.flush(10) == 1
        assert time.monotonic() - began < 3
        outbox.close()
        go_on.set()
    assert receiver.names[-1] == "last"


class Hanging(Receiver):
    """One that answers several at a time."""

    def take(self, event: dict[str, Any], headers: dict[str, str]) -> int:
        status = self.answer(event)
        with self._lock:
            self.requests.append((status, headers))
            if status < 300:
                self.events.append(event)
        return status


KILLED = """
import os, sys
from headwater_queue.queue import Queue
from headwater_spark.delivery.outbox import Outbox
left = [int(sys.argv[1])]
def dying(action):
    def dies(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), 9)
        return action(*args, **kwargs)
    return dies
for name in ("record", "remove", "append", "close"):
    setattr(Queue, name, dying(getattr(Queue, name)))
outbox = Outbox.from_conf({"spark.openlineage.transport.type": "http", "spark.openlineage.transport.url": sys.argv[2],
                    "spark.headwater.spool.dir": sys.argv[3]})
outbox.flush(10)
outbox.close()
"""


@pytest.mark.parametrize("step", range(8))
def test_a_process_that_is_killed_while_it_parks_loses_nothing(tmp_path: Path, step: int) -> None:
    jobs = [("poison-1", 0), ("b", 1), ("poison-2", 0), ("c", 2), ("d", 3)]
    with Receiver(refusing("poison")) as receiver:
        abandoned(receiver.url, tmp_path, *jobs)
        arguments = [sys.executable, "-c", KILLED, str(step), receiver.url, str(tmp_path)]
        subprocess.run(arguments, check=False, env={**os.environ, "OPENLINEAGE_URL": ""})
        receiver.answer = lambda _: 201
        backlog_of(tmp_path, receiver.url)
        assert {name for name, _ in jobs} == set(receiver.names)
        first = [receiver.names.index(name) for name in ("poison-1", "poison-2")]
        assert first == sorted(first)


def backlog_of(folder: Path, url: str) -> None:
    outbox = Outbox.from_conf(conf(url, folder))
    outbox.flush(10)
    outbox.close()
    backlog.flush_all(where(folder), 10)


def test_where_parking_is_not_possible_the_others_arrive_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Spool, "park", lambda *_: None)
    with Receiver(refusing("poison")) as receiver:
        outbox = Outbox.from_conf(conf(receiver.url, tmp_path))
        for run in range(10):
            outbox.emit(event("poison" if run == 0 else f"job-{run}", run))
        eventually(lambda: len(receiver.events) == 9)
        receiver.answer = lambda _: 201
        assert outbox.flush(10) == 0
        outbox.close()
    assert sorted(receiver.names) == sorted(["poison", *(f"job-{run}" for run in range(1, 10))])


@pytest.fixture
def silent() -> Iterator[str]:
    """A receiver that takes connections and never answers."""
    over = threading.Event()
    with Rude(lambda _: over.wait(30)) as receiver:
        yield receiver.url
        over.set()


def test_a_receiver_that_never_answers_parks_nothing_and_keeps_the_limit(tmp_path: Path, silent: str) -> None:
    outbox = Outbox.from_conf(conf(silent, tmp_path, spark__openlineage__transport__timeoutInMillis="20000"))
    for run in range(3):
        outbox.emit(event(f"job-{run}", run))
    began = time.monotonic()
    outbox.flush(2)
    outbox.close(1)
    assert time.monotonic() - began < 10
    assert left(tmp_path) == (3, 0)
