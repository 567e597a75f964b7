"""``headwater dead-letters list|show|replay``: events that were taken in and could not be stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.ask import require_store, store_option
from headwater_cli.errors import EXIT_CODES, FAILED, Failure
from headwater_cli.screen import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.ingest.dead_letters import DeadLetter
    from headwater_backend.ports import LineageStore

PAGE = 500


@click.group("dead-letters", epilog=EXIT_CODES)
def dead_letters() -> None:
    """Look after events that could not be stored.

    An event that validates, but that the store refuses, and a Kafka message that is no event are kept here.
    """


@dead_letters.command("list", epilog=EXIT_CODES)
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_letters(store: str, as_json: bool) -> None:
    """List them, oldest first: from where they came, why they are here, and what they are about."""
    with _opened(store) as opened:
        rows = [_row(letter) for letter in _all(opened)]
    if as_json:
        print_json(rows)
    elif rows:
        headings = ("key", "received", "origin", "code", "pointer", "about")
        print_table(headings, [[str(row[name]) for name in headings] for row in rows])
    else:
        click.echo("there are no dead letters")


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("key")
@store_option
def show(key: str, store: str) -> None:
    """Show one as JSON, with the event as it came."""
    with _opened(store) as opened:
        letter = _one(opened, key)
    print_json({**_row(letter), "detail": letter.detail, "event": letter.event() if letter.body else None})


@dead_letters.command(epilog=EXIT_CODES)
@click.argument("keys", nargs=-1)
@click.option("--all", "all_letters", is_flag=True, help="Try all of them.")
@store_option
@click.pass_context
def replay(context: click.Context, keys: Sequence[str], all_letters: bool, store: str) -> None:
    """Try to store them again.

    Those that are stored now leave the list. The others stay, with what went wrong this time.
    """
    from headwater_backend.ingest import service

    if bool(keys) == all_letters:
        raise click.UsageError("give either KEYS or --all")
    with _opened(store) as opened:
        letters = list(_all(opened)) if all_letters else [_one(opened, key) for key in keys]
        outcomes = service.replay(opened, letters)
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        click.echo(f"{outcome.dead_letter}: {outcome.error}", err=True)
    empty = len(letters) - len(outcomes)
    left = f", {len(failed)} still refused" if failed else ""
    nothing = f", {empty} have nothing to try" if empty else ""
    click.echo(f"{len(outcomes) - len(failed)} events stored{left}{nothing}")
    if failed:
        context.exit(FAILED)


@contextmanager
def _opened(url: str) -> Iterator[LineageStore]:
    from headwater_backend.stores import open_store

    require_store(url)
    with closing(open_store(url)) as opened:
        yield opened


def _all(store: LineageStore) -> Iterator[DeadLetter]:
    after = None
    while page := store.dead_letters(PAGE, after):
        yield from page
        after = page[-1].key


def _one(store: LineageStore, key: str) -> DeadLetter:
    found = store.dead_letter(key)
    if found is None:
        raise Failure(
            "UNKNOWN_DEAD_LETTER",
            f"there is no dead letter {key!r}",
            "`headwater dead-letters list` names them",
        )
    return found


def _row(letter: DeadLetter) -> dict[str, Any]:
    from headwater_backend.moments import moment

    return {
        "key": letter.key,
        "received": moment(letter.received).isoformat(timespec="seconds"),
        "origin": letter.origin,
        "code": letter.code,
        "pointer": letter.pointer,
        "about": letter.about(),
    }
