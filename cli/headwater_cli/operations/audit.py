"""``headwater audit list|verify``: commands for the audit log."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import create_client, require_store, store_option, store_or_url
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json, print_table

if TYPE_CHECKING:
    from headwater_backend.audit.questions import Verdict
    from headwater_backend.ports import LineageStore


@click.group(cls=Group, epilog=EXIT_CODES)
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
@click.option(
    "--anchors",
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="A file of anchors, a server's log, or messages that were received; may be repeated.  "
    "[default: the file that HEADWATER_AUDIT_ANCHOR_FILE names]",
)
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def verify(
    context: click.Context, store: str, expect: str | None, files: Sequence[Path], as_json: bool
) -> None:
    """Check that no entry was changed, removed or inserted.

    Compares the log with its anchors: numbers and hashes of entries that servers noted outside the store
    (HEADWATER_AUDIT_ANCHOR_FILE, HEADWATER_AUDIT_ANCHOR_URL, HEADWATER_AUDIT_ANCHOR_LOG). They show that the log was
    truncated, or rewritten as a whole; without any, only a hash of your own does, which --expect looks for. Prints the
    hash of the newest entry.
    """
    from headwater_backend.audit import anchors, questions
    from headwater_backend.stores import open_store

    require_store(store)
    compared = [anchor for file in _anchor_files(files) for anchor in anchors.read(file)]
    with closing(open_store(store)) as opened:
        verdict = questions.verify(opened, expect, compared)
    if as_json:
        print_json(_json(verdict))
    else:
        _print_verdict(verdict)
    if not verdict.sound:
        context.exit(FAILED)


def _anchor_files(given: Sequence[Path]) -> Sequence[Path]:
    configured = os.environ.get("HEADWATER_AUDIT_ANCHOR_FILE")
    return given or ([Path(configured)] if configured else [])


@contextmanager
def anchored(settings: Any, store: LineageStore) -> Iterator[None]:
    """Context manager that anchors the audit log outside the store while a server runs, if that is configured."""
    from headwater_backend.access.anchoring import AuditAnchoring
    from headwater_backend.access.signed_messages import SignedReceiver

    file, url = settings.audit_anchor_file, settings.audit_anchor_url
    if not (file or url or settings.audit_anchor_log):
        yield
        return
    receiver = SignedReceiver.of_environment(str(url), "HEADWATER_AUDIT_ANCHOR_URL") if url else None
    anchoring = AuditAnchoring(store, seconds=settings.audit_anchor_seconds, file=file, receiver=receiver)
    anchoring.start()
    try:
        yield
    finally:
        anchoring.stop()


def _json(verdict: Verdict) -> dict[str, Any]:
    broken = [{"number": each.number, "reason": each.reason} for each in verdict.broken]
    missing = [{"number": each.number, "hash": each.hash} for each in verdict.missing]
    result = {
        "sound": verdict.sound,
        "entries": verdict.entries,
        "hash": verdict.hash,
        "broken": broken,
        "anchors": verdict.anchors,
        "missing": missing,
    }
    return result if verdict.expected is None else {**result, "expected": verdict.expected}


def _print_verdict(verdict: Verdict) -> None:
    for each in verdict.broken:
        click.echo(f"entry {each.number} {each.reason}", err=True)
    for anchor in verdict.missing:
        what = f"entry {anchor.number} is missing, or not the one that was anchored"
        click.echo(f"{what}: the log was truncated or rewritten", err=True)
    if verdict.expected is False:
        click.echo("the expected hash is not in the log: it was truncated or rewritten", err=True)
    state = "sound" if verdict.sound else "NOT sound"
    click.echo(f"the log is {state}: {verdict.entries} entries, hash of the newest: {verdict.hash}")
    if verdict.anchors:
        found = verdict.anchors - len(verdict.missing)
        click.echo(f"{found:,} of {verdict.anchors:,} anchors are in the log")
    elif verdict.expected is None:
        click.echo("compared with no anchor: whether its end was cut off is not known (--anchors, --expect)")


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
