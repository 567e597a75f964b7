"""``headwater explain``: where a path comes from, in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.traversal_options import (
    answer_options,
    namespace_option,
    traversal_options,
    traversal_variables,
)
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_answer


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@click.option("--language", type=click.Choice(["en", "de"]), default="en", show_default=True)
@click.option("--where", metavar="SQL", help="About the rows of DATASET of which this holds.")
@traversal_options
@answer_options
def explain(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    language: str,
    where: str | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """Say in plain sentences where a path comes from.

    What each job makes of what, the functions that were read from code, the golden sources with the conditions that
    rows have passed since, the ways that no row can take, and what is not known.

    \b
    headwater explain report total
    headwater explain report total --language de --where "country = 'US'"
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace),
        "language": language.upper(),
        "where": where,
        **traversal_variables(**bounding),
    }
    found = client.query("explanation", variables)["explanation"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _print(found: Mapping[str, Any]) -> None:
    for each in found["sentences"]:
        click.echo(visible(each["text"]))
