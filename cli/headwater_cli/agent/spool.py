"""``headwater spool status|flush|drop|redirect``: events that have not arrived yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.asking.ask import no_password
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.screen import print_json, print_table

if TYPE_CHECKING:
    from headwater_spark.delivery.backlog import Pending


@click.group(epilog=EXIT_CODES)
def spool() -> None:
    """Look after events that did not arrive.

    What a job could not deliver is kept on disk until it has arrived, or until it is dropped here.
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


_confirmed = click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can answer.")


@spool.command()
@_options
def status(folder: Path | None, as_json: bool) -> None:
    """Say what waits, and for whom.

    Parked are events of runs that the receiver keeps failing on while it takes others. They hold up nothing, and are
    tried again with growing pauses, and by `flush`.
    """
    from headwater_spark.delivery import backlog

    _show(backlog.pending(_conf(folder)), as_json)


@spool.command()
@click.option(
    "--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds to try."
)
@_options
@click.pass_context
def flush(context: click.Context, timeout: float, folder: Path | None, as_json: bool) -> None:
    """Deliver what ended jobs left; exit code 1 when some is left."""
    from headwater_spark.delivery import backlog

    left = backlog.flush_all(_conf(folder), timeout)
    _show(left, as_json)
    if any(each.parked or (each.waiting and not each.in_use) for each in left):
        context.exit(FAILED)


@spool.command()
@click.argument("destination")
@click.option("--rejected", is_flag=True, help="Drop what the receiver refused, too.")
@_confirmed
@_options
def drop(destination: str, rejected: bool, yes: bool, folder: Path | None, as_json: bool) -> None:
    """Forget events that wait for a receiver.

    DESTINATION is what `status` calls it: the id, or a part of the name that no other has. Events of jobs that
    still run stay. Dropped events are lost.

    \b
    headwater spool drop old-host:5000 --yes
    """
    from headwater_spark.delivery import backlog

    found = backlog.find(destination, _conf(folder))
    count = found.waiting + found.parked + (found.rejected if rejected else 0)
    _confirm(f"Drop {_events(count)} for {found.destination}?", yes)
    dropped = backlog.drop(found, rejected=rejected)
    _report("dropped", dropped, found, as_json)


@spool.command()
@click.argument("destination")
@click.option(
    "--to",
    "url",
    metavar="URL",
    required=True,
    callback=no_password("the jobs' own configuration has it, and delivers"),
    help="The receiver that is to have the events: http://HOST:PORT.",
)
@_confirmed
@_options
def redirect(destination: str, url: str, yes: bool, folder: Path | None, as_json: bool) -> None:
    """Give events that wait for a receiver to another one.

    DESTINATION is what `status` calls it: the id, or a part of the name that no other has. Events of jobs that
    still run stay. `headwater spool flush` delivers them then, or the next job with that receiver.

    \b
    headwater spool redirect old-host:5000 --to http://new-host:5000 --yes
    """
    from headwater_spark.delivery import backlog

    if not url.startswith(("http://", "https://")):
        raise click.BadParameter("http://HOST:PORT or https://HOST:PORT is wanted", param_hint="--to")
    found = backlog.find(destination, _conf(folder))
    _confirm(f"Send {_events(found.waiting + found.parked)} for {found.destination} to {url}?", yes)
    _report("redirected", backlog.redirect(found, url), found, as_json)


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nobody is there to answer: add --yes")
    click.confirm(question, abort=True, err=True)


def _report(verb: str, count: int, found: Pending, as_json: bool) -> None:
    if as_json:
        print_json({verb: count, "destination": found.destination})
        return
    click.echo(f"{_events(count)} {verb}")
    if found.in_use:
        click.echo("those of a job that runs are left to it", err=True)


def _events(count: int) -> str:
    return f"{count} event{'' if count == 1 else 's'}"


def _conf(folder: Path | None) -> dict[str, str]:
    from headwater_spark.delivery.spool import DIRECTORY

    return {DIRECTORY: str(folder)} if folder else {}


def _show(found: Sequence[Pending], as_json: bool) -> None:
    if as_json:
        print_json([_as_json(each) for each in found])
        return
    kept = [each for each in found if each.waiting or each.parked or each.rejected or each.in_use]
    if not kept:
        click.echo("nothing waits")
        return
    headings = ("id", "waiting", "parked", "rejected", "in use", "destination")
    print_table(headings, [_row(each) for each in kept])


def _row(each: Pending) -> tuple[str, ...]:
    in_use = "yes" if each.in_use else ""
    return each.id, str(each.waiting), str(each.parked), str(each.rejected), in_use, each.destination


def _as_json(each: Pending) -> dict[str, str | int | bool]:
    return {
        "id": each.id,
        "destination": each.destination,
        "waiting": each.waiting,
        "parked": each.parked,
        "rejected": each.rejected,
        "inUse": each.in_use,
        "folder": str(each.folder),
    }
