"""The reader of pickles executes nothing, and what it cannot read is refused with a reason."""

from __future__ import annotations

import pickle
import pickletools
import random
from pathlib import Path

import pytest
from pyspark.cloudpickle import dumps

from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.pickles.machine import MOST_BYTES
from headwater_functions.result import analyse
from headwater_functions.unreadable import UnreadableError

SUFFIX = "!"


def _shout(text: str, times: int = 2) -> str:
    return (text + SUFFIX) * times


def _pickled(protocol: int = 4) -> bytes:
    _shout.__module__ = "__main__"
    return bytes(dumps((_shout, None), protocol))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_function_is_read_from_each_protocol(protocol: int) -> None:
    found = read_function(_pickled(protocol), "3.11")
    assert found.code.name == "_shout"
    assert found.defaults == (2,)
    assert found.globals["SUFFIX"] == "!"


def test_what_a_pickle_asks_to_call_is_not_called(tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (tmp_path / "called",)

    with pytest.raises(UnreadableError):
        read_function(pickle.dumps((Hostile(), None)), "3.11")
    assert not (tmp_path / "called").exists()


def test_a_function_that_is_only_named_is_refused() -> None:
    with pytest.raises(UnreadableError, match="only the name of"):
        read_function(pickle.dumps((pickletools.dis, None)), "3.11")


def test_a_pickle_that_is_too_large_is_refused() -> None:
    with pytest.raises(UnreadableError, match="more than"):
        read_function(b"N" * (MOST_BYTES + 1), "3.11")


@pytest.mark.parametrize("seed", range(20))
def test_damaged_pickles_and_code_are_refused_and_nothing_else(seed: int) -> None:
    chance = random.Random(seed)
    whole = _pickled()
    for _ in range(100):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            analyse(read_function(bytes(damaged), "3.11"), 1)
        except UnreadableError as e:
            assert e.reason
