"""What SQLite does not read any more of a damaged file, or of a damaged write-ahead log.

SQLite reads a log up to the first frame whose checksum is wrong, and nothing of one whose head is damaged: what was
committed behind that is dropped without a word. But a frame is a page with its number, and most pages are whole. So
they are put over the pages that SQLite still reads, in their order, up to the last commit. Whoever reads entries of
such a file has to check each of them, because it may be the one with the damage.

The file's format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

_HEAD: Final = 32
_FRAME_HEAD: Final = 24
_WITNESSES: Final = 8
_PROBES: Final = 100_000
"""The most keys that are tried one by one between those that can be read from both ends."""


class _Frame(NamedTuple):
    page: int
    size: int
    """The number of the database's pages after a commit; 0 for any other frame."""
    salt: bytes
    content: bytes


class Log(NamedTuple):
    """The bytes of a log, and the size of its pages."""

    content: bytes
    page_size: int

    def committed(self) -> list[_Frame]:
        """The frames up to the last commit, damaged or not; older ones that are only not overwritten yet are none."""
        frames = list(self._frames())
        # Behind frames of this log may be those of a former one, so the first salt that two witnesses name counts.
        witnesses = [self.content[16:24], *(frame.salt for frame in frames[:_WITNESSES])]
        salt = next((each for each in witnesses if any(each) and witnesses.count(each) > 1), None)
        while frames and not (frames[-1].salt == salt and frames[-1].size):
            frames.pop()
        return [frame for frame in frames if frame.salt == salt and frame.page]

    def _frames(self) -> Iterator[_Frame]:
        step = _FRAME_HEAD + self.page_size
        for begin in range(_HEAD, len(self.content) - step + 1, step):
            head = self.content[begin : begin + _FRAME_HEAD]
            page, size = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
            yield _Frame(page, size, head[8:16], self.content[begin + _FRAME_HEAD : begin + step])


def unread(log: Log, read_frames: int) -> bool:
    """Whether the log has committed frames behind those that SQLite reads."""
    return len(log.committed()) > read_frames


def rows(log: Log, known: sqlite3.Connection, schema: str, query: str) -> list[tuple[object, ...]]:
    """The rows of a query over what SQLite reads and what the log holds; none where that makes no database.

    ``schema`` makes the tables in an empty database, whose pages may be lost.
    """
    with tempfile.TemporaryDirectory(prefix="headwater-") as folder:
        file = Path(folder) / "salvaged.db"
        with closing(sqlite3.connect(file, isolation_level=None)) as copy:
            known.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
            if not copy.execute("SELECT 1 FROM sqlite_master").fetchone():
                copy.executescript(schema)
        _overlay(file, log)
        with closing(sqlite3.connect(file, isolation_level=None)) as copy:
            return list(_readable(copy, query))


def _readable(db: sqlite3.Connection, query: str) -> Iterator[tuple[object, ...]]:
    """The rows in front of a page that cannot be read."""
    with suppress(sqlite3.Error, UnicodeDecodeError):
        yield from db.execute(query)


def is_damaged(db: sqlite3.Connection) -> bool:
    """Whether SQLite finds the file damaged, also where it could still read or write some of it."""
    try:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return True


def readable_rows(db: sqlite3.Connection, rows: str) -> list[tuple[object, ...]]:
    """The rows of a damaged file that can be read. ``rows`` selects them all; the first column is their key."""
    found = _by_key(_readable(db, f"{rows} ORDER BY id"))
    last = max(found, default=0)
    from_end = _by_key(_readable(db, f"{rows} WHERE id > {last:d} ORDER BY id DESC"))
    for key in range(last + 1, min(min(from_end, default=last + _PROBES), last + _PROBES)):
        found |= _by_key(_readable(db, f"{rows} WHERE id = {key:d}"))
    return [row for _, row in sorted({**found, **from_end}.items())]


def _by_key(rows: Iterator[tuple[object, ...]]) -> dict[int, tuple[object, ...]]:
    return {row[0]: row for row in rows if isinstance(row[0], int)}


def keep_copy(db: sqlite3.Connection, path: Path) -> None:
    """Copy a damaged file, page by page, to a name of its own: what cannot be read here, somebody else may read."""
    copy = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(copy)) as kept:
        db.backup(kept)


def begin_anew(db: sqlite3.Connection, schema: str) -> None:
    """Make an empty database of the file, whatever is in it."""
    (page_size,) = db.execute("PRAGMA page_size").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        empty.execute(f"PRAGMA page_size = {page_size:d}")
        empty.executescript(schema)
        empty.execute(f"PRAGMA user_version = {version:d}")
        empty.backup(db)


def _overlay(file: Path, log: Log) -> None:
    with file.open("r+b") as pages:
        for frame in log.committed():
            content = frame.content
            if frame.page == 1:  # no write-ahead log belongs to the copy
                content = content[:18] + b"\1\1" + content[20:]
            pages.seek((frame.page - 1) * log.page_size)
            pages.write(content)
