"""Reading a journal past streams that are skipped."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater_spark.delivery.journal import Journal
from headwater_spark.delivery.stored_event import run_id_of


@dataclass(slots=True)
class JournalReader:
    """A reader of a journal that skips some streams; a stream is the events of one run."""

    journal: Journal
    skipped: set[str] = field(default_factory=set)

    def next(self) -> tuple[bytes, str] | None:
        """The oldest event, and its stream, among those that are not skipped."""
        while (line := self.journal.peek()) is not None:
            if (stream := run_id_of(line)) not in self.skipped:
                return line, stream
            self.journal.skip()
        return None

    def restart(self) -> None:
        """Start from the oldest event again, and skip no stream."""
        if self.skipped:
            self.skipped.clear()
            self.journal.rewind()
