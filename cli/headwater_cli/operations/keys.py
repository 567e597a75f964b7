"""``headwater keys new|list|revoke``: API keys for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import click

from headwater_cli.asking.moments import duration
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.screen import print_json, print_table

ROLES = ("producer", "reader", "steward", "auditor", "admin")

_file = click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="HEADWATER_KEYS_FILE",
    show_envvar=True,
    required=True,
    help="The file of keys; the server is given the same.",
)


class Duration(click.ParamType[timedelta]):
    """A number of hours, days or weeks: 12h, 90d, 2w."""

    name = "duration"

    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = duration(value)
        if found is None:
            self.fail(
                f"{value!r} is no duration; write hours, days or weeks, as in 12h, 90d or 2w", param, ctx
            )
        return found


@click.group(epilog=EXIT_CODES)
def keys() -> None:
    """Make and revoke API keys for programs.

    The server that is given the file (HEADWATER_KEYS_FILE) asks everybody for a key, notices changes by itself, and
    has the audit log tell of each.
    """


@keys.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice(ROLES),
    help="What it may do; several times for several.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="PATTERN",
    help="Whose jobs and datasets a producer may write, and a steward try again; * is any text. Several times for "
    "several.",
)
@click.option("--expires", type=Duration(), metavar="TIME", help="When it ends: 12h, 90d.  [default: never]")
@_file
@click.pass_context
def new(
    context: click.Context,
    name: str,
    roles: Sequence[str],
    namespaces: Sequence[str],
    expires: timedelta | None,
    file: Path,
) -> None:
    """Make a key and print it, this once: the file keeps only its hash.

    NAME says what it is for; it is in the list and in the audit log.
    """
    from headwater_backend.access.api_keys import new_key
    from headwater_backend.domain.roles import Role

    if "producer" in roles and not namespaces:
        raise click.UsageError("a producer needs at least one --namespace; '*' is all of them")
    key, text = new_key(file, name, [Role(role) for role in roles], namespaces, expires)
    click.echo(text)
    click.echo(f"key {key.id} is in {file}; this is the only time that it is shown", err=True)


@keys.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@_file
def list_keys(file: Path, as_json: bool) -> None:
    """List the keys: what each may do, and whether it still does."""
    from headwater_backend.access.api_keys import read_keys

    now = datetime.now(timezone.utc)
    rows = [
        {
            "id": key.id,
            "name": key.name,
            "roles": [role.value for role in key.roles],
            "namespaces": list(key.namespaces),
            "state": key.state(now),
            "created": key.created.isoformat(timespec="seconds"),
            "expires": key.expires.isoformat(timespec="seconds") if key.expires else None,
        }
        for key in read_keys(file)
    ]
    if as_json:
        print_json(rows)
        return
    headings = ("id", "name", "roles", "namespaces", "state", "created", "expires")
    print_table(headings, [[_cell(row[heading]) for heading in headings] for row in rows])


@keys.command(epilog=EXIT_CODES)
@click.argument("ids", nargs=-1, required=True)
@_file
@click.pass_context
def revoke(context: click.Context, ids: Sequence[str], file: Path) -> None:
    """Revoke keys by their ids. They stay in the list."""
    from headwater_backend.access.api_keys import KeysError
    from headwater_backend.access.api_keys import revoke as revoked

    for key_id in ids:
        try:
            key = revoked(file, key_id)
        except KeysError as error:
            click.echo(f"error: {error} [{error.code}]", err=True)
            context.exit(FAILED)
        click.echo(f"key {key.id} ({key.name}) is revoked")


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value or "")
