"""``headwater lineage backward|forward|both``: what a path is made of, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import click

from headwater_cli.asking.ask import Place, place
from headwater_cli.asking.bounds import answered, bounded, bounds, indirect_option, namespace_option, types
from headwater_cli.asking.node import node_ref
from headwater_cli.questions.graph import BACKWARD, FORWARD, Graph, print_graphs
from headwater_cli.questions.job_graph import print_jobs
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_answer

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
        namespace_option,
        indirect_option,
        click.option(
            "--level",
            type=click.Choice(LEVELS),
            default="path",
            show_default=True,
            help="How finely to tell things apart.",
        ),
        bounded,
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Tell N nodes at most."),
        answered,
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
    show = partial(_print, print_jobs if level == JOB else print_graphs, direction)
    print_answer(context, found, show, as_json=as_json, strict=strict)


def _print(show: Callable[[Mapping[str, Graph]], None], direction: str, found: Mapping[str, Any]) -> None:
    show({BACKWARD: found[BACKWARD], FORWARD: found[FORWARD]} if direction == BOTH else {direction: found})


def _variables(
    where: Place,
    dataset: str,
    path: str | None,
    namespace: str | None,
    indirect: bool,
    limit: int | None,
    after: str | None = None,
    **bounding: Any,
) -> dict[str, Any]:
    return {
        "node": node_ref(where, dataset, path, namespace),
        "types": types(indirect),
        "first": limit,
        "after": after,
        **bounds(**bounding),
    }


def _jobs(where: Place, direction: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The jobs of one direction, or of both, as the answers of the other levels are shaped."""
    asked = (BACKWARD, FORWARD) if direction == BOTH else (direction,)
    found = {
        one: where.ask("job_lineage", {**variables, "direction": one.upper()})["jobLineage"] for one in asked
    }
    if direction != BOTH:
        return found
    return {BOTH: {"complete": all(each["complete"] for each in found.values()), **found}}
