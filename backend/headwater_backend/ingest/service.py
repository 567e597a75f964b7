"""Taking events in: decode each, store the good ones, say of each what became of it.

Events are stored in transactions of many. Where the store refuses one of them, each of its events is stored alone, and
those that it still refuses become dead letters: one event never holds up the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater_backend.errors import EventError
from headwater_backend.ingest.dead_letters import DeadLetter, letter_of
from headwater_backend.ingest.decode import DEFAULT_LIMITS, Limits, decode
from headwater_backend.ingest.records import Batch
from headwater_backend.ports import LineageStore
from headwater_backend.stores.errors import StoreFailedError

RawEvent = bytes | str | Mapping[str, Any]

EVENTS_PER_TRANSACTION = 500
EDGES_PER_TRANSACTION = 20_000

HTTP = "http"
REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the event at ``index``: stored, or refused with an error.

    With ``dead_letter``, the event is good, but the store refused it: it is kept under that key.
    """

    index: int
    error: EventError | None = None
    dead_letter: str | None = None

    @property
    def stored(self) -> bool:
        return self.error is None


def ingest(
    store: LineageStore, events: Iterable[RawEvent], limits: Limits = DEFAULT_LIMITS, origin: str = HTTP
) -> list[Outcome]:
    """One outcome an event, in order. When it returns, all accepted events are durable.

    ``origin`` says in dead letters where the events came from. Raises ``StoreUnavailable``; sending all events again
    is then right, because known ones change nothing.
    """
    outcomes: list[Outcome] = []
    waiting: list[tuple[int, RawEvent, Batch]] = []
    edges = 0

    def store_waiting() -> None:
        for refused in _store(store, waiting, origin):
            outcomes[refused.index] = refused
        waiting.clear()

    for index, event in enumerate(events):
        try:
            batch = decode(event, limits)
        except EventError as error:
            outcomes.append(Outcome(index, error))
            continue
        outcomes.append(Outcome(index))
        waiting.append((index, event, batch))
        edges += batch.edge_count()
        if len(waiting) >= EVENTS_PER_TRANSACTION or edges >= EDGES_PER_TRANSACTION:
            store_waiting()
            edges = 0
    if waiting:
        store_waiting()
    return outcomes


def replay(
    store: LineageStore, letters: Iterable[DeadLetter], limits: Limits = DEFAULT_LIMITS
) -> list[Outcome]:
    """Try dead letters again: those that are stored now are letters no more, the others stay with their new error."""
    tried = [letter for letter in letters if letter.body is not None]
    outcomes = []
    for index, letter in enumerate(tried):
        outcome = _tried_again(store, letter, limits)
        if outcome.error is None:
            store.forget_dead_letters([letter.key])
        outcomes.append(replace(outcome, index=index, dead_letter=letter.key))
    return outcomes


def _tried_again(store: LineageStore, letter: DeadLetter, limits: Limits) -> Outcome:
    assert letter.body is not None  # noqa: S101 - the caller chose so
    try:
        store.apply(decode(letter.body, limits))
    except EventError as error:
        return _still_dead(store, letter, error)
    except StoreFailedError as error:
        return _still_dead(store, letter, _not_applied(error))
    return Outcome(0)


def _still_dead(store: LineageStore, letter: DeadLetter, error: EventError) -> Outcome:
    again = replace(letter, code=error.code, pointer=error.pointer, detail=error.message)
    store.keep_dead_letters([again])
    return Outcome(0, error)


def _store(store: LineageStore, waiting: Sequence[tuple[int, RawEvent, Batch]], origin: str) -> list[Outcome]:
    """Store all that can be stored; the outcomes of what cannot, which is kept as dead letters."""
    try:
        store.apply(Batch.merged(batch for _, _, batch in waiting))
    except StoreFailedError:
        return _store_singly(store, waiting, origin)
    return []


def _store_singly(
    store: LineageStore, waiting: Sequence[tuple[int, RawEvent, Batch]], origin: str
) -> list[Outcome]:
    failed = [(index, event, error) for index, event, batch in waiting if (error := _failure(store, batch))]
    letters = [letter_of(event, error, origin) for _, event, error in failed]
    if letters:
        store.keep_dead_letters(letters)
    refused = zip(failed, letters, strict=True)
    return [Outcome(index, _not_applied(error), letter.key) for (index, _, error), letter in refused]


def _failure(store: LineageStore, batch: Batch) -> StoreFailedError | None:
    try:
        store.apply(batch)
    except StoreFailedError as error:
        return error
    return None


def _not_applied(error: StoreFailedError) -> EventError:
    hint = "it is kept: `headwater dead-letters list` shows it, and `replay` tries again"
    return EventError("NOT_APPLIED", "", error.message, hint)
