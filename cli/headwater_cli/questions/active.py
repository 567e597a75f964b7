"""``headwater active verify``: the proofs of active lineage, checked apart from what found them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from headwater_cli.questions.graph import BACKWARD, FORWARD
from headwater_cli.terminal.errors import EXIT_CODES, FAILED
from headwater_cli.terminal.output import print_answer, print_table, short_job

HEADINGS = ("checked", "source", "source path", "target", "target path", "because")


@click.group(epilog=EXIT_CODES)
def active() -> None:
    """Check why active lineage leaves edges out."""


@active.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--forward", is_flag=True, help="Check the lineage of what is derived from it, not of its sources."
)
@click.option("--where", metavar="SQL", help="About the rows of DATASET of which this holds.")
@traversal_options
@answer_options
def verify(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    forward: bool,
    where: str | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """Check each proof that no data can take an edge.

    TRIED: all values that matter were tried. SOLVED: another solver (cvc5) agrees. OPEN: neither could say. WRONG:
    values were found that meet all conditions; then the command fails.

    \b
    headwater active verify report total
    headwater active verify report total --json
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace),
        "types": ["DIRECT"],
        "verify": True,
        "where": where,
        **traversal_variables(**bounding),
    }
    (found,) = client.query(FORWARD if forward else BACKWARD, variables).values()
    rows = list(_rows(found))
    print_answer(context, found, lambda _: print_table(HEADINGS, rows), as_json=as_json, strict=strict)
    if any(checked == "WRONG" for checked, *_ in rows):
        context.exit(FAILED)


def _rows(graph: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for edge in graph["pruned"]:
        ends = [text for end in (edge["source"], edge["target"]) for text in (end["name"], end["label"])]
        for proof in edge["proofs"]:
            yield (proof["checked"], *ends, proof["because"])
        if not edge["proofs"]:
            yield (
                "",
                *ends,
                f"only ways that no data can take lead to {short_job(edge['job']['name'])} there",
            )
