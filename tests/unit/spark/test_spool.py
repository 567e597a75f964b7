"""No spooled event is lost: receivers that are away or refuse events, processes that are killed, full disks."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

from headwater_queue.entry import Entry
from headwater_queue.errors import QueueError
from headwater_queue.queue import Queue
from headwater_spark.capture.application import PRODUCER
from headwater_spark.delivery import backlog
from headwater_spark.delivery.deliverer import PATIENCE
from headwater_spark.delivery.outbox import Outbox
from headwater_spark.delivery.spool import Spool, orphans
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
    """The files of events."""
    return sorted(path.name for path in folder.glob("*/*") if path.name != "destination.json")


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
    receiver = Receiver()
    outbox = Outbox.from_conf(http(receiver.url, tmp_path))
    emit_all(outbox, *names(5))
    with receiver:
        eventually(lambda: len(receiver.events) == 5)
        outbox.close()
    assert receiver.names == names(5)


def test_a_flush_tries_once_more_with_a_receiver_that_was_away_for_long(tmp_path: Path) -> None:
    receiver = Receiver()
    outbox = Outbox.from_conf(http(receiver.url, tmp_path))
    began = time.monotonic()
    emit_all(outbox, *names(3))
    eventually(lambda: time.monotonic() - began > PATIENCE + 0.5)
    with receiver:
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
    receiver = Receiver()
    conf = http(receiver.url, tmp_path)
    first = Outbox.from_conf(conf)
    emit_all(first, *names(3, "old"))
    first.flush(0)
    first.close()
    with receiver:
        second = Outbox.from_conf(conf)
        emit_all(second, *names(3, "new"))
        assert second.flush(10) == 0
        second.close()
    assert receiver.names == names(3, "old") + names(3, "new")
    assert left(tmp_path) == []


DIES = """
import sys
from pathlib import Path
from headwater_spark.delivery.spool import Spool
spool = Spool.create(Path(sys.argv[1]), 10**9)
for name in sys.argv[2:]:
    spool.append(sys.stdin.readline(), "run")
spool._queue._db.execute("BEGIN")
spool._queue._db.execute("INSERT INTO entry VALUES (100, 'run', 0, 1, 4, 0, 0, 'half')")
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_killed_process_loses_no_more_than_the_event_it_was_writing(
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
        assert list(orphans(folder)) == [], "the living process has it open"
        process.kill()
        process.communicate()
        with caplog.at_level(logging.WARNING):
            outbox = Outbox.from_conf(conf)
            emit_all(outbox, "new")
            assert outbox.flush(10) == 0
            outbox.close()
    assert receiver.names == [*names(3), "new"]
    assert not caplog.messages
    assert left(tmp_path) == []


def test_an_event_that_was_delivered_is_not_sent_again(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, LIMIT)
    for name in names(3):
        spool.append(name, "run")
    spool.remove(first(spool))
    spool.close()
    (orphan,) = orphans(tmp_path)
    assert (orphan.events, orphan.content(first(orphan))) == (2, b"job-001")
    orphan.close()


def first(spool: Spool) -> Entry:
    entry = spool.next()
    assert entry
    return entry


def contents(spool: Spool) -> list[bytes]:
    """The events in order; they are removed."""
    found = []
    while entry := spool.next():
        found.append(spool.content(entry))
        spool.remove(entry)
    return found


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
        # The copies are read: closing a file that is open here would release its lock.
        subprocess.run(["cp", "-r", str(tmp_path), str(tmp_path.with_name("copies"))], check=True)
        written = b"".join(path.read_bytes() for path in tmp_path.with_name("copies").rglob("*.*"))
        outbox.close()
    assert receiver.requests[0][1]["Authorization"] == "Bearer s3cret"
    assert b"CREATE TABLE" in written
    assert b"s3cret" not in written


def test_waiting_events_are_listed_and_delivered_on_demand(tmp_path: Path) -> None:
    receiver = Receiver()
    conf = http(receiver.url, tmp_path)
    outbox = Outbox.from_conf(conf)
    emit_all(outbox, *names(4))
    where = {"spark.headwater.spool.dir": str(tmp_path)}
    assert [(p.waiting, p.in_use) for p in backlog.pending(where)] == [(0, True)]
    outbox.flush(0)
    outbox.close()
    assert [(p.waiting, p.in_use) for p in backlog.pending(where)] == [(4, False)]
    with receiver:
        assert [p.waiting for p in backlog.flush_all(where, timeout=10)] == [0]
    assert receiver.names == names(4)


def test_a_spool_has_a_limit_and_lost_events_are_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    line = len(json.dumps(wire(event("job-000"))))
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
    spool = Spool.create(tmp_path, LIMIT)
    spool.append("1", "run")
    fill(spool)
    spool.append("2" * 10_000, "run")
    assert spool.in_memory
    clear(spool)
    spool.append("3", "run")
    assert contents(spool) == [b"1", b"2" * 10_000, b"3"]
    spool.append("4", "run")
    assert (contents(spool), spool.in_memory, spool.lost) == ([b"4"], False, 0)
    spool.close()


def fill(spool: Spool) -> None:
    """Fill the disk, as far as this spool is concerned."""
    assert spool._queue
    spool._queue._db.execute("PRAGMA max_page_count = 1")


def clear(spool: Spool) -> None:
    assert spool._queue
    spool._queue._db.execute("PRAGMA max_page_count = 1000000")


def test_events_in_memory_are_written_at_the_end_and_the_rest_is_lost(tmp_path: Path) -> None:
    spools = [Spool.create(tmp_path, LIMIT) for _ in range(2)]
    for spool in spools:
        fill(spool)
        for number in range(3):
            spool.append(f"{number}" * 10_000, "run")
    clear(spools[0])
    for spool in spools:
        spool.close()
    assert [(spool.events, spool.lost) for spool in spools] == [(3, 0), (0, 3)]
    (orphan,) = orphans(tmp_path)
    assert contents(orphan) == [b"0" * 10_000, b"1" * 10_000, b"2" * 10_000]
    orphan.close()


def test_a_delivered_event_is_not_sent_again_while_a_full_disk_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool.create(tmp_path, LIMIT)
    for name in names(3):
        spool.append(name, name)

    def full(*_: object) -> None:
        raise QueueError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Queue, "remove", full)
        spool.remove(first(spool))
        assert (spool.events, spool.content(first(spool))) == (2, b"job-001")
    spool.remove(first(spool))
    assert spool._queue and spool._queue.events == 1
    assert contents(spool) == [b"job-002"]
    spool.close()
    assert list(tmp_path.iterdir()) == []


NO_SQLITE = """
import sys
sys.modules["sqlite3"] = None
from pathlib import Path
from headwater_spark.delivery.spool import Spool
spool = Spool.create(Path(sys.argv[1]), 10**6)
spool.append("event", "run")
print(spool.in_memory, spool.content(spool.next()), list(Path(sys.argv[1]).iterdir()))
spool.close()
print(spool.lost)
"""


def test_a_python_without_sqlite_keeps_events_in_memory(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", NO_SQLITE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["True b'event' []", "1"]


def test_a_damaged_file_is_set_aside_and_the_others_are_delivered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    where = waiting(tmp_path, *names(2, "unreadable"))
    (unreadable,) = tmp_path.glob("*/*.db")
    unreadable.write_bytes(b"no database" * 1_000)
    waiting(tmp_path, *names(50, "half"))
    half = max(tmp_path.glob("*/*.db"))
    content = half.read_bytes()
    half.write_bytes(content[: len(content) // 2] + bytes(len(content) - len(content) // 2))
    waiting(tmp_path, *names(3))
    with Receiver() as receiver, caplog.at_level(logging.WARNING):
        backlog.redirect(backlog.find("127.0.0.1:9", where), receiver.url)
        backlog.flush_all(where, timeout=10)
        assert [name for name in receiver.names if "half" not in name] == names(3)
    damaged = sorted(path.name for path in tmp_path.glob("*/*.damaged"))
    assert unreadable.with_suffix(".damaged").name in damaged
    assert "events cannot be read and are kept in" in caplog.text
    assert not list(tmp_path.glob("*/*.db"))


def test_a_large_spool_gives_its_space_back_when_all_its_events_are_delivered(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, 10_000_000)
    for _ in range(3):
        spool.append("x" * 500_000, "run")
    assert len(contents(spool)) == 3
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 100_000
    spool.append("again", "run")
    assert contents(spool) == [b"again"]
    spool.close()


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


def test_a_spooled_text_that_is_no_event_is_set_aside(tmp_path: Path) -> None:
    with Receiver() as receiver:
        conf = http(receiver.url, tmp_path)
        (destination,) = destinations(conf)
        spool = Spool.create(tmp_path / destination.key, LIMIT)
        spool.append("no json at all", "")
        spool.append(json.dumps(wire(event("job"))), RUN_ID)
        spool.close()
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
    running = Spool.create(found.folder, LIMIT)
    running.append("{}", "run")

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
    where = waiting(tmp_path, "job-0")
    (folder,) = tmp_path.iterdir()
    for each in (1, 2):
        spool = Spool.create(folder, LIMIT)
        spool.append(json.dumps(wire(event(f"job-{each}"))), RUN_ID)
        spool.close()
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
