"""What the program read by itself, as its own process has noted (``activation.own_reads``), and what it was given by
its earlier applications: where a program starts another one (``spark.stop()``, then ``getOrCreate()``), the ended one
has left that in the journal.

Without such a journal, nobody saw what it read: it may have read anything.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from headwater_facets.locations import DatasetId
from headwater_spark.naming.datasets import location_id

log = logging.getLogger(__name__)

KEY: Final = "spark.headwater.program"
"""The setting that names the journal."""
UNWATCHED: Final = "nobody saw what else it read"
OPEN: Final = "open"
OUTSIDE: Final = "outside"
SOURCE: Final = "source"
ARGUMENT: Final = "argument"
CELL: Final = "cell"
COLLECTED: Final = "collected"
SHOWN: Final = "shown"
NAMES: Final = "names"


class OwnRead(NamedTuple):
    """A file that the program opened, why it may have read what has no name, what it was written with, or what an
    earlier application has given it; at epoch milliseconds.
    """

    at: int
    kind: str
    text: str

    @property
    def is_of_program(self) -> bool:
        """Whether it is what somebody wrote for the program, and no data."""
        return self.kind in (SOURCE, ARGUMENT, CELL)

    @property
    def file(self) -> DatasetId | None:
        """The dataset that an opened file is, or belongs to."""
        return location_id(self.text) if self.kind == OPEN else None

    @property
    def place(self) -> tuple[DatasetId, tuple[str, ...]] | None:
        """Of what an application gave, the dataset and the path; None where no dataset is known."""
        with suppress(ValueError, TypeError):
            namespace, name, *path = json.loads(self.text)
            return DatasetId(namespace, name), tuple(path)
        return None

    @property
    def is_part(self) -> bool:
        """Whether the file is one of those that a dataset of Spark is made of."""
        return self.file is not None and self.file.name != self.text


class ProgramReads:
    """The journal of one application's program."""

    def __init__(self, conf: Mapping[str, str]) -> None:
        self._journal = _opened(conf.get(KEY))
        self._waiting: list[OwnRead] = []
        if self._journal is None:
            self._waiting.append(OwnRead(0, "unwatched", UNWATCHED))

    def until(self, time: int) -> Iterator[OwnRead]:
        """Yield each that was not yielded before and had happened by that time."""
        self._waiting += self._new()
        happened = [each for each in self._waiting if each.at <= time]
        self._waiting = [each for each in self._waiting if each.at > time]
        yield from happened

    def leave(self, given: Iterable[OwnRead]) -> None:
        """Note what the application gave, for the next one of the program; a journal that is gone has no next one."""
        lines = "".join(json.dumps(each) + "\n" for each in given)
        if self._journal is None or not lines:
            return
        with suppress(OSError):
            descriptor = os.open(self._journal.name, os.O_WRONLY | os.O_APPEND)
            with os.fdopen(descriptor, "w", encoding="utf-8") as journal:
                journal.write(lines)

    def close(self) -> None:
        """Close the journal; nothing more is read of it."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _new(self) -> Iterator[OwnRead]:
        for line in self._journal or ():
            if (found := _read(line)) is not None:
                yield found


def _opened(place: str | None) -> TextIO | None:
    if not place:
        return None
    try:
        return Path(place).open(encoding="utf-8", errors="replace")
    except OSError as error:
        log.warning("what the program reads by itself is not known (%s)", error)
        return None


def _read(line: str) -> OwnRead | None:
    try:
        found: Any = json.loads(line)
        return OwnRead(int(found[0]), str(found[1]), str(found[2]))
    except (ValueError, IndexError, TypeError):
        return None
