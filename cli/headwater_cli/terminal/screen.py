"""What people see: colours and tables in a terminal, plain lines where the output goes elsewhere."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.terminal.errors import INCOMPLETE
from headwater_cli.terminal.tables import print_lines
from headwater_cli.terminal.visible import all_visible, visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 10_000


def console() -> Console:
    """A console on stdout that never breaks a line when nobody looks at it."""
    from rich.console import Console

    if in_terminal():
        return Console(highlight=False)
    return Console(highlight=False, width=PIPED_WIDTH, color_system=None)


def in_terminal() -> bool:
    """Whether somebody looks at stdout."""
    return sys.stdout.isatty()


def print_note(text: str, *, wrap: bool = True) -> None:
    """A line about the answer, after it; without ``wrap`` it may be copied out of a terminal whole."""
    if in_terminal():
        console().print(text, style="yellow", markup=False, soft_wrap=not wrap)
    else:
        click.echo(text)


def print_json(value: Any) -> None:
    """The value for a program: one JSON document, indented, in UTF-8."""
    click.echo(visible_json(json.dumps(value, indent=2, ensure_ascii=False)))


def print_answer(
    context: click.Context,
    answer: Mapping[str, Any],
    show: Callable[[Mapping[str, Any]], None],
    *,
    as_json: bool,
    strict: bool,
) -> None:
    """The GraphQL answer as JSON, or as ``show`` prints it; with ``strict``, an incomplete one ends the command so."""
    if as_json:
        print_json(answer)
    else:
        show(all_visible(answer))
    if strict and not answer["complete"]:
        context.exit(INCOMPLETE)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in a terminal; tab-separated lines, headings first, in a pipe. An empty one is said to be so."""
    if in_terminal():
        print_lines(headings, rows, shutil.get_terminal_size().columns)
    else:
        for row in (headings, *rows):
            print_row(row)
    if not rows:
        click.echo("there is nothing to list", err=True)


def print_row(cells: Sequence[str]) -> None:
    """A line with a tab between cells."""
    click.echo("\t".join(map(visible, cells)))


def short_job(name: str) -> str:
    """For people: the application and what it wrote, without Spark's name of the command between them."""
    first, _, rest = name.partition(".")
    last = rest.rpartition(".")[2]
    return f"{first} … {last}" if rest != last else name


def short_names(names: Iterable[str]) -> dict[str, str]:
    """For people: each dataset's name by the last part of its path, where that tells it apart."""
    full = set(names)
    ends = Counter(name.rpartition("/")[2] for name in full)
    return {name: end if ends[end := name.rpartition("/")[2]] == 1 and end else name for name in full}
