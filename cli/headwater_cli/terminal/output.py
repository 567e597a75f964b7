"""Command output: colours and tables in a terminal, plain lines in a pipe."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.terminal.errors import INCOMPLETE
from headwater_cli.terminal.escaping import all_visible, visible, visible_json
from headwater_cli.terminal.tables import print_lines
from headwater_facets.job_titles import title_of

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 10_000


def console() -> Console:
    """Return a console on stdout that wraps lines only in a terminal."""
    from rich.console import Console

    if in_terminal():
        return Console(highlight=False)
    return Console(highlight=False, width=PIPED_WIDTH, color_system=None)


def in_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def counted(count: int, one: str, many: str = "") -> str:
    """Return "1 edge", "2 edges"; ``many`` is the plural where it is no "s" more."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def print_note(text: str, *, wrap: bool = True) -> None:
    """Print a remark after the answer; ``wrap=False`` keeps it on one line, so that it can be copied."""
    if in_terminal():
        console().print(text, style="yellow", markup=False, soft_wrap=not wrap)
    else:
        click.echo(text)


def print_json(value: Any) -> None:
    """Print the value as one indented JSON document in UTF-8."""
    click.echo(as_json(value))


def as_json(value: Any) -> str:
    """Return the value as one indented JSON document, with escapes for what is not printable."""
    return visible_json(json.dumps(value, indent=2, ensure_ascii=False))


def print_answer(
    context: click.Context,
    answer: Mapping[str, Any],
    show: Callable[[Mapping[str, Any]], None],
    *,
    as_json: bool,
    strict: bool,
) -> None:
    """Print the GraphQL answer as JSON or with ``show``; with ``strict``, exit with 4 if it is incomplete."""
    if as_json:
        print_json(answer)
    else:
        show(all_visible(answer))
    if strict and not answer["complete"]:
        context.exit(INCOMPLETE)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in a terminal, or tab-separated lines with headings in a pipe; report an empty one on stderr."""
    if in_terminal():
        print_lines(headings, rows, shutil.get_terminal_size().columns)
    else:
        for row in (headings, *rows):
            print_row(row)
    if not rows:
        click.echo("nothing to list", err=True)


def print_row(cells: Sequence[str]) -> None:
    """Print the cells in one line, separated by tabs."""
    click.echo("\t".join(map(visible, cells)))


def job_title(job: Mapping[str, Any]) -> str:
    """Return what a person calls the job of an answer, as reports and the explorer do."""
    return title_of(str(job["name"]))


def job_titles(jobs: Iterable[Mapping[str, Any]], separator: str = ", ") -> str:
    """Return the titles of the jobs, each once."""
    return separator.join(dict.fromkeys(map(job_title, jobs)))


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Map each dataset name to the last part of its path if that is unique, else to the full name."""
    full = set(names)
    ends = Counter(name.rpartition("/")[2] for name in full)
    return {name: end if ends[end := name.rpartition("/")[2]] == 1 and end else name for name in full}
