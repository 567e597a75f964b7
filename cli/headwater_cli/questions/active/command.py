"""``headwater active verify|check``: the proofs of active lineage, checked apart, and checks of the whole graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import (
    answer_options,
    as_known_at_option,
    namespace_option,
    traversal_options,
    traversal_variables,
)
from headwater_cli.questions.graph import BACKWARD, FORWARD
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, VIOLATED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import job_title, print_answer, print_table

KINDS = (
    "redundant-mapping",
    "dead-end",
    "loop",
    "broken-way",
    "conditions-only",
    "always-true",
    "always-false",
    "weak-filter",
    "copied-for-nothing",
)
FOUND = ("check", "dataset", "path", "job", "condition", "along", "because")
HEADINGS = ("checked", "source", "source path", "target", "target path", "because")


@click.group(cls=Group, epilog=EXIT_CODES)
def active() -> None:
    """Check the graph, and why active lineage leaves edges out."""


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


@active.command(epilog=EXIT_CODES)
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this check.")
@click.option(
    "--source", "sources", metavar="PATTERN", multiple=True, help="Datasets that are sources: `raw*`."
)
@click.option("--output", "outputs", metavar="PATTERN", multiple=True, help="Datasets that are outputs.")
@click.option("--as-of", type=TIME, help="Check the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@limit_option
@click.option("--strict", is_flag=True, help="Exit with 6 if anything is found.")
@click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answers as JSON.")
@store_or_url
@click.pass_context
def check(
    context: click.Context,
    kinds: Sequence[str],
    sources: Sequence[str],
    outputs: Sequence[str],
    as_of: str | None,
    as_known_at: str | None,
    limit: int,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """List what is wrong with the whole graph.

    redundant-mapping: no row can take it. dead-end: written, read by nobody, and not declared an output. loop: values
    are made of themselves. broken-way: read, written by nobody, and not declared a source. conditions-only: a source
    of which no value gets anywhere. always-true, always-false: a condition that all rows meet, or none. weak-filter:
    one that only missing values do not meet. copied-for-nothing: a path that is copied along for no output.

    \b
    headwater active check --source "raw*" --output "report*"
    headwater active check --kind always-false --strict
    """
    variables = {
        "kinds": [each.replace("-", "_").upper() for each in kinds] or None,
        "sources": [{"name": each} for each in sources],
        "outputs": [{"name": each} for each in outputs],
        "asOf": as_of,
        "asKnownAt": as_known_at,
    }
    client = create_client(context, store, url)
    found = print_nodes(
        client, "graph_checks", variables, limit, _finding, FOUND, as_json=as_json, empty="nothing is found"
    )
    if strict and found:
        context.exit(VIOLATED)


def _finding(found: Mapping[str, Any]) -> tuple[str, ...]:
    node = found["node"]
    along = (
        f"{each['label']} of {each['name']}" if each["path"] else each["name"] for each in found["along"]
    )
    return (
        found["check"].replace("_", "-").lower(),
        node["name"],
        node["label"] if node["path"] else "",
        job_title(found["job"]) if found["job"] else "",
        found["sql"],
        ", ".join(along),
        " ".join(found["because"]),
    )


def _rows(graph: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for edge in graph["pruned"]:
        ends = [text for end in (edge["source"], edge["target"]) for text in (end["name"], end["label"])]
        for proof in edge["proofs"]:
            yield (proof["checked"], *ends, proof["because"])
        if not edge["proofs"]:
            yield (
                "",
                *ends,
                f"only ways that no data can take lead to {job_title(edge['job'])} there",
            )
