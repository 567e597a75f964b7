"""What was observed of a slot, as stores keep it."""

from __future__ import annotations

from typing import NamedTuple

from headwater_backend.domain.records import NOT_STATED


class Observed(NamedTuple):
    """An observation with its run's outcome: ``failed`` is the earliest FAIL or ABORT, ``began`` its earliest event.

    ``known``, ``settled`` and ``refuted`` are moments of receipt: of the observation from ``who``, of the run's first
    end, and of its first failure. ``conditions`` are those under which the run made the version, as a set of digests
    (``domain.records``). One that counted before a correction was ``cleared`` when that was received.
    """

    slot: str
    run: str
    version: str
    rank: int
    static: bool
    first: int
    last: int
    keeps: bool
    completed: int | None
    failed: int | None
    began: int | None
    known: int = 0
    who: str = ""
    settled: int | None = None
    refuted: int | None = None
    conditions: str = NOT_STATED
    cleared: int | None = None
    cleared_by: str = ""
