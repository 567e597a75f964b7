"""Events that validate and cannot be stored are kept, listed and retried, in every store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from headwater_backend.domain import dead_letters
from headwater_backend.domain.dead_letters import DeadLetter, letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest import dead_letters as mending
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS
from headwater_backend.ingest.letter_changes import Change
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest, replay
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.stores import open_store
from kit import neo4j
from kit.openlineage import NAMESPACE, at, dataset, digest, event

REFUSE = "refused by hand"
REFUSES = f"""CREATE TRIGGER by_hand BEFORE INSERT ON dataset WHEN NEW.name = '{REFUSE}'
BEGIN SELECT RAISE(ABORT, 'not this one'); END"""


@pytest.fixture
def choosy(
    store: LineageStore, tmp_path: Path, request: pytest.FixtureRequest
) -> tuple[LineageStore, Callable[[], None]]:
    """A store that somebody changed by hand, so that it refuses one dataset; and how to mend it."""
    if (tmp_path / "lineage.db").exists():
        return store, by_hand_in_sqlite(tmp_path / "lineage.db")
    return store, by_hand_in_neo4j(request.getfixturevalue("neo4j_server"))


def by_hand_in_sqlite(file: Path) -> Callable[[], None]:
    def run(statement: str) -> None:
        with sqlite3.connect(file) as connection:
            connection.execute(statement)
        connection.close()

    run(REFUSES)
    return lambda: run("DROP TRIGGER by_hand")


def by_hand_in_neo4j(server: neo4j.Server) -> Callable[[], None]:
    def run(statement: str) -> None:
        with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
            driver.execute_query(statement)

    run("CREATE CONSTRAINT by_hand FOR (n:Dataset) REQUIRE n.name IS UNIQUE")
    run(f"CREATE (:Dataset {{key: 'somebody else', name: '{REFUSE}'}})")

    def mend() -> None:
        run("DROP CONSTRAINT by_hand IF EXISTS")
        run("MATCH (n:Dataset {key: 'somebody else'}) DELETE n")

    return mend


def kept(store: LineageStore) -> list[DeadLetter]:
    """The letters of a store, with their events."""
    return [found for letter in store.dead_letters() if (found := store.dead_letter(letter.key))]


def of(number: int, name: str) -> dict[str, Any]:
    return event("COMPLETE", number, f"run {number}", [], [dataset(name)])


def test_one_event_that_is_refused_does_not_hold_up_the_others(
    choosy: tuple[LineageStore, Callable[[], None]], tmp_path: Path
) -> None:
    store, mend = choosy
    events = [of(0, "a"), of(1, REFUSE), of(2, "b")]
    try:
        outcomes = ingest(store, events)
        assert [outcome.stored for outcome in outcomes] == [True, False, True]
        assert outcomes[1].error is not None
        assert outcomes[1].error.code == "NOT_APPLIED"
        (letter,) = store.dead_letters()
        assert letter.key == outcomes[1].dead_letter
        assert kept(store)[0].event() == events[1]
        assert letter.about == f"{NAMESPACE} job 2026-01-01T00:01:00+00:00"
        assert get_dataset(store, DatasetKey(NAMESPACE, REFUSE)) is None

        ingest(store, events)
        assert [each.key for each in store.dead_letters()] == [letter.key]
        assert [outcome.stored for outcome in replay(store, kept(store))] == [False]
        assert store.dead_letter(letter.key) is not None
    finally:
        mend()
    again = Sender(everything("me"), "again")
    assert [outcome.stored for outcome in replay(store, kept(store), sender=again)] == [True]
    assert store.dead_letters() == []
    replays = [entry for entry in store.audit() if entry.request == "again"]
    assert [(entry.actor, entry.action, entry.result) for entry in replays] == [("me", "events", "stored")]
    alone = open_store(f"sqlite:///{tmp_path}/alone.db")
    ingest(alone, events)
    assert digest(store, receipts=False) == digest(alone, receipts=False)
    alone.close()


def letters(count: int) -> list[DeadLetter]:
    error = EventError("MISSING", "/job", "a job is missing")
    made = [letter_of({"eventTime": str(number)}, error, "test") for number in range(count)]
    return [
        DeadLetter(m.key, number, m.origin, m.code, m.pointer, m.detail, m.body)
        for number, m in enumerate(made)
    ]


def test_dead_letters_are_listed_page_by_page_and_forgotten(store: LineageStore) -> None:
    sent = letters(5)
    store.keep_dead_letters(sent)
    listed = [letter.listed() for letter in sent]
    assert store.dead_letters(2) == listed[:2]
    assert store.dead_letters(10, after=listed[1].place) == listed[2:]
    store.forget_dead_letters([listed[0].key, "unknown"])
    assert store.dead_letters() == listed[1:]
    assert store.dead_letters(after=listed[0].place) == listed[1:]
    assert store.dead_letter(sent[0].key) is None
    assert kept(store) == sent[1:]


@pytest.mark.parametrize("name", ["a\ud800b", "a\0b", "ab" * 10_000])
def test_a_list_has_what_a_letter_is_about_for_any_name(store: LineageStore, name: str) -> None:
    letter = letter_of({"job": {"namespace": name, "name": name}}, EventError("BAD_TEXT", "", "no"), "test")
    store.keep_dead_letters([letter])
    (listed,) = store.dead_letters()
    assert listed == letter.listed()
    assert listed.about[0] == "a" and "b" in listed.about and len(listed.about) <= 1_000
    assert kept(store) == [letter]


def test_of_too_many_dead_letters_the_oldest_go(store: LineageStore, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = letters(5)
    monkeypatch.setattr(dead_letters.oldest_beyond, "__defaults__", (3,))
    store.keep_dead_letters(sent)
    assert kept(store) == sent[2:]


def test_dead_letters_are_no_part_of_the_graph(store: LineageStore) -> None:
    before = digest(store)
    store.keep_dead_letters(letters(1))
    assert digest(store) == before


@pytest.mark.parametrize("message", [b"\xff\xfe", b"", b"[1]", b"42", b'"text"'])
def test_of_what_is_no_json_object_nothing_is_kept(message: bytes) -> None:
    letter = letter_of(message, EventError("NOT_JSON", "", "no"), "kafka t/0@1")
    assert letter.body is None
    assert letter.event() == {}
    assert letter.listed().about == ""


def test_an_event_is_corrected_and_stored_and_stays_as_it_was_where_that_is_refused(
    choosy: tuple[LineageStore, Callable[[], None]],
) -> None:
    store, mend = choosy
    editor = Sender(everything("editor"))
    try:
        ingest(store, [of(1, REFUSE)])
        (letter,) = kept(store)
        again = [Change("/run/runId", '"11111111-1111-4111-8111-111111111111"')]
        refused = mending.mend(store, letter.key, again, DEFAULT_LIMITS, editor)
        assert not refused.stored
        assert kept(store) == [letter]
        corrected = [
            Change("/outputs/0/name", '"corrected"'),
            Change("/eventTime", json.dumps(at(2).isoformat())),
        ]
        assert mending.mend(store, letter.key, corrected, DEFAULT_LIMITS, editor).stored
        assert get_dataset(store, DatasetKey(NAMESPACE, "corrected"))
        assert kept(store) == []
    finally:
        mend()


def test_a_correction_is_held_to_the_rights_of_the_sender_and_of_the_editor(
    choosy: tuple[LineageStore, Callable[[], None]],
) -> None:
    store, mend = choosy
    elsewhere = Caller("editor", frozenset({Role.STEWARD}), ("elsewhere",))
    try:
        ingest(store, [of(1, REFUSE)])
        (letter,) = kept(store)
        change = [Change("/outputs/0/name", '"corrected"')]
        outcome = mending.mend(store, letter.key, change, DEFAULT_LIMITS, Sender(elsewhere))
        assert outcome.error and outcome.error.code == "FORBIDDEN_NAMESPACE"
        assert kept(store) == [letter]
    finally:
        mend()
