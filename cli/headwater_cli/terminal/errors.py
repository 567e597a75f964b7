"""Errors of commands: a line on stderr with a stable code, an optional hint, and an exit code for the shell.

::

    0  done
    1  failed: refused, broken or unreachable
    2  wrong usage (click's own code)
    3  not found: unknown dataset, path or category, or missing store
    4  the answer is incomplete, and --strict was given; or it is not known whether a policy is violated, or a
       report is true
    5  no data is classified as personal, so holders of personal data cannot be determined
    6  a policy on personal data is violated

Exceptions are translated here, in one place, so that no command prints a traceback. ``HEADWATER_DEBUG=1`` lets
all exceptions through.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from headwater_cli.terminal.escaping import visible_lines

FAILED = 1
NOT_FOUND = 3
INCOMPLETE = 4
NOTHING_CLASSIFIED = 5
VIOLATED = 6

EXIT_CODES = """\b
Exit codes:
  0  done
  1  failed: refused, broken or unreachable
  2  wrong usage
  3  not found: unknown dataset, path or category, or missing store
  4  the answer is incomplete, and --strict was given; or it is not known whether a policy is violated
  5  no data is classified as personal, so holders of personal data cannot be determined
  6  a policy on personal data is violated
"""

_NOT_FOUND_CODES = frozenset(
    {
        "UNKNOWN_DATASET",
        "UNKNOWN_JOB",
        "UNKNOWN_RUN",
        "UNKNOWN_PATH",
        "UNKNOWN_CATEGORY",
        "RULE_UNMATCHED",
        "NO_PROPOSALS",
        "UNKNOWN_DEAD_LETTER",
        "UNKNOWN_DESTINATION",
        "STORE_MISSING",
    }
)
_OUR_PACKAGES = ("headwater_", "kit")


class CommandError(click.ClickException):
    """An error with a stable code, reported to the user; ``status`` is the HTTP status if a server returned it."""

    def __init__(self, code: str, message: str, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.status = status
        # click declares it on the class, but reads it from the instance
        self.exit_code = NOT_FOUND if code in _NOT_FOUND_CODES else FAILED  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"{click.style('error:', fg='red')} {visible_lines(self.message)} [{self.code}]", err=True)
        if self.hint:
            click.echo(f"{click.style('hint:', fg='yellow')} {visible_lines(self.hint)}", err=True)


@contextmanager
def reported_errors() -> Iterator[None]:
    """Context manager that converts exceptions to ``CommandError``; click's own exceptions pass through."""
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("HEADWATER_DEBUG") == "1":
            raise
        raise command_error(error) from error


def command_error(error: Exception) -> CommandError:
    """Return the ``CommandError`` for an exception; exceptions of our packages already carry a code and a hint."""
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith(_OUR_PACKAGES):
        return _missing(error.name.partition(".")[0])
    code = getattr(error, "code", None)
    if isinstance(code, str):
        return CommandError(code, str(error), getattr(error, "hint", None))
    if isinstance(error, OSError) and error.filename is not None:
        return CommandError("FILE", f"{error.filename}: {error.strerror}")
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return CommandError("INTERNAL", what, "this is a bug in headwater; HEADWATER_DEBUG=1 shows the traceback")


def _missing(module: str) -> CommandError:
    if module == "pyspark":
        return CommandError("PYSPARK_MISSING", "pyspark is not installed", "pip install 'pyspark>=3.5,<5'")
    return CommandError(
        "BACKEND_MISSING",
        f"this command needs headwater[backend] ({module} is not installed)",
        "pip install 'headwater[backend]'",
    )
