"""How an application ended: as far as Spark's driver knows it, or as the exit code of its program says."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from openlineage.client.event_v2 import RunState


@dataclass(frozen=True, slots=True)
class Ending:
    """The state of the application's last event, and why it is not COMPLETE."""

    state: RunState = RunState.COMPLETE
    reason: str = ""

    @classmethod
    def of_code(cls, code: int) -> Ending:
        """Of a process' exit code, as ``subprocess`` has it: less than 0 for a signal."""
        if code < 0:
            return cls.of_signal(_signal_name(-code))
        return cls(RunState.FAIL, f"the program ended with exit code {code}") if code else cls()

    @classmethod
    def of_signal(cls, name: str) -> Ending:
        """Of a program that a signal ended."""
        return cls(RunState.ABORT, f"the program was ended by {name}")

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Ending:
        """What the driver knows, by its ``application-end`` document."""
        if name := document.get("signal"):
            return cls.of_signal(str(name))
        if code := document.get("exitCode"):
            return cls.of_code(int(code))
        if document.get("failed"):
            return cls(RunState.FAIL, "the program failed; its exit code is not known here")
        return cls()


LOST_DRIVER: Final = Ending(RunState.ABORT, "the driver went away without ending the application")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
