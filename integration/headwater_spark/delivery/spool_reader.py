"""Reading a spool past streams that are skipped."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater_queue.entry import Entry
from headwater_spark.delivery.spool import Spool


@dataclass(slots=True)
class SpoolReader:
    """A reader of a spool that skips some streams."""

    spool: Spool
    skipped: set[str] = field(default_factory=set)
    _position: int = 0

    def next(self) -> Entry | None:
        """The oldest event among those that are not parked and not skipped."""
        while (entry := self.spool.next(self._position)) is not None and entry.stream in self.skipped:
            self._position = entry.id
        return entry

    def restart(self) -> None:
        """Start from the oldest event again, and skip no stream."""
        self.skipped.clear()
        self._position = 0
