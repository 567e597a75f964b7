"""What commands that decide about names of datasets share: their options, and telling what a decision changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.terminal.screen import print_json
from headwater_cli.terminal.visible import visible

SHOWN = 20
"""Names that are printed of those that change."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would change.")
reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; it stays in the history and in the audit log."
)


def tell(decided: Mapping[str, Any], *, dry_run: bool, as_json: bool) -> None:
    """What changed, or would; what changed nothing is said as well."""
    if as_json:
        print_json(decided)
        return
    would = "would be " if dry_run else ""
    for each in decided["decisions"]:
        click.echo(f"{would}{'added' if each['added'] else 'removed'}: {visible(each['text'])}")
    if not decided["decisions"]:
        click.echo("all of that is in force already")
    for each in decided["renamed"][:SHOWN]:
        name, after = written(each["name"]), written(each["after"])
        click.echo(
            f"  {visible(name)} {'would be' if dry_run else 'is'} {'itself' if name == after else visible(after)}"
        )
    if decided["renamedCount"] > SHOWN:
        click.echo(f"  and {decided['renamedCount'] - SHOWN} more names")
    _tell_of_size(decided)


def _tell_of_size(decided: Mapping[str, Any]) -> None:
    if decided["renamedCount"]:
        counted = f", with {decided['paths']} paths and {decided['edges']} edges"
        held = "" if decided["paths"] is None else counted
        click.echo(
            f"names that change: {decided['renamedCount']}, of {decided['datasetCount']} datasets{held}"
        )
    elif decided["decisions"]:
        click.echo("warning: no dataset that is known is concerned", err=True)
    for each in decided["unknown"]:
        click.echo(f"warning: no event named {visible(written(each))} so far", err=True)


def written(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def by(each: Mapping[str, Any]) -> list[str]:
    return [each["at"][:19], each["by"], each["reason"]]
