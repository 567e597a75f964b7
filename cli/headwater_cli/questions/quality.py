"""``headwater quality``: how much there was of a dataset, and what was measured and tested of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.asking.ask import place, store_or_url
from headwater_cli.asking.node import dataset_ref
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_json, print_table

HEADINGS = ("time", "job", "use", "column", "what", "value")
MEASURED = {"rows": "rows", "bytes": "bytes", "files": "files"}
MEASURED_OF_COLUMNS = {
    "count": "count",
    "nullCount": "nulls",
    "distinctCount": "distinct values",
    "sum": "sum",
    "min": "least",
    "max": "greatest",
}
Row = tuple[str, str, str]
"""Column, what, value."""


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@click.option("--use", type=click.Choice(["input", "output"]), help="Of runs: those that read or wrote it.")
@limit_option
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def quality(
    context: click.Context,
    dataset: str,
    namespace: str | None,
    use: str | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Tell what was measured and tested of a DATASET.

    First what events say of the dataset itself, then, newest first, how much of it each run read or wrote, and what
    the run measured and tested: rows, bytes and files, metrics of columns, assertions that succeeded or FAILED.

    \b
    headwater quality customers
    headwater quality customers --use output --limit 10
    """
    where = place(context, store, url)
    names = dataset_ref(where, dataset, namespace)
    itself = where.ask("dataset", names)["dataset"]
    told = {key: itself[key] for key in ("namespace", "name", "lastSeen", "quality", "assertions")}
    asked = {**names, "use": use.upper() if use else None}
    runs, more = listed(where, "dataset_history", asked, limit)
    if as_json:
        print_json({"dataset": told, "runs": runs})
    else:
        rows = [("", "", "", *row) for row in _told(told)]
        print_table(HEADINGS, [*rows, *(row for run in runs for row in _of_run(run))])
    tell_of_more(more, limit)


def _of_run(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    run = found["run"]
    time = run["endedAt"] or run["startedAt"] or ""
    for use, names in (("input", found["read"]), ("output", found["wrote"])):
        for used in names:
            yield from ((time, run["job"]["name"], use, *row) for row in _told(used))


def _told(told: Mapping[str, Any]) -> Iterator[Row]:
    """What a run's statistics say, then the metrics, then the assertions."""
    yield from _values("", told, MEASURED)
    measured = told["quality"] or {"columns": ()}
    yield from (("", f"{what}, measured", value) for _, what, value in _values("", measured, MEASURED))
    for column in measured["columns"]:
        yield from _values(column["column"], column, MEASURED_OF_COLUMNS)
        for quantile in column["quantiles"]:
            yield column["column"], f"quantile {quantile['share']}", _number(quantile["value"])
    for test in told["assertions"]:
        yield test["column"] or "", test["assertion"], _outcome(test)


def _values(column: str, told: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Row]:
    for key, what in names.items():
        if told.get(key) is not None:
            yield column, what, _number(told[key])


def _outcome(test: Mapping[str, Any]) -> str:
    """``success``, or ``FAILED (warn; expected 0, actual 3)``."""
    if test["success"]:
        return "success"
    ends = ", ".join(f"{key} {test[key]}" for key in ("expected", "actual") if test[key] is not None)
    told = "; ".join(text for text in (test["severity"], ends) if text)
    return f"FAILED ({told})" if told else "FAILED"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
