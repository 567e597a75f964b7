"""Options that limit the traversal of a lineage query, and their GraphQL variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import click

from headwater_cli.client.graphql_client import store_or_url
from headwater_cli.client.times import TIME

F = TypeVar("F", bound=Callable[..., Any])

namespace_option = click.option(
    "--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name."
)
indirect_option = click.option(
    "--indirect", is_flag=True, help="Also follow indirect lineage: filters, joins, groupings, …"
)


as_known_at_option = click.option(
    "--as-known-at", type=TIME, help="Answer by what had been received by that time, as it was known then."
)


def traversal_options(command: F) -> F:
    """Add ``--depth``, ``--as-of``, ``--as-known-at``, ``--within``, ``--in-namespace`` and ``--stop-at``.

    See ``traversal_variables``.
    """
    return _decorate(
        command,
        click.option(
            "--depth",
            type=click.IntRange(min=0),
            default=50,
            show_default=True,
            help="Maximum number of edges to follow.",
        ),
        click.option(
            "--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z, or an age: 30d."
        ),
        as_known_at_option,
        click.option(
            "--within",
            metavar="NAME",
            multiple=True,
            help="Only enter datasets with this name; * matches any text.",
        ),
        click.option(
            "--in-namespace", metavar="NS", multiple=True, help="Only enter datasets in this namespace."
        ),
        click.option(
            "--stop-at",
            metavar="NAME",
            multiple=True,
            help="Do not follow lineage beyond datasets with this name.",
        ),
    )


def answer_options(command: F) -> F:
    """Add ``--store``, ``--url``, ``--strict`` and ``--json``, and pass the click context."""
    return _decorate(
        command,
        store_or_url,
        click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete."),
        click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON."),
        click.pass_context,
    )


def traversal_variables(
    depth: int,
    as_of: str | None,
    as_known_at: str | None,
    within: Sequence[str],
    in_namespace: Sequence[str],
    stop_at: Sequence[str],
) -> dict[str, Any]:
    """Return the GraphQL variables for the values of ``traversal_options``."""
    chosen = {"within": list(_patterns(in_namespace, within)), "stopAt": list(_patterns((), stop_at))}
    return {"depth": depth, "asOf": as_of, "asKnownAt": as_known_at, "filter": chosen}


def edge_types(indirect: bool) -> list[str]:
    """Return the edge types to follow."""
    return ["DIRECT", "INDIRECT"] if indirect else ["DIRECT"]


def _patterns(namespaces: Sequence[str], names: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield a pattern for each combination of namespace and name; none if both are empty."""
    if not (namespaces or names):
        return
    for namespace, name in product(namespaces or (None,), names or (None,)):
        for form in _forms(name):
            yield {key: text for key, text in (("namespace", namespace), ("name", form)) if text}


def _forms(name: str | None) -> tuple[str | None, ...]:
    """Return the patterns for a name; like DATASET, a name without wildcards also matches the end of a name."""
    return (name,) if name is None or "*" in name else (name, f"*/{name}", f"*.{name}")


def _decorate(command: F, *decorators: Callable[[Any], Any]) -> F:
    decorated: Any = command
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    return decorated  # type: ignore[no-any-return]
