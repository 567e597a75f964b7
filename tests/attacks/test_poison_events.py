"""An event that the store fails at each time does not stop the others, wherever it comes from."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from math import log2
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Message
from starlette.testclient import TestClient

from headwater_backend.domain.errors import StoreFailedError, StoreUnavailable
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest import kafka
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import EventGroup, ingest, ingest_together, replay
from headwater_backend.ports import LineageStore, get_dataset
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from kit.failing import FailingStore
from kit.openlineage import NAMESPACE, dataset, digest, event, facet, paths

POISON = "poison"
ERRORS = [StoreUnavailable("no memory for this one"), StoreFailedError("not this one"), TypeError("ours")]


def of(number: int, name: str | None = None) -> dict[str, Any]:
    return event(
        "COMPLETE", number, f"run {number}", [], [dataset(name or f"out {number}")], job=f"job {number}"
    )


def stored_alone(tmp_path: Path, events: list[dict[str, Any]]) -> str:
    alone = open_store(f"sqlite:///{tmp_path}/alone.db")
    ingest(alone, events)
    found = digest(alone)
    alone.close()
    return found


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_one_event_among_many_is_found_by_halves(
    store: LineageStore, tmp_path: Path, error: Exception
) -> None:
    good = [of(number) for number in range(63)]
    failing = FailingStore(store, POISON, error)
    outcomes = ingest(failing.port, [*good[:40], of(99, POISON), *good[40:]])
    assert [outcome.index for outcome in outcomes if not outcome.stored] == [40]
    (letter,) = store.dead_letters()
    assert letter.key == outcomes[40].dead_letter
    assert failing.tries <= 2 * log2(64) + 2
    assert digest(store) == stored_alone(tmp_path, good)
    (entry,) = store.audit()
    assert entry.result == "stored in part"


def test_a_dead_letter_that_the_store_still_fails_at_holds_up_no_other(store: LineageStore) -> None:
    events = [of(1, POISON), of(2, "another")]
    ingest(FailingStore(store, POISON).port, events[:1])
    ingest(FailingStore(store, "another").port, events[1:])
    letters = [found for each in store.dead_letters() if (found := store.dead_letter(each.key))]
    outcomes = replay(FailingStore(store, POISON).port, letters)
    assert [outcome.stored for outcome in outcomes] == [False, True]
    assert [each.key for each in store.dead_letters()] == [letters[0].key]


def test_while_the_store_does_not_answer_nobody_is_at_fault(store: LineageStore) -> None:
    failing = FailingStore(store, POISON, takes_down=True)
    with pytest.raises(StoreUnavailable):
        ingest(failing.port, [of(1), of(2, POISON)])
    assert store.dead_letters() == []


def test_events_from_several_requests_have_separate_notes_in_the_log(store: LineageStore) -> None:
    origins = [Sender(everything(f"key {number}"), f"request {number}") for number in range(3)]
    sent = [
        EventGroup([of(1), b"no event"], origins[0]),
        EventGroup([of(2, POISON)], origins[1]),
        EventGroup([of(3)], origins[2]),
    ]
    failing = FailingStore(store, POISON)
    outcomes = ingest_together(failing.port, sent)
    assert [[each.stored for each in some] for some in outcomes] == [[True, False], [False], [True]]
    assert [(entry.actor, entry.request, entry.result) for entry in store.audit()] == [
        ("key 0", "request 0", "stored in part"),
        ("key 1", "request 1", "refused"),
        ("key 2", "request 2", "stored"),
    ]
    assert [letter.origin for letter in store.dead_letters()] == ["key 1"]


def test_a_sender_learns_that_its_event_is_kept_and_the_others_are_stored(store: LineageStore) -> None:
    app = create_app(FailingStore(store, POISON).port, Settings())
    with TestClient(app, base_url="http://localhost") as client:
        alone = client.post("/api/v1/lineage", json=of(1, POISON))
        together = client.post("/api/v1/lineage/batch", json=[of(2), of(1, POISON), of(3)])
    assert (alone.status_code, alone.json()["code"]) == (202, "NOT_APPLIED")
    assert together.status_code == 207
    (failed,) = together.json()["failed_events"]
    assert failed["index"] == 1
    assert {alone.json()["dead_letter"], failed["dead_letter"]} == {each.key for each in store.dead_letters()}
    assert get_dataset(store, DatasetKey(NAMESPACE, "out 3")) is not None


def test_an_event_that_cannot_be_read_by_a_mistake_of_ours_is_refused_alone(
    store: LineageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(found: Any, limits: Any) -> Any:
        if "poison" in str(found):
            raise ZeroDivisionError
        return decode(found, limits)

    monkeypatch.setattr("headwater_backend.ingest.service.decode", mistaken)
    app = create_app(store, Settings())
    with TestClient(app, base_url="http://localhost") as client:
        alone = client.post("/api/v1/lineage", json=of(1, POISON))
        together = client.post("/api/v1/lineage/batch", json=[of(2), of(1, POISON)])
    assert (alone.status_code, alone.json()["code"]) == (500, "INTERNAL")
    assert [failed["index"] for failed in together.json()["failed_events"]] == [1]
    assert get_dataset(store, DatasetKey(NAMESPACE, "out 2")) is not None


class Hurried(threading.Event):
    """Waits for nothing; whoever waits is noted, and the store that went down is up again."""

    def __init__(self, store: FailingStore) -> None:
        super().__init__()
        self._store = store

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout
        self._store.down = False
        return False


@pytest.mark.parametrize("takes_down", [False, True])
def test_a_kafka_record_does_not_hold_its_partition(
    store: LineageStore, tmp_path: Path, *, takes_down: bool
) -> None:
    events = [of(0), of(1), of(2, POISON), *map(of, range(3, 30))]
    records = [
        Message(topic="t", partition=0, offset=offset, value=json.dumps(each).encode())
        for offset, each in enumerate(events)
    ]
    failing, taken = FailingStore(store, POISON, takes_down=takes_down), kafka.Taken()
    assert kafka.take_in(failing.port, records, Hurried(failing), taken)
    assert (taken.stored, taken.dead) == (29, 1)
    assert [letter.origin for letter in store.dead_letters()] == ["kafka t/0@2"]
    assert digest(store) == stored_alone(tmp_path, [*events[:2], *events[3:]])


def test_while_the_store_is_away_no_kafka_record_is_given_up(store: LineageStore) -> None:
    class Patient(threading.Event):
        waited = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.waited += 1
            return self.waited > 10

    failing, taken, stop = FailingStore(store, POISON), kafka.Taken(), Patient()
    failing.down = True
    record = Message(topic="t", partition=0, offset=0, value=json.dumps(of(1)).encode())
    assert not kafka.take_in(failing.port, [record], stop, taken)
    assert (stop.waited, taken.dead, store.dead_letters()) == (11, 0, [])


ODD_FACETS = {
    "a change that is no text": {"lifecycleStateChange": facet(lifecycleStateChange=["DROP"])},
    "a producer that is no address": {
        "headwater_pathLineage": {**paths((["x"], "in", ["y"], "IDENTITY")), "_producer": "http://[half"}
    },
}
"""What fuzzing found: none of it may be a mistake of ours."""


@pytest.mark.parametrize("facets", ODD_FACETS.values(), ids=ODD_FACETS)
def test_an_odd_facet_is_refused_or_stored(facets: dict[str, Any], tmp_path: Path) -> None:
    made = event("COMPLETE", 1, "run", [dataset("in", "y")], [dataset("out", "x", **facets)])
    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        (outcome,) = ingest(store, [made])
        assert outcome.error is None or outcome.error.code == "FACET_SHAPE"
        assert not outcome.dead_letter
