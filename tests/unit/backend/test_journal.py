"""The journal that keeps events while the store is away."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.journal import Drainer, Journal, JournalError
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit.failing import FailingStore
from kit.openlineage import JOB, NAMESPACE, columns, dataset, digest, event, facet
from kit.shared import ROOT

ORIGIN = Sender(everything("key 1"), "request 1")


def events(count: int = 3) -> list[dict[str, Any]]:
    return [
        event(
            "COMPLETE",
            number,
            f"run {number}",
            [dataset("in", "y")],
            [dataset(f"out {number}", "x", columnLineage=columns({"x": [("in", "y")]}))],
        )
        for number in range(count)
    ]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal")
    yield opened
    opened.close()


@pytest.fixture
def away(tmp_path: Path) -> LineageStore:
    """A store that is closed does not answer, as one that is down does not."""
    store = open_store(f"sqlite:///{tmp_path}/away.db")
    store.close()
    return store


@pytest.fixture
def reachable(tmp_path: Path) -> Iterator[LineageStore]:
    store = open_store(f"sqlite:///{tmp_path}/reachable.db")
    yield store
    store.close()


def stored_at_once(tmp_path: Path, sent_events: list[Any]) -> str:
    store = open_store(f"sqlite:///{tmp_path}/alone.db")
    assert all(outcome.stored for outcome in ingest(store, sent_events))
    found = digest(store)
    store.close()
    return found


def test_events_wait_for_the_store_and_are_in_it_then(
    journal: Journal, away: LineageStore, reachable: LineageStore, tmp_path: Path
) -> None:
    sent_events = events()
    outcomes = ingest(away, sent_events, sender=ORIGIN, journal=journal)
    assert all(outcome.stored for outcome in outcomes)
    assert (journal.waiting().events, journal.holding) == (3, True)
    assert journal.drain(reachable) == 3
    assert (journal.waiting(), journal.holding) == ((0, 0, 0.0, 0), False)
    assert digest(reachable) == stored_at_once(tmp_path, sent_events)
    assert [(entry.actor, entry.request) for entry in reachable.audit()] == [("key 1", "request 1")]


def test_claims_of_a_sender_stay_claims_through_the_journal(
    journal: Journal, away: LineageStore, reachable: LineageStore, tmp_path: Path
) -> None:
    """The owner of one namespace reports a schema, and another name, of an input in a namespace of others."""
    theirs = {**dataset("in", "y"), "namespace": "theirs"}
    theirs["facets"]["symlinks"] = facet(
        identifiers=[{"namespace": "theirs", "name": "other", "type": "TABLE"}]
    )
    sent_events = [event("COMPLETE", 1, "run", [theirs], [dataset("out", "x")])]
    sender = Sender(Caller("key 1", frozenset({Role.PRODUCER}), (NAMESPACE,)), "request 1")
    ingest(away, sent_events, sender=sender, journal=journal)
    journal.drain(reachable)
    with (
        closing(open_store(f"sqlite:///{tmp_path}/alone.db")) as alone,
        closing(open_store(f"sqlite:///{tmp_path}/admin.db")) as admin,
    ):
        ingest(alone, sent_events, sender=sender)
        ingest(admin, sent_events)
        assert digest(reachable) == digest(alone) != digest(admin)


def test_a_refused_event_is_refused_while_the_store_is_away_too(journal: Journal, away: LineageStore) -> None:
    sent_events: list[bytes | dict[str, Any]] = [
        events(1)[0],
        {"eventTime": "2026-01-01T00:00:00Z"},
        b"no event",
    ]
    outcomes = ingest(away, sent_events, journal=journal)
    assert [outcome.stored for outcome in outcomes] == [True, False, False]
    ingest(away, [b"no event"], journal=journal)
    assert journal.waiting().events == 1


ACCEPTS = """
import json, sys
from pathlib import Path
from headwater_backend.ingest.journal import Journal
from headwater_backend.ingest.sender import LOCAL
journal = Journal.open(Path(sys.argv[1]))
for event in json.load(sys.stdin):
    journal.accept([event], LOCAL)
    print("accepted", flush=True)
"""


def test_waiting_events_survive_the_end_of_the_process(reachable: LineageStore, tmp_path: Path) -> None:
    """At any moment: all accepted events are in the journal, and at most one more that was being accepted."""
    sent_events = events(1_000)
    command = [sys.executable, "-c", ACCEPTS, str(tmp_path / "journal")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(sent_events))
        process.stdin.close()
        for _ in range(20):
            process.stdout.readline()
        process.kill()
        accepted = 20 + process.stdout.read().count("accepted\n")
    assert accepted < len(sent_events)
    again = Journal.open(tmp_path / "journal")
    waiting = again.waiting().events
    assert waiting in (accepted, accepted + 1)
    assert again.drain(reachable) == waiting
    again.close()
    assert digest(reachable) == stored_at_once(tmp_path, sent_events[:waiting])


def test_what_is_refused_when_it_is_taken_in_becomes_a_dead_letter(
    journal: Journal, reachable: LineageStore
) -> None:
    journal.accept([{"eventTime": "2026-01-01T00:00:00Z"}], ORIGIN)
    journal.drain(reachable)
    (letter,) = reachable.dead_letters()
    assert (letter.origin, letter.code) == ("key 1", "MISSING")


def test_what_is_taken_in_twice_changes_nothing(
    journal: Journal, away: LineageStore, reachable: LineageStore, tmp_path: Path
) -> None:
    """A process that is killed after it stored them, and before they are deleted, leaves the journal as it was."""
    ingest(away, events(), journal=journal)
    shutil.copytree(tmp_path / "journal", tmp_path / "as it was")
    journal.drain(reachable)
    again = Journal.open(tmp_path / "as it was")
    assert again.drain(reachable) == 3
    again.close()
    assert digest(reachable) == stored_at_once(tmp_path, events())


def test_events_from_several_requests_are_stored_together_with_separate_notes(
    journal: Journal, reachable: LineageStore, tmp_path: Path
) -> None:
    sent_events = events(20)
    for number, each in enumerate(sent_events):
        journal.accept([each], Sender(everything(f"key {number}"), f"request {number}"))
    counting = FailingStore(reachable, "nothing")
    assert journal.drain(counting.port) == 20
    assert counting.tries == 1
    assert digest(reachable) == stored_at_once(tmp_path, sent_events)
    assert [(entry.actor, entry.request) for entry in reachable.audit()] == [
        (f"key {number}", f"request {number}") for number in range(20)
    ]
    assert (tmp_path / "journal" / "journal.db").stat().st_size < 64 * 1024


def drain_all(journal: Journal, store: LineageStore, clock: Clock) -> None:
    """As the server does, for an hour; the store is started again each time that it went down."""
    while clock.now < 3_600:
        with suppress(StoreUnavailable, ValueError):
            journal.drain(store)
        if isinstance(store, FailingStore):
            store.down = False
        clock.now += 1


class Clock:
    """A clock that a test sets forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("headwater_backend.ingest.journal.time", made)
    return made


def test_what_ends_the_store_each_time_holds_up_nobody_and_is_kept(
    reachable: LineageStore, tmp_path: Path, clock: Clock
) -> None:
    folder = tmp_path / "journal"
    journal = Journal.open(folder)
    sent_events = events(40)
    for each in sent_events:
        journal.accept([each], ORIGIN)
    failing = FailingStore(reachable, "out 17", takes_down=True)
    drain_all(journal, failing.port, clock)
    assert failing.tries < 40, "it is found in ever smaller company"
    waiting = journal.waiting()
    assert (waiting.events, waiting.parked) == (1, 1)
    journal.close()

    again = Journal.open(folder)
    assert again.waiting().parked == 1
    again.accept([events(41)[40]], ORIGIN)
    assert again.drain(failing.port) == 1, "what is new comes first"
    clock.now += 600
    assert again.drain(reachable) == 1
    assert again.waiting().parked == 0
    again.close()
    assert digest(reachable) == stored_at_once(tmp_path, events(41))


KILLED = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
from headwater_backend.ingest import journal as module
from headwater_backend.ingest.journal import Journal
from headwater_backend.stores import open_store
from kit.failing import FailingStore
class Kills(FailingStore):
    def apply(self, batch):
        if any(seen.key.name == "out 7" for seen in batch.datasets):
            os.kill(os.getpid(), signal.SIGKILL)
        super().apply(batch)
module.time = SimpleNamespace(time=lambda: float(sys.argv[3]))
journal, store = Journal.open(Path(sys.argv[1])), open_store(sys.argv[2])
while journal.drain(Kills(store, "").port):
    pass
"""


def test_what_kills_the_process_each_time_holds_up_nobody_and_is_kept(tmp_path: Path) -> None:
    folder, url = tmp_path / "journal", f"sqlite:///{tmp_path}/reachable.db"
    journal = Journal.open(folder)
    for each in events(10):
        journal.accept([each], ORIGIN)
    journal.close()
    command = [sys.executable, "-c", KILLED, str(folder), url]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    ends = [
        subprocess.run([*command, f"{number}000"], env=surroundings, check=False).returncode
        for number in range(2, 6)
    ]
    assert ends == [-signal.SIGKILL] * 4, "in ever smaller company"
    assert subprocess.run([*command, "5001"], env=surroundings, check=False).returncode == 0
    journal = Journal.open(folder)
    assert journal.waiting().events == 1
    journal.close()
    with closing(open_store(url)) as store:
        assert len(store.runs(JOB)) == 9


def test_a_clock_that_was_set_back_has_nothing_wait_for_years(
    journal: Journal, reachable: LineageStore, clock: Clock
) -> None:
    clock.now = 10**9
    journal.accept(events(1), ORIGIN)
    failing = FailingStore(reachable, "out 0", takes_down=True)
    with pytest.raises(StoreUnavailable):
        journal.drain(failing.port)
    clock.now = 1_000
    assert journal.drain(reachable) == 1


def test_a_full_journal_takes_no_more(away: LineageStore, reachable: LineageStore, tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "small", most_bytes=2_500)
    ingest(away, events(1), journal=journal)
    ingest(away, events(1), journal=journal)
    with pytest.raises(StoreUnavailable, match="full"):
        ingest(away, events(1), journal=journal)
    journal.drain(reachable)
    ingest(away, events(1), journal=journal)
    journal.close()


def test_a_journal_belongs_to_one_process(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="another process") as refused:
        Journal.open(tmp_path / "journal")
    assert refused.value.hint


def test_a_folder_that_cannot_be_created_is_an_error() -> None:
    with pytest.raises(JournalError, match="/proc/journal"):
        Journal.open(Path("/proc/journal"))


def test_a_file_that_is_no_journal_is_an_error_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"something else" * 100)
    with pytest.raises(JournalError, match="cannot be read") as refused:
        Journal.open(tmp_path)
    assert refused.value.hint
    assert (tmp_path / "journal.db").read_bytes() == b"something else" * 100


def test_what_was_damaged_is_kept_and_holds_up_nobody(
    reachable: LineageStore, tmp_path: Path, clock: Clock
) -> None:
    journal = Journal.open(tmp_path / "journal")
    for each in events():
        journal.accept([each], ORIGIN)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "journal" / "journal.db", isolation_level=None)) as db:
        db.execute("UPDATE entry SET content = x'7b' WHERE id = 2")
    journal = Journal.open(tmp_path / "journal")
    drain_all(journal, reachable, clock)
    assert journal.waiting()[3] == journal.waiting().events == 1
    assert len(reachable.runs(JOB)) == 2
    journal.close()


def test_the_folder_s_files_are_private(journal: Journal, tmp_path: Path) -> None:
    journal.accept(events(), ORIGIN)
    files = list((tmp_path / "journal").iterdir())
    assert len(files) == 3
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)


def test_the_journal_is_emptied_as_soon_as_the_store_is_reachable(
    journal: Journal, away: LineageStore, reachable: LineageStore, tmp_path: Path
) -> None:
    ingest(away, events(), journal=journal)
    drainer = Drainer(journal, reachable)
    drainer.start()
    done = threading.Event()
    while journal.waiting().events and not done.wait(0.01):
        pass
    drainer.stop()
    assert digest(reachable) == stored_at_once(tmp_path, events())
