"""``headwater sources``: datasets where data originates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

_OF_A_DATASET = ("where", "namespace", "indirect", "depth", "within", "in_namespace", "stop_at")
OF_A_RECORD = ("what", "namespace", "name", "path", "rows")
HEADINGS = ("what", "namespace", "name", "path", "distance", "reach")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--where", metavar="CONDITION", help="Of some rows of the dataset alone, such as \"kind = 'shop'\"."
)
@namespace_option
@indirect_option
@traversal_options
@limit_option
@answer_options
def sources(
    context: click.Context,
    dataset: str | None,
    paths: Sequence[str],
    where: str | None,
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

    Of several PATHs, or with --where: the sources that one record has all of these values from, by active lineage, and
    those that a value could come from alone.

    \b
    headwater sources --as-of 2026-01-31
    headwater sources discounts customer_email
    headwater sources discounts customer_email percent --where "kind = 'shop'"
    """
    client = create_client(context, store, url)
    if dataset is None:
        _refuse_bounds(context)
        asked = {"asOf": bounding["as_of"], "asKnownAt": bounding["as_known_at"]}
        headings = ("namespace", "name", "owners", "last seen")
        print_nodes(client, "sources", asked, limit, _of_all, headings, as_json=as_json)
        return
    if len(paths) > 1 or where is not None:
        if indirect:
            raise click.UsageError("--indirect goes with one PATH: a record has its values from sources")
        nodes = [node_ref(client, dataset, path, namespace) for path in paths] or [
            node_ref(client, dataset, None, namespace)
        ]
        asked = {"attributes": nodes, "where": where, **traversal_variables(**bounding)}
        of_record = client.query("record_sources", asked)["recordSources"]
        print_answer(context, of_record, _print_record, as_json=as_json, strict=strict)
        return
    node = node_ref(client, dataset, paths[0] if paths else None, namespace)
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


def _print_record(found: Mapping[str, Any]) -> None:
    print_table(OF_A_RECORD, list(_rows_of_record(found)))
    print_gaps(found)


def _rows_of_record(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for source in found["shared"]:
        for rows in source["rows"]:
            yield _concerned("source of all", rows)
    for attribute in found["attributes"]:
        label = attribute["node"]["label"]
        for rows in attribute["alone"]:
            yield _concerned(f"of {label} alone", rows)
        if attribute["hasNone"]:
            yield f"{label} has none", "", "", "", ""


def _concerned(what: str, rows: Mapping[str, Any]) -> tuple[str, ...]:
    node = rows["node"]
    path = node["label"] if node["path"] else ""
    return what, node["namespace"], node["name"], path, rows["condition"] or "all"


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for source in found["sources"]:
        for node in source["paths"]:
            yield _row("source", source, node)
    for node in found["ends"]:
        yield _row("end", node, node)


def _row(what: str, dataset: Mapping[str, Any], node: Mapping[str, Any]) -> tuple[str, ...]:
    path = node["label"] if node["path"] else ""
    return what, dataset["namespace"], dataset["name"], path, str(node["distance"]), node["reach"]
