"""Taking events in: decode each, store the good ones, say of each what became of it.

Theory of operation
===================

Events are stored in transactions of many. Where the store does not take one of them, its events are stored by halves,
and those by halves again, down to the events that the store does not take alone: these become dead letters. So one
event never holds up the others, and is found with few transactions::

    1 2 3 4   refused        1 2   stored        3 4   refused        3   refused: a dead letter        4   stored

An event is at fault when the store refuses it, and also when the store fails at it each time but answers in between:
then waiting would not help. Only where the store does not answer, either, is it away, and nobody's fault. What fails in
our own code is a mistake of ours, and holds up nobody: it is logged, and the event is a dead letter.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.dead_letters import DeadLetter, letter_of
from headwater_backend.domain.errors import EventError, HeadwaterError, StoreFailedError, StoreUnavailable
from headwater_backend.domain.records import Batch
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.decoding.limits import DEFAULT_LIMITS, Limits
from headwater_backend.ingest.origin import LOCAL, Origin
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
    """What became of the event at ``index``: stored, or refused with an error.

    With ``dead_letter``, the event is good, but the store refused it: it is kept under that key.
    """

    index: int
    error: EventError | None = None
    dead_letter: str | None = None

    @property
    def stored(self) -> bool:
        return self.error is None


class Keeper(Protocol):
    """What keeps events while the store is away, as ``ingest.journal.Journal`` does."""

    @property
    def holding(self) -> bool:
        """Whether the store was away when it was last asked: events are kept without trying it."""
        ...

    def accept(self, events: Sequence[RawEvent], origin: Origin) -> None:
        """Keep valid events; they are durable when it returns. Raises ``StoreUnavailable`` when that cannot be."""
        ...


class Sent(NamedTuple):
    """Events that came together, and from whom."""

    events: Sequence[RawEvent]
    origin: Origin


def ingest(
    store: EventStore,
    events: Iterable[RawEvent],
    limits: Limits = DEFAULT_LIMITS,
    origin: Origin = LOCAL,
    journal: Keeper | None = None,
) -> list[Outcome]:
    """One outcome an event, in order. When it returns, all accepted events are durable, and the audit log says so.

    ``origin`` says who sent them. While the store is away, the ``journal`` keeps good events; without one,
    ``StoreUnavailable`` is raised. Sending all events again is then right, because known ones change nothing.
    """
    kept = (_keep(store, part, journal) for part in _parts(events, limits, origin))
    return [outcome for part in kept for outcome in part.outcomes]


def ingest_together(
    store: EventStore, sent: Sequence[Sent], limits: Limits = DEFAULT_LIMITS
) -> list[list[Outcome]]:
    """``ingest`` of what came at several times, in one transaction where the store takes it; each its own outcomes.

    The audit log says of each what it would say had it come alone.
    """
    parts = [list(_parts(each.events, limits, each.origin)) for each in sent]
    stored = iter(_store(store, [part for each in parts for part in each]))
    return [[outcome for _ in each for outcome in next(stored).outcomes] for each in parts]


def ingest_decoded(
    store: EventStore, events: Sequence[bytes], found: Decoded, origin: Origin = LOCAL
) -> list[Outcome]:
    """``ingest`` in one transaction, for events that are decoded already, of a caller who may write everything."""
    errors = {each.at: each.error() for each in found.refused}
    outcomes = [Outcome(index, errors.get(index)) for index in range(len(events))]
    note = _note(outcomes, found.batch, origin)
    if _failure(store, replace(found.batch, notes=(note,))):
        return ingest(store, events, origin=origin)
    _tell(note)
    return outcomes


@dataclass(frozen=True, slots=True, eq=False)
class _Good:
    """A good event that is not stored yet."""

    index: int
    event: RawEvent
    batch: Batch


@dataclass(slots=True)
class _Part:
    """Events of one sender that are stored together: what became of each, and the good ones."""

    origin: Origin
    outcomes: list[Outcome]
    good: list[_Good]

    def note(self, known: Iterable[_Good] = ()) -> AuditNote:
        """What the audit log is to say, when the good events are stored but for those ``known`` to be refused."""
        refused = set(known)
        stored = Batch.merged(each.batch for each in self.good if each not in refused)
        return _note(self.outcomes, stored, self.origin)

    def refusing(self, errors: Mapping[_Good, HeadwaterError], letters: Mapping[_Good, DeadLetter]) -> _Part:
        """The part when these of its events are dead letters."""
        refused = {
            each.index: Outcome(each.index, _as_event_error(errors[each]), letters[each].key)
            for each in self.good
            if each in errors
        }
        return replace(self, outcomes=[refused.get(each.index, each) for each in self.outcomes])


def _parts(events: Iterable[RawEvent], limits: Limits, origin: Origin) -> Iterator[_Part]:
    """The events, decoded, as many together as one transaction holds."""
    part, edges = _Part(origin, [], []), 0
    for index, event in enumerate(events):
        found = _decoded(event, limits, origin)
        if isinstance(found, EventError):
            part.outcomes.append(Outcome(index, found))
            continue
        part.outcomes.append(Outcome(index))
        part.good.append(_Good(index, event, found))
        edges += found.edge_count()
        if len(part.good) >= EVENTS_PER_TRANSACTION or edges >= EDGES_PER_TRANSACTION:
            yield part
            part, edges = _Part(origin, [], []), 0
    if part.outcomes:
        yield part


def _decoded(event: RawEvent, limits: Limits, origin: Origin) -> Batch | EventError:
    """The event's records, or why it is refused."""
    try:
        return origin.admitted(decode(event, limits))
    except EventError as error:
        return error
    except Exception:  # noqa: BLE001 - raised, it would hold up what was sent along
        _log.exception("an event could not be read")
        return EventError(INTERNAL, "", "it cannot be read: a mistake in Headwater, whose log says more")


def _keep(store: EventStore, part: _Part, journal: Keeper | None) -> _Part:
    """Store the part; while the store is away, the journal has its good events."""
    if journal is None:
        return _store(store, [part])[0]
    if not journal.holding:
        try:
            return _store(store, [part])[0]
        except StoreUnavailable as error:
            _log.info("the store is away: %s", error)
    if part.good:
        journal.accept([each.event for each in part.good], part.origin)
    return part


def replay(
    store: EventStore,
    letters: Iterable[DeadLetter],
    limits: Limits = DEFAULT_LIMITS,
    origin: Origin = LOCAL,
) -> list[Outcome]:
    """Try dead letters again; one outcome a letter, in order, with its key.

    Those that are stored now are letters no more, the others stay with their new error. Those that tell of what is not
    the caller's to write (``FORBIDDEN_NAMESPACE``), or of which nothing is kept (``NOTHING_KEPT``), stay as they are.
    What was a claim of the sender's stays one, whoever tries again.
    """
    return [_tried_again(store, index, letter, limits, origin) for index, letter in enumerate(letters)]


def _tried_again(
    store: EventStore, index: int, letter: DeadLetter, limits: Limits, origin: Origin
) -> Outcome:
    if letter.body is None:
        return Outcome(index, EventError(NOTHING_KEPT, "", "nothing is kept of it to try again"), letter.key)
    try:
        batch = decode(letter.body, limits)
    except EventError as error:
        return _still_refused(store, index, letter, error)
    try:
        batch = origin.admitted(Origin(letter.caller()).admitted(batch))
    except EventError as error:
        return Outcome(index, error, letter.key)
    failure = _failure(store, replace(batch, notes=(origin.note(1, (), batch),)))
    if failure:
        return _still_refused(store, index, letter, failure)
    store.forget_dead_letters([letter.key])
    return Outcome(index, dead_letter=letter.key)


def _still_refused(store: DeadLetters, index: int, letter: DeadLetter, error: HeadwaterError) -> Outcome:
    again = replace(letter_of(letter.body or "", error, letter.origin), key=letter.key)
    store.keep_dead_letters([again])
    return Outcome(index, _as_event_error(error), letter.key)


def _store(store: EventStore, parts: Sequence[_Part]) -> Sequence[_Part]:
    """Store the parts, and in the same transaction the notes of what became of their events; the parts as they ended.

    Raises ``StoreUnavailable``.
    """
    if not parts:
        return parts
    notes = tuple(part.note() for part in parts)
    good = [each for part in parts for each in part.good]
    if _failure(store, replace(_merged(good), notes=notes)):
        parts, notes = _store_by_halves(store, parts, good)
    for note in notes:
        _tell(note)
    return parts


def _store_by_halves(
    store: EventStore, parts: Sequence[_Part], good: Sequence[_Good]
) -> tuple[Sequence[_Part], tuple[AuditNote, ...]]:
    """Like ``_store`` for what the store did not take as a whole: what it does not take alone becomes a dead letter."""
    errors = _refused(store, good)
    letters = {
        each: letter_of(each.event, errors[each], part.origin.caller.name, part.origin.caller)
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
    """Store the events of a batch that the store did not take, but for those returned, which it does not take alone."""
    if len(good) <= 1:
        # Twice, because what the store failed at once may have been chance.
        failures = {each: _failure(store, each.batch) and _failure(store, each.batch) for each in good}
        return {each: error for each, error in failures.items() if error}
    middle = len(good) // 2
    halves = [
        half for half in (good[:middle], good[middle:]) if len(half) == 1 or _failure(store, _merged(half))
    ]
    return {each: error for half in halves for each, error in _refused(store, half).items()}


def _merged(good: Iterable[_Good]) -> Batch:
    return Batch.merged(each.batch for each in good)


def _note(outcomes: list[Outcome], stored: Batch, origin: Origin) -> AuditNote:
    return origin.note(len(outcomes), [outcome.error for outcome in outcomes if outcome.error], stored)


def _tell(note: AuditNote) -> None:
    """The log's line, which names runs and jobs."""
    runs, jobs = (note.details[kind]["names"][:NAMES_IN_A_LINE] for kind in ("runs", "jobs"))
    counts = {each: note.details[each] for each in ("received", "stored", "refused")}
    _log.info("events %s", note.result, extra={**counts, "runs": runs, "jobs": jobs})


def _failure(store: EventStore, batch: Batch) -> HeadwaterError | None:
    """Why the store, which answers, does not take the batch; None when it did. Raises ``StoreUnavailable``."""
    try:
        store.apply(batch)
    except StoreUnavailable as error:
        store.ping()
        return error
    except StoreFailedError as error:
        return error
    except Exception as error:  # noqa: BLE001 - raised, it would hold up what was sent along with its cause
        _log.exception("events could not be written")
        return StoreFailedError(
            f"{type(error).__name__}: this is a mistake in Headwater, whose log says more"
        )
    return None


def _as_event_error(error: HeadwaterError) -> EventError:
    if isinstance(error, EventError):
        return error
    hint = "it is kept: `headwater dead-letters list` shows it, and `replay` tries again"
    return EventError("NOT_APPLIED", "", error.message, hint)
