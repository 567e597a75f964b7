"""``headwater exposure``: which datasets hold personal data, and in which form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import LAST_REVIEW, TIME, TimeOrLastReview
from headwater_cli.client.traversal_options import as_known_at_option, namespace_option
from headwater_cli.privacy import holdings
from headwater_cli.privacy.answer_text import Answer
from headwater_cli.privacy.declassified import declassified
from headwater_cli.privacy.exposure_changes import print_changes
from headwater_cli.privacy.holdings import HEADINGS, Holdings, query_holdings
from headwater_cli.questions.gaps import distinct, grouped
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, NOTHING_CLASSIFIED
from headwater_cli.terminal.escaping import all_visible, visible
from headwater_cli.terminal.output import console, print_row

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 1_000

rules_option = click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_RULES",
    show_envvar=True,
    help="A YAML file that classifies personal attributes; with --url, added to the server's rules.",
)
active_option = click.option(
    "--active", is_flag=True, help="Say where no row can bring the data, for contradicting conditions."
)
lenient_option = click.option(
    "--lenient", is_flag=True, help="Only warn of a rule that matches no known path."
)


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
)
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Maximum number of edges to follow.",
)
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@click.option(
    "--since",
    type=TimeOrLastReview(),
    help="List what has changed since that time: 2026-11-01, an age: 30d, or last-review, the last signed one.",
)
@rules_option
@lenient_option
@active_option
@store_or_url
@click.option("--influenced", is_flag=True, help="Also list paths that an attribute only influences.")
@click.option(
    "--limit", type=click.IntRange(min=1), help=f"Maximum number of lines.  [default: {SHOWN:,} as text]"
)
@click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete.")
@click.option("--json", "as_json", is_flag=True, help="Print the complete answer as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the complete answer as CSV.")
@click.pass_context
def exposure(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    category: str | None,
    depth: int,
    as_of: str | None,
    as_known_at: str | None,
    since: str | None,
    rules: Path | None,
    lenient: bool,
    active: bool,
    store: str,
    url: str | None,
    influenced: bool,
    limit: int | None,
    strict: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the paths that hold personal attributes.

    Lists each path that holds one, in which form, and by which jobs; with --influenced also paths that it only
    influences, by a filter, a join or a grouping. Personal attributes are classified by field tags in events, and by
    rules. With DATASET (and PATH), lists attributes that flow there from other datasets, and the holders of
    attributes that are declared there.

    \b
    headwater exposure --rules rules.yaml
    headwater exposure scores ssn
    headwater exposure --since 30d

    Exits with 5 if nothing is classified as personal, because the holders cannot be determined then.
    """
    _refuse_if(bool(namespace) and not dataset, "--namespace goes with DATASET", "add a dataset")
    _refuse_if(as_json and as_csv, "--json and --csv exclude each other", "run the command twice")
    _refuse_if(lenient and not rules, "--lenient goes with --rules", "add --rules, or omit --lenient")
    client = create_client(context, store, url)
    variables = {
        "category": category,
        "depth": depth,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "influenced": influenced,
        "lenient": lenient,
        "active": active,
        **holdings.rule_variables(rules),
    }
    node = node_ref(client, dataset, path, namespace) if dataset else None
    if since is not None:
        _refuse_if(as_csv, "--csv lists holdings, not changes", "use --json")
        changes = print_changes(
            client,
            {**variables, "since": None if since == LAST_REVIEW else since, "node": node},
            limit,
            as_json=as_json,
        )
        exit_for(context, changes, strict=strict)
        return
    most = limit or (None if as_json or as_csv else SHOWN)
    became = query_holdings(client, {**variables, "of": node}, most)
    arrived = query_holdings(client, {**variables, "at": node}, most) if node else None
    _print(became, arrived, as_json=as_json, as_csv=as_csv, most=most, influenced=influenced)
    exit_for(context, *(each.answer for each in (became, arrived) if each is not None), strict=strict)


def _refuse_if(wrong: bool, message: str, instead: str) -> None:
    if wrong:
        raise click.UsageError(f"{message}: {instead}")


def _print(
    became: Holdings,
    arrived: Holdings | None,
    *,
    as_json: bool,
    as_csv: bool,
    most: int | None,
    influenced: bool,
) -> None:
    if as_json:
        parts = holdings.combined_json_parts(became, arrived) if arrived else holdings.json_parts(became)
        holdings.print_parts(parts)
    elif as_csv:
        holdings.write_csv(sys.stdout, _distinct(became, arrived))
        for line in _gaps_of(became, arrived):
            click.echo(line, err=True)
    else:
        _print_for_people(became, arrived, most, influenced=influenced)


def _print_for_people(
    became: Holdings, arrived: Holdings | None, most: int | None, *, influenced: bool
) -> None:
    out = console()
    if out.is_terminal:
        show_exposure(out, became, arrived)
    else:
        print_row(HEADINGS)
        for each in _distinct(became, arrived):
            print_row(holdings.row(each))
    for line in _remarks(became, arrived, most, influenced=influenced):
        click.echo(line, err=not out.is_terminal)
    _print_gaps(out, became, arrived)


def show_exposure(out: Console, became: Holdings, arrived: Holdings | None = None) -> None:
    """Print holdings as text: first those that flow into the queried node, then those of its own attributes."""
    if arrived and arrived.total:
        out.print("Attributes that flow here", style="bold underline")
        holdings.show(out, map(all_visible, arrived.holdings), arrived=True)
    if arrived and became.total:
        out.print("Holders of attributes declared here", style="bold underline")
    holdings.show(out, map(all_visible, became.holdings))


def _distinct(became: Holdings, arrived: Holdings | None) -> Iterator[Answer]:
    """Yield all holdings without repetition: those that flow into the node, then those of its attributes."""
    if arrived is None:
        yield from became.holdings
        return
    seen = set()
    for each in (*arrived.holdings, *became.holdings):
        cell = holdings.row(each)
        if cell not in seen:
            seen.add(cell)
            yield each


def _remarks(became: Holdings, arrived: Holdings | None, most: int | None, *, influenced: bool) -> list[str]:
    """Return remarks about the list: that it is empty or cut, or omits influences."""
    found = []
    if arrived is not None and (none := holdings.empty_message(arrived, " there")):
        found.append(f"Inflow: {none}")
    declared = bool(became.answer["attributes"])
    if arrived is None or declared:
        none = holdings.empty_message(became, "")
        found += [none] if none and none not in "".join(found) else []
    elif not holdings.unclassified(became.answer):
        found.append("No personal attribute is declared there.")
    found += declassified(*(each.answer for each in (arrived, became) if each is not None))
    for each in (arrived, became):
        if each is not None and most is not None and each.total > most:
            found.append(f"{each.total - most:,} more: --limit sets the maximum, --csv and --json list all")
    if not influenced and (became.total or (arrived and arrived.total)):
        found.append("--influenced also lists paths that they only influence, by filters, joins or groupings")
    return [visible(line) for line in found]


def _print_gaps(out: Console, became: Holdings, arrived: Holdings | None) -> None:
    for line in _gaps_of(became, arrived):
        out.print(line, style="yellow", markup=False)


def _gaps_of(became: Holdings, arrived: Holdings | None) -> Iterator[str]:
    answers = [all_visible(each.answer) for each in (arrived, became) if each is not None]
    yield from grouped(distinct(gap for answer in answers for gap in answer["incomplete"]))


def exit_for(context: click.Context, *answers: Answer, strict: bool) -> None:
    """Exit with 5 if nothing is classified as personal, and with 4 if ``strict`` and an answer is incomplete."""
    if holdings.unclassified(answers[0]):
        context.exit(NOTHING_CLASSIFIED)
    if strict and not all(answer["complete"] for answer in answers):
        context.exit(INCOMPLETE)
