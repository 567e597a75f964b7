"""The audit log of both stores: appended with the action itself, in one chain for all writers, and never changed."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from headwater_backend.domain.audit_log import START, AuditEntry, AuditNote, breaks
from headwater_backend.domain.records import Batch
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from kit.openlineage import dataset, event


def note(action: str, **details: object) -> AuditNote:
    return AuditNote("key 1", action, "stored", "request 1", details)


def noted(*actions: str) -> Batch:
    return Batch(notes=tuple(note(action) for action in actions))


def test_entries_are_numbered_and_each_knows_the_hash_before_it(store: LineageStore) -> None:
    assert store.audit_end() == (0, START)
    store.apply(noted("a", "b"))
    store.apply(noted("c"))
    entries = store.audit()
    assert [(entry.number, entry.action) for entry in entries] == [(1, "a"), (2, "b"), (3, "c")]
    assert [entry.previous for entry in entries] == [START, entries[0].hash, entries[1].hash]
    assert store.audit_end() == (3, entries[2].hash)
    assert list(breaks(entries)) == []


def test_what_was_noted_is_read_as_it_was(store: LineageStore) -> None:
    written = note("events", jobs=["ns/ä \U0001f600"], received=2)
    store.apply(Batch(notes=(written,)))
    (entry,) = store.audit()
    assert (entry.time, entry.actor, entry.result, entry.request) == (
        written.time,
        "key 1",
        "stored",
        "request 1",
    )
    assert entry.details == written.details_text()


def test_a_note_is_stored_with_its_events_and_each_time(store: LineageStore) -> None:
    batch = Batch.merged([decode(event("COMPLETE", 1, "run", [], [dataset("out", "a")])), noted("events")])
    store.apply(batch)
    lineage = sorted(map(repr, store.contents()))
    store.apply(batch)
    assert len(store.audit()) == 2
    assert sorted(map(repr, store.contents())) == lineage


def test_the_log_is_read_in_pages(store: LineageStore) -> None:
    store.apply(noted(*(f"action {number}" for number in range(7))))
    assert [entry.number for entry in store.audit(first=3)] == [1, 2, 3]
    assert [entry.number for entry in store.audit(after=5, first=3)] == [6, 7]
    assert list(store.audit(after=7)) == []


def test_writers_of_several_processes_append_to_one_chain(store: LineageStore, store_url: str) -> None:
    """Two open stores are what two processes have."""
    other = open_store(store_url)
    try:
        writers = [
            threading.Thread(target=lambda s=each: [s.apply(noted("a", "b")) for _ in range(10)])
            for each in (store, other)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    finally:
        other.close()
    entries = store.audit()
    assert [entry.number for entry in entries] == list(range(1, 41))
    assert list(breaks(entries)) == []


def test_of_writers_that_see_the_same_change_one_records_it(store: LineageStore, store_url: str) -> None:
    other = open_store(store_url)

    def missing_notes(happened: int, recorded: Sequence[AuditEntry]) -> list[AuditNote]:
        known = {json.loads(entry.details)["number"] for entry in recorded}
        return [note("seen", number=number) for number in range(happened) if number not in known]

    def watch(watching: LineageStore) -> None:
        for happened in range(1, 11):
            watching.apply(noted("other"))
            watching.append_missing_audit("seen", partial(missing_notes, happened))

    try:
        watchers = [threading.Thread(target=watch, args=(each,)) for each in (store, other)]
        for watcher in watchers:
            watcher.start()
        for watcher in watchers:
            watcher.join()
    finally:
        other.close()
    entries = store.audit()
    seen = [json.loads(entry.details)["number"] for entry in entries if entry.action == "seen"]
    assert seen == list(range(10))
    assert list(breaks(entries)) == []
    assert store.audit_end()[0] == len(entries) == 30


def test_without_missing_notes_the_log_is_unchanged(store: LineageStore) -> None:
    store.append_missing_audit("seen", lambda recorded: [])
    assert store.audit_end() == (0, START)
    store.apply(noted("a"))
    store.append_missing_audit("seen", lambda recorded: [note("seen") for _ in recorded])
    store.append_missing_audit("a", lambda recorded: [note(entry.action) for entry in recorded])
    assert [entry.action for entry in store.audit()] == ["a", "a"]
    assert list(breaks(store.audit())) == []


def test_the_database_refuses_to_change_an_entry(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")
    store.apply(noted("a"))
    store.close()
    with sqlite3.connect(tmp_path / "lineage.db") as db:
        for statement in ("UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)
    db.close()


def test_what_was_tampered_with_is_found() -> None:
    from headwater_backend.domain.audit_log import chained

    entries = list(chained([note("a"), note("b"), note("c"), note("d")], 0, START))
    changed = [entries[0], replace(entries[1], actor="somebody else"), *entries[2:]]
    assert [(found.number, "changed" in found.reason) for found in breaks(changed)] == [(2, True)]
    assert [found.number for found in breaks([entries[0], *entries[2:]])] == [3]
    assert [found.number for found in breaks(entries[1:])] == [2]
    rehashed = replace(changed[1], hash=changed[1].computed_hash())
    assert [found.number for found in breaks([entries[0], rehashed, *entries[2:]])] == [3]
