"""``headwater records runs``: which runs of a dataset kept records, and where, as a store or a server knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.references import dataset_ref
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import job_title

HEADINGS = ("started", "state", "job", "run", "mode", "folder", "entry", "rows", "cannot be asked")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@limit_option
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def runs(
    context: click.Context,
    dataset: str,
    namespace: str | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List the runs that kept records of a DATASET.

    Prints, newest first, in which folder each run kept which records made what it wrote: the --records of the other
    commands, which read there. A store knows the place alone.

    \b
    headwater records runs by_user
    """
    client = create_client(context, store, url)
    asked = dataset_ref(client, dataset, namespace)
    empty = "no run reported that it kept records"
    print_nodes(client, "dataset_records", asked, limit, _row, HEADINGS, as_json=as_json, empty=empty)


def _row(run: Mapping[str, Any]) -> tuple[str, ...]:
    kept = run["records"]
    refused = " ".join(filter(None, (kept["refused"], kept["operator"])))
    rows = "" if kept["rows"] is None else str(kept["rows"])
    started, state = run["startedAt"] or "", run["state"] or ""
    return (
        started,
        state,
        job_title(run["job"]),
        run["runId"],
        kept["mode"],
        kept["folder"],
        kept["entry"],
        rows,
        refused,
    )
