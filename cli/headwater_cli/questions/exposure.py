"""``headwater exposure`` and ``headwater report exposure``: who holds personal attributes, and what is in here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater_cli.asking.ask import place, require_store, somebody_here, store_option, store_or_url
from headwater_cli.asking.moments import MOMENT
from headwater_cli.asking.node import node_ref
from headwater_cli.questions import holdings
from headwater_cli.questions.graph import gaps
from headwater_cli.questions.holdings import HEADINGS, Answer, Holdings, ask_for
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, NOTHING_CLASSIFIED, Failure
from headwater_cli.terminal.screen import console, print_row
from headwater_cli.terminal.visible import all_visible, visible

if TYPE_CHECKING:
    from rich.console import Console

    from headwater_backend.reports.exposure_files import Written

SHOWN = 1_000
GAPS_SHOWN = 20

_rules = click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_RULES",
    show_envvar=True,
    help="A YAML file that names personal attributes; with --url, beside the server's own.",
)
_lenient = click.option(
    "--lenient", is_flag=True, help="Warn of a rule that fits no known path, instead of refusing it."
)


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@click.option("--category", metavar="KEY", help="Only attributes of this fideslang category or a kind of it.")
@click.option("--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow.")
@click.option("--as-of", type=MOMENT, help="By the lineage that was true then: 2026-11-21T06:00:00Z.")
@_rules
@_lenient
@store_or_url
@click.option("--influenced", is_flag=True, help="List, too, what an attribute merely influences.")
@click.option("--limit", type=click.IntRange(min=1), help=f"At most so many lines; for people {SHOWN:,}.")
@click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, all of it.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the answer as CSV, all of it.")
@click.pass_context
def exposure(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    category: str | None,
    depth: int,
    as_of: str | None,
    rules: Path | None,
    lenient: bool,
    store: str,
    url: str | None,
    influenced: bool,
    limit: int | None,
    strict: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Say who holds personal attributes, or what is in a dataset.

    Lists each path that holds one, in which form, and by which jobs; with --influenced also those that it merely
    decides on, by a filter, a join or a grouping. Personal attributes are named by field tags in the events, and by
    rules. With DATASET (and PATH), lists what arrived there from wherever it is declared, and what became of the
    attributes that are declared there.

    \b
    headwater exposure --rules rules.yaml
    headwater exposure scores ssn

    Exits with 5 where nothing is classified as personal, since nobody knows then who holds personal data.
    """
    _refuse(bool(namespace) and not dataset, "--namespace goes with DATASET", "name a dataset, too")
    _refuse(as_json and as_csv, "--json and --csv exclude each other", "ask twice")
    _refuse(lenient and not rules, "--lenient is about rules", "name a file with --rules, or leave it out")
    where = place(context, store, url)
    variables = {
        "category": category,
        "depth": depth,
        "asOf": as_of,
        "influenced": influenced,
        "rules": holdings.rules_of(rules),
        "lenient": lenient,
    }
    node = node_ref(where, dataset, path, namespace) if dataset else None
    most = limit or (None if as_json or as_csv else SHOWN)
    became = ask_for(where, {**variables, "of": node}, most)
    arrived = ask_for(where, {**variables, "at": node}, most) if node else None
    _print(became, arrived, as_json=as_json, as_csv=as_csv, most=most, influenced=influenced)
    _exit(context, became, arrived, strict=strict)


def _refuse(wrong: bool, message: str, instead: str) -> None:
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
        parts = holdings.of_both(became, arrived) if arrived else holdings.json_parts(became)
        holdings.print_json(parts)
    elif as_csv:
        holdings.write_csv(sys.stdout, _once(became, arrived))
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
        for each in _once(became, arrived):
            print_row(holdings.row(each))
    for line in _remarks(became, arrived, most, influenced=influenced):
        click.echo(line, err=not out.is_terminal)
    _print_gaps(out, became, arrived)


def show_exposure(out: Console, became: Holdings, arrived: Holdings | None = None) -> None:
    """For people: what arrived first, where that was asked, then what became of attributes."""
    if arrived and arrived.total:
        out.print("What arrived here", style="bold underline")
        holdings.show(out, map(all_visible, arrived.holdings), arrived=True)
    if arrived and became.total:
        out.print("What became of what is declared here", style="bold underline")
    holdings.show(out, map(all_visible, became.holdings))


def _once(became: Holdings, arrived: Holdings | None) -> Iterator[Answer]:
    """All holdings: those that arrived, then the others of what became."""
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
    """What there is to say besides the lines: that there are none, or more."""
    found = []
    if arrived is not None and (none := holdings.nothing(arrived, " there")):
        found.append(f"What arrived: {none}")
    declared = bool(became.answer["attributes"])
    if arrived is None or declared:
        none = holdings.nothing(became, "")
        found += [none] if none and none not in "".join(found) else []
    elif not holdings.unclassified(became):
        found.append("No personal attribute is declared there.")
    for each in (arrived, became):
        if each is not None and most is not None and each.total > most:
            found.append(
                f"{each.total - most:,} more: --limit says how many to list, --csv and --json list all"
            )
    if not influenced and (became.total or (arrived and arrived.total)):
        found.append(
            "What they merely influence, by filters, joins or groupings, is listed with --influenced"
        )
    return [visible(line) for line in found]


def _print_gaps(out: Console, became: Holdings, arrived: Holdings | None) -> None:
    answers = [each.answer for each in (arrived, became) if each is not None]
    lines = list(dict.fromkeys(line for answer in answers for line in gaps(all_visible(answer))))
    for line in lines[:GAPS_SHOWN]:
        out.print(line, style="yellow", markup=False)
    if len(lines) > GAPS_SHOWN:
        more = f"incomplete: {len(lines) - GAPS_SHOWN:,} more gaps: --json lists them all"
        out.print(more, style="yellow", markup=False)


def _exit(context: click.Context, became: Holdings, arrived: Holdings | None, *, strict: bool) -> None:
    if holdings.unclassified(became):
        context.exit(NOTHING_CLASSIFIED)
    if strict and not all(each.answer["complete"] for each in (became, arrived) if each is not None):
        context.exit(INCOMPLETE)


@click.group()
def report() -> None:
    """Write reports for people."""


@report.command("exposure", epilog=EXIT_CODES)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="The HTML file to write; the whole matrix goes into a CSV and a JSON file beside it.",
)
@click.option("--category", metavar="KEY", help="Only attributes of this fideslang category or a kind of it.")
@click.option("--influenced", is_flag=True, help="List, too, what an attribute merely influences.")
@click.option("--strict", is_flag=True, help="Exit with 4 when the report is incomplete.")
@_rules
@_lenient
@store_option
@click.pass_context
def report_exposure(
    context: click.Context,
    out: Path,
    category: str | None,
    influenced: bool,
    strict: bool,
    rules: Path | None,
    lenient: bool,
    store: str,
) -> None:
    """Write the exposure of personal attributes as one HTML file that needs nothing else, with all of it in a CSV and a
    JSON file beside it.
    """
    _refuse(lenient and not rules, "--lenient is about rules", "name a file with --rules, or leave it out")
    if out.suffix.lower() in {".csv", ".json"}:
        raise Failure("FILE", f"{out} would be the HTML file", "end --out with .html")
    written = write_report(out, store, rules, category, influenced=influenced, lenient=lenient)
    click.echo(f"{out} written, and {written.csv.name} and {written.json.name} beside it")
    if written.unclassified:
        click.echo(
            "Nothing is classified: nobody knows who holds personal data, and the report says so.", err=True
        )
        context.exit(NOTHING_CLASSIFIED)
    if strict and not written.complete:
        context.exit(INCOMPLETE)


def write_report(
    out: Path,
    store: str,
    rules: Path | None = None,
    category: str | None = None,
    *,
    influenced: bool = False,
    lenient: bool = False,
) -> Written:
    """The report over all personal attributes of the store, or those of a category."""
    from headwater_backend.domain.audit_log import AuditNote
    from headwater_backend.domain.records import Batch
    from headwater_backend.privacy.exposure import Ruling, Scope, exposed
    from headwater_backend.privacy.rules import read_rules
    from headwater_backend.questions.search import Bounds
    from headwater_backend.reports.exposure_files import Occasion, write
    from headwater_backend.stores import open_store

    ruling = Ruling(asked=read_rules(rules) if rules else (), lenient=lenient)
    scope = Scope(category=category, influenced=influenced, bounds=Bounds(nodes=1_000_000))
    question = f"Personal attributes of the category {category}" if category else "All personal attributes"
    require_store(store)
    with closing(open_store(store)) as opened:
        found = exposed(opened, scope, ruling)
        details = {"category": category} if category else {}
        note = AuditNote(somebody_here().name, "exposure report", "written", details=details)
        opened.apply(Batch(notes=(note,)))
        return write(opened, found, Occasion(datetime.now(timezone.utc), store, question), out)
