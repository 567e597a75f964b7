"""The pipe from the eye: frames of a 4-byte big-endian length and a JSON object of that many bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any, Final, Protocol

MAX_FRAME: Final = 1 << 29
"""Bytes. A longer frame is not ours: the stream is out of step."""


class Readable(Protocol):
    """Where bytes come from; a read gives at most as many as asked for, and none at the end."""

    def read(self, most: int, /) -> bytes:
        """Some bytes."""
        ...


class BrokenStreamError(Exception):
    """The stream is no sequence of frames any more; what follows cannot be read."""


def frames(stream: Readable) -> Iterator[bytes]:
    """Each frame's content until the end of the stream. Raises ``BrokenStreamError`` when one is cut off."""
    while header := _exactly(stream, 4):
        (length,) = struct.unpack(">I", header)
        if length > MAX_FRAME:
            raise BrokenStreamError(f"a frame of {length} bytes is announced")
        yield _exactly(stream, length, at_least_one=bool(length))


def frame(document: dict[str, Any]) -> bytes:
    """The document as a frame."""
    content = json.dumps(document).encode()
    return struct.pack(">I", len(content)) + content


def _exactly(stream: Readable, length: int, *, at_least_one: bool = False) -> bytes:
    """So many bytes; none at all at the end of the stream, unless at least one must come."""
    parts: list[bytes] = []
    missing = length
    while missing and (part := stream.read(min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    if missing and (parts or at_least_one):
        raise BrokenStreamError(f"the stream ends {missing} bytes before the end of a frame")
    return b"".join(parts)
