"""The files of journals: names, locks, lines, and the file of refused events."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

REJECTED_LIMIT: Final = 64_000_000  # bytes of refused events that are kept


def new_name() -> str:
    """A unique file name, in the order of creation."""
    return f"{time.time_ns() // 1_000_000:013d}-{os.getpid()}-{secrets.token_hex(4)}.ndjson"


def open_locked(path: Path, flags: int = 0) -> int:
    """Open a file for appending and lock it. Raises ``OSError``, also if another process has the lock."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def is_at(path: Path, file: int) -> bool:
    """Whether the open file is still the one at that path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False


def size_of(path: Path) -> int:
    """Bytes of a file; 0 if another process has deleted it meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def read_line(file: int, offset: int) -> bytes:
    """The line that begins at ``offset``, with its end."""
    return b"".join(_chunks_to_newline(file, offset))


def _chunks_to_newline(file: int, offset: int, chunk: int = 65_536) -> Iterator[bytes]:
    while data := os.pread(file, chunk, offset):
        end = data.find(b"\n") + 1
        yield data[:end] if end else data
        if end:
            return
        offset += len(data)


def append_rejected(folder: Path, line: bytes, reason: str) -> bool:
    """Append a refused event to ``rejected.ndjson``, with the reason; False if that fails or the file is full."""
    entry = {"time": time.time_ns() // 1_000_000, "reason": reason, "event": _parse(line)}
    text = json.dumps(entry)
    try:
        with (folder / "rejected.ndjson").open("a", encoding="utf-8") as file:
            if file.tell() + len(text) > REJECTED_LIMIT:
                return False
            file.write(text + "\n")
    except OSError:
        return False
    return True


def _parse(line: bytes) -> object:
    """The JSON value of a line; its text if it is not JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return line.decode("utf-8", "replace")
