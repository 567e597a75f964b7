"""Taking events in: decode each, store the good ones, say of each what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater_backend.errors import EventError
from headwater_backend.ingest.decode import DEFAULT_LIMITS, Limits, decode
from headwater_backend.ingest.records import Batch
from headwater_backend.ports import LineageStore

RawEvent = bytes | str | Mapping[str, Any]

EVENTS_PER_TRANSACTION = 500
EDGES_PER_TRANSACTION = 20_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the event at ``index``: stored, or refused with an error."""

    index: int
    error: EventError | None = None

    @property
    def stored(self) -> bool:
        return self.error is None


def ingest(store: LineageStore, events: Iterable[RawEvent], limits: Limits = DEFAULT_LIMITS) -> list[Outcome]:
    """One outcome an event, in order. When it returns, all accepted events are durable.

    Raises ``StoreUnavailable``; sending all events again is then right, because known ones change nothing.
    """
    outcomes: list[Outcome] = []
    waiting: list[Batch] = []
    edges = 0
    for index, event in enumerate(events):
        try:
            batch = decode(event, limits)
        except EventError as error:
            outcomes.append(Outcome(index, error))
            continue
        outcomes.append(Outcome(index))
        waiting.append(batch)
        edges += batch.edge_count()
        if len(waiting) >= EVENTS_PER_TRANSACTION or edges >= EDGES_PER_TRANSACTION:
            store.apply(Batch.merged(waiting))
            waiting, edges = [], 0
    if waiting:
        store.apply(Batch.merged(waiting))
    return outcomes
