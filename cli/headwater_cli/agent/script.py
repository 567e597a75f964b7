"""What commands that take a PySpark script have in common: the script, with all that is behind it as its arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from headwater_cli.terminal.errors import CommandError

CONTEXT: Final = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""The settings of such a command."""


def script_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments SCRIPT and ARGUMENTS."""
    arguments = click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    return click.argument("script", type=click.Path(path_type=Path))(arguments(function))


def require(script: Path) -> None:
    """Raise ``CommandError`` where there is no such file."""
    if not script.is_file():
        raise CommandError("NO_SCRIPT", f"script not found: {script}")
