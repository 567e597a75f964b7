"""``headwater unused`` and ``headwater usage``: unread datasets, and usage of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.references import dataset_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import namespace_option
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import print_answer, print_table

HEADINGS = ("what", "path", "with", "runs", "jobs", "last", "accessed", "manipulated")
CUTS = {
    "ROWS": "the period has more rows than are read; choose a shorter one",
    "PATHS": "there are more paths; --paths sets the maximum",
    "PAIRS": "there are more pairs; --pairs sets the maximum",
    "PAIRED": "pairs are counted for the most used paths only",
    "SCHEMA_DRIFT": "a job reads the dataset with another schema; `headwater lineage` prints both schemas",
    "UNTRACED": "a job reads the dataset without a list of paths, so any path may be used",
}
_since = click.option(
    "--since",
    type=TIME,
    required=True,
    help="Start of the period: 2026-11-21, 2026-11-21T06:00:00Z, or an age: 30d.",
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
    """List the datasets that no run has read since a time.

    A run reads a dataset if it names it as an input, however the run ends. Job events without runs do not count, and
    dropped datasets are not listed.

    \b
    headwater unused --since 90d
    """
    print_nodes(
        create_client(context, store, url),
        "unused_datasets",
        {"since": since},
        limit,
        lambda each: (
            each["namespace"],
            each["name"],
            each["lastRead"] or "never",
            each["lastWritten"] or "never",
        ),
        ("namespace", "name", "last read", "last written"),
        as_json=as_json,
    )


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@namespace_option
@_since
@click.option("--until", type=TIME, help="End of the period, exclusive.  [default: now]")
@click.option(
    "--paths", type=click.IntRange(0, 10_000), default=200, show_default=True, help="Maximum number of paths."
)
@click.option(
    "--pairs", type=click.IntRange(0, 10_000), default=50, show_default=True, help="Maximum number of pairs."
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
    """Report how columns of a DATASET are used.

    Counts how often runs used its paths, in which operations, and which paths together.

    \b
    headwater usage customers --since 30d
    """
    client = create_client(context, store, url)
    names = dataset_ref(client, dataset, namespace)
    window = {"since": since, "until": until, "paths": paths, "pairs": pairs}
    found = client.query("column_usage", {**names, **window})["columnUsage"]
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
