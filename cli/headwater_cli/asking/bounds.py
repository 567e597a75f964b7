"""The options that say how far a question about lineage goes, and what they are in GraphQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import click

from headwater_cli.asking.ask import store_or_url
from headwater_cli.asking.moments import MOMENT

F = TypeVar("F", bound=Callable[..., Any])

namespace_option = click.option(
    "--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name."
)
indirect_option = click.option(
    "--indirect", is_flag=True, help="Follow influences too: filters, joins, groupings, …"
)


def bounded(command: F) -> F:
    """``--depth``, ``--as-of``, and which datasets to enter and where to stop; see ``bounds``."""
    return _applied(
        command,
        click.option(
            "--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow."
        ),
        click.option(
            "--as-of", type=MOMENT, help="What was true then: 2026-11-21T06:00:00Z, or so long ago: 30d."
        ),
        click.option(
            "--within", metavar="NAME", multiple=True, help="Enter only datasets of this name; * is any text."
        ),
        click.option(
            "--in-namespace", metavar="NS", multiple=True, help="Enter only datasets in this namespace."
        ),
        click.option(
            "--stop-at", metavar="NAME", multiple=True, help="Do not go beyond datasets of this name."
        ),
    )


def answered(command: F) -> F:
    """Where to ask, and how to print: ``--store`` or ``--url``, ``--strict``, ``--json``; passes the context."""
    return _applied(
        command,
        store_or_url,
        click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete."),
        click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON."),
        click.pass_context,
    )


def bounds(
    depth: int,
    as_of: str | None,
    within: Sequence[str],
    in_namespace: Sequence[str],
    stop_at: Sequence[str],
) -> dict[str, Any]:
    """The GraphQL variables of the options of ``bounded``."""
    chosen = {"within": list(_patterns(in_namespace, within)), "stopAt": list(_patterns((), stop_at))}
    return {"depth": depth, "asOf": as_of, "filter": chosen}


def types(indirect: bool) -> list[str]:
    """The types of edges to follow."""
    return ["DIRECT", "INDIRECT"] if indirect else ["DIRECT"]


def _patterns(namespaces: Sequence[str], names: Sequence[str]) -> Iterator[dict[str, str]]:
    """Datasets in one of the namespaces and of one of the names, as far as there are any."""
    if not (namespaces or names):
        return
    for namespace, name in product(namespaces or (None,), names or (None,)):
        for form in _forms(name):
            yield {key: text for key, text in (("namespace", namespace), ("name", form)) if text}


def _forms(name: str | None) -> tuple[str | None, ...]:
    """A name without wildcards is also the end of a name, as for DATASET."""
    return (name,) if name is None or "*" in name else (name, f"*/{name}", f"*.{name}")


def _applied(command: F, *decorators: Callable[[Any], Any]) -> F:
    decorated: Any = command
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    return decorated  # type: ignore[no-any-return]
