"""``headwater copies``: commands about data that were copied without any producer's report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from headwater_cli.client.decisions import StewardDecision, decision_cells, json_option, options_of
from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option
from headwater_cli.names.decision_output import DecisionList, full_name, named_dataset
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json

_PROPOSALS: Final = DecisionList(
    "copy_proposals",
    ("dataset", "is probably a copy of", "why"),
    lambda each: [full_name(each["dataset"]), full_name(each["original"]), ", ".join(each["why"])],
    "no proposals",
)
_DECISIONS: Final = DecisionList(
    "copy_decisions",
    ("what", "dataset", "original", "at", "by", "reason"),
    lambda each: [
        each["verdict"].lower(),
        full_name(each["dataset"]),
        full_name(each["original"]),
        *decision_cells(each),
    ],
    "no decisions about copies",
)


class Decision(StewardDecision):
    """A decision about a copy."""

    def decide(self, verdict: str, dataset: str, original: str) -> None:
        """Decide about the pair, and print the decision."""
        named = {"dataset": dataset, "original": original}
        pair = {end: named_dataset(self.client, text) for end, text in named.items()}
        made = self.send("decide_copies", {verdict: [pair]})
        if self.as_json:
            print_json(made)
            return
        for each in made:
            click.echo(f"{'would be ' if self.dry_run else ''}{each['verdict'].lower()}: {_pair(each)}")
        if not made:
            click.echo("no change: already in force")


decision_options = options_of(Decision)


@click.group(cls=Group, epilog=EXIT_CODES)
def copies() -> None:
    """Find and confirm copies that no producer reported.

    A dataset that jobs read before anybody is known to have written it may be a copy of another one: a directory that
    was moved, a table that a tool exported. A confirmed copy is lineage like any other. A dataset is a namespace, a
    space and a name ("file /out/people"), or a unique end of a known name.
    """


@copies.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def propose(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List datasets that are probably copies, and what they have in common with the originals."""
    _PROPOSALS.print(create_client(context, store, url), limit, as_json=as_json)


@copies.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("original")
@decision_options
def confirm(decision: Decision, dataset: str, original: str) -> None:
    """Confirm that DATASET is a copy of ORIGINAL."""
    decision.decide("confirmed", dataset, original)


@copies.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("original")
@decision_options
def refuse(decision: Decision, dataset: str, original: str) -> None:
    """Decide that DATASET is no copy of ORIGINAL; it is not proposed again."""
    decision.decide("refused", dataset, original)


@copies.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("original")
@decision_options
def reopen(decision: Decision, dataset: str, original: str) -> None:
    """Take a decision about DATASET and ORIGINAL back.

    What was confirmed counts as a copy that failed: answers about personal data report that it may have left some.
    """
    decision.decide("reopened", dataset, original)


@copies.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def history(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List decisions about copies, newest first."""
    _DECISIONS.print(create_client(context, store, url), limit, as_json=as_json)


def _pair(each: Mapping[str, Any]) -> str:
    return f"{visible(full_name(each['dataset']))} as a copy of {visible(full_name(each['original']))}"
