"""``headwater functions proposals`` and what follows: proposals of what functions do, decided, and as declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from headwater_cli.client.decisions import StewardDecision, json_option, options_of
from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import fetch_pages, limit_option, print_nodes
from headwater_cli.terminal.errors import EXIT_CODES, CommandError
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json
from headwater_plan.declarations import DeclarationError, from_json

HEADINGS: Final = ("id", "job", "function", "code", "reads", "checked", "state")
_STATES: Final = ("PROPOSED", "ACCEPTED", "REFUSED")


class Decision(StewardDecision):
    """A decision about a proposal."""

    def decide(self, verdict: str, id_: str) -> None:
        """Decide about the proposal, and print what changes."""
        made = self.send("decide_functions", {verdict: [id_]})
        if self.as_json:
            print_json(made)
            return
        would = "would be " if self.dry_run else ""
        for each in made:
            name = f"{each['function']} of {each['job']['namespace']} {each['job']['name']}"
            click.echo(f"{would}{verdict}: {visible(name)}")
        if not made:
            click.echo("no change: already in force")


decision_options = options_of(Decision)


@click.command("proposals", epilog=EXIT_CODES)
@click.argument("job", required=False)
@click.option("--state", type=click.Choice(_STATES), multiple=True, help="Only proposals in that state.")
@limit_option
@store_or_url
@json_option
@click.pass_context
def proposals(
    context: click.Context,
    job: str | None,
    state: tuple[str, ...],
    limit: int,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """List what a second opinion proposed that functions do.

    JOB is a job's namespace and name; without it, the proposals of all jobs are listed. With each, the table has what
    the analysis and trial runs say of it.
    """
    asked = {"job": job_named(job) if job else None, "states": list(state) or None}
    client = create_client(context, store, url)
    print_nodes(
        client, "function_proposals", asked, limit, _row, HEADINGS, as_json=as_json, empty="no proposals"
    )


@click.command("accept", epilog=EXIT_CODES)
@click.argument("proposal")
@decision_options
def accept(decision: Decision, proposal: str) -> None:
    """Accept PROPOSAL, by its id: `headwater functions declarations` writes it for the job."""
    decision.decide("accepted", proposal)


@click.command("refuse", epilog=EXIT_CODES)
@click.argument("proposal")
@decision_options
def refuse(decision: Decision, proposal: str) -> None:
    """Refuse PROPOSAL, by its id."""
    decision.decide("refused", proposal)


@click.command("reopen", epilog=EXIT_CODES)
@click.argument("proposal")
@decision_options
def reopen(decision: Decision, proposal: str) -> None:
    """Take the decision about PROPOSAL back."""
    decision.decide("reopened", proposal)


@click.command("declarations", epilog=EXIT_CODES)
@click.argument("job")
@store_or_url
@click.pass_context
def declarations(context: click.Context, job: str, store: str, url: str | None) -> None:
    """Print the accepted proposals for a job as a file of declarations.

    JOB is its namespace and name. Give the file to the job as spark.headwater.udfs: each function's lineage is then
    reported as declared by the steward who accepted it, as long as its code is the one that was proposed for.
    """
    import yaml  # the help of all commands would wait for it

    client = create_client(context, store, url)
    asked = {"job": job_named(job), "states": ["ACCEPTED"]}
    _, found, _ = fetch_pages(client, "function_proposals", asked)
    click.echo(
        yaml.safe_dump({"udfs": list(map(_entry, found))}, sort_keys=False, width=120, allow_unicode=True),
        nl=False,
    )


def job_named(text: str) -> dict[str, str]:
    """A job by its namespace and name. Raises ``CommandError``."""
    namespace, blank, name = text.strip().partition(" ")
    if not blank:
        raise CommandError("JOB", f"{text!r} is no job", "give its namespace and its name, as one argument")
    return {"namespace": namespace, "name": name.strip()}


def _entry(node: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a file of declarations. Raises ``CommandError`` where no agent could read it."""
    whole = {} if node["writes"] is None else {"writes": node["writes"]}
    entry = {
        "name": node["function"],
        "parameters": node["parameters"],
        "reads": node["reads"],
        **whole,
        "by": node["decisions"][0]["by"],
        "code": node["digest"],
    }
    try:
        from_json(entry)
    except DeclarationError as e:
        raise CommandError(
            "PROPOSAL", f"{node['id']}: {e}", "reopen it: no job can be configured with it"
        ) from e
    return entry


def _row(node: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        node["id"],
        node["job"]["name"],
        node["function"],
        f"{node['file']}:{node['line']}",
        ", ".join(node["reads"]),
        "; ".join(node["checks"]),
        f"{node['state']} by {node['decisions'][0]['by']}",
    )
