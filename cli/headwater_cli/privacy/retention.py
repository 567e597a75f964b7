"""``headwater retention``: personal data that are kept for longer than the organisation states."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client
from headwater_cli.client.pagination import fetch_pages, limit_option
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.privacy.answer_text import JOB_SEPARATOR, Answer, held_forms, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import job_title, job_titles, print_json, print_note, print_table

HEADINGS = (
    "dataset",
    "holds",
    "as",
    "beyond",
    "of dataset",
    "activity",
    "written",
    "by",
    "came through",
    "stated here",
)


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
)
@organisation_option
@rules_option
@lenient_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@limit_option
@answer_options
def retention(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    category: str | None,
    organisation: Path | None,
    rules: Path | None,
    lenient: bool,
    as_of: str | None,
    as_known_at: str | None,
    limit: int,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """List data that are kept for longer than stated.

    The organisation states periods of retention, such as 90 days. Lists each dataset that may hold personal data that
    were written before that, by the times of runs and of replacements of the whole content, there or in a dataset from
    which they came: the dataset for which the period is stated, and what was copied from it.

    \b
    headwater retention --rules rules.yaml --organisation organisation.yaml
    headwater retention customers --strict

    Exits with 5 if nothing is classified as personal, because it is not known then where the data are.
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace) if dataset else None,
        "category": category,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        "organisation": organisation_text(organisation),
        **rule_variables(rules),
    }
    found = _query(client, variables, limit)
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, list(map(_row, found["overdue"])))
        for line in _remarks(found):
            print_note(line)
        print_declassified(all_visible(found))
        print_gaps(all_visible(found))
    exit_for(context, found, strict=strict)


def _query(client: GraphQLClient, variables: Mapping[str, Any], limit: int) -> Answer:
    """Return the first page, with the datasets of all pages up to the limit."""
    first, overdue, _ = fetch_pages(client, "retention", variables, limit)
    rest = {name: value for name, value in first.items() if name not in ("edges", "pageInfo")}
    return {**rest, "overdue": overdue}


def _remarks(found: Answer) -> list[str]:
    lines = []
    if more := found["totalCount"] - len(found["overdue"]):
        lines.append(f"{more:,} more: --limit sets the maximum")
    if not found["limits"]:
        lines.append("no period of retention is stated for a dataset with personal data")
    return lines


def _row(found: Answer) -> tuple[str, ...]:
    limit, held = found["limit"], found["held"]
    return (
        found["dataset"]["name"],
        ", ".join(dict.fromkeys(path_text(each["node"]) for each in held)),
        ", ".join(dict.fromkeys(form for each in held for form in held_forms(each))),
        limit["retention"],
        limit["dataset"]["name"],
        limit["activity"],
        found["written"][:10],
        job_title(found["job"]),
        job_titles(found["route"][:-1], JOB_SEPARATOR),
        ", ".join(found["stated"]) or "not stated",
    )
