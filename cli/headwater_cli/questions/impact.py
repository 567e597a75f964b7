"""``headwater impact``: datasets and jobs affected by changing or dropping a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import print_answer, print_table

HEADINGS = ("what", "namespace", "name", "path", "distance", "touched", "owners")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@traversal_options
@answer_options
def impact(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """List what changing or dropping a path affects.

    Lists outputs and jobs, the nearest first, with their owners. A job that `reads` the path fails when it is
    dropped; `DIRECT` means that values of the path flow there, `INFLUENCED` that it only decides on others.

    \b
    headwater impact customers email
    """
    client = create_client(context, store, url)
    variables = {"node": node_ref(client, dataset, path, namespace), **traversal_variables(**bounding)}
    found = client.query("impact", variables)["impact"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _print(found: Mapping[str, Any]) -> None:
    print_table(HEADINGS, list(_rows(found)))
    print_gaps(found)


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for each in found["jobs"]:
        touched = f"{each['reach']}, reads it" if each["reads"] else each["reach"]
        yield (*_row("job", each), "", str(each["distance"]), touched, _names(each["owners"]))
    for each in found["outputs"]:
        for node in each["paths"]:
            path = node["label"] if node["path"] else ""
            yield (*_row("output", each), path, str(node["distance"]), node["reach"], _names(each["owners"]))


def _row(what: str, each: Mapping[str, Any]) -> tuple[str, str, str]:
    return what, each["namespace"], each["name"]


def _names(owners: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(owner["name"] for owner in owners)
