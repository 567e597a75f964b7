"""``headwater findings list|history|acknowledge|resolve``: violations of policies that a server noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.client.times import TIME
from headwater_cli.privacy.answer_text import HOW, JOB_SEPARATOR, Answer, barred_text, forms_text, path_text
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import job_titles, print_json

HEADINGS = (
    "id",
    "state",
    "policy",
    "at path",
    "in dataset",
    "attribute",
    "of dataset",
    "as",
    "by",
    "noticed",
)
HISTORY = ("time", "state", "as", "by", "reason")
STATES = ("open", "acknowledged", "resolved", "cleared")

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
_reason_option = click.option("--reason", required=True, metavar="TEXT", help="The reason, for the history.")


@click.group(cls=Group, epilog=EXIT_CODES)
def findings() -> None:
    """Manage violations of policies that a server noticed.

    `headwater serve --policies FILE` checks policies when events arrive. A violation becomes a finding, which is open
    until somebody acknowledges or resolves it, or it is certain that it is not there any more. On a server, the API key
    must belong to an auditor or an administrator.
    """


@findings.command("list", epilog=EXIT_CODES)
@click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    help="Only findings in this state.  [default: open and acknowledged]",
)
@click.option("--all", "all_states", is_flag=True, help="Findings in all states.")
@click.option("--policy", metavar="NAME", help="Only findings by this policy.")
@click.option("--as-of", type=TIME, help="Findings as they were at that time: 2026-11-21T06:00:00Z.")
@limit_option
@store_or_url
@_json_option
@click.pass_context
def list_findings(
    context: click.Context,
    states: Sequence[str],
    all_states: bool,
    policy: str | None,
    as_of: str | None,
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List findings, the last noticed first."""
    if states and all_states:
        raise click.UsageError("expected either --state or --all")
    wanted = None if all_states else [state.upper() for state in states or STATES[:2]]
    print_nodes(
        create_client(context, store, url),
        "findings",
        {"states": wanted, "policy": policy, "asOf": as_of},
        limit,
        _row,
        HEADINGS,
        as_json=as_json,
        empty="no findings",
    )


@findings.command(epilog=EXIT_CODES)
@click.argument("finding")
@limit_option
@store_or_url
@_json_option
@click.pass_context
def history(
    context: click.Context, finding: str, limit: int, store: str, url: str | None, as_json: bool
) -> None:
    """List all changes of a FINDING, newest first."""
    print_nodes(
        create_client(context, store, url),
        "finding_history",
        {"finding": finding},
        limit,
        _change,
        HISTORY,
        as_json=as_json,
    )


@findings.command(epilog=EXIT_CODES)
@click.argument("ids", nargs=-1, required=True)
@_reason_option
@store_or_url
@_json_option
@click.pass_context
def acknowledge(
    context: click.Context, ids: Sequence[str], reason: str, store: str, url: str | None, as_json: bool
) -> None:
    """Note that findings are known and may stay; they open again if the data come in a stronger form."""
    decided = {"ids": list(ids), "state": "ACKNOWLEDGED", "reason": reason}
    _decide(create_client(context, store, url), decided, as_json=as_json)


@findings.command(epilog=EXIT_CODES)
@click.argument("ids", nargs=-1, required=True)
@_reason_option
@store_or_url
@_json_option
@click.pass_context
def resolve(
    context: click.Context, ids: Sequence[str], reason: str, store: str, url: str | None, as_json: bool
) -> None:
    """Note that findings are mended; they open again if the next check notices them."""
    decided = {"ids": list(ids), "state": "RESOLVED", "reason": reason}
    _decide(create_client(context, store, url), decided, as_json=as_json)


def _decide(client: GraphQLClient, variables: Mapping[str, Any], *, as_json: bool) -> None:
    found = client.query("decide_findings", variables)["decideFindings"]
    if as_json:
        print_json(found)
        return
    for each in found:
        place = f"{path_text(each['node'])} of {each['node']['name']}"
        click.echo(visible(f"{each['id']} {each['state'].lower()}: {each['policy']}, {place}"))


def _as(finding: Answer) -> str:
    """Return the forms, the countries in which the data may not be, and what makes a pseudonym readable."""
    text = " in ".join(filter(None, (forms_text(finding["forms"]), ", ".join(finding["countries"]))))
    text += f"; {barred_text(finding['barred']['because'])}" if finding["barred"] else ""
    if not finding["readable"]:
        return text
    source = finding["readable"]["source"]
    return f"{text}, readable by {path_text(source)} of {source['name']}, {HOW[finding['readable']['how']]}"


def _row(finding: Answer) -> tuple[str, ...]:
    attribute, node = finding["attribute"], finding["node"]
    return (
        finding["id"],
        finding["state"].lower(),
        finding["policy"],
        path_text(node),
        node["name"],
        path_text(attribute),
        attribute["name"],
        _as(finding),
        job_titles(finding["jobs"], JOB_SEPARATOR) or "(declared there)",
        finding["noticed"][:19],
    )


def _change(finding: Answer) -> tuple[str, ...]:
    return (
        finding["changed"][:19],
        finding["state"].lower(),
        _as(finding),
        finding["by"],
        finding["reason"],
    )
