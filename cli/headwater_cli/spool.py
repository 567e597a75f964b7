"""``headwater spool status|flush``: events that have not arrived yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.errors import EXIT_CODES, FAILED
from headwater_cli.screen import print_json, print_table

if TYPE_CHECKING:
    from headwater_spark.spool import Pending


@click.group(epilog=EXIT_CODES)
def spool() -> None:
    """Look after events that did not arrive.

    What a job could not deliver is kept on disk until it has arrived.
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    folder = click.option(
        "--dir",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        help="The spool's folder, where spark.headwater.spool.dir names another than the usual one.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return folder(as_json(function))


@spool.command()
@_options
def status(folder: Path | None, as_json: bool) -> None:
    """Say what waits, and for whom."""
    from headwater_spark import spool as spools

    _tell(spools.pending(_conf(folder)), as_json)


@spool.command()
@click.option(
    "--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds to try."
)
@_options
@click.pass_context
def flush(context: click.Context, timeout: float, folder: Path | None, as_json: bool) -> None:
    """Deliver what ended jobs left; exit code 1 when some is left."""
    from headwater_spark import spool as spools

    left = spools.flush_all(_conf(folder), timeout)
    _tell(left, as_json)
    if any(each.waiting and not each.in_use for each in left):
        context.exit(FAILED)


def _conf(folder: Path | None) -> dict[str, str]:
    from headwater_spark.spool import DIRECTORY

    return {DIRECTORY: str(folder)} if folder else {}


def _tell(found: Sequence[Pending], as_json: bool) -> None:
    if as_json:
        print_json([_as_json(each) for each in found])
    elif not found:
        click.echo("nothing waits")
    else:
        headings = ("destination", "waiting", "rejected", "in use", "folder")
        print_table(headings, [tuple(str(value) for value in _as_json(each).values()) for each in found])


def _as_json(each: Pending) -> dict[str, str | int | bool]:
    return {
        "destination": each.destination,
        "waiting": each.waiting,
        "rejected": each.rejected,
        "inUse": each.in_use,
        "folder": str(each.folder),
    }
