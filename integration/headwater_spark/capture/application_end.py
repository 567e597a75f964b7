"""How an application ended, as far as Spark's driver or the exit code of its program shows it."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from openlineage.client.event_v2 import RunState


@dataclass(frozen=True, slots=True)
class ApplicationEnd:
    """The state of the application's last event, and the reason if it is not COMPLETE."""

    state: RunState = RunState.COMPLETE
    reason: str = ""

    @classmethod
    def from_exit_code(cls, code: int) -> ApplicationEnd:
        """The end for a process' exit code as ``subprocess`` reports it: negative for a signal."""
        if code < 0:
            return cls.from_signal(_signal_name(-code))
        return cls(RunState.FAIL, f"the program ended with exit code {code}") if code else cls()

    @classmethod
    def from_signal(cls, name: str) -> ApplicationEnd:
        """The end of a program that received this signal."""
        return cls(RunState.ABORT, f"the program was ended by {name}")

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> ApplicationEnd:
        """The end that the driver reports in its ``application-end`` document."""
        if name := document.get("signal"):
            return cls.from_signal(str(name))
        if code := document.get("exitCode"):
            return cls.from_exit_code(int(code))
        if document.get("failed"):
            return cls(RunState.FAIL, "the program failed; its exit code is unknown")
        return cls()


LOST_DRIVER: Final = ApplicationEnd(RunState.ABORT, "the driver exited without ending the application")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
