"""Whether what a run did to names and contents counts.

A run that failed, or was aborted, changed nothing that lasts: its renames, creations and drops do not count, nor does
it end what was there. What ends data counts only when it certainly happened: not while a run has only begun. A run of
which nothing is known has none of these states, so that what an event without a run reports counts at once.
"""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """The earliest moments at which a run was in each state; None where it was not, as far as known."""

    started: int | None = None
    running: int | None = None
    completed: int | None = None
    failed: int | None = None
    aborted: int | None = None

    @property
    def has_failed(self) -> bool:
        return self.failed is not None or self.aborted is not None

    @property
    def has_only_begun(self) -> bool:
        return self.completed is None and (self.started is not None or self.running is not None)

    @property
    def has_happened(self) -> bool:
        """Whether the run certainly did what it reports."""
        return not self.has_failed and not self.has_only_begun


def latest_state(outcome: Outcome, other: int | None = None) -> str | None:
    """The latest state of a run, ``other`` if that is all that is known; a later COMPLETE does not undo a failure."""
    states = (
        ("FAIL", outcome.failed),
        ("ABORT", outcome.aborted),
        ("COMPLETE", outcome.completed),
        ("RUNNING", outcome.running),
        ("START", outcome.started),
        ("OTHER", other),
    )
    return next((name for name, at in states if at is not None), None)
