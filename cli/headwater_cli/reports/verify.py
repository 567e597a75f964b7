"""``headwater report verify``: whether a report's file is as it was written, and what has changed since."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.privacy.exposure import rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.reports.options import stated_options, stated_variables
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, INCOMPLETE, CommandError
from headwater_cli.terminal.escaping import visible

if TYPE_CHECKING:
    from headwater_backend.reports.document.canonical import Sealed
    from headwater_backend.reports.verification import Verification

SHOWN = 50


@click.command("verify", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@stated_options
@rules_option
@store_or_url
@click.pass_context
def verify(
    context: click.Context,
    file: Path,
    organisation: Path | None,
    policy: Path | None,
    rules: Path | None,
    store: str,
    url: str | None,
) -> None:
    """Verify a report's FILE: HTML, PDF, XLSX, CSV or JSON.

    Computes its hash anew, and writes the file again to compare it byte by byte. With --store or --url, asks the same
    question again, as of the same time, and lists what differs; give the same --rules, --organisation and --policy.

    Exits with 1 if the file was changed, or if the answer differs, and with 4 if that is not known, because the rules,
    the policies, the statements on the organisation, or the store are others than those of the report.
    """
    from headwater_backend.reports.verification import sealed_in
    from headwater_backend.reports.verification import verify as verified

    found = verified(file.read_bytes())
    _print_file(file, found)
    asked = url or context.get_parameter_source("store") is not click.core.ParameterSource.DEFAULT
    if not asked:
        click.echo("not asked again: with --store or --url, the same question is asked, and compared")
        context.exit(0 if found.intact else FAILED)
    client = create_client(context, store, url)
    given = {**rule_variables(rules), **stated_variables(organisation, policy)}
    try:
        answer = client.query("report", {**question_of(found.sealed.report), **given, "format": "CSV"})[
            "report"
        ]
    except CommandError as error:
        raise CommandError(error.code, f"asked again: {error.message}", error.hint) from error
    exit_code = _compare(found.sealed, sealed_in(base64.b64decode(answer["base64"])))
    context.exit(exit_code if found.intact else FAILED)


def _compare(made: Sealed, again: Sealed) -> int:
    """Print how the answer to the same question differs, or why that is not known; return the exit code."""
    from headwater_backend.reports.verification import differences, other_settings

    settings = list(other_settings(made.report, again.report))
    if settings:
        _print_lines(settings)
        click.secho("asked again by other settings: whether the report is true is not known", fg="yellow")
        return INCOMPLETE
    lines = list(differences(made.report, again.report))
    elsewhere = _other_store(made, again)
    if elsewhere:
        click.echo(visible(elsewhere))
    _print_lines(lines)
    if not lines:
        click.echo("asked again: the same answer")
        return 0
    if elsewhere:
        click.secho("asked of another store: whether the report is true is not known", fg="yellow")
        return INCOMPLETE
    return FAILED


def _other_store(made: Sealed, again: Sealed) -> str:
    """Name the two stores; empty if they have the same name, or if one is not known."""
    if not made.imprint or not again.imprint or made.imprint.source == again.imprint.source:
        return ""
    return f"made from {made.imprint.source}, asked of {again.imprint.source}"


def _print_lines(lines: Sequence[str]) -> None:
    for line in lines[:SHOWN]:
        click.echo(visible(line))
    if len(lines) > SHOWN:
        click.echo(f"and {len(lines) - SHOWN:,} more differences")


def _print_file(file: Path, found: Verification) -> None:
    report = found.sealed.report
    click.echo(
        f"{file}: {report['kind']} as of {str(report['as_of'])[:19]}, by Headwater {report['version']}"
    )
    if not found.same_hash:
        click.secho("changed: the report does not have the hash that the file names", fg="red")
    elif found.same_bytes is False:
        click.secho("changed: the report has its hash, but the file is not what it gives", fg="red")
    elif found.same_bytes is None:
        click.echo(f"{found.sealed.hash}: the hash is right; the bytes are not compared with another version")
    else:
        click.echo(f"{found.sealed.hash}: the hash is right, and the file is byte by byte what was written")


def question_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the query that the report answered. Raises ``CommandError`` if it answered none."""
    from headwater_facets.path import Path as PathOfDataset

    asked = report["question"]
    if "kind" not in asked:
        raise CommandError(
            "NO_QUESTION",
            "this is a report of a job's split or of single records, which no store answers",
            "`headwater report verify` checks its file without --store and --url",
        )
    of = asked["of"]
    node = of and {
        "namespace": of["namespace"],
        "name": of["name"],
        "path": PathOfDataset.parse(of["path"]).to_wire() if of["path"] else [],
    }
    return {
        "kind": asked["kind"].replace("-", "_").upper(),
        "language": report["language"].upper(),
        "node": node,
        "category": asked["category"],
        "leaked": [{**place, "namespace": place["namespace"] or None} for place in asked["leaked"]] or None,
        "since": asked["since"],
        "order": asked["order"],
        "influenced": asked["influenced"],
        "depth": asked["depth"],
        "asOf": report["as_of"],
        "rows": asked["rows"],
        "drawings": asked.get("drawings", False),
        "active": asked.get("active", False),
        "lenient": True,
        **({"asKnownAt": asked["asKnownAt"]} if "asKnownAt" in asked else {}),
    }
