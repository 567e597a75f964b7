"""``headwater spool status|flush|drop|redirect``: commands for undelivered events."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.client.graphql_client import credentials, reject_password
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import counted, print_json, print_table

if TYPE_CHECKING:
    from headwater_spark.delivery.backlog import Pending


@click.group(cls=Group, epilog=EXIT_CODES)
def spool() -> None:
    """Manage undelivered events.

    Events that a job could not deliver stay on disk until they are delivered or dropped.
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    folder = click.option(
        "--dir",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        help="The spool directory, if spark.headwater.spool.dir sets another than the default.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return folder(as_json(function))


_confirmed = click.option(
    "--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal."
)


@spool.command()
@_options
def status(folder: Path | None, as_json: bool) -> None:
    """List undelivered events by destination.

    Parked events belong to runs that the receiver keeps failing on while it accepts others. They do not block other
    events, and are retried with increasing delays, and by `flush`. Events of running jobs are not counted.
    """
    from headwater_spark.delivery import backlog

    _show(backlog.pending(_conf(folder)), as_json)


@spool.command()
@click.option(
    "--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Seconds to try."
)
@click.option(
    "--url",
    metavar="URL",
    callback=reject_password("set HEADWATER_API_KEY"),
    help="The server among the destinations that gets the key in HEADWATER_API_KEY.",
)
@_options
@click.pass_context
def flush(
    context: click.Context, timeout: float, url: str | None, folder: Path | None, as_json: bool
) -> None:
    """Deliver events that finished jobs left.

    Keys are not kept with the events. --url names the server that gets the one in HEADWATER_API_KEY, or in the file
    that HEADWATER_API_KEY_FILE names, as in `headwater run`. The exit code is 1 if any events remain.
    """
    from headwater_spark.activation.agent_settings import transport_conf
    from headwater_spark.delivery import backlog
    from headwater_spark.delivery.transport_settings import KEY_RECEIVER

    conf = _conf(folder)
    if url:
        credentials(url)
        conf = {**conf, **transport_conf(url=url), KEY_RECEIVER: url}
    left = backlog.flush_all(conf, timeout)
    _show(left, as_json)
    if any(each.parked or (each.waiting and not each.in_use) for each in left):
        context.exit(FAILED)


@spool.command()
@click.argument("destination")
@click.option("--rejected", is_flag=True, help="Also drop events that the receiver rejected.")
@_confirmed
@_options
def drop(destination: str, rejected: bool, yes: bool, folder: Path | None, as_json: bool) -> None:
    """Delete undelivered events of a destination.

    DESTINATION is an id that `status` lists, or a part of exactly one destination's name. Events of running jobs
    are kept. Dropped events are lost.

    \b
    headwater spool drop old-host:5000 --yes
    """
    from headwater_spark.delivery import backlog

    found = backlog.find(destination, _conf(folder))
    count = found.waiting + found.parked + (found.rejected if rejected else 0)
    _confirm(f"Drop {counted(count, 'event')} for {found.destination}?", yes)
    dropped = backlog.drop(found, rejected=rejected)
    _report("dropped", dropped, found, as_json)


@spool.command()
@click.argument("destination")
@click.option(
    "--to",
    "url",
    metavar="URL",
    required=True,
    callback=reject_password("configure it in the jobs, which deliver the events then"),
    help="The new receiver: http://HOST:PORT.",
)
@_confirmed
@_options
def redirect(destination: str, url: str, yes: bool, folder: Path | None, as_json: bool) -> None:
    """Move undelivered events to another destination.

    DESTINATION is an id that `status` lists, or a part of exactly one destination's name. Events of running jobs
    are kept. `headwater spool flush`, or the next job with the new destination, delivers the moved events.

    \b
    headwater spool redirect old-host:5000 --to http://new-host:5000 --yes
    """
    from headwater_spark.delivery import backlog

    if not url.startswith(("http://", "https://")):
        raise click.BadParameter("http://HOST:PORT or https://HOST:PORT expected", param_hint="--to")
    found = backlog.find(destination, _conf(folder))
    _confirm(f"Send {counted(found.waiting + found.parked, 'event')} for {found.destination} to {url}?", yes)
    _report("redirected", backlog.redirect(found, url), found, as_json)


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("no terminal to confirm on: add --yes")
    click.confirm(question, abort=True, err=True)


def _report(verb: str, count: int, found: Pending, as_json: bool) -> None:
    if as_json:
        print_json({verb: count, "destination": found.destination})
        return
    click.echo(f"{counted(count, 'event')} {verb}")
    if found.in_use:
        click.echo("events of a running job are kept", err=True)


def _conf(folder: Path | None) -> dict[str, str]:
    from headwater_spark.delivery.spool_folder import DIRECTORY

    return {DIRECTORY: str(folder)} if folder else {}


def _show(found: Sequence[Pending], as_json: bool) -> None:
    if as_json:
        print_json([_as_json(each) for each in found])
        return
    kept = [each for each in found if each.waiting or each.parked or each.rejected or each.in_use]
    if not kept:
        click.echo("no undelivered events")
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
