"""``headwater corrections``: commands about what was reported again about runs that had ended."""

from __future__ import annotations

from typing import Final

import click

from headwater_cli.client.decisions import StewardDecision, decision_cells, json_option, options_of
from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option
from headwater_cli.names.decision_output import DecisionList, full_name, named_dataset
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json

_PENDING: Final = DecisionList(
    "corrections",
    ("dataset", "job", "received", "from"),
    lambda each: [full_name(each["dataset"]), full_name(each["job"]), each["at"], each["by"]],
    "no corrections",
)
_DECISIONS: Final = DecisionList(
    "correction_decisions",
    ("what", "dataset", "at", "by", "reason"),
    lambda each: [
        "accepted" if each["accepted"] else "reopened",
        full_name(each["dataset"]),
        *decision_cells(each),
    ],
    "no decisions about corrections",
)


class Decision(StewardDecision):
    """A decision about the corrections of a dataset."""

    def decide(self, verdict: str, dataset: str) -> None:
        """Decide about the dataset, and print the decision."""
        made = self.send("decide_corrections", {verdict: [named_dataset(self.client, dataset)]})
        if self.as_json:
            print_json(made)
            return
        for each in made:
            would = "would be " if self.dry_run else ""
            click.echo(f"{would}{verdict}: {visible(full_name(each['dataset']))}")


decision_options = options_of(Decision)


@click.group(cls=Group, epilog=EXIT_CODES)
def corrections() -> None:
    """List and accept what was reported again of ended runs.

    Where that would clear what was reported before, both are listed in answers, with a gap (AFTER_THE_FACT), until a
    steward has decided. So is a dataset that was dropped or replaced, as was reported only after others had read it.
    """


@corrections.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_corrections(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the outputs of which something was reported again, with when it was received, and from whom."""
    _PENDING.print(create_client(context, store, url), limit, as_json=as_json)


@corrections.command(epilog=EXIT_CODES)
@click.argument("dataset")
@decision_options
def accept(decision: Decision, dataset: str) -> None:
    """Accept all that was reported of DATASET until now."""
    decision.decide("accepted", dataset)


@corrections.command(epilog=EXIT_CODES)
@click.argument("dataset")
@decision_options
def reopen(decision: Decision, dataset: str) -> None:
    """Take the decision about DATASET back: what was reported before is listed again."""
    decision.decide("reopened", dataset)


@corrections.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def history(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List decisions about corrections, newest first."""
    _DECISIONS.print(create_client(context, store, url), limit, as_json=as_json)
