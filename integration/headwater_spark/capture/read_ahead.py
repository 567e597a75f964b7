"""Frames are taken from the driver as they come, while earlier ones are converted.

Thus the driver is rid of them, and can end before all are converted.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from headwater_spark.capture.frames import Readable, frames
from headwater_spark.guard import Failure, guarded

MOST_BYTES: Final = 64 << 20
"""Of frames that wait, after which nothing more is read until one is taken."""


class ReadAhead:
    """The frames of a stream, read by a thread. ``at_end`` is called in it when the stream has ended.

    Iteration raises at last what ended the reading, if it is no plain end: ``BrokenStreamError`` where it breaks off.
    """

    def __init__(
        self, stream: Readable, at_end: Callable[[], object], *, most_bytes: int = MOST_BYTES
    ) -> None:
        self._stream = stream
        self._at_end = at_end
        self._most_bytes = most_bytes
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._ended = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._read, name="headwater-frames", daemon=True).start()

    def __iter__(self) -> Iterator[bytes]:
        while (content := self._next()) is not None:
            yield content
        if self._error is not None:
            raise self._error

    def _next(self) -> bytes | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            if not self._waiting:
                return None
            content = self._waiting.popleft()
            self._bytes -= len(content)
            self._changed.notify_all()
            return content

    def _read(self) -> None:
        done = guarded(lambda: deque(map(self._add, frames(self._stream)), maxlen=0))
        self._at_end()
        with self._changed:
            self._error = done.error if isinstance(done, Failure) else None
            self._ended = True
            self._changed.notify_all()

    def _add(self, content: bytes) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._bytes < self._most_bytes)
            self._waiting.append(content)
            self._bytes += len(content)
            self._changed.notify_all()
