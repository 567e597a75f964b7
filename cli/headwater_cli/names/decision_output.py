"""What the commands share that decide about names of datasets: their arguments, their query and its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from headwater_cli.client.decisions import StewardDecision, options_of
from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.client.pagination import report_more
from headwater_cli.client.references import node_ref
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json, print_table

SHOWN = 20
"""Maximum number of changed names to print."""

few_option = click.option(
    "--limit",
    type=click.IntRange(1, 999),
    default=100,
    show_default=True,
    help="Maximum number of results.",
)
"""The option of a command that prints a ``FewRows``: a list without pages."""


@dataclass(frozen=True)
class FewRows:
    """A list of what is to be decided or was decided: the operation that lists it, and how it is printed."""

    operation: str
    columns: tuple[str, ...]
    cells: Callable[[Mapping[str, Any]], Sequence[str]]
    nothing: str

    def print(self, client: GraphQLClient, limit: int, *, as_json: bool) -> None:
        """Print up to ``limit`` entries, and whether there are more."""
        (every,) = client.query(self.operation, {"first": limit + 1}).values()
        found = every[:limit]
        if as_json:
            print_json(found)
        elif found:
            print_table(self.columns, [list(self.cells(each)) for each in found])
        else:
            click.echo(self.nothing)
        report_more(len(every) > limit, limit)


class Decision(StewardDecision):
    """A decision about names."""

    def add(self, **names: Any) -> None:
        """Add aliases, separations or rules, and print what that changes."""
        self._print(self.send("add_names", names))

    def remove(self, **names: Any) -> None:
        """Remove aliases, separations or rules, and print what that changes."""
        self._print(self.send("remove_names", names))

    def _print(self, decided: Mapping[str, Any]) -> None:
        if self.as_json:
            print_json(decided)
        else:
            _print_decisions(decided, self.dry_run)


decision_options = options_of(Decision)
"""Adds the options of a command that decides about names, and passes it the ``Decision``."""


def _print_decisions(decided: Mapping[str, Any], dry_run: bool) -> None:
    """Print the decisions made (or to be made, with ``dry_run``) and the names that they change."""
    would = "would be " if dry_run else ""
    for each in decided["decisions"]:
        click.echo(f"{would}{'added' if each['added'] else 'removed'}: {visible(each['text'])}")
    _print_more(decided["decisionCount"] - len(decided["decisions"]), "decisions")
    if not decided["decisions"]:
        click.echo("no change: already in force")
    for each in decided["renamed"][:SHOWN]:
        name, after = full_name(each["name"]), full_name(each["after"])
        click.echo(
            f"  {visible(name)} {'would be' if dry_run else 'is'} {'itself' if name == after else visible(after)}"
        )
    _print_more(decided["renamedCount"] - SHOWN, "names")
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
    _print_more(decided["unknownCount"] - len(decided["unknown"]), "that no event has named yet")


def _print_more(count: int, what: str) -> None:
    """Print how many entries a list leaves out, if any."""
    if count > 0:
        click.echo(f"  and {count} more {what}")


def full_name(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def named_dataset(client: GraphQLClient, text: str) -> dict[str, Any]:
    """Return the dataset named in full, or resolve the end of a known name."""
    namespace, blank, name = text.strip().partition(" ")
    if blank:
        return {"namespace": namespace, "name": name.strip()}
    found = node_ref(client, text, None, None)
    return {"namespace": found["namespace"], "name": found["name"]}
