"""The format of the stream from the Spark listener: a 4-byte big-endian length, then a JSON object of that length."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any, Final, Protocol

MAX_FRAME: Final = 1 << 29
"""Bytes. A longer frame means that the stream is out of sync."""


class Readable(Protocol):
    """A source of bytes. A read returns at most the requested number, and nothing at the end."""

    def read(self, most: int, /) -> bytes:
        """Return at most ``most`` bytes."""
        ...


class BrokenStreamError(Exception):
    """The stream is not a sequence of frames; the rest of it cannot be read."""


def frames(stream: Readable) -> Iterator[bytes]:
    """Yield each frame's content until the end of the stream. Raises ``BrokenStreamError`` for an incomplete one."""
    while header := _exactly(stream, 4):
        (length,) = struct.unpack(">I", header)
        if length > MAX_FRAME:
            raise BrokenStreamError(f"the next frame claims to have {length} bytes")
        yield _exactly(stream, length, required=bool(length))


def frame(document: dict[str, Any]) -> bytes:
    """Encode the document as a frame."""
    content = json.dumps(document).encode()
    return struct.pack(">I", len(content)) + content


def _exactly(stream: Readable, length: int, *, required: bool = False) -> bytes:
    """Read ``length`` bytes; nothing at the end of the stream, unless they are ``required``."""
    parts: list[bytes] = []
    missing = length
    while missing and (part := stream.read(min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    if missing and (parts or required):
        raise BrokenStreamError(f"the stream ends {missing} bytes before the end of a frame")
    return b"".join(parts)
