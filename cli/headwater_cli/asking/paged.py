"""Lists that come in pages: all of one, or as much as is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.asking.ask import Place

PAGE = 500

limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=1_000, show_default=True, help="At most so many."
)


def listed(place: Place, operation: str, variables: Mapping[str, Any], limit: int) -> tuple[list[Any], bool]:
    """The nodes of the operation's list, page by page up to the limit, and whether there are more."""
    found: list[Any] = []
    after = None
    while True:
        asked = {**variables, "first": min(PAGE, limit - len(found)), "after": after}
        (page,) = place.ask(operation, asked).values()
        found += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"] or len(found) >= limit:
            return found, page["pageInfo"]["hasNextPage"]


def tell_of_more(more: bool, limit: int) -> None:
    """Say on stderr that the list goes on."""
    if more:
        click.echo(f"there are more than these {limit}; --limit says how many to list", err=True)
