"""Parked streams: a receiver keeps failing on their events while it accepts others, so they are retried later.

A stream is the events of one run, whose order is kept. The first event of a parked stream is the one that fails; those
behind it wait with it, and so do later ones. Each stream is a journal of its own, beside those of the processes:

    <folder>/parked-9f86d081884c7d65.ndjson     the events; the name is a digest of the run's id
    <folder>/parked-9f86d081884c7d65.tries      number of retries; the file's time is that of the last one

The file itself marks a stream as parked, for every process and after a crash. An event is written to it before it is
acknowledged in its original journal: if the process is killed in between, the event is in both, and is sent twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from headwater_spark.delivery.journal import Journal

FIRST_PAUSE: Final = 30.0  # seconds
GROWTH: Final = 4
LONGEST_PAUSE: Final = 900.0


class Parked:
    """The parked streams of one destination."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: set[Path] = set()
        """The journals of streams that this process parked or appended to."""

    def holds(self, stream: str) -> bool:
        """Whether the stream is parked."""
        return self._path(stream).exists()

    def add(self, stream: str, line: bytes) -> bool:
        """Append an event to its parked stream, which is created if necessary; False if that fails now."""
        path = self._path(stream)
        is_new = not path.exists()
        journal = Journal.extend(path)
        if journal is None:
            return False
        event = line.decode("utf-8", "surrogatepass").removesuffix("\n")
        kept = journal.append(event) and not journal.in_memory
        journal.close()
        if kept and is_new:
            _write_tries(path, 0)
        if kept:
            self._own.add(path)
        return kept

    @property
    def own_events(self) -> int:
        """The number of events in streams that this process parked."""
        return sum(map(events_in, tuple(self._own)))

    def all(self) -> list[Path]:
        """The journals of the parked streams, in the order in which they are due."""
        return sorted(parked_in(self._folder), key=_due)

    def due(self) -> Iterator[Path]:
        """The journals of the parked streams whose pause is over."""
        return (path for path in self.all() if _due(path) <= time.time())

    def until_due(self) -> float | None:
        """Seconds until the next stream is due, at least one second; None if nothing is parked."""
        first = next(iter(self.all()), None)
        return None if first is None else max(_due(first) - time.time(), 1.0)

    def record_failure(self, path: Path) -> None:
        """Count a failed retry of a stream, which makes its next pause longer."""
        _write_tries(path, _tries(path) + 1)

    def _path(self, stream: str) -> Path:
        return self._folder / f"parked-{sha256(stream.encode('utf-8', 'replace')).hexdigest()[:32]}.ndjson"


def parked_in(folder: Path) -> Iterator[Path]:
    """The journals of all parked streams in a destination's folder."""
    return folder.glob("parked-*.ndjson")


def delete_tries(path: Path) -> None:
    """Delete the number of retries of a stream that is delivered or redirected."""
    path.with_suffix(".tries").unlink(missing_ok=True)


def events_in(path: Path) -> int:
    """The number of events in a parked stream; 0 while another process retries it."""
    journal = Journal.adopt(path)
    if journal is None:
        return 0
    found = journal.pending
    journal.close()
    return found


def _due(path: Path) -> float:
    """Time of the next retry, in epoch seconds; 0 if it is unknown, or if the clock was set back."""
    try:
        last = path.with_suffix(".tries").stat().st_mtime
    except OSError:
        return 0
    return 0 if last > time.time() else last + min(FIRST_PAUSE * GROWTH ** _tries(path), LONGEST_PAUSE)


def _tries(path: Path) -> int:
    try:
        return min(int(path.with_suffix(".tries").read_text()), 99)
    except (OSError, ValueError):
        return 0


def _write_tries(path: Path, tries: int) -> None:
    try:
        path.with_suffix(".tries").write_text(str(tries))
    except OSError:
        return  # a full disk: the next retry comes sooner
