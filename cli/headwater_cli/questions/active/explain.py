"""``headwater explain``: where a path comes from, in plain sentences, or as business mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
from headwater_cli.terminal.escaping import visible, visible_lines
from headwater_cli.terminal.output import print_answer


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--as",
    "form",
    type=click.Choice(["sentences", "mappings"]),
    default="sentences",
    show_default=True,
    help="Print sentences, or business mappings as `headwater import` reads them.",
)
@click.option("--language", type=click.Choice(["en", "de"]), default="en", show_default=True)
@click.option("--where", metavar="SQL", help="About the rows of DATASET of which this holds.")
@traversal_options
@answer_options
def explain(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    form: str,
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
    rows have passed since, the ways that no row can take, and what is not known. With --as mappings, all of it is
    in the language of business mappings, and what that has no words for is a comment.

    \b
    headwater explain report total
    headwater explain report total --language de --where "country = 'US'"
    headwater explain report total --as mappings > total.txt
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace),
        "language": language.upper(),
        "where": where,
        **traversal_variables(**bounding),
    }
    question, answer, show = FORMS[form]
    found = client.query(question, variables)[answer]
    print_answer(context, found, lambda _: show(found), as_json=as_json, strict=strict)


def _sentences(found: Mapping[str, Any]) -> None:
    for each in found["sentences"]:
        click.echo(visible(each["text"]))


def _mappings(found: Mapping[str, Any]) -> None:
    click.echo(visible_lines(found["text"]), nl=False)


FORMS: Final = {
    "sentences": ("explanation", "explanation", _sentences),
    "mappings": ("mapping_text", "mappingText", _mappings),
}
"""By form: the kept query, its field, and how the answer is printed."""
