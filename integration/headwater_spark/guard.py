"""The only place where every exception is caught.

The agent must never make a job fail, and third-party code runs inside it: transports and token providers; and the
analysis may get plans of unknown form. An exception becomes a value, and the caller decides how to report it.
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
    """An exception that an action raised."""

    error: Exception

    def describe(self, constants: Constants) -> str:
        """The exception with its message or, since that may contain constants, with the line that raised it."""
        return str(self) if constants.shows_all else self.where

    @property
    def where(self) -> str:
        """The type of the exception and the line that raised it, without its message."""
        frames = traceback.extract_tb(self.error.__traceback__)
        at = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        return f"{type(self.error).__name__}{at}"

    def __str__(self) -> str:
        text = str(self.error).strip().partition("\n")[0][:500]
        return f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__


def guarded(action: Callable[[], T]) -> T | Failure:
    """The action's result, or the exception that it raised."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 - see the module's docstring
        return Failure(error)
