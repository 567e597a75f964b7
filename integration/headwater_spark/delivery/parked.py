"""Streams of events that a receiver keeps failing on while it takes others: parked on disk, and tried again later.

A stream is the events of one run, whose order is kept. The first event of a parked stream is the one that fails; those
behind it wait with it, and so do those that come later. Each stream is a journal of its own, beside those of the
processes:

    <folder>/parked-9f86d081884c7d65.ndjson     the events; the name is a digest of the run's id
    <folder>/parked-9f86d081884c7d65.tries      how often they were tried since; last when the file was changed

That a stream is parked is known by its file, to every process and after a crash. An event is written to it before the
journal that it comes from forgets it: killed in between, a process leaves it in both, and it is sent twice.
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
        """Those that this process has parked, or added to."""

    def holds(self, stream: str) -> bool:
        """Whether the stream is parked."""
        return self._path(stream).exists()

    def add(self, stream: str, line: bytes) -> bool:
        """Park an event behind those of its stream; False when that is not possible now."""
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
        """Events that wait in streams that this process has parked."""
        return sum(map(events_in, tuple(self._own)))

    def all(self) -> list[Path]:
        """The journals of the parked streams, first the one that is to be tried first."""
        return sorted(parked_in(self._folder), key=_due)

    def due(self) -> Iterator[Path]:
        """Those whose pause is over."""
        return (path for path in self.all() if _due(path) <= time.time())

    def until_due(self) -> float | None:
        """Seconds until the next one is, a second at least; None when nothing is parked."""
        first = next(iter(self.all()), None)
        return None if first is None else max(_due(first) - time.time(), 1.0)

    def failed(self, path: Path) -> None:
        """A stream was tried again and failed: its next pause is longer."""
        _write_tries(path, _tries(path) + 1)

    def _path(self, stream: str) -> Path:
        return self._folder / f"parked-{sha256(stream.encode('utf-8', 'replace')).hexdigest()[:32]}.ndjson"


def parked_in(folder: Path) -> Iterator[Path]:
    """The journals of all parked streams of a destination's folder."""
    return folder.glob("parked-*.ndjson")


def forget_tries(path: Path) -> None:
    """The stream is delivered, or waits for another receiver."""
    path.with_suffix(".tries").unlink(missing_ok=True)


def events_in(path: Path) -> int:
    """How many events are in a parked stream; none while another process tries it."""
    journal = Journal.adopt(path)
    if journal is None:
        return 0
    found = journal.pending
    journal.close()
    return found


def _due(path: Path) -> float:
    """When it is to be tried again, in epoch seconds; at once when that is not known, or the clock was put back."""
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
        return  # a full disk: it is tried again sooner
