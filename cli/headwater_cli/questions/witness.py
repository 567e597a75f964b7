"""``headwater witness``: routes through jobs from one path to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.traversal_options import (
    answer_options,
    edge_types,
    indirect_option,
    traversal_options,
    traversal_variables,
)
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.questions.graph import describe_transformations
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import (
    console,
    in_terminal,
    job_title,
    print_answer,
    print_table,
    short_names,
)

HEADINGS = ("route", "step", "from", "path", "to", "path", "how", "job")


@click.command(epilog=EXIT_CODES)
@click.argument("ends", nargs=-1, required=True, metavar="FROM TO")
@click.option("--first", type=click.IntRange(1, 100), default=3, show_default=True, help="Number of routes.")
@indirect_option
@traversal_options
@answer_options
def witness(
    context: click.Context,
    ends: Sequence[str],
    first: int,
    indirect: bool,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """Print routes from one path to another.

    FROM and TO are both DATASET or DATASET#PATH, or both DATASET PATH.

    \b
    headwater witness 'customers#email' 'discounts#customer_email'
    headwater witness customers email discounts customer_email
    headwater witness tweets by_user --indirect --first 1
    """
    client = create_client(context, store, url)
    variables = {"first": first, "types": edge_types(indirect), **traversal_variables(**bounding)}
    source, target = _ends(ends)
    nodes = {"source": node_ref(client, *source, None), "target": node_ref(client, *target, None)}
    found = client.query("witnesses", {**nodes, **variables})["witnesses"]
    nothing = f"{' '.join(filter(None, source))} has no route to {' '.join(filter(None, target))}"
    print_answer(context, found, partial(_print, nothing, indirect), as_json=as_json, strict=strict)


def _ends(words: Sequence[str]) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
    """Return dataset and path of both ends; a path may be part of the dataset's argument."""
    match words:
        case (source, target):
            return (source, None), (target, None)
        case (source, path, target, other):
            return (source, path), (target, other)
        case _:
            raise click.UsageError(
                "expected FROM and TO, each as DATASET or DATASET#PATH, or both as DATASET PATH"
            )


def _print(none: str, indirect: bool, found: Mapping[str, Any]) -> None:
    if not found["witnesses"]:
        hint = "" if indirect else ", by values; --indirect also follows influences"
        click.echo(f"{none}{hint}", err=not in_terminal())
    elif in_terminal():
        _draw(found)
    else:
        print_table(
            HEADINGS,
            [row for number, each in enumerate(found["witnesses"], 1) for row in _rows(number, each)],
        )
    print_gaps(found)


def _draw(found: Mapping[str, Any]) -> None:
    from rich.text import Text

    out = console()
    steps = [step for each in found["witnesses"] for step in each["steps"]]
    names = short_names(step[end]["name"] for step in steps for end in ("source", "target"))
    for each in found["witnesses"]:
        out.print(_title(each["steps"][0]["source"], names))
        for step in each["steps"]:
            line = Text.assemble("  → ", _title(step["target"], names))
            line.append(
                f"  {describe_transformations(step['transformations'])}  by {job_title(step['job'])}",
                style="dim",
            )
            out.print(line, soft_wrap=True)
    if found["more"]:
        out.print("there are more: --first sets the number", style="dim")


def _title(node: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    from rich.text import Text

    if not node["path"]:
        return Text(names[node["name"]], style="cyan")
    return Text.assemble((node["label"], "bold"), ("  in ", "dim"), (names[node["name"]], "cyan"))


def _rows(number: int, witness: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            str(number),
            str(position),
            *(text for end in ("source", "target") for text in _place(step[end])),
            describe_transformations(step["transformations"]),
            job_title(step["job"]),
        )
        for position, step in enumerate(witness["steps"], 1)
    ]


def _place(node: Mapping[str, Any]) -> tuple[str, str]:
    return node["name"], node["label"] if node["path"] else ""
