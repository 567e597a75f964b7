"""``headwater search``: text search for datasets, jobs and paths."""

from __future__ import annotations

from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, report_more
from headwater_cli.client.references import did_you_mean
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json, print_table

NEAR = {"name": ("DATASET", "JOB", "NAMESPACE"), "owner": ("OWNER",), "tag": ("TAG",)}
HEADINGS = ("what", "namespace", "name", "path", "matched")


@click.command()
@click.argument("text")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["dataset", "job", "path"]),
    help="Only results of this kind.",
)
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["name", "path", "tag", "owner"]),
    help="Only search in these fields.",
)
@limit_option
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def search(
    context: click.Context,
    text: str,
    kinds: tuple[str, ...],
    by: tuple[str, ...],
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Find datasets, jobs and paths that contain TEXT.

    Searches names, paths (`user.email`), tags (`pii`, `pii=true`) and owners, ignoring case.

    \b
    headwater search email --kind path
    headwater search team:data --by owner
    """
    variables = {
        "text": text,
        "kinds": [kind.upper() for kind in kinds] or None,
        "by": [each.upper() for each in by] or None,
    }
    found, more = fetch_nodes(create_client(context, store, url), "search", variables, limit)
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, [_row(hit) for hit in found])
    if not found and (hint := did_you_mean(create_client(context, store, url), text, *_near_kinds(by))):
        click.echo(f"hint: {visible(hint)}", err=True)
    report_more(more, limit)


def _row(hit: dict[str, Any]) -> tuple[str, ...]:
    path = hit["label"] if hit["kind"] == "PATH" else ""
    matched = ", ".join(f"{match['by'].lower()} {match['text']}" for match in hit["matches"])
    return hit["kind"].lower(), hit["namespace"], hit["name"], path, matched


def _near_kinds(by: tuple[str, ...]) -> list[str]:
    """Return the kinds of names to suggest; paths are too many to compare."""
    return [kind for each, kinds in NEAR.items() if not by or each in by for kind in kinds]
