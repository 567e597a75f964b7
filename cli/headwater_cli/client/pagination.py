"""Reading of paginated GraphQL lists up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.terminal.output import print_json, print_table

PAGE = 500

limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=1_000, show_default=True, help="Maximum number of results."
)


def fetch_pages(
    client: GraphQLClient,
    operation: str,
    variables: Mapping[str, Any],
    limit: int | None = None,
    page_size: int = PAGE,
) -> tuple[Any, list[Any], bool]:
    """Return the first page of the operation's list, the nodes up to the limit, and whether the list continues."""
    first, after = None, None
    found: list[Any] = []
    while True:
        size = page_size if limit is None else min(page_size, limit - len(found))
        (page,) = client.query(operation, {**variables, "first": size, "after": after}).values()
        first = first or page
        found += [edge["node"] for edge in page["edges"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        if not more or (limit is not None and len(found) >= limit):
            return first, found, more


def fetch_nodes(
    client: GraphQLClient, operation: str, variables: Mapping[str, Any], limit: int
) -> tuple[list[Any], bool]:
    """Return the nodes of the operation's list, up to the limit, and whether the list continues."""
    _, found, more = fetch_pages(client, operation, variables, limit)
    return found, more


def print_nodes(
    client: GraphQLClient,
    operation: str,
    variables: Mapping[str, Any],
    limit: int,
    row: Callable[[Any], Sequence[str]],
    headings: Sequence[str],
    *,
    as_json: bool,
    empty: str = "",
) -> list[Any]:
    """Print the nodes of the operation's list as a table or as JSON, and return them; ``empty`` instead of a table
    without rows.
    """
    found, more = fetch_nodes(client, operation, variables, limit)
    if as_json:
        print_json(found)
    elif empty and not found:
        click.echo(empty)
    else:
        print_table(headings, [row(node) for node in found])
    report_more(more, limit)
    return found


def report_more(more: bool, limit: int) -> None:
    """Print a note on stderr if the list continues beyond the limit."""
    if more:
        click.echo(f"only the first {limit} are listed; --limit sets the maximum", err=True)
