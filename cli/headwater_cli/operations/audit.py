"""``headwater audit list|verify``: who sent events, who asked about personal data, and what became of API keys."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.asking.ask import place, require_store, store_option, store_or_url
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.screen import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.audit.questions import Verdict


@click.group(epilog=EXIT_CODES)
def audit() -> None:
    """Read and check the audit log.

    Every intake of events, every replay of dead letters, every question about personal data and every change of API
    keys is an entry: who, when, about what, and how it ended. Each entry holds the hash of the one before, so that a
    change shows.
    """


@audit.command("list", epilog=EXIT_CODES)
@click.option("--first", type=click.IntRange(1, 1_000), default=50, show_default=True, help="How many.")
@click.option(
    "--before", type=click.IntRange(min=1), metavar="NUMBER", help="Only what is older than this entry."
)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
@click.pass_context
def list_entries(
    context: click.Context, first: int, before: int | None, store: str, url: str | None, as_json: bool
) -> None:
    """List the newest entries, newest first."""
    answer = place(context, store, url).ask("audit", {"first": first, "before": before})
    found = answer["auditLog"]
    if as_json:
        print_json(found)
        return
    headings = ("number", "time", "actor", "action", "result", "request", "about")
    print_table(headings, [_row(entry) for entry in found])


@audit.command(epilog=EXIT_CODES)
@click.option(
    "--expect", metavar="HASH", help="A hash that was noted earlier, and has to be in the log still."
)
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def verify(context: click.Context, store: str, expect: str | None, as_json: bool) -> None:
    """Check that no entry was changed, left out or put in.

    Prints the hash of the newest entry: kept elsewhere, and given to --expect later, it shows that the log was not cut
    off or written anew as a whole.
    """
    from headwater_backend.audit import questions
    from headwater_backend.stores import open_store

    require_store(store)
    with closing(open_store(store)) as opened:
        verdict = questions.verify(opened, expect)
    if as_json:
        print_json(_json(verdict))
    else:
        _tell(verdict)
    if not verdict.sound:
        context.exit(FAILED)


def _json(verdict: Verdict) -> dict[str, Any]:
    broken = [{"number": each.number, "reason": each.reason} for each in verdict.broken]
    told = {"sound": verdict.sound, "entries": verdict.entries, "hash": verdict.hash, "broken": broken}
    return told if verdict.expected is None else {**told, "expected": verdict.expected}


def _tell(verdict: Verdict) -> None:
    for each in verdict.broken:
        click.echo(f"entry {each.number} {each.reason}", err=True)
    if verdict.expected is False:
        click.echo("the expected hash is not in the log: entries were cut off, or written anew", err=True)
    said = "sound" if verdict.sound else "NOT sound"
    click.echo(f"the log is {said}: {verdict.entries} entries, the newest has the hash {verdict.hash}")


def _row(entry: dict[str, Any]) -> list[str]:
    time = datetime.fromisoformat(entry["time"]).isoformat(sep=" ", timespec="seconds")
    texts = [str(entry[name]) for name in ("actor", "action", "result", "request")]
    return [str(entry["number"]), time, *texts, _about(entry["details"])]


def _about(details: dict[str, Any]) -> str:
    """The details in a few words; --json has all of them."""
    if "received" in details:
        jobs = details["jobs"]["names"]
        return f"{details['stored']} of {details['received']} events; {', '.join(jobs[:3])}"
    if "key" in details:
        key = details["key"]
        return f"{key['id']} ({key['name']}): {', '.join(key['roles'])}"
    return json.dumps(details, ensure_ascii=False) if details else ""
