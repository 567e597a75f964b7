"""``headwater neo4j up|down|status``: a local Neo4j server, without a container engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json

if TYPE_CHECKING:
    from headwater_backend.stores.local_neo4j import LocalNeo4j


@click.group(cls=Group, epilog=EXIT_CODES)
def neo4j() -> None:
    """Run a local Neo4j server.

    Needs a JDK, and Maven to fetch Neo4j the first time.
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    home = click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        help="The data directory.  [default: a directory in your home]",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return home(as_json(function))


@neo4j.command()
@click.option(
    "--port", type=click.IntRange(1, 65535), help="The Bolt port; by default 7687, or any free one."
)
@click.option("--heap", default="1g", show_default=True, help="The largest heap, as Java writes it.")
@_options
def up(home: Path | None, as_json: bool, port: int | None, heap: str) -> None:
    """Start the server unless it is running, and wait until it answers."""
    from headwater_backend.stores import local_neo4j

    if not as_json:
        click.echo("starting Neo4j …", err=True)
    _print_status(local_neo4j.up(home, port, heap=heap), as_json)


@neo4j.command()
@_options
def down(home: Path | None, as_json: bool) -> None:
    """Stop the server; its data stay."""
    from headwater_backend.stores import local_neo4j

    _print_status(local_neo4j.down(home), as_json)


@neo4j.command()
@_options
@click.pass_context
def status(context: click.Context, home: Path | None, as_json: bool) -> None:
    """Print whether and where the server runs.

    The exit code is 1 if it does not.
    """
    from headwater_backend.stores import local_neo4j

    found = local_neo4j.status(home)
    _print_status(found, as_json)
    if not found.running:
        context.exit(FAILED)


def _print_status(server: LocalNeo4j, as_json: bool) -> None:
    if as_json:
        fields = asdict(server)
        password_file = fields.pop("password_file")
        print_json({**fields, "passwordFile": password_file})
    elif server.running:
        click.echo(f"Neo4j {server.version} answers at {server.uri} (process {server.pid})")
        click.echo(f"  user {server.username}, password in {server.password_file}")
        click.echo(f"  headwater serve --store {server.uri}")
    else:
        click.echo(f"Neo4j {server.version} is not running; its data are in {server.home}")
