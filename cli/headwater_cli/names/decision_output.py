"""What the commands share that decide about names of datasets: their options, their query and its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json

SHOWN = 20
"""Maximum number of changed names to print."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only print the changes.")
_reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="The reason, for the history and the audit log."
)


@dataclass
class Decision:
    """The decision that a command makes about names; with ``dry_run``, it is only shown."""

    context: click.Context
    reason: str
    dry_run: bool
    store: str
    url: str | None
    as_json: bool

    @cached_property
    def client(self) -> GraphQLClient:
        """The client for the store or server that the options select."""
        return create_client(self.context, self.store, self.url)

    def add(self, **names: Any) -> None:
        """Add aliases, separations or rules, and print what that changes."""
        self._print(self.client.query("add_names", self._variables(names))["addNames"])

    def remove(self, **names: Any) -> None:
        """Remove aliases, separations or rules, and print what that changes."""
        self._print(self.client.query("remove_names", self._variables(names))["removeNames"])

    def _variables(self, names: Mapping[str, Any]) -> dict[str, Any]:
        return {**names, "reason": self.reason, "dryRun": self.dry_run}

    def _print(self, decided: Mapping[str, Any]) -> None:
        if self.as_json:
            print_json(decided)
        else:
            _print_decisions(decided, self.dry_run)


def decision_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a command that decides about names, and pass it the ``Decision``."""

    @_reason_option
    @_dry_run_option
    @store_or_url
    @json_option
    @click.pass_context
    @wraps(command)
    def decide(
        context: click.Context,
        /,
        reason: str,
        dry_run: bool,
        store: str,
        url: str | None,
        as_json: bool,
        **arguments: Any,
    ) -> None:
        command(Decision(context, reason, dry_run, store, url, as_json), **arguments)

    return decide


def _print_decisions(decided: Mapping[str, Any], dry_run: bool) -> None:
    """Print the decisions made (or to be made, with ``dry_run``) and the names that they change."""
    would = "would be " if dry_run else ""
    for each in decided["decisions"]:
        click.echo(f"{would}{'added' if each['added'] else 'removed'}: {visible(each['text'])}")
    if not decided["decisions"]:
        click.echo("no change: already in force")
    for each in decided["renamed"][:SHOWN]:
        name, after = full_name(each["name"]), full_name(each["after"])
        click.echo(
            f"  {visible(name)} {'would be' if dry_run else 'is'} {'itself' if name == after else visible(after)}"
        )
    if decided["renamedCount"] > SHOWN:
        click.echo(f"  and {decided['renamedCount'] - SHOWN} more names")
    _print_size(decided)


def _print_size(decided: Mapping[str, Any]) -> None:
    if decided["renamedCount"]:
        counted = f", with {decided['paths']} paths and {decided['edges']} edges"
        held = "" if decided["paths"] is None else counted
        click.echo(
            f"names that change: {decided['renamedCount']}, of {decided['datasetCount']} datasets{held}"
        )
    elif decided["decisions"]:
        click.echo("warning: no known dataset is affected", err=True)
    for each in decided["unknown"]:
        click.echo(f"warning: no event has named {visible(full_name(each))} yet", err=True)


def full_name(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def decision_cells(each: Mapping[str, Any]) -> list[str]:
    return [each["at"][:19], each["by"], each["reason"]]
