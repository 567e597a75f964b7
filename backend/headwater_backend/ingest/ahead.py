"""Decoding events in processes of their own, ahead of the one that stores them.

Decoding takes most of the time of an import, and each event is decoded independently. Records and outcomes stay in the
order of the events.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, NamedTuple, TypeVar

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.records import Batch
from headwater_backend.ingest.decoding.decode import decode

T = TypeVar("T")

WAITING: Final = 2
"""The number of groups of events that wait for each process."""


class Refusal(NamedTuple):
    """The reason why an event cannot be decoded; ``at`` is its index in its group."""

    at: int
    code: str
    pointer: str
    detail: str
    hint: str | None

    def error(self) -> EventError:
        return EventError(self.code, self.pointer, self.detail, self.hint)


class Decoded(NamedTuple):
    """The records of some events, and the refusals among them."""

    batch: Batch
    refused: tuple[Refusal, ...] = ()


def decoded(events: Sequence[bytes]) -> Decoded:
    """The records and refusals of these events."""
    each = [_decoded(index, event) for index, event in enumerate(events)]
    good = (found for found in each if isinstance(found, Batch))
    return Decoded(Batch.merged(good), tuple(found for found in each if isinstance(found, Refusal)))


def _decoded(index: int, event: bytes) -> Batch | Refusal:
    try:
        return decode(event)
    except EventError as error:
        return Refusal(index, error.code, error.pointer, error.detail, error.hint)


def decoded_ahead(groups: Iterable[tuple[T, Sequence[bytes]]], processes: int) -> Iterator[tuple[T, Decoded]]:
    """Each group's label and its records, in order; groups are read ahead to keep the processes busy."""
    waiting: deque[tuple[T, Future[Decoded]]] = deque()
    # A forked process would share the store's file, and its locks would end when the child ends.
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for label, events in groups:
            waiting.append((label, pool.submit(decoded, events)))
            if len(waiting) > processes * WAITING:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)


def _next(waiting: deque[tuple[T, Future[Decoded]]]) -> tuple[T, Decoded]:
    label, future = waiting.popleft()
    return label, future.result()
