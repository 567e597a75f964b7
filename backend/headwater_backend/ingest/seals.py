"""How damage of a journal is noticed: each parcel has a checksum, and a file beside it counts what waits."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_SEAL: Final = 64
_DIGITS: Final = 20


def sealed(content: bytes) -> bytes:
    """The content behind its checksum."""
    return hashlib.sha256(content).hexdigest().encode() + content


def unsealed(content: bytes) -> bytes:
    """The content without its checksum. Raises ``ValueError`` where it is damaged.

    JSON without a checksum is what earlier versions appended.
    """
    if content[:1] == b"{":
        return content
    seal, rest = content[:_SEAL], content[_SEAL:]
    if hashlib.sha256(rest).hexdigest().encode() != seal:
        raise ValueError("the parcel is damaged")
    return rest


class Count:
    """A number in a file, written at once and not synced: a hint, and its failure stops nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def read(self) -> int:
        """The number; 0 where nobody has written one."""
        with suppress(OSError, ValueError):
            return int(self._path.read_bytes())
        return 0

    def write(self, number: int) -> None:
        """Write the number."""
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.pwrite(self._file, b"%0*d" % (_DIGITS, number), 0)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
