"""``headwater matrix``: which datasets hold which personal data, in which form, as a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.privacy.answer_text import Answer, path_text
from headwater_cli.privacy.declassified import declassified
from headwater_cli.privacy.exposure import exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.questions.gaps import grouped
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import print_json, print_note, print_table

PAGE = 1_000
DECLARED = "declared"
NOT_STATED = "(not stated)"
ROWS = {"dataset": ("namespace", "dataset"), "namespace": ("namespace",), "recipient": ("recipient",)}
"""The headings of rows."""


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--columns",
    type=click.Choice(["category", "attribute", "subject"]),
    default="category",
    show_default=True,
    help="What the columns are.",
)
@click.option(
    "--rows",
    type=click.Choice(["dataset", "namespace", "recipient"]),
    default="dataset",
    show_default=True,
    help="What the rows are.",
)
@click.option(
    "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
)
@click.option(
    "--special",
    is_flag=True,
    help="Only the special categories of the GDPR, and broader ones that may hold them.",
)
@click.option(
    "--subject", metavar="KEY", help="Only data of this data subject, or not stated to be anybody's."
)
@click.option("--owner", metavar="NAME", help='Only datasets of this owner; "" for those without any.')
@click.option("--influenced", is_flag=True, help="Also cells that an attribute only influences.")
@rules_option
@lenient_option
@organisation_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the table as CSV.")
@answer_options
def matrix(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    columns: str,
    rows: str,
    category: str | None,
    special: bool,
    subject: str | None,
    owner: str | None,
    influenced: bool,
    rules: Path | None,
    lenient: bool,
    organisation: Path | None,
    as_of: str | None,
    as_known_at: str | None,
    as_csv: bool,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Print which datasets hold which personal data.

    Each cell has the strongest form in which the dataset holds something of that category, and `declared` where it is
    declared. With DATASET (and PATH), only what was declared there. `headwater exposure` lists the paths and the jobs.

    \b
    headwater matrix --rules rules.yaml
    headwater matrix customers --columns attribute --rows namespace
    headwater matrix --rows recipient --columns subject --organisation organisation.yaml
    headwater matrix --special --owner sales

    Recipients, and subjects (whose data they are), are what the organisation states. Datasets of which it states none
    are under "(not stated)". Subjects are those of the dataset that declares the attribute, wherever it went.

    Exits with 5 if nothing is classified as personal, because an empty table means nothing then.
    """
    client = create_client(context, store, url)
    variables = {
        "columns": columns.upper(),
        "rows": rows.upper(),
        "node": node_ref(client, dataset, path, namespace) if dataset else None,
        "category": category,
        "special": special,
        "subject": subject,
        "owner": owner,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "influenced": influenced,
        "lenient": lenient,
        "organisation": organisation_text(organisation),
        **rule_variables(rules),
    }
    found, cells = _query(client, variables)
    if as_json:
        print_json({**{name: value for name, value in found.items() if name != "edges"}, "cells": cells})
    else:
        headings, table = _table(cells, rows)
        _print_csv(headings, table) if as_csv else print_table(headings, table)
        for line in _notes(all_visible(found)):
            click.echo(line, err=True) if as_csv else print_note(line)
    exit_for(context, found, strict=strict)


def _query(client: GraphQLClient, variables: Mapping[str, Any]) -> tuple[Answer, list[Answer]]:
    """Return the first page, and the cells of all."""
    after, cells, first = None, [], None
    while True:
        page = client.query("exposure_matrix", {**variables, "first": PAGE, "after": after})["exposureMatrix"]
        first = first or page
        cells += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return first, cells


def _notes(found: Answer) -> Iterator[str]:
    """Yield the lines that follow the table; beside CSV, they go to standard error."""
    if idle := found["idleRecipients"]:
        yield f"nothing that is known as personal reaches: {', '.join(idle)}"
    yield from declassified(found)
    yield from grouped(found["incomplete"])


def _table(cells: Sequence[Answer], rows: str) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of the table."""
    columns = sorted({_column(cell) for cell in cells})
    by_row: dict[tuple[str, ...], dict[str, str]] = {}
    for cell in cells:
        form = DECLARED if cell["declared"] else cell["form"].lower()
        by_row.setdefault(_row(cell), {})[_column(cell)] = form
    table = [[*row, *(held.get(column, "") for column in columns)] for row, held in sorted(by_row.items())]
    return [*ROWS[rows], *columns], table


def _row(cell: Answer) -> tuple[str, ...]:
    if cell["namespace"] is None:
        return (cell["recipient"] or NOT_STATED,)
    return (cell["namespace"], cell["name"]) if cell["name"] else (cell["namespace"],)


def _column(cell: Answer) -> str:
    attribute = cell["attribute"]
    if attribute:
        return f"{path_text(attribute)} of {attribute['name']}"
    return str(cell["category"] or cell["subject"] or NOT_STATED)


def _print_csv(headings: Sequence[str], table: Sequence[Sequence[str]]) -> None:
    from headwater_backend.reports.formats.delimited import write_rows

    write_rows(sys.stdout, (headings, *table))
