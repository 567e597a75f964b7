"""``headwater sources``: datasets where data originates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.references import node_ref
from headwater_cli.client.traversal_options import (
    answer_options,
    edge_types,
    indirect_option,
    namespace_option,
    traversal_options,
    traversal_variables,
)
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import print_answer, print_table

_OF_A_DATASET = ("namespace", "indirect", "depth", "within", "in_namespace", "stop_at")
HEADINGS = ("what", "namespace", "name", "path", "distance", "reach")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@indirect_option
@traversal_options
@limit_option
@answer_options
def sources(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    indirect: bool,
    limit: int,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """List the datasets where data originates.

    Those are datasets without inputs: all, or those that a DATASET or its PATH is derived from.

    An `end` is a path where lineage ends although its dataset has inputs: a constant, or a gap.

    \b
    headwater sources --as-of 2026-01-31
    headwater sources discounts customer_email
    """
    client = create_client(context, store, url)
    if dataset is None:
        _refuse_bounds(context)
        asked = {"asOf": bounding["as_of"], "asKnownAt": bounding["as_known_at"]}
        headings = ("namespace", "name", "owners", "last seen")
        print_nodes(client, "sources", asked, limit, _of_all, headings, as_json=as_json)
        return
    node = node_ref(client, dataset, path, namespace)
    variables = {"node": node, "types": edge_types(indirect), **traversal_variables(**bounding)}
    found = client.query("golden_sources", variables)["goldenSources"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _refuse_bounds(context: click.Context) -> None:
    """Raise a usage error for options that only apply to the sources of a dataset."""
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and option.name in _OF_A_DATASET:
            raise click.UsageError(f"{option.opts[0]} goes with a DATASET")


def _of_all(source: Mapping[str, Any]) -> tuple[str, ...]:
    owners = ", ".join(owner["name"] for owner in source["owners"])
    return source["namespace"], source["name"], owners, source["lastSeen"] or ""


def _print(found: Mapping[str, Any]) -> None:
    print_table(HEADINGS, list(_rows(found)))
    print_gaps(found)


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for source in found["sources"]:
        for node in source["paths"]:
            yield _row("source", source, node)
    for node in found["ends"]:
        yield _row("end", node, node)


def _row(what: str, dataset: Mapping[str, Any], node: Mapping[str, Any]) -> tuple[str, ...]:
    path = node["label"] if node["path"] else ""
    return what, dataset["namespace"], dataset["name"], path, str(node["distance"]), node["reach"]
