"""``headwater quality``: statistics, metrics and test results of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, report_more
from headwater_cli.client.references import dataset_ref
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import job_title, print_json, print_table

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
"""Column, metric, value."""


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@click.option("--use", type=click.Choice(["input", "output"]), help="Only runs that read or wrote it.")
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
    """Print the metrics and test results of a DATASET.

    Prints the dataset's own metrics, then, newest first, those of each run: rows, bytes and files read or written,
    column metrics, and assertions that succeeded or FAILED.

    \b
    headwater quality customers
    headwater quality customers --use output --limit 10
    """
    client = create_client(context, store, url)
    names = dataset_ref(client, dataset, namespace)
    itself = client.query("dataset", names)["dataset"]
    described = {key: itself[key] for key in ("namespace", "name", "lastSeen", "quality", "assertions")}
    asked = {**names, "use": use.upper() if use else None}
    runs, more = fetch_nodes(client, "dataset_history", asked, limit)
    if as_json:
        print_json({"dataset": described, "runs": runs})
    else:
        rows = [("", "", "", *row) for row in _metrics(described)]
        print_table(HEADINGS, [*rows, *(row for run in runs for row in _of_run(run))])
    report_more(more, limit)


def _of_run(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    run = found["run"]
    time = run["endedAt"] or run["startedAt"] or ""
    for use, names in (("input", found["read"]), ("output", found["wrote"])):
        for used in names:
            yield from ((time, job_title(run["job"]), use, *row) for row in _metrics(used))


def _metrics(facets: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the run statistics, then the metrics, then the assertions."""
    yield from _values("", facets, MEASURED)
    measured = facets["quality"] or {"columns": ()}
    yield from (("", f"{what}, measured", value) for _, what, value in _values("", measured, MEASURED))
    for column in measured["columns"]:
        yield from _values(column["column"], column, MEASURED_OF_COLUMNS)
        for quantile in column["quantiles"]:
            yield column["column"], f"quantile {quantile['share']}", _number(quantile["value"])
    for test in facets["assertions"]:
        yield test["column"] or "", test["assertion"], _outcome(test)


def _values(column: str, facets: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Row]:
    for key, what in names.items():
        if facets.get(key) is not None:
            yield column, what, _number(facets[key])


def _outcome(test: Mapping[str, Any]) -> str:
    """Return ``success``, or ``FAILED (warn; expected 0, actual 3)``."""
    if test["success"]:
        return "success"
    ends = ", ".join(f"{key} {test[key]}" for key in ("expected", "actual") if test[key] is not None)
    detail = "; ".join(text for text in (test["severity"], ends) if text)
    return f"FAILED ({detail})" if detail else "FAILED"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
