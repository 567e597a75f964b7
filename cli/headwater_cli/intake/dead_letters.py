"""``headwater dead-letters list|show|replay``: events that were taken in and could not be stored."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

import click

from headwater_cli.asking.ask import Place, place, store_or_url
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.screen import print_json, print_table
from headwater_cli.terminal.visible import visible

AT_ONCE = 100
"""What a server tries again in one request."""

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")


@click.group("dead-letters", epilog=EXIT_CODES)
def dead_letters() -> None:
    """Look after events that could not be stored.

    An event that validates, but that the store refuses, and a Kafka message that is no event are kept here. A server is
    asked with the key of a steward, who tries again what is of its namespaces, or of an administrator.
    """


@dead_letters.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@_json_option
@click.pass_context
def list_letters(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List them, oldest first: from where they came, why they are here, and what they are about."""
    found, more = listed(place(context, store, url), "dead_letters", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        headings = ("key", "received", "origin", "code", "pointer", "about")
        print_table(headings, [[_cell(letter, name) for name in headings] for letter in found])
    else:
        click.echo("there are no dead letters")
    tell_of_more(more, limit)


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("key")
@store_or_url
@click.pass_context
def show(context: click.Context, key: str, store: str, url: str | None) -> None:
    """Show one as JSON, with the event as it came."""
    print_json(place(context, store, url).ask("dead_letter", {"key": key})["deadLetter"])


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("keys", nargs=-1)
@click.option("--all", "all_letters", is_flag=True, help="Try all of them.")
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
    """Try to store them again.

    Those that are stored now leave the list. The others stay, with what went wrong this time.
    """
    if bool(keys) == all_letters:
        raise click.UsageError("give either KEYS or --all")
    where = place(context, store, url)
    if all_letters:
        letters, _ = listed(where, "dead_letters", {}, sys.maxsize)
        keys = [letter["key"] for letter in letters]
    tried = list(_tried(where, keys))
    if as_json:
        print_json(tried)
    else:
        _tell(tried)
    if any(_is_refused(letter) for letter in tried):
        context.exit(FAILED)


def _tried(where: Place, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    rest = iter(keys)
    while some := list(islice(rest, AT_ONCE)):
        yield from where.ask("replay_dead_letters", {"keys": some})["replayDeadLetters"]


def _tell(tried: Sequence[dict[str, Any]]) -> None:
    refused = [letter for letter in tried if _is_refused(letter)]
    for letter in refused:
        click.echo(f"{letter['key']}: {visible(letter['detail'])}", err=True)
    stored = sum(letter["stored"] for letter in tried)
    empty = len(tried) - stored - len(refused)
    left = f", {len(refused)} still refused" if refused else ""
    nothing = f", {empty} have nothing to try" if empty else ""
    click.echo(f"{stored} events stored{left}{nothing}")


def _is_refused(letter: dict[str, Any]) -> bool:
    return not letter["stored"] and letter["code"] != "NOTHING_KEPT"


def _cell(letter: dict[str, Any], name: str) -> str:
    text = str(letter[name])
    return datetime.fromisoformat(text).isoformat(timespec="seconds") if name == "received" else text
