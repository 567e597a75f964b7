"""Progress of long commands: a progress bar in a terminal, occasional lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click

LINE_SECONDS: Final = 10.0

Progress = Callable[[int, int], None]
"""Callback that takes the number of items done and the number of bytes read, both since the start."""


@contextmanager
def progress(what: str, whole: int | None) -> Iterator[Progress]:
    """Context manager that reports on stderr how many items (``what``) are done.

    ``whole`` is the size of the input in bytes, or None if unknown.
    """
    if sys.stderr.isatty():
        with _bar(what, whole) as update:
            yield update
    else:
        yield _lines(what, whole)


@contextmanager
def _bar(what: str, whole: int | None) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.fields[done]:,} {task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=whole, done=0, rate=0.0)
        begun = time.monotonic()

        def update(done: int, read: int) -> None:
            rate = done / max(time.monotonic() - begun, 0.001)
            bar.update(task, completed=read, done=done, rate=rate)

        yield update


def _lines(what: str, whole: int | None) -> Progress:
    begun = last = time.monotonic()

    def update(done: int, read: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= LINE_SECONDS:
            last = now
            share = f", {100 * read // whole} % read" if whole else ""
            click.echo(f"{done:,} {what}{share}, {done / (now - begun):,.0f}/s", err=True)

    return update
