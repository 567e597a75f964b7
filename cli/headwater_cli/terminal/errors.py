"""How commands fail: a line on stderr with a stable code, a hint, and an exit code for the shell.

::

    0  done
    1  failed: something refused, broken or out of reach
    2  wrong usage (click's own code)
    3  not found: no such dataset, path or category, or no store there
    4  the answer is incomplete, and --strict was given
    5  nothing is classified as personal, so nobody knows who holds personal data

What is raised below is translated here, once, so that no command shows a traceback. ``HEADWATER_DEBUG=1`` shows
them all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from headwater_cli.terminal.visible import visible_lines

FAILED = 1
NOT_FOUND = 3
INCOMPLETE = 4
NOTHING_CLASSIFIED = 5

EXIT_CODES = """\b
Exit codes:
  0  done
  1  failed: something refused, broken or out of reach
  2  wrong usage
  3  not found: no such dataset, path or category, or no store there
  4  the answer is incomplete, and --strict was given
  5  nothing is classified as personal, so nobody knows who holds personal data
"""

_NOT_FOUND_CODES = frozenset(
    {
        "UNKNOWN_DATASET",
        "UNKNOWN_JOB",
        "UNKNOWN_RUN",
        "UNKNOWN_PATH",
        "UNKNOWN_CATEGORY",
        "RULE_UNMATCHED",
        "UNKNOWN_DEAD_LETTER",
        "UNKNOWN_DESTINATION",
        "STORE_MISSING",
    }
)
_OUR_PACKAGES = ("headwater_", "kit")


class Failure(click.ClickException):
    """An error that is told to the person who typed the command; ``status`` is HTTP's, where a server told it."""

    def __init__(self, code: str, message: str, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.status = status
        # click types it as the class's, and reads it from the instance
        self.exit_code = NOT_FOUND if code in _NOT_FOUND_CODES else FAILED  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"{click.style('error:', fg='red')} {visible_lines(self.message)} [{self.code}]", err=True)
        if self.hint:
            click.echo(f"{click.style('hint:', fg='yellow')} {visible_lines(self.hint)}", err=True)


@contextmanager
def told() -> Iterator[None]:
    """Turn whatever is raised inside into a ``Failure``; click's own exceptions pass."""
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("HEADWATER_DEBUG") == "1":
            raise
        raise failure_of(error) from error


def failure_of(error: Exception) -> Failure:
    """The failure that tells of the error; those of our packages carry a code and a hint already."""
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith(_OUR_PACKAGES):
        return _missing(error.name.partition(".")[0])
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return Failure(code, str(error), getattr(error, "hint", None))
    if isinstance(error, OSError) and error.filename is not None:
        return Failure("FILE", f"{error.filename}: {error.strerror}")
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure("INTERNAL", what, "this is a mistake in headwater; HEADWATER_DEBUG=1 shows where")


def _missing(module: str) -> Failure:
    if module == "pyspark":
        return Failure("PYSPARK_MISSING", "pyspark is not installed here", "pip install 'pyspark>=3.5,<5'")
    return Failure(
        "BACKEND_MISSING",
        f"this command needs headwater[backend] ({module} is not installed)",
        "pip install 'headwater[backend]'",
    )
