"""``headwater search``: datasets, jobs and paths by name, path, tag and owner."""

from __future__ import annotations

from typing import Any

import click

from headwater_cli.asking.ask import place, store_or_url
from headwater_cli.asking.node import did_you_mean
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.terminal.screen import print_json, print_table
from headwater_cli.terminal.visible import visible

NEAR = {"name": ("DATASET", "JOB", "NAMESPACE"), "owner": ("OWNER",), "tag": ("TAG",)}
HEADINGS = ("what", "namespace", "name", "path", "matched")


@click.command()
@click.argument("text")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["dataset", "job", "path"]),
    help="Only these.",
)
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["name", "path", "tag", "owner"]),
    help="Look only there.",
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
    """Find datasets, jobs and paths in which TEXT occurs.

    It is looked for in names, in paths (`user.email`), in tags (`pii`, `pii=true`) and in owners, whatever its case.

    \b
    headwater search email --kind path
    headwater search team:data --by owner
    """
    variables = {
        "text": text,
        "kinds": [kind.upper() for kind in kinds] or None,
        "by": [each.upper() for each in by] or None,
    }
    found, more = listed(place(context, store, url), "search", variables, limit)
    if as_json:
        print_json(found)
    else:
        print_table(HEADINGS, [_row(hit) for hit in found])
    if not found and (hint := did_you_mean(place(context, store, url), text, *_near_kinds(by))):
        click.echo(f"hint: {visible(hint)}", err=True)
    tell_of_more(more, limit)


def _row(hit: dict[str, Any]) -> tuple[str, ...]:
    path = hit["label"] if hit["kind"] == "PATH" else ""
    matched = ", ".join(f"{match['by'].lower()} {match['text']}" for match in hit["matches"])
    return hit["kind"].lower(), hit["namespace"], hit["name"], path, matched


def _near_kinds(by: tuple[str, ...]) -> list[str]:
    """What may have been meant; paths are too many to compare."""
    return [kind for each, kinds in NEAR.items() if not by or each in by for kind in kinds]
