"""The journal that keeps events while the store is away."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.access.roles import everything
from headwater_backend.errors import StoreUnavailable
from headwater_backend.ingest.journal import Drainer, Journal, JournalError
from headwater_backend.ingest.origin import Origin
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit.openlineage import JOB, columns, dataset, digest, event

ORIGIN = Origin(everything("key 1"), "request 1")


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
def there(tmp_path: Path) -> Iterator[LineageStore]:
    store = open_store(f"sqlite:///{tmp_path}/there.db")
    yield store
    store.close()


def stored_at_once(tmp_path: Path, told: list[Any]) -> str:
    store = open_store(f"sqlite:///{tmp_path}/alone.db")
    assert all(outcome.stored for outcome in ingest(store, told))
    found = digest(store)
    store.close()
    return found


def test_events_wait_for_the_store_and_are_in_it_then(
    journal: Journal, away: LineageStore, there: LineageStore, tmp_path: Path
) -> None:
    told = events()
    outcomes = ingest(away, told, origin=ORIGIN, journal=journal)
    assert all(outcome.stored for outcome in outcomes)
    assert (journal.waiting().files, journal.holding) == (1, True)
    assert journal.drain(there) == 1
    assert (journal.waiting().files, journal.holding) == (0, False)
    assert digest(there) == stored_at_once(tmp_path, told)
    assert [(entry.actor, entry.request) for entry in there.audit()] == [("key 1", "request 1")]


def test_a_refused_event_is_refused_while_the_store_is_away_too(journal: Journal, away: LineageStore) -> None:
    told = [events(1)[0], {"eventTime": "2026-01-01T00:00:00Z"}, b"no event"]
    outcomes = ingest(away, told, journal=journal)
    assert [outcome.stored for outcome in outcomes] == [True, False, False]
    ingest(away, [b"no event"], journal=journal)
    assert journal.waiting().files == 1


def test_what_waits_is_there_after_the_process_was_killed(there: LineageStore, tmp_path: Path) -> None:
    """A write that was not finished was not acknowledged either."""
    folder = tmp_path / "journal"
    first = Journal.open(folder)
    first.accept([*events()], ORIGIN)
    (folder / "00000000000000000001-000000001.unfinished").write_text('{"caller":')
    first.close()
    again = Journal.open(folder)
    assert again.waiting().files == 1
    again.drain(there)
    again.close()
    assert {file.name for file in folder.iterdir()} == {"lock"}
    assert len(there.runs(JOB)) == 3


def test_what_is_refused_when_it_is_taken_in_becomes_a_dead_letter(
    journal: Journal, there: LineageStore
) -> None:
    journal.accept([{"eventTime": "2026-01-01T00:00:00Z"}], ORIGIN)
    journal.drain(there)
    (letter,) = there.dead_letters()
    assert (letter.origin, letter.code) == ("key 1", "MISSING")


def test_taking_a_file_in_twice_changes_nothing(
    journal: Journal, away: LineageStore, there: LineageStore, tmp_path: Path
) -> None:
    ingest(away, events(), journal=journal)
    (file,) = (tmp_path / "journal").glob("*.json")
    kept = file.read_bytes()
    journal.drain(there)
    file.write_bytes(kept)
    journal.drain(there)
    assert digest(there) == stored_at_once(tmp_path, events())


def test_a_full_journal_takes_no_more(away: LineageStore, there: LineageStore, tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "small", most_bytes=2_500)
    ingest(away, events(1), journal=journal)
    ingest(away, events(1), journal=journal)
    with pytest.raises(StoreUnavailable, match="full"):
        ingest(away, events(1), journal=journal)
    journal.drain(there)
    ingest(away, events(1), journal=journal)
    journal.close()


def test_a_journal_belongs_to_one_process(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="another process") as refused:
        Journal.open(tmp_path / "journal")
    assert refused.value.hint


def test_a_folder_that_cannot_be_made_is_told() -> None:
    with pytest.raises(JournalError, match="/proc/journal"):
        Journal.open(Path("/proc/journal"))


def test_a_damaged_file_is_kept_aside_and_told(
    journal: Journal, there: LineageStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal.accept(events(), ORIGIN)
    (file,) = (tmp_path / "journal").glob("*.json")
    file.write_bytes(b"{half")
    journal.accept(events(), ORIGIN)
    with caplog.at_level(logging.ERROR):
        journal.drain(there)
    assert "damaged" in caplog.text
    assert file.with_suffix(".damaged").exists()
    assert len(there.runs(JOB)) == 3


def test_the_journal_is_emptied_as_soon_as_the_store_is_there(
    journal: Journal, away: LineageStore, there: LineageStore, tmp_path: Path
) -> None:
    """Its files are private, and no event waits for somebody to ask."""
    ingest(away, events(), journal=journal)
    (file,) = (tmp_path / "journal").glob("*.json")
    assert file.stat().st_mode & 0o077 == 0
    drainer = Drainer(journal, there)
    drainer.start()
    done = threading.Event()
    while journal.waiting().files and not done.wait(0.01):
        pass
    drainer.stop()
    assert digest(there) == stored_at_once(tmp_path, events())
