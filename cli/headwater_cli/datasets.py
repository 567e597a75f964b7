"""``headwater datasets``: what the store knows."""

from __future__ import annotations

import click

from headwater_cli.ask import place, store_or_url
from headwater_cli.screen import print_json, print_table

PAGE = 500


@click.command()
@click.argument("search", required=False)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def datasets(context: click.Context, search: str | None, store: str, url: str | None, as_json: bool) -> None:
    """List the datasets that are known.

    Those whose namespace or name contains SEARCH; all without it.
    """
    where = place(context, store, url)
    found = []
    after = None
    while True:
        page = where.ask("datasets", {"search": search, "first": PAGE, "after": after})["datasets"]
        found += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    if as_json:
        print_json(found)
    else:
        rows = [(node["namespace"], node["name"], node["lastSeen"] or "") for node in found]
        print_table(("namespace", "name", "last seen"), rows)
