"""``headwater functions list``: what jobs say of their user functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.user_functions import described

HEADINGS = ("job", "function", "known", "code", "says")
_NONE = "no job has such functions; none are known of jobs whose agent does not send headwater_functions"


@click.command("list", epilog=EXIT_CODES)
@click.argument("job", required=False)
@click.option("--opaque", is_flag=True, help="Only functions of which nothing is known.")
@click.option("--differing", is_flag=True, help="Only those whose code does not do what is declared.")
@limit_option
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_(
    context: click.Context,
    job: str | None,
    opaque: bool,
    differing: bool,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List the user functions that jobs call.

    JOB is a part of the namespaces or names of jobs; without it, all are listed. Of each function, the table says from
    where it is known what it does, the place of its code if that was read, why it is opaque and what would change
    that, and where its code does something else than is declared.

    \b
    headwater functions list --opaque
    headwater functions list nightly_load --differing
    """
    asked = {"search": job, "known": ["OPAQUE"] if opaque else None, "differing": differing}
    client = create_client(context, store, url)
    print_nodes(client, "user_functions", asked, limit, _row, HEADINGS, as_json=as_json, empty=_NONE)


def _row(node: Mapping[str, Any]) -> tuple[str, ...]:
    function = node["function"]
    return (node["job"]["name"], *described(function))
