"""``headwater lineage backward|forward|both``: what a path is made of, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import click

from headwater_cli.ask import Place, place, store_or_url
from headwater_cli.errors import EXIT_CODES, INCOMPLETE
from headwater_cli.graph import BACKWARD, FORWARD, print_graphs
from headwater_cli.job_graph import print_jobs
from headwater_cli.moments import MOMENT
from headwater_cli.node import node_ref
from headwater_cli.screen import print_json

JOB = "job"
LEVELS = ("path", "column", "dataset", JOB)
BOTH = "both"


@click.group(epilog=EXIT_CODES)
def lineage() -> None:
    """Ask where a path comes from or goes."""


def _question(function: Callable[..., None]) -> Callable[..., None]:
    """What all directions take."""
    decorators = (
        click.argument("dataset"),
        click.argument("path", required=False),
        click.option(
            "--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name."
        ),
        click.option(
            "--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow."
        ),
        click.option("--indirect", is_flag=True, help="Follow influences too: filters, joins, groupings, …"),
        click.option(
            "--level",
            type=click.Choice(LEVELS),
            default="path",
            show_default=True,
            help="How finely to tell things apart.",
        ),
        click.option("--as-of", type=MOMENT, help="What was true then: 2026-11-21T06:00:00Z."),
        click.option(
            "--within", metavar="NAME", multiple=True, help="Enter only datasets of this name; * is any text."
        ),
        click.option(
            "--in-namespace", metavar="NS", multiple=True, help="Enter only datasets in this namespace."
        ),
        click.option(
            "--stop-at", metavar="NAME", multiple=True, help="Do not go beyond datasets of this name."
        ),
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Tell N nodes at most."),
        store_or_url,
        click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete."),
        click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON."),
        click.pass_context,
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


_after = click.option("--after", metavar="CURSOR", help="Go on where an answer ended that --limit cut.")


@lineage.command()
@_question
@_after
def backward(context: click.Context, **options: Any) -> None:
    """What is a path made of?

    PATH is one of DATASET, such as tweets[].text; without it, the whole dataset is meant.

    \b
    headwater lineage backward customers email
    headwater lineage backward by_user 'tweets[].text' --indirect
    headwater lineage backward report --level dataset --stop-at '*/raw/*'
    """
    _ask(context, BACKWARD, **options)


@lineage.command()
@_question
@_after
def forward(context: click.Context, **options: Any) -> None:
    """What is made of a path?

    PATH is one of DATASET, such as tweets[].text; without it, the whole dataset is meant.
    """
    _ask(context, FORWARD, **options)


@lineage.command()
@_question
def both(context: click.Context, **options: Any) -> None:
    """What is a path made of, and what is made of it?

    PATH is one of DATASET, such as tweets[].text; without it, the whole dataset is meant.
    """
    _ask(context, BOTH, **options)


def _ask(
    context: click.Context,
    direction: str,
    *,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    level: str,
    **asked: Any,
) -> None:
    where = place(context, store, url)
    variables = _variables(where, **asked)
    if level == JOB:
        answer = _jobs(where, direction, variables)
    else:
        answer = where.ask(direction, {**variables, "level": level.upper()})
    (found,) = answer.values()
    if as_json:
        print_json(found)
    else:
        parts = (
            {BACKWARD: found[BACKWARD], FORWARD: found[FORWARD]} if direction == BOTH else {direction: found}
        )
        (print_jobs if level == JOB else print_graphs)(parts)
    if strict and not found["complete"]:
        context.exit(INCOMPLETE)


def _variables(
    where: Place,
    dataset: str,
    path: str | None,
    namespace: str | None,
    depth: int,
    indirect: bool,
    as_of: str | None,
    within: Sequence[str],
    in_namespace: Sequence[str],
    stop_at: Sequence[str],
    limit: int | None,
    after: str | None = None,
) -> dict[str, Any]:
    return {
        "node": node_ref(where, dataset, path, namespace),
        "depth": depth,
        "types": ["DIRECT", "INDIRECT"] if indirect else ["DIRECT"],
        "asOf": as_of,
        "filter": {
            "within": list(_patterns(in_namespace, within)),
            "stopAt": list(_patterns((), stop_at)),
        },
        "first": limit,
        "after": after,
    }


def _patterns(namespaces: Sequence[str], names: Sequence[str]) -> Iterator[dict[str, str]]:
    """A name without a slash or a star is also the end of a name, as for DATASET."""
    if not (namespaces or names):
        return
    for namespace, name in product(namespaces or (None,), names or (None,)):
        for form in _forms(name):
            yield {key: text for key, text in (("namespace", namespace), ("name", form)) if text}


def _forms(name: str | None) -> tuple[str | None, ...]:
    return (name,) if name is None or "*" in name else (name, f"*/{name}", f"*.{name}")


def _jobs(where: Place, direction: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The jobs of one direction, or of both, as the answers of the other levels are shaped."""
    asked = (BACKWARD, FORWARD) if direction == BOTH else (direction,)
    found = {
        one: where.ask("job_lineage", {**variables, "direction": one.upper()})["jobLineage"] for one in asked
    }
    if direction != BOTH:
        return found
    return {BOTH: {"complete": all(each["complete"] for each in found.values()), **found}}
