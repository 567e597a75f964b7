"""``headwater lineage backward|forward``: what a path is made of, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from headwater_cli.ask import place, store_or_url
from headwater_cli.errors import EXIT_CODES, INCOMPLETE
from headwater_cli.graph import BACKWARD, FORWARD, print_graph
from headwater_cli.node import node_ref
from headwater_cli.screen import print_json


@click.group(epilog=EXIT_CODES)
def lineage() -> None:
    """Ask where a path comes from or goes."""


def _question(function: Callable[..., None]) -> Callable[..., None]:
    """What both directions take."""
    decorators = (
        click.argument("dataset"),
        click.argument("path", required=False),
        click.option(
            "--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name."
        ),
        click.option(
            "--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow."
        ),
        click.option("--indirect", is_flag=True, help="Follow influences too: filters, joins, groupings, …"),
        store_or_url,
        click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete."),
        click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON."),
        click.pass_context,
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


@lineage.command()
@_question
def backward(context: click.Context, **options: Any) -> None:
    """What is a path made of?

    PATH is one of DATASET, such as tweets[].text; without it, the whole dataset is meant.

    \b
    headwater lineage backward customers email
    headwater lineage backward by_user 'tweets[].text' --indirect
    """
    _ask(context, BACKWARD, **options)


@lineage.command()
@_question
def forward(context: click.Context, **options: Any) -> None:
    """What is made of a path?

    PATH is one of DATASET, such as tweets[].text; without it, the whole dataset is meant.
    """
    _ask(context, FORWARD, **options)


def _ask(
    context: click.Context,
    direction: str,
    *,
    dataset: str,
    path: str | None,
    namespace: str | None,
    depth: int,
    indirect: bool,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    where = place(context, store, url)
    types = ["DIRECT", "INDIRECT"] if indirect else ["DIRECT"]
    variables = {"node": node_ref(where, dataset, path, namespace), "depth": depth, "types": types}
    graph = where.ask(direction, variables)[f"{direction}Lineage"]
    if as_json:
        print_json(graph)
    else:
        print_graph(graph, direction)
    if strict and not graph["complete"]:
        context.exit(INCOMPLETE)
