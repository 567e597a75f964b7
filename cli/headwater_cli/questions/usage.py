"""``headwater unused`` and ``headwater usage``: what nobody reads, and how columns are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.asking.ask import place, store_or_url
from headwater_cli.asking.bounds import namespace_option
from headwater_cli.asking.moments import MOMENT
from headwater_cli.asking.node import dataset_ref
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_answer, print_json, print_table

HEADINGS = ("what", "path", "with", "runs", "jobs", "last", "accessed", "manipulated")
CUTS = {
    "ROWS": "more was told in that time than is looked at; ask for a shorter one",
    "PATHS": "there are more paths; --paths says how many to list",
    "PAIRS": "there are more pairs; --pairs says how many to list",
    "PAIRED": "pairs are made of the most used paths only",
    "SCHEMA_DRIFT": "a job reads the dataset by a schema that does not fit; `headwater lineage` has both schemas",
    "UNTRACED": "a job reads the dataset and does not list what it read, so any path may be used",
}
_since = click.option(
    "--since",
    type=MOMENT,
    required=True,
    help="From when on: 2026-11-21, 2026-11-21T06:00:00Z, or so long ago: 30d.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@_since
@limit_option
@store_or_url
@_json
@click.pass_context
def unused(
    context: click.Context, since: str, limit: int, store: str, url: str | None, as_json: bool
) -> None:
    """List the datasets that no run has read since.

    A run reads a dataset when it names it as an input, however it ends. What a job event declares is no use, and what
    was dropped is not listed.

    \b
    headwater unused --since 90d
    """
    found, more = listed(place(context, store, url), "unused_datasets", {"since": since}, limit)
    if as_json:
        print_json(found)
    else:
        rows = [
            (each["namespace"], each["name"], each["lastRead"] or "never", each["lastWritten"] or "never")
            for each in found
        ]
        print_table(("namespace", "name", "last read", "last written"), rows)
    tell_of_more(more, limit)


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@namespace_option
@_since
@click.option("--until", type=MOMENT, help="Until before when; now by default.")
@click.option(
    "--paths", type=click.IntRange(0, 10_000), default=200, show_default=True, help="List so many paths."
)
@click.option(
    "--pairs", type=click.IntRange(0, 10_000), default=50, show_default=True, help="List so many pairs."
)
@store_or_url
@click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete.")
@_json
@click.pass_context
def usage(
    context: click.Context,
    dataset: str,
    namespace: str | None,
    since: str,
    until: str | None,
    paths: int,
    pairs: int,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Say how columns of a DATASET are used.

    How often runs used its paths, what for, and which of them together.

    \b
    headwater usage customers --since 30d
    """
    where = place(context, store, url)
    names = dataset_ref(where, dataset, namespace)
    window = {"since": since, "until": until, "paths": paths, "pairs": pairs}
    found = where.ask("column_usage", {**names, **window})["columnUsage"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _print(found: Mapping[str, Any]) -> None:
    print_table(HEADINGS, list(_rows(found)))
    for cut in found["cut"]:
        click.echo(f"incomplete: {cut}: {CUTS[cut]}", err=True)


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for use in found["paths"]:
        label = use["label"] if use["path"] else "(as a whole)"
        counts = (str(use["runs"]), str(use["jobs"]), use["last"])
        yield ("path", label, "", *counts, _counts(use["accessed"]), _counts(use["manipulated"]))
    for pair in found["pairs"]:
        yield ("pair", *pair["labels"], str(pair["runs"]), str(pair["jobs"]), "", "", "")
    for path in found["unused"]:
        yield ("unused", ".".join(path), "", "0", "0", "", "", "")


def _counts(counts: list[Mapping[str, Any]]) -> str:
    return ", ".join(f"{each['what']} {each['runs']}" for each in counts)
