"""``headwater audit list|verify``: commands for the audit log."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import create_client, require_store, store_option, store_or_url
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.output import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.audit.questions import Verdict


@click.group(epilog=EXIT_CODES)
def audit() -> None:
    """Read and check the audit log.

    The log has an entry for every request with events, every replay of dead letters, every query of personal data and
    every change of API keys: actor, time, subject and result. Each entry contains the hash of the previous one, so that
    changes are detected.
    """


@audit.command("list", epilog=EXIT_CODES)
@click.option(
    "--first", type=click.IntRange(1, 1_000), default=50, show_default=True, help="Number of entries."
)
@click.option(
    "--before", type=click.IntRange(min=1), metavar="NUMBER", help="Only entries older than this one."
)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
@click.pass_context
def list_entries(
    context: click.Context, first: int, before: int | None, store: str, url: str | None, as_json: bool
) -> None:
    """List the latest entries, newest first."""
    answer = create_client(context, store, url).query("audit", {"first": first, "before": before})
    found = answer["auditLog"]
    if as_json:
        print_json(found)
        return
    headings = ("number", "time", "actor", "action", "result", "request", "about")
    print_table(headings, [_row(entry) for entry in found])


@audit.command(epilog=EXIT_CODES)
@click.option("--expect", metavar="HASH", help="A hash recorded earlier that the log must contain.")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def verify(context: click.Context, store: str, expect: str | None, as_json: bool) -> None:
    """Check that no entry was changed, removed or inserted.

    Prints the hash of the newest entry. Record it elsewhere, and pass it to --expect later to detect that the log was
    truncated or rewritten as a whole.
    """
    from headwater_backend.audit import questions
    from headwater_backend.stores import open_store

    require_store(store)
    with closing(open_store(store)) as opened:
        verdict = questions.verify(opened, expect)
    if as_json:
        print_json(_json(verdict))
    else:
        _print_verdict(verdict)
    if not verdict.sound:
        context.exit(FAILED)


def _json(verdict: Verdict) -> dict[str, Any]:
    broken = [{"number": each.number, "reason": each.reason} for each in verdict.broken]
    result = {"sound": verdict.sound, "entries": verdict.entries, "hash": verdict.hash, "broken": broken}
    return result if verdict.expected is None else {**result, "expected": verdict.expected}


def _print_verdict(verdict: Verdict) -> None:
    for each in verdict.broken:
        click.echo(f"entry {each.number} {each.reason}", err=True)
    if verdict.expected is False:
        click.echo("the expected hash is not in the log: it was truncated or rewritten", err=True)
    state = "sound" if verdict.sound else "NOT sound"
    click.echo(f"the log is {state}: {verdict.entries} entries, hash of the newest: {verdict.hash}")


def _row(entry: dict[str, Any]) -> list[str]:
    time = datetime.fromisoformat(entry["time"]).isoformat(sep=" ", timespec="seconds")
    texts = [str(entry[name]) for name in ("actor", "action", "result", "request")]
    return [str(entry["number"]), time, *texts, _about(entry["details"])]


def _about(details: dict[str, Any]) -> str:
    """Return a summary of the details; --json prints them in full."""
    if "received" in details:
        jobs = details["jobs"]["names"]
        return f"{details['stored']} of {details['received']} events; {', '.join(jobs[:3])}"
    if "key" in details:
        key = details["key"]
        return f"{key['id']} ({key['name']}): {', '.join(key['roles'])}"
    return json.dumps(details, ensure_ascii=False) if details else ""
