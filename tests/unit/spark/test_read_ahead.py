"""The driver is rid of its frames before they are taken, up to a bound."""

from __future__ import annotations

import os
import threading

import pytest

from headwater_spark.capture.frames import BrokenStreamError, frame
from headwater_spark.capture.read_ahead import ReadAhead
from kit.receiver import eventually

FRAME = frame({"text": "x" * 1_000})


class Pipe:
    """A pipe, and how much of it has been read."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        self.read_bytes = 0

    def read(self, most: int, /) -> bytes:
        content = os.read(self._reader, most)
        self.read_bytes += len(content)
        return content


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def test_frames_are_read_before_anybody_takes_them_and_come_in_order(pipe: Pipe) -> None:
    ended = threading.Event()
    ahead = ReadAhead(pipe, ended.set)
    for number in range(3):
        os.write(pipe.writer, frame({"n": number}))
    os.close(pipe.writer)
    assert ended.wait(30)
    assert [bytes(content) for content in ahead] == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']


def test_no_more_is_read_than_the_bound_until_one_is_taken(pipe: Pipe) -> None:
    ahead = ReadAhead(pipe, lambda: None, most_bytes=2_000)
    os.write(pipe.writer, FRAME * 5)
    os.close(pipe.writer)
    eventually(lambda: pipe.read_bytes >= 3 * len(FRAME))
    assert pipe.read_bytes == 3 * len(FRAME), "two wait, one is held"
    assert len(list(ahead)) == 5


def test_what_is_whole_comes_before_the_error(pipe: Pipe) -> None:
    os.write(pipe.writer, FRAME + FRAME[:100])
    os.close(pipe.writer)
    taken = iter(ReadAhead(pipe, lambda: None))
    assert next(taken) == FRAME[4:]
    with pytest.raises(BrokenStreamError, match="before the end of a frame"):
        next(taken)
