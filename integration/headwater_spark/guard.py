"""The one place where any exception at all is caught.

The agent must never take a job down with it, and third parties' code runs inside it: transports, token
providers, and an analysis of plans nobody has seen yet. Whatever goes wrong there becomes a value, and the
caller decides what is said about it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from headwater_spark.constants import Constants

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure:
    """What an action raised."""

    error: Exception

    def described(self, constants: Constants) -> str:
        """What was raised; instead of its message, which may hold a constant, the line where it was raised."""
        return str(self) if constants.shows_all else self.where

    @property
    def where(self) -> str:
        """What was raised and the line where, without its message."""
        frames = traceback.extract_tb(self.error.__traceback__)
        at = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        return f"{type(self.error).__name__}{at}"

    def __str__(self) -> str:
        text = str(self.error).strip().partition("\n")[0][:500]
        return f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__


def guarded(action: Callable[[], T]) -> T | Failure:
    """The action's result, or what it raised."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 - see the module's text
        return Failure(error)
