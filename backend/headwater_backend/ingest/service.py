"""Ingestion of events: decode each, store the accepted ones, return an outcome for each.

Theory of operation
===================

Many events are stored in one transaction. Where a transaction fails, its events are stored by halves, and those by
halves again, down to single events that fail alone: these become dead letters. So one event never blocks the others,
and is found with few transactions::

    1 2 3 4   refused        1 2   stored        3 4   refused        3   refused: a dead letter        4   stored

An event is the cause when the store refuses it, and also when the store fails at it each time but answers in between:
then waiting would not help. Only where the store does not answer at all is it unreachable. An exception in our own code
is a bug and blocks no other event: it is logged, and the event becomes a dead letter.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.dead_letters import DeadLetter, letter_of
from headwater_backend.domain.errors import EventError, HeadwaterError, StoreFailedError, StoreUnavailable
from headwater_backend.domain.moments import now
from headwater_backend.domain.records import Batch
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.sender import LOCAL, Sender
from headwater_backend.ports import DeadLetters, EventStore

if TYPE_CHECKING:
    from headwater_backend.ingest.ahead import Decoded

RawEvent = bytes | str | Mapping[str, Any]

EVENTS_PER_TRANSACTION = 500
EDGES_PER_TRANSACTION = 20_000
NAMES_IN_A_LINE = 20
NOTHING_KEPT = "NOTHING_KEPT"
INTERNAL = "INTERNAL"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of the event at ``index``: stored, or refused with an error.

    With ``dead_letter``, the event is valid, but the store refused it: it is kept under that key.
    """

    index: int
    error: EventError | None = None
    dead_letter: str | None = None

    @property
    def stored(self) -> bool:
        return self.error is None


class Keeper(Protocol):
    """Something that keeps events while the store is unreachable, such as ``ingest.journal.Journal``."""

    @property
    def holding(self) -> bool:
        """Whether the store was unreachable at the last attempt: then events are kept without trying it."""
        ...

    def accept(self, events: Sequence[RawEvent], sender: Sender) -> None:
        """Keep valid events; they are durable when it returns. Raises ``StoreUnavailable`` when that cannot be."""
        ...


class EventGroup(NamedTuple):
    """Events that came together, with their sender."""

    events: Sequence[RawEvent]
    sender: Sender


def ingest(
    store: EventStore,
    events: Iterable[RawEvent],
    limits: Limits = DEFAULT_LIMITS,
    sender: Sender = LOCAL,
    journal: Keeper | None = None,
    *,
    received: int | None = None,
) -> list[Outcome]:
    """Store events, and return one outcome for each, in order. On return, all accepted events and a note in the audit
    log are durable. They count as ``received`` then, in microseconds, or now.

    While the store is unreachable, the ``journal`` keeps accepted events; without one, ``StoreUnavailable`` is raised.
    All events can then be sent again, because known ones change nothing.
    """
    kept = (_keep(store, part, journal) for part in _parts(events, limits, sender, received))
    return [outcome for part in kept for outcome in part.outcomes]


def ingest_together(
    store: EventStore, groups: Sequence[EventGroup], limits: Limits = DEFAULT_LIMITS
) -> list[list[Outcome]]:
    """``ingest`` for several groups, in one transaction where that succeeds; the outcomes of each group.

    The audit log gets the same note for each group as if it had come alone.
    """
    parts = [list(_parts(each.events, limits, each.sender)) for each in groups]
    stored = iter(_store(store, [part for each in parts for part in each]))
    return [[outcome for _ in each for outcome in next(stored).outcomes] for each in parts]


def ingest_decoded(
    store: EventStore, events: Sequence[bytes], found: Decoded, sender: Sender = LOCAL
) -> list[Outcome]:
    """``ingest`` in one transaction, for events that are decoded already, of a caller who may write everything."""
    errors = {each.at: each.error() for each in found.refused}
    outcomes = [Outcome(index, errors.get(index)) for index in range(len(events))]
    note = _note(outcomes, found.batch, sender)
    batch = found.batch.received(now(), sender.caller.name)
    if _failure(store, replace(batch, notes=(note,))):
        return ingest(store, events, sender=sender)
    _log_note(note)
    return outcomes


@dataclass(frozen=True, slots=True, eq=False)
class _Good:
    """A valid event that is not stored yet."""

    index: int
    event: RawEvent
    batch: Batch


@dataclass(slots=True)
class _Part:
    """Events of one sender that are stored together: the outcome of each, and the valid ones."""

    sender: Sender
    outcomes: list[Outcome]
    good: list[_Good]

    def note(self, known: Iterable[_Good] = ()) -> AuditNote:
        """The audit note when the valid events are stored except those ``known`` to be refused."""
        refused = set(known)
        stored = Batch.merged(each.batch for each in self.good if each not in refused)
        return _note(self.outcomes, stored, self.sender)

    def refusing(self, errors: Mapping[_Good, HeadwaterError], letters: Mapping[_Good, DeadLetter]) -> _Part:
        """The part with these of its events as dead letters."""
        refused = {
            each.index: Outcome(each.index, _as_event_error(errors[each]), letters[each].key)
            for each in self.good
            if each in errors
        }
        return replace(self, outcomes=[refused.get(each.index, each) for each in self.outcomes])


def _parts(
    events: Iterable[RawEvent], limits: Limits, sender: Sender, received: int | None = None
) -> Iterator[_Part]:
    """The decoded events, in parts of the size of one transaction. What came together was received together."""
    at = now() if received is None else received
    part, edges = _Part(sender, [], []), 0
    for index, event in enumerate(events):
        found = _decoded(event, limits, sender, at)
        if isinstance(found, EventError):
            part.outcomes.append(Outcome(index, found))
            continue
        part.outcomes.append(Outcome(index))
        part.good.append(_Good(index, event, found))
        edges += found.edge_count()
        if len(part.good) >= EVENTS_PER_TRANSACTION or edges >= EDGES_PER_TRANSACTION:
            yield part
            part, edges = _Part(sender, [], []), 0
    if part.outcomes:
        yield part


def _decoded(event: RawEvent, limits: Limits, sender: Sender, at: int) -> Batch | EventError:
    """The event's records, or the error for which it is refused."""
    try:
        return sender.admitted(decode(event, limits)).received(at, sender.caller.name)
    except EventError as error:
        return error
    except Exception:  # noqa: BLE001 - raised, it would block the other events
        _log.exception("an event could not be read")
        return EventError(INTERNAL, "", "it cannot be read: a bug in Headwater, see the server's log")


def _keep(store: EventStore, part: _Part, journal: Keeper | None) -> _Part:
    """Store the part; while the store is unreachable, keep its valid events in the journal."""
    if journal is None:
        return _store(store, [part])[0]
    if not journal.holding:
        try:
            return _store(store, [part])[0]
        except StoreUnavailable as error:
            _log.info("the store is away: %s", error)
    if part.good:
        journal.accept([each.event for each in part.good], part.sender)
    return part


def replay(
    store: EventStore,
    letters: Iterable[DeadLetter],
    limits: Limits = DEFAULT_LIMITS,
    sender: Sender = LOCAL,
) -> list[Outcome]:
    """Retry dead letters; one outcome for each letter, in order, with its key.

    Letters that are stored now are deleted, the others stay with their new error. Letters that write what the caller
    may not write (``FORBIDDEN_NAMESPACE``), or without a body (``NOTHING_KEPT``), stay as they are. A claim of the
    sender stays one, whoever retries it.
    """
    return [_replay_letter(store, index, letter, limits, sender) for index, letter in enumerate(letters)]


def mend(
    store: EventStore, letter: DeadLetter, body: str, limits: Limits = DEFAULT_LIMITS, sender: Sender = LOCAL
) -> Outcome:
    """Store what somebody made of a letter's event, which is the sender's statement then; the letter is deleted.

    Where that is refused, the letter stays as it was received.
    """
    corrected = replace(letter, body=body)
    return _replay_letter(store, 0, corrected, limits, sender, refused=_as_before, author=sender.caller.name)


def _as_before(_store: DeadLetters, index: int, letter: DeadLetter, error: HeadwaterError) -> Outcome:
    return Outcome(index, _as_event_error(error), letter.key)


def _still_refused(store: DeadLetters, index: int, letter: DeadLetter, error: HeadwaterError) -> Outcome:
    updated = replace(letter_of(letter.body or "", error, letter.origin), key=letter.key)
    store.keep_dead_letters([updated])
    return Outcome(index, _as_event_error(error), letter.key)


def _replay_letter(
    store: EventStore,
    index: int,
    letter: DeadLetter,
    limits: Limits,
    sender: Sender,
    *,
    refused: Callable[[DeadLetters, int, DeadLetter, HeadwaterError], Outcome] = _still_refused,
    author: str | None = None,
) -> Outcome:
    if letter.body is None:
        return Outcome(
            index,
            EventError(NOTHING_KEPT, "", "its content was not kept, so it cannot be retried"),
            letter.key,
        )
    try:
        batch = decode(letter.body, limits)
    except EventError as error:
        return refused(store, index, letter, error)
    try:
        batch = sender.admitted(Sender(letter.caller()).admitted(batch))
    except EventError as error:
        return Outcome(index, error, letter.key)
    batch = batch.received(now(), author or letter.caller().name)
    failure = _failure(store, replace(batch, notes=(sender.note(1, (), batch),)))
    if failure:
        return refused(store, index, letter, failure)
    store.forget_dead_letters([letter.key])
    return Outcome(index, dead_letter=letter.key)


def _store(store: EventStore, parts: Sequence[_Part]) -> Sequence[_Part]:
    """Store the parts, and in the same transaction the notes about their events; return the parts with their outcomes.

    Raises ``StoreUnavailable``.
    """
    if not parts:
        return parts
    notes = tuple(part.note() for part in parts)
    good = [each for part in parts for each in part.good]
    if _failure(store, replace(_merged(good), notes=notes)):
        parts, notes = _store_by_halves(store, parts, good)
    for note in notes:
        _log_note(note)
    return parts


def _store_by_halves(
    store: EventStore, parts: Sequence[_Part], good: Sequence[_Good]
) -> tuple[Sequence[_Part], tuple[AuditNote, ...]]:
    """Like ``_store`` after the transaction for all parts failed: events that fail alone become dead letters."""
    errors = _refused(store, good)
    letters = {
        each: letter_of(each.event, errors[each], part.sender.caller.name, part.sender.caller)
        for part in parts
        for each in part.good
        if each in errors
    }
    if letters:
        store.keep_dead_letters(list(letters.values()))
    known = [part.refusing(errors, letters) for part in parts]
    notes = tuple(part.note(errors) for part in known)
    store.apply(Batch(notes=notes))
    return known, notes


def _refused(store: EventStore, good: Sequence[_Good]) -> dict[_Good, HeadwaterError]:
    """Store the events of a batch that failed, except those returned, which fail alone."""
    if len(good) <= 1:
        # Twice, because the first failure may have been temporary.
        failures = {each: _failure(store, each.batch) and _failure(store, each.batch) for each in good}
        return {each: error for each, error in failures.items() if error}
    middle = len(good) // 2
    halves = [
        half for half in (good[:middle], good[middle:]) if len(half) == 1 or _failure(store, _merged(half))
    ]
    return {each: error for half in halves for each, error in _refused(store, half).items()}


def _merged(good: Iterable[_Good]) -> Batch:
    return Batch.merged(each.batch for each in good)


def _note(outcomes: list[Outcome], stored: Batch, sender: Sender) -> AuditNote:
    return sender.note(len(outcomes), [outcome.error for outcome in outcomes if outcome.error], stored)


def _log_note(note: AuditNote) -> None:
    """Write the log's line about the events, which names runs and jobs."""
    runs, jobs = (note.details[kind]["names"][:NAMES_IN_A_LINE] for kind in ("runs", "jobs"))
    counts = {each: note.details[each] for each in ("received", "stored", "refused")}
    _log.info("events %s", note.result, extra={**counts, "runs": runs, "jobs": jobs})


def _failure(store: EventStore, batch: Batch) -> HeadwaterError | None:
    """Apply the batch; the error where that fails although the store answers, else None. Raises
    ``StoreUnavailable``.
    """
    try:
        store.apply(batch)
    except StoreUnavailable as error:
        store.ping()
        return error
    except StoreFailedError as error:
        return error
    except Exception as error:  # noqa: BLE001 - raised, it would block the other events
        _log.exception("events could not be written")
        return StoreFailedError(f"{type(error).__name__}: this is a bug in Headwater, see the server's log")
    return None


def _as_event_error(error: HeadwaterError) -> EventError:
    if isinstance(error, EventError):
        return error
    hint = "it is kept: `headwater dead-letters list` shows it, and `replay` retries it"
    return EventError("NOT_APPLIED", "", error.message, hint)
