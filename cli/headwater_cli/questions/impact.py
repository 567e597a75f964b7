"""``headwater impact``: what changing or dropping a path would touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from headwater_cli.asking.ask import place
from headwater_cli.asking.bounds import answered, bounded, bounds, namespace_option
from headwater_cli.asking.node import node_ref
from headwater_cli.questions.graph import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_answer, print_table

HEADINGS = ("what", "namespace", "name", "path", "distance", "touched", "owners")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@bounded
@answered
def impact(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
    **bounding: Any,
) -> None:
    """Say what changing or dropping a path would touch.

    Lists outputs and jobs, the nearest first, and who owns them. A job that `reads` the path misses it when it is
    dropped; `DIRECT` is what a value of it reaches, `INFLUENCED` what it only decides on.

    \b
    headwater impact customers email
    """
    where = place(context, store, url)
    variables = {"node": node_ref(where, dataset, path, namespace), **bounds(**bounding)}
    found = where.ask("impact", variables)["impact"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _print(found: Mapping[str, Any]) -> None:
    print_table(HEADINGS, list(_rows(found)))
    print_gaps(found)


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for each in found["jobs"]:
        touched = f"{each['reach']}, reads it" if each["reads"] else each["reach"]
        yield (*_row("job", each), "", str(each["distance"]), touched, _names(each["owners"]))
    for each in found["outputs"]:
        for node in each["paths"]:
            path = node["label"] if node["path"] else ""
            yield (*_row("output", each), path, str(node["distance"]), node["reach"], _names(each["owners"]))


def _row(what: str, each: Mapping[str, Any]) -> tuple[str, str, str]:
    return what, each["namespace"], each["name"]


def _names(owners: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(owner["name"] for owner in owners)
