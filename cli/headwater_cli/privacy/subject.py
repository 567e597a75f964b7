"""``headwater subject``: where the data of a person are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.privacy.answer_text import Answer, held_text, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import job_titles, print_json, print_table

ERASABLE = {"ERASABLE": "yes", "POSSIBLE_KEY": "perhaps"}
HEADINGS = ("dataset", "path", "attribute", "of dataset", "as", "found by", "erasable", "written by", "owner")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
)
@click.option(
    "--order",
    type=click.Choice(["sources-first", "sources-last"]),
    default="sources-first",
    show_default=True,
    help="The order of erasure.",
)
@rules_option
@lenient_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@answer_options
def subject(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    category: str | None,
    order: str,
    rules: Path | None,
    lenient: bool,
    as_of: str | None,
    as_known_at: str | None,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """List where the data of a person are, for access or erasure.

    Lists each path that holds a personal attribute, all or those declared in DATASET (and PATH): in which form, by
    which paths of the same rows the person is found, whether it can be erased, and which jobs may bring it back.
    Datasets come in the order of erasure.

    \b
    headwater subject customers --rules rules.yaml
    headwater subject --category user.contact --order sources-last --rules rules.yaml

    Exits with 5 if nothing is classified as personal, because it is not known then where the data are.
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace) if dataset else None,
        "category": category,
        "order": order.upper().replace("-", "_"),
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        **rule_variables(rules),
    }
    found = client.query("subject_data", variables)["subjectData"]
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, [row for each in found["datasets"] for row in _rows(each)])
        print_declassified(all_visible(found))
        print_gaps(all_visible(found))
    exit_for(context, found, strict=strict)


def _rows(dataset: Answer) -> Iterator[tuple[str, ...]]:
    writers = job_titles(dataset["writers"]) or "(source)"
    owners = ", ".join(owner["name"] for owner in dataset["owners"]) or "not provided"
    for path in dataset["paths"]:
        held, attribute = path["held"], path["held"]["attribute"]["node"]
        keys = (f"{path_text(key['node'])}{_as(key['form'])}" for key in path["keys"] or path["possibleKeys"])
        yield (
            dataset["name"],
            path_text(held["node"]),
            path_text(attribute),
            attribute["name"],
            held_text(held),
            ", ".join(keys) or "nothing",
            ERASABLE.get(path["erasure"], "no"),
            writers,
            owners,
        )


def _as(form: str) -> str:
    return "" if form == "IDENTITY" else f" ({form.lower()})"
