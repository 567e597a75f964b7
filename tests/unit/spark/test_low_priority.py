"""The agent's process starts at low priority, and has its own priority afterwards."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from headwater_spark.brain import LOW_PRIORITY, at_low_priority


def priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux")
def test_what_is_done_at_low_priority_leaves_the_others_theirs() -> None:
    before = priority()
    assert at_low_priority(priority) == max(before, LOW_PRIORITY)
    assert priority() == before


def test_its_error_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        at_low_priority(lambda: 1 // 0)


def test_a_system_that_forbids_it_does_it_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", forbidden)
    assert at_low_priority(lambda: 1) == 1
