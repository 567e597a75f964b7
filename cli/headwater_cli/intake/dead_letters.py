"""``headwater dead-letters list|show|replay``: commands for events that could not be stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, print_nodes
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json

HEADINGS = ("key", "received", "origin", "code", "pointer", "about")
AT_ONCE = 100
"""Maximum number of dead letters that a server replays in one request."""

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")


@click.group("dead-letters", cls=Group, epilog=EXIT_CODES)
def dead_letters() -> None:
    """Manage events that could not be stored.

    A dead letter is a valid event that the store refused, or a Kafka message that is no event. On a server, the API key
    must belong to a steward, who can replay those of the own namespaces, or to an administrator.
    """


@dead_letters.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@_json_option
@click.pass_context
def list_letters(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List dead letters, oldest first, with origin, error and subject."""
    print_nodes(
        create_client(context, store, url),
        "dead_letters",
        {},
        limit,
        lambda letter: [_cell(letter, name) for name in HEADINGS],
        HEADINGS,
        as_json=as_json,
        empty="no dead letters",
    )


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("key")
@store_or_url
@click.pass_context
def show(context: click.Context, key: str, store: str, url: str | None) -> None:
    """Print a dead letter as JSON, with the original event."""
    print_json(create_client(context, store, url).query("dead_letter", {"key": key})["deadLetter"])


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("keys", nargs=-1)
@click.option("--all", "all_letters", is_flag=True, help="Replay all of them.")
@store_or_url
@_json_option
@click.pass_context
def replay(
    context: click.Context,
    keys: Sequence[str],
    all_letters: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Try to store dead letters again.

    Stored events are removed from the list. The others stay, with their new error.
    """
    if bool(keys) == all_letters:
        raise click.UsageError("expected either KEYS or --all")
    client = create_client(context, store, url)
    if all_letters:
        letters, _ = fetch_nodes(client, "dead_letters", {}, sys.maxsize)
        keys = [letter["key"] for letter in letters]
    replayed = list(_replay(client, keys))
    if as_json:
        print_json(replayed)
    else:
        _print_replayed(replayed)
    if any(_is_refused(letter) for letter in replayed):
        context.exit(FAILED)


def _replay(client: GraphQLClient, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    rest = iter(keys)
    while some := list(islice(rest, AT_ONCE)):
        yield from client.query("replay_dead_letters", {"keys": some})["replayDeadLetters"]


def _print_replayed(replayed: Sequence[dict[str, Any]]) -> None:
    refused = [letter for letter in replayed if _is_refused(letter)]
    for letter in refused:
        click.echo(f"{letter['key']}: {visible(letter['detail'])}", err=True)
    stored = sum(letter["stored"] for letter in replayed)
    empty = len(replayed) - stored - len(refused)
    left = f", {len(refused)} still refused" if refused else ""
    nothing = f", {empty} without an event to replay" if empty else ""
    click.echo(f"{stored} events stored{left}{nothing}")


def _is_refused(letter: dict[str, Any]) -> bool:
    return not letter["stored"] and letter["code"] != "NOTHING_KEPT"


def _cell(letter: dict[str, Any], name: str) -> str:
    text = str(letter[name])
    return datetime.fromisoformat(text).isoformat(timespec="seconds") if name == "received" else text
