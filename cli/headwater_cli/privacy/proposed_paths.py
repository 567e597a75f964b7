"""The proposals that a command decides on: named paths, patterns, a selection of the listing, or a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.client.pagination import fetch_nodes
from headwater_cli.client.references import MARK, dataset_ref, is_pattern, place_pattern
from headwater_cli.terminal.errors import CommandError

F = TypeVar("F", bound=Callable[..., Any])

AT_ONCE = 10_000
"""The number of decisions that the server takes together, all or none."""
_HEADINGS = ("dataset", "path")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the arguments and options name."""

    dataset: str | None
    paths: Sequence[str]
    every: bool
    file: Path | None
    selection: Mapping[str, Any] | None
    namespace: str | None

    def check(self) -> None:
        """Raise a usage error unless exactly one way of naming proposals is used."""
        ways = (bool(self.dataset), self.every, self.file is not None)
        if sum(ways) != 1 or bool(self.dataset) != bool(self.paths):
            raise click.UsageError("expected DATASET and PATHS, or --all, or --file")
        if self.selection and not self.every:
            raise click.UsageError("--matching, --category and --confidence go with --all")


def selection_options(command: F) -> F:
    """Add the options that select proposals of the listing; the command gets their values as ``selection``."""
    for option in reversed(_SELECTION):
        command = option(command)
    return command


def selection_of(
    matching: Sequence[str], category: str | None, confidence: str | None
) -> dict[str, Any] | None:
    """Return the GraphQL input for the options; None without any."""
    given = {
        "places": [place_pattern(text) for text in matching] or None,
        "category": category,
        "confidence": confidence.upper() if confidence else None,
    }
    return given if any(given.values()) else None


def proposed_nodes(client: GraphQLClient, asked: Asked, rules: Any) -> list[dict[str, Any]]:
    """Return the GraphQL references of the paths. Raises ``CommandError`` where nothing is proposed, or too much."""
    asked.check()
    if asked.file is not None:
        return list(_of_file(client, asked.file))
    if asked.dataset is None:
        return _listed(client, asked.selection, rules)
    return list(_named(client, asked.dataset, asked, rules))


def _named(client: GraphQLClient, dataset: str, asked: Asked, rules: Any) -> Iterator[dict[str, Any]]:
    """The proposals of the paths; a path that is no pattern is one of them, be it proposed or not."""
    known = None if is_pattern(dataset) else dataset_ref(client, dataset, asked.namespace)
    for path in asked.paths:
        if known and not is_pattern(path):
            yield _node(known, path)
        else:
            place = {**known, "path": path} if known else place_pattern(f"{dataset}{MARK}{path}")
            named = {"namespace": asked.namespace} if asked.namespace else {}
            yield from _listed(client, {"places": [{**place, **named}]}, rules)


def _listed(client: GraphQLClient, selection: Mapping[str, Any] | None, rules: Any) -> list[dict[str, Any]]:
    variables = {"rules": rules, "selection": selection}
    found, more = fetch_nodes(client, "class_proposals", variables, AT_ONCE)
    if not found:
        raise CommandError(
            "NO_PROPOSALS", "nothing is proposed there", "`headwater classify propose` lists all"
        )
    if more:
        hint = "select some by --matching, --category or --confidence"
        raise CommandError("TOO_MANY", f"more than {AT_ONCE:,} proposals, which are decided together", hint)
    return [_reference(each["node"]) for each in found]


def _of_file(client: GraphQLClient, file: Path) -> Iterator[dict[str, Any]]:
    text = file.read_text("utf-8")
    if text.lstrip().startswith("["):
        yield from map(_reference, _entries(file, text))
        return
    known: dict[str, dict[str, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split("\t")
        if not line.strip() or tuple(cells[:2]) == _HEADINGS:
            continue
        if len(cells) < 2:
            raise CommandError(
                "FILE",
                f"{file}, line {number}: a dataset, a tab and a path are expected",
                "as `headwater classify propose` prints them, also with --json",
            )
        if cells[0] not in known:
            known[cells[0]] = dataset_ref(client, cells[0], None)
        yield _node(known[cells[0]], cells[1])


def _entries(file: Path, text: str) -> list[Mapping[str, Any]]:
    """Return the places of a list as ``classify propose --json`` prints it."""
    try:
        found = [each.get("node", each) for each in json.loads(text)]
        for each in found:
            _reference(each)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CommandError(
            "FILE",
            f"{file}: this is no list of proposals",
            "as `headwater classify propose --json` prints it",
        ) from error
    return found


def _node(dataset: Mapping[str, str], path: str) -> dict[str, Any]:
    from headwater_facets.path import Path as DataPath

    return {**dataset, "path": DataPath.parse(path).to_wire()}


def _reference(node: Mapping[str, Any]) -> dict[str, Any]:
    return {"namespace": node["namespace"], "name": node["name"], "path": [*node["path"]]}


_SELECTION = (
    click.option(
        "--matching",
        metavar="DATASET[#PATH]",
        multiple=True,
        help="Only paths that the pattern matches, written as in rules: 'crm.*#**.email'; may be repeated.",
    ),
    click.option(
        "--category", metavar="KEY", help="Only those that may be of this category or a kind of it."
    ),
    click.option(
        "--confidence", type=click.Choice(["likely", "possible"]), help="Only those of this confidence."
    ),
)
