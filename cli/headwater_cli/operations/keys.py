"""``headwater keys new|list|revoke``: API keys of programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import click

from headwater_cli.client.times import parse_duration
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json, print_table

ROLES = ("producer", "reader", "steward", "auditor", "admin")

_file = click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="HEADWATER_KEYS_FILE",
    show_envvar=True,
    required=True,
    help="The key file, which the server uses as well.",
)


class Duration(click.ParamType[timedelta]):
    """Parameter type for a number of hours, days or weeks: 12h, 90d, 2w."""

    name = "duration"

    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = parse_duration(value)
        if found is None:
            self.fail(
                f"{value!r} is not a duration; expected hours, days or weeks, such as 12h, 90d or 2w",
                param,
                ctx,
            )
        return found


@click.group(cls=Group, epilog=EXIT_CODES)
def keys() -> None:
    """Create, list and revoke API keys of programs.

    A server with this file (HEADWATER_KEYS_FILE) requires a key in every request, picks up changes of the file, and
    records them in the audit log.
    """


@keys.command(epilog=EXIT_CODES)
@click.argument("name")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice(ROLES),
    help="A role of the key; repeatable.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="PATTERN",
    help="Namespaces whose jobs and datasets a producer may write, and whose dead letters a steward may replay; * is "
    "any text. Repeatable.",
)
@click.option(
    "--expires", type=Duration(), metavar="TIME", help="Time until it expires: 12h, 90d.  [default: never]"
)
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
    """Create a key and print it once; the file only contains its hash.

    NAME describes the key in the list and in the audit log.
    """
    from headwater_backend.access.api_keys import new_key
    from headwater_backend.domain.roles import Role

    if "producer" in roles and not namespaces:
        raise click.UsageError("a producer needs at least one --namespace; '*' matches all")
    key, text = new_key(file, name, [Role(role) for role in roles], namespaces, expires)
    click.echo(text)
    click.echo(f"key {key.id} added to {file}; it is not shown again", err=True)


@keys.command("list", epilog=EXIT_CODES)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@_file
def list_keys(file: Path, as_json: bool) -> None:
    """List the keys with their roles and whether they are valid."""
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
    """Revoke keys by their ids. Revoked keys stay in the list."""
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
