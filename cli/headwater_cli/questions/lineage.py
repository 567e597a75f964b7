"""``headwater lineage backward|forward|both``: sources and derived data of a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, base_url, create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.traversal_options import (
    answer_options,
    edge_types,
    indirect_option,
    namespace_option,
    traversal_options,
    traversal_variables,
)
from headwater_cli.questions.graph import BACKWARD, FORWARD, Graph, print_graphs
from headwater_cli.questions.job_graph import print_jobs
from headwater_cli.questions.picture import PictureFile, address_of, schemas_of, write_picture
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_answer

JOB = "job"
LEVELS = ("path", "column", "dataset", JOB)
BOTH = "both"


@click.group(cls=Group, epilog=EXIT_CODES)
def lineage() -> None:
    """Query where a path comes from and where it goes."""


def _question(function: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments and options of all directions."""
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
            help="Granularity of the answer.",
        ),
        traversal_options,
        click.option(
            "--out",
            type=PictureFile(),
            metavar="FILE",
            help="Draw the answer into FILE.svg, .png, .pdf, .mmd (Mermaid) or .dot instead.",
        ),
        click.option("--dark", is_flag=True, help="Draw on a dark ground."),
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Maximum number of nodes."),
        answer_options,
    )
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


_after = click.option("--after", metavar="CURSOR", help="Continue an answer that --limit cut.")
_active = click.option(
    "--active", is_flag=True, help="Leave out what no data can take, for contradicting conditions on its way."
)

_where = click.option(
    "--where",
    metavar="SQL",
    help="Ask about the rows of DATASET of which this holds, such as \"country = 'US'\". Implies --active.",
)

_most_ways = click.option(
    "--most-ways",
    type=int,
    metavar="N",
    help="Stop after N ways, and list conditions that leave fewer. Implies --active.",
)


@lineage.command()
@_question
@_after
@_active
@_where
@_most_ways
def backward(context: click.Context, **options: Any) -> None:
    """Query what a path is derived from.

    PATH is one of DATASET, such as tweets[].text; by default the whole dataset.

    \b
    headwater lineage backward customers email
    headwater lineage backward by_user 'tweets[].text' --indirect
    headwater lineage backward report --level dataset --stop-at '*/raw/*'
    headwater lineage backward report total --active
    headwater lineage backward report total --where "country = 'US'"
    headwater lineage backward report total --most-ways 200
    headwater lineage both by_user --indirect --out by_user.svg
    """
    _query(context, BACKWARD, **options)


@lineage.command()
@_question
@_after
@_active
@_where
@_most_ways
def forward(context: click.Context, **options: Any) -> None:
    """Query what is derived from a path.

    PATH is one of DATASET, such as tweets[].text; by default the whole dataset.
    """
    _query(context, FORWARD, **options)


@lineage.command()
@_question
def both(context: click.Context, **options: Any) -> None:
    """Query what a path is derived from, and what is derived from it.

    PATH is one of DATASET, such as tweets[].text; by default the whole dataset.
    """
    _query(context, BOTH, **options)


def _query(
    context: click.Context,
    direction: str,
    *,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    level: str,
    out: Path | None,
    dark: bool,
    **asked: Any,
) -> None:
    if dark and not out:
        raise click.UsageError("--dark goes with --out")
    if _is_active(**asked) and level != "path":
        raise click.UsageError("--active, --where and --most-ways go with --level path")
    client = create_client(context, store, url)
    variables = _variables(client, **asked)
    if out:
        found = _draw(client, direction, variables, level, out, dark)
        show = partial(_print_written, out)
        print_answer(context, found, show, as_json=as_json, strict=strict)
        return
    if level == JOB:
        answer = _jobs(client, direction, variables)
    else:
        answer = client.query(direction, {**variables, "level": level.upper()})
    (found,) = answer.values()
    show = partial(_print, print_jobs if level == JOB else print_graphs, direction)
    print_answer(context, found, show, as_json=as_json, strict=strict)


def _print(show: Callable[[Mapping[str, Graph]], None], direction: str, found: Mapping[str, Any]) -> None:
    show({BACKWARD: found[BACKWARD], FORWARD: found[FORWARD]} if direction == BOTH else {direction: found})


def _draw(
    client: GraphQLClient, direction: str, variables: Mapping[str, Any], level: str, out: Path, dark: bool
) -> Mapping[str, Any]:
    """Write the picture of the answer, and return the answer."""
    asked = "DATASET" if level == JOB else level.upper()
    answer: dict[str, Mapping[str, Any]] = client.query(direction, {**variables, "level": asked})
    (found,) = answer.values()
    question = {key: variables[key] for key in ("node", "depth", "asOf")}
    question |= {"level": level.upper(), "way": direction.upper()}
    narrowed = variables["first"] or variables["after"] or any(variables["filter"].values())
    address = None if narrowed or not client.url else base_url(client.url)
    graphs = {BACKWARD: found[BACKWARD], FORWARD: found[FORWARD]} if direction == BOTH else {direction: found}
    write_picture(
        out,
        question,
        graphs,
        [] if level in {"dataset", JOB} else schemas_of(client, graphs.values()),
        dark=dark,
        address=address and address_of(address, question, variables["types"]),
    )
    return found


def _print_written(out: Path, _found: Mapping[str, Any]) -> None:
    click.echo(f"{out} written")


def _is_active(
    active: bool = False, where: str | None = None, most_ways: int | None = None, **_: Any
) -> bool:
    return active or where is not None or most_ways is not None


def _variables(
    client: GraphQLClient,
    dataset: str,
    path: str | None,
    namespace: str | None,
    indirect: bool,
    limit: int | None,
    after: str | None = None,
    active: bool = False,
    where: str | None = None,
    most_ways: int | None = None,
    **bounding: Any,
) -> dict[str, Any]:
    return {
        **({"active": True} if _is_active(active, where, most_ways) else {}),
        **({} if where is None else {"where": where}),
        **({} if most_ways is None else {"mostWays": most_ways}),
        "node": node_ref(client, dataset, path, namespace),
        "types": edge_types(indirect),
        "first": limit,
        "after": after,
        **traversal_variables(**bounding),
    }


def _jobs(client: GraphQLClient, direction: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the jobs of one direction, or of both, in the format of the answers at other levels."""
    directions = (BACKWARD, FORWARD) if direction == BOTH else (direction,)
    found = {
        one: client.query("job_lineage", {**variables, "direction": one.upper()})["jobLineage"]
        for one in directions
    }
    if direction != BOTH:
        return found
    return {BOTH: {"complete": all(each["complete"] for each in found.values()), **found}}
