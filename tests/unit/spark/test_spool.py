"""No spooled event is lost: receivers that are away or refuse events, processes that are killed, full disks."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

from headwater_spark.capture.application import PRODUCER
from headwater_spark.delivery import backlog
from headwater_spark.delivery.deliverer import PATIENCE
from headwater_spark.delivery.journal import Journal, orphans
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.delivery.stored_event import parse_event
from headwater_spark.delivery.transport_settings import destinations
from headwater_spark.delivery.verdict import Verdict, verdict
from kit.executions import execution, wire
from kit.receiver import Receiver, eventually

RUN_ID = "01a1fb48-6953-779e-b810-bb8c3b522e23"
LIMIT = 1_000_000
DEAD = "http://127.0.0.1:9"


def event(name: str) -> RunEvent:
    return RunEvent(
        eventTime="2026-01-01T00:00:00Z",
        eventType=RunState.START,
        producer=PRODUCER,
        run=Run(RUN_ID),
        job=Job("default", name),
    )


def http(url: str, folder: Path, **more: str) -> dict[str, str]:
    return {
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": url,
        "spark.openlineage.transport.timeoutInMillis": "2000",
        "spark.headwater.spool.dir": str(folder),
        **{key.replace("__", "."): value for key, value in more.items()},
    }


def names(count: int, prefix: str = "job") -> list[str]:
    return [f"{prefix}-{i:03d}" for i in range(count)]


def emit_all(outbox: Outbox, *jobs: str) -> None:
    for name in jobs:
        outbox.emit(event(name))


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*.ndjson"))


def unused_port() -> int:
    with Receiver() as receiver:
        return receiver.port


def test_events_arrive_in_order_and_leave_nothing_behind(tmp_path: Path) -> None:
    with Receiver() as receiver:
        outbox = Outbox.from_conf(http(receiver.url, tmp_path))
        emit_all(outbox, *names(100))
        assert outbox.flush(10) == 0
        assert outbox.close() is True
    assert receiver.names == names(100)
    assert left(tmp_path) == []


def test_the_spools_folder_is_private(tmp_path: Path) -> None:
    root = tmp_path / "spool"
    with Receiver() as receiver:
        outbox = Outbox.from_conf(http(receiver.url, root))
        (folder,) = root.iterdir()
        assert (root.stat().st_mode | folder.stat().st_mode) & 0o077 == 0
        outbox.close()


def test_events_that_were_spooled_while_the_receiver_was_away_arrive_when_it_is_back(tmp_path: Path) -> None:
    port = unused_port()
    outbox = Outbox.from_conf(http(f"http://127.0.0.1:{port}", tmp_path))
    emit_all(outbox, *names(5))
    with Receiver(port=port) as receiver:
        eventually(lambda: len(receiver.events) == 5)
        outbox.close()
    assert receiver.names == names(5)


def test_a_flush_tries_once_more_with_a_receiver_that_was_away_for_long(tmp_path: Path) -> None:
    port = unused_port()
    outbox = Outbox.from_conf(http(f"http://127.0.0.1:{port}", tmp_path))
    began = time.monotonic()
    emit_all(outbox, *names(3))
    eventually(lambda: time.monotonic() - began > PATIENCE + 0.5)
    with Receiver(port=port) as receiver:
        assert outbox.flush(10) == 0
        outbox.close()
    assert receiver.names == names(3)


def test_a_flush_does_not_wait_for_a_receiver_that_is_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    outbox = Outbox.from_conf(http(f"http://127.0.0.1:{unused_port()}", tmp_path))
    emit_all(outbox, *names(3))
    with caplog.at_level(logging.WARNING):
        assert outbox.flush(60) == 3
        assert outbox.close() is False
    assert "3 events wait in" in caplog.text
    assert len(left(tmp_path)) == 1


def test_the_next_process_delivers_first_what_the_last_one_left(tmp_path: Path) -> None:
    port = unused_port()
    conf = http(f"http://127.0.0.1:{port}", tmp_path)
    first = Outbox.from_conf(conf)
    emit_all(first, *names(3, "old"))
    first.flush(0)
    first.close()
    with Receiver(port=port) as receiver:
        second = Outbox.from_conf(conf)
        emit_all(second, *names(3, "new"))
        assert second.flush(10) == 0
        second.close()
    assert receiver.names == names(3, "old") + names(3, "new")
    assert left(tmp_path) == []


DIES = """
import sys, os, json
from pathlib import Path
from headwater_spark.delivery.journal import Journal
journal = Journal.create(Path(sys.argv[1]), 10**9)
for name in sys.argv[2:]:
    journal.append(json.dumps(dict(json.loads(sys.stdin.readline()))))
os.write(journal._file, b'{"eventType": "STA')
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_killed_process_loses_no_more_than_the_line_it_was_writing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver() as receiver:
        conf = http(receiver.url, tmp_path)
        (receiver_of_events,) = destinations(conf)
        folder = tmp_path / receiver_of_events.key
        process = subprocess.Popen(
            [sys.executable, "-c", DIES, str(folder), *names(3)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin and process.stdout
        for name in names(3):
            process.stdin.write(json.dumps(wire(event(name))) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        assert list(orphans(folder)) == [], "the living process holds its journal"
        process.kill()
        process.communicate()
        with caplog.at_level(logging.WARNING):
            outbox = Outbox.from_conf(conf)
            emit_all(outbox, "new")
            assert outbox.flush(10) == 0
            outbox.close()
    assert receiver.names == [*names(3), "new"]
    assert "is dropped: its process was killed while writing it" in caplog.text


def test_an_event_that_was_acknowledged_is_not_sent_again(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, LIMIT)
    for name in names(3):
        journal.append(json.dumps(wire(event(name))))
    journal.acknowledge()
    journal.close()
    (orphan,) = orphans(tmp_path)
    assert orphan.pending == 2
    assert json.loads(orphan.peek() or b"")["job"]["name"] == "job-001"
    orphan.close()


@pytest.mark.parametrize("status", [500, 503, 429, 408, 401])
def test_a_receiver_that_asks_to_wait_gets_the_event_later_and_in_order(tmp_path: Path, status: int) -> None:
    answers = iter([status, status])
    with Receiver(lambda _: next(answers, 201)) as receiver:
        outbox = Outbox.from_conf(http(receiver.url, tmp_path))
        emit_all(outbox, *names(3))
        assert outbox.flush(20) == 0
        outbox.close()
    assert receiver.names == names(3)
    assert [status for status, _ in receiver.requests] == [status, status, 201, 201, 201]


def test_a_refused_event_is_set_aside_and_does_not_block_the_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Receiver(lambda e: 422 if e["job"]["name"] == "job-001" else 201) as receiver:
        outbox = Outbox.from_conf(http(receiver.url, tmp_path))
        with caplog.at_level(logging.WARNING):
            emit_all(outbox, *names(3))
            assert outbox.flush(10) == 0
            outbox.close()
        (pending,) = backlog.pending({"spark.headwater.spool.dir": str(tmp_path)})
    assert receiver.names == ["job-000", "job-002"]
    assert "refused an event: HTTP 422" in caplog.text
    assert len(caplog.records) == 1
    (rejected,) = tmp_path.glob("*/rejected.ndjson")
    entry = json.loads(rejected.read_text())
    assert (entry["event"]["job"]["name"], entry["reason"][:8]) == ("job-001", "HTTP 422")
    assert (pending.waiting, pending.rejected) == (0, 1)


def test_credentials_and_headers_are_sent_and_never_stored(tmp_path: Path) -> None:
    with Receiver() as receiver:
        conf = http(
            receiver.url,
            tmp_path,
            spark__openlineage__transport__auth__type="api_key",
            spark__openlineage__transport__auth__apiKey="s3cret",
        )
        outbox = Outbox.from_conf(conf)
        emit_all(outbox, "job")
        assert outbox.flush(10) == 0
        written = "".join(path.read_text() for path in tmp_path.rglob("*.*"))
        outbox.close()
    assert receiver.requests[0][1]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in written


def test_waiting_events_are_listed_and_delivered_on_demand(tmp_path: Path) -> None:
    port = unused_port()
    conf = http(f"http://127.0.0.1:{port}", tmp_path)
    outbox = Outbox.from_conf(conf)
    emit_all(outbox, *names(4))
    where = {"spark.headwater.spool.dir": str(tmp_path)}
    assert [(p.waiting, p.in_use) for p in backlog.pending(where)] == [(0, True)]
    outbox.flush(0)
    outbox.close()
    assert [(p.waiting, p.in_use) for p in backlog.pending(where)] == [(4, False)]
    with Receiver(port=port) as receiver:
        assert [p.waiting for p in backlog.flush_all(where, timeout=10)] == [0]
    assert receiver.names == names(4)


def test_a_spool_has_a_limit_and_lost_events_are_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    line = len(json.dumps(wire(event("job-000")))) + 1
    conf = http(
        f"http://127.0.0.1:{unused_port()}", tmp_path, spark__headwater__spool__maxBytes=str(3 * line)
    )
    outbox = Outbox.from_conf(conf)
    with caplog.at_level(logging.WARNING):
        emit_all(outbox, *names(5))
        outbox.flush(0)
        outbox.close()
    assert outbox.lost == 2
    (message,) = caplog.messages
    assert "its spool is full" in message
    assert "2 events are lost" in message


def test_events_are_kept_in_memory_if_the_disk_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    with Receiver() as receiver, caplog.at_level(logging.WARNING):
        outbox = Outbox.from_conf(http(receiver.url, tmp_path / "file" / "below"))
        emit_all(outbox, *names(3))
        assert outbox.flush(10) == 0
        outbox.close()
    assert receiver.names == names(3)
    assert "kept in memory" in caplog.text


def test_a_disk_that_fills_up_meanwhile_costs_neither_order_nor_events(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, LIMIT)
    journal.append("1")
    full = os.open("/dev/full", os.O_RDWR)
    disk, journal._file = journal._file, full
    journal.append("2")
    journal._file = disk
    journal.append("3")
    os.close(full)
    seen = []
    while line := journal.peek():
        seen.append(line)
        journal.acknowledge()
    assert seen == [b"1\n", b"2\n", b"3\n"]
    journal.append("4")
    assert (journal.peek(), journal.in_memory) == (b"4\n", False)
    journal.close()


def test_a_large_journal_is_truncated_when_all_its_events_are_acknowledged(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, 10_000_000)
    for _ in range(3):
        journal.append("x" * 500_000)
    while journal.peek():
        journal.acknowledge()
    assert journal.path.stat().st_size == 0
    journal.append("again")
    assert journal.peek() == b"again\n"
    journal.close()


def test_a_file_is_a_destination_like_any_other(tmp_path: Path) -> None:
    target = tmp_path / "events.ndjson"
    conf = {
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(target),
        "spark.headwater.spool.dir": str(tmp_path / "spool"),
    }
    outbox = Outbox.from_conf(conf)
    emit_all(outbox, *names(3))
    assert outbox.flush(10) == 0
    outbox.close()
    assert [json.loads(line)["job"]["name"] for line in target.read_text().splitlines()] == names(3)


def test_a_receiver_that_is_away_does_not_block_another(tmp_path: Path) -> None:
    with Receiver() as receiver:
        conf = {
            "spark.headwater.spool.dir": str(tmp_path),
            "spark.openlineage.transport.type": "composite",
            "spark.openlineage.transport.transports.away.type": "http",
            "spark.openlineage.transport.transports.away.url": f"http://127.0.0.1:{unused_port()}",
            "spark.openlineage.transport.transports.here.type": "http",
            "spark.openlineage.transport.transports.here.url": receiver.url,
        }
        outbox = Outbox.from_conf(conf)
        emit_all(outbox, *names(3))
        eventually(lambda: len(receiver.events) == 3)
        outbox.flush(0)
        outbox.close()
    assert sorted(p.waiting for p in backlog.pending(conf)) == [0, 3]


def test_an_event_is_the_same_after_it_was_on_disk() -> None:
    from headwater_spark.emit.events import started

    document = wire(started(execution()))
    assert wire(parse_event(document)) == document


@pytest.mark.parametrize(
    "error", [ConnectionError("no"), TimeoutError(), ImportError("kinesis"), RuntimeError()]
)
def test_an_error_without_a_response_is_tried_again(error: Exception) -> None:
    assert verdict(error)[0] is Verdict.LATER


def test_a_spooled_line_that_is_no_event_is_set_aside(tmp_path: Path) -> None:
    with Receiver() as receiver:
        conf = http(receiver.url, tmp_path)
        (destination,) = destinations(conf)
        journal = Journal.create(tmp_path / destination.key, LIMIT)
        journal.append("no json at all")
        journal.append(json.dumps(wire(event("job"))))
        journal.close()
        outbox = Outbox.from_conf(conf)
        assert outbox.flush(10) == 0
        outbox.close()
    assert receiver.names == ["job"]


def test_no_destination_is_no_error(tmp_path: Path) -> None:
    outbox = Outbox((), tmp_path)
    emit_all(outbox, "job")
    assert (outbox.flush(1), outbox.close(), any(tmp_path.iterdir())) == (0, True, False)


def waiting(folder: Path, *jobs: str, url: str = DEAD) -> dict[str, str]:
    """Create a spool with these events of an ended process for a receiver that is away; the setting of its folder."""
    outbox = Outbox.from_conf(http(url, folder))
    emit_all(outbox, *jobs)
    outbox.close(0)
    return {"spark.headwater.spool.dir": str(folder)}


def test_events_that_wait_for_a_dead_receiver_can_be_dropped(tmp_path: Path) -> None:
    where = waiting(tmp_path, *names(3))
    waiting(tmp_path, "other", url="http://127.0.0.1:10")
    found = backlog.find(":9 ", where)
    running = Journal.create(found.folder, LIMIT)
    running.append("{}")

    assert backlog.drop(found) == 3
    running.close()
    assert sorted((p.destination, p.waiting) for p in backlog.pending(where)) == [
        ("http http://127.0.0.1:10 api/v1/lineage", 1),
        (f"http {DEAD} api/v1/lineage", 1),
    ]


def test_refused_events_are_dropped_only_on_request(tmp_path: Path) -> None:
    with Receiver(lambda _: 400) as receiver:
        outbox = Outbox.from_conf(http(receiver.url, tmp_path))
        emit_all(outbox, "job")
        outbox.flush(10)
        outbox.close()
    (found,) = backlog.pending({"spark.headwater.spool.dir": str(tmp_path)})

    assert (backlog.drop(found), found.rejected) == (0, 1)
    assert backlog.drop(found, rejected=True) == 1
    assert not left(tmp_path)


def test_events_that_wait_for_a_dead_receiver_can_be_redirected(tmp_path: Path) -> None:
    where = waiting(tmp_path, *names(3))
    with Receiver() as receiver:
        assert backlog.redirect(backlog.find("127.0.0.1:9", where), receiver.url) == 3
        assert [p.waiting for p in backlog.flush_all(where, timeout=10)] == [0, 0]

        assert receiver.names == names(3)


def test_a_redirect_that_is_killed_midway_loses_nothing(tmp_path: Path) -> None:
    for each in range(3):
        waiting(tmp_path, f"job-{each}")
    where = {"spark.headwater.spool.dir": str(tmp_path)}
    killed = """
import os, pathlib, sys
from headwater_spark.delivery import backlog
rename, left = pathlib.Path.rename, [int(sys.argv[3])]
def dying(path, target):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), 9)
    return rename(path, target)
pathlib.Path.rename = dying
found = backlog.find("127.0.0.1:9", {"spark.headwater.spool.dir": sys.argv[1]})
backlog.redirect(found, sys.argv[2])
"""
    with Receiver() as receiver:
        arguments = [sys.executable, "-c", killed, str(tmp_path), receiver.url]
        for step in (0, 1, 0, 1):
            assert subprocess.run([*arguments, str(step)], check=False).returncode == -9
        assert sum(p.waiting for p in backlog.pending(where)) == 3
        assert backlog.redirect(backlog.find("127.0.0.1:9", where), receiver.url) >= 1
        backlog.flush_all(where, timeout=10)

        assert sorted(receiver.names) == [f"job-{each}" for each in range(3)]


def test_an_unknown_destination_raises_an_error_with_the_existing_ones(tmp_path: Path) -> None:
    where = waiting(tmp_path, "job")
    waiting(tmp_path, "job", url="http://127.0.0.1:99")

    with pytest.raises(backlog.UnknownDestinationError, match="2 destinations") as several:
        backlog.find("127.0.0.1:9", where)
    with pytest.raises(backlog.UnknownDestinationError, match="no destinations"):
        backlog.find("elsewhere", where)
    assert "http://127.0.0.1:99" in several.value.hint
    assert backlog.find(backlog.pending(where)[0].id, where) == backlog.pending(where)[0]
