"""Taking events in: decode each, store the good ones, say of each what became of it.

Events are stored in transactions of many. Where the store refuses one of them, each of its events is stored alone, and
those that it still refuses become dead letters: one event never holds up the others.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater_backend.audit.entries import AuditNote
from headwater_backend.errors import EventError, HeadwaterError, StoreUnavailable
from headwater_backend.ingest.dead_letters import DeadLetter, letter_of
from headwater_backend.ingest.decode import decode
from headwater_backend.ingest.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.origin import LOCAL, Origin
from headwater_backend.ingest.records import Batch
from headwater_backend.ports import LineageStore
from headwater_backend.stores.errors import StoreFailedError

if TYPE_CHECKING:
    from headwater_backend.ingest.ahead import Decoded
    from headwater_backend.ingest.journal import Journal

RawEvent = bytes | str | Mapping[str, Any]

EVENTS_PER_TRANSACTION = 500
EDGES_PER_TRANSACTION = 20_000
NAMES_IN_A_LINE = 20
NOTHING_KEPT = "NOTHING_KEPT"

_log = logging.getLogger(__name__)


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
    store: LineageStore,
    events: Iterable[RawEvent],
    limits: Limits = DEFAULT_LIMITS,
    origin: Origin = LOCAL,
    journal: Journal | None = None,
) -> list[Outcome]:
    """One outcome an event, in order. When it returns, all accepted events are durable, and the audit log says so.

    ``origin`` says who sent them. While the store is away, the ``journal`` keeps good events; without one,
    ``StoreUnavailable`` is raised. Sending all events again is then right, because known ones change nothing.
    """
    place = _Place(store, origin, journal)
    outcomes: list[Outcome] = []
    waiting: list[_Waiting] = []
    told = edges = 0
    for index, event in enumerate(events):
        try:
            batch = origin.admitted(decode(event, limits))
        except EventError as error:
            outcomes.append(Outcome(index, error))
            continue
        outcomes.append(Outcome(index))
        waiting.append(_Waiting(index, event, batch))
        edges += batch.edge_count()
        if len(waiting) >= EVENTS_PER_TRANSACTION or edges >= EDGES_PER_TRANSACTION:
            outcomes[told:] = _keep(place, waiting, outcomes[told:])
            told, waiting, edges = len(outcomes), [], 0
    if told < len(outcomes):
        outcomes[told:] = _keep(place, waiting, outcomes[told:])
    return outcomes


def ingest_decoded(
    store: LineageStore, events: Sequence[bytes], found: Decoded, origin: Origin = LOCAL
) -> list[Outcome]:
    """``ingest`` in one transaction, for events that are decoded already, of a caller who may write everything."""
    errors = {each.at: each.error() for each in found.refused}
    outcomes = [Outcome(index, errors.get(index)) for index in range(len(events))]
    note = _note(outcomes, found.batch, origin)
    try:
        store.apply(replace(found.batch, notes=(note,)))
    except StoreFailedError:
        return ingest(store, events, origin=origin)
    _tell(note)
    return outcomes


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A good event that is not stored yet."""

    index: int
    event: RawEvent
    batch: Batch


class _Place(NamedTuple):
    """Where events go, and from whom."""

    store: LineageStore
    origin: Origin
    journal: Journal | None


def _keep(place: _Place, waiting: list[_Waiting], outcomes: list[Outcome]) -> list[Outcome]:
    """Store the events; while the store is away, the journal has them."""
    store, origin, journal = place
    if journal is None:
        return _store(store, waiting, outcomes, origin)
    if not journal.holding:
        try:
            return _store(store, waiting, outcomes, origin)
        except StoreUnavailable as error:
            _log.info("the store is away: %s", error)
    if waiting:
        journal.accept([each.event for each in waiting], origin)
    return outcomes


def replay(
    store: LineageStore,
    letters: Iterable[DeadLetter],
    limits: Limits = DEFAULT_LIMITS,
    origin: Origin = LOCAL,
) -> list[Outcome]:
    """Try dead letters again; one outcome a letter, in order, with its key.

    Those that are stored now are letters no more, the others stay with their new error. Those that tell of what is not
    the caller's to write (``FORBIDDEN_NAMESPACE``), or of which nothing is kept (``NOTHING_KEPT``), stay as they are.
    """
    return [_tried_again(store, index, letter, limits, origin) for index, letter in enumerate(letters)]


def _tried_again(
    store: LineageStore, index: int, letter: DeadLetter, limits: Limits, origin: Origin
) -> Outcome:
    if letter.body is None:
        return Outcome(index, EventError(NOTHING_KEPT, "", "nothing is kept of it to try again"), letter.key)
    try:
        batch = decode(letter.body, limits)
    except EventError as error:
        return _still_refused(store, index, letter, error)
    try:
        batch = origin.admitted(batch)
    except EventError as error:
        return Outcome(index, error, letter.key)
    try:
        store.apply(replace(batch, notes=(origin.note(1, (), batch),)))
    except StoreFailedError as error:
        return _still_refused(store, index, letter, error)
    store.forget_dead_letters([letter.key])
    return Outcome(index, dead_letter=letter.key)


def _still_refused(store: LineageStore, index: int, letter: DeadLetter, error: HeadwaterError) -> Outcome:
    again = replace(letter_of(letter.body or "", error, letter.origin), key=letter.key)
    store.keep_dead_letters([again])
    return Outcome(index, _as_event_error(error), letter.key)


def _store(
    store: LineageStore, waiting: list[_Waiting], outcomes: list[Outcome], origin: Origin
) -> list[Outcome]:
    """Store the batches, and in the same transaction the note of what became of the events; the outcomes."""
    merged = Batch.merged(each.batch for each in waiting)
    note = _note(outcomes, merged, origin)
    try:
        store.apply(replace(merged, notes=(note,)))
    except StoreFailedError:
        return _store_singly(store, waiting, outcomes, origin)
    _tell(note)
    return outcomes


def _store_singly(
    store: LineageStore, waiting: list[_Waiting], outcomes: list[Outcome], origin: Origin
) -> list[Outcome]:
    """Like ``_store`` for a batch that the store refused: what it refuses alone, too, becomes a dead letter."""
    failures = {each.index: error for each in waiting if (error := _failure(store, each.batch))}
    letters = {
        each.index: letter_of(each.event, failures[each.index], origin.caller.name)
        for each in waiting
        if each.index in failures
    }
    if letters:
        store.keep_dead_letters(list(letters.values()))
    known = [
        Outcome(outcome.index, _as_event_error(failures[outcome.index]), letters[outcome.index].key)
        if outcome.index in failures
        else outcome
        for outcome in outcomes
    ]
    stored = Batch.merged(each.batch for each in waiting if each.index not in failures)
    note = _note(known, stored, origin)
    store.apply(Batch(notes=(note,)))
    _tell(note)
    return known


def _note(outcomes: list[Outcome], stored: Batch, origin: Origin) -> AuditNote:
    return origin.note(len(outcomes), [outcome.error for outcome in outcomes if outcome.error], stored)


def _tell(note: AuditNote) -> None:
    """The log's line, which names runs and jobs."""
    runs, jobs = (note.details[kind]["names"][:NAMES_IN_A_LINE] for kind in ("runs", "jobs"))
    counts = {each: note.details[each] for each in ("received", "stored", "refused")}
    _log.info("events %s", note.result, extra={**counts, "runs": runs, "jobs": jobs})


def _failure(store: LineageStore, batch: Batch) -> StoreFailedError | None:
    try:
        store.apply(batch)
    except StoreFailedError as error:
        return error
    return None


def _as_event_error(error: HeadwaterError) -> EventError:
    if isinstance(error, EventError):
        return error
    hint = "it is kept: `headwater dead-letters list` shows it, and `replay` tries again"
    return EventError("NOT_APPLIED", "", error.message, hint)
