"""``headwater exposure`` and ``headwater report exposure``: who holds personal attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timezone
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.ask import place, require_store, somebody_here, store_option, store_or_url
from headwater_cli.errors import EXIT_CODES
from headwater_cli.graph import gaps
from headwater_cli.moments import MOMENT
from headwater_cli.node import node_ref
from headwater_cli.screen import console, print_answer, print_table, short_names

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_rules = click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_RULES",
    show_envvar=True,
    help="A YAML file that names personal attributes.",
)
HEADINGS = ("attribute", "category", "in dataset", "at path", "as", "by")
INFLUENCED = "INFLUENCED"
JOB_SEPARATOR = " → "
FORM_STYLES = {"identity": "red", "transformed": "yellow", "aggregated": "yellow", "masked": "green"}


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@click.option("--category", metavar="KEY", help="Only attributes of this fideslang category or a kind of it.")
@click.option("--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow.")
@click.option("--as-of", type=MOMENT, help="By the lineage that was true then: 2026-11-21T06:00:00Z.")
@_rules
@store_or_url
@click.option("--influenced", is_flag=True, help="List, too, what an attribute merely influences.")
@click.option("--strict", is_flag=True, help="Exit with 4 when the answer is incomplete.")
@click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
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
    store: str,
    url: str | None,
    influenced: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Say who holds personal attributes.

    Lists each output path that holds one, in which form, and by which jobs; with --influenced also those that it
    merely decides on, by a filter, a join or a grouping. Personal
    attributes are named by field tags in the events, and by --rules. With DATASET (and PATH), only those there.
    """
    where = place(context, store, url, None if url else rules)
    node = node_ref(where, dataset, path, namespace) if dataset else None
    variables = {
        "node": node,
        "category": category,
        "depth": depth,
        "asOf": as_of,
        "influenced": influenced,
    }
    answer = where.ask("exposure", variables)["attributeExposure"]
    show = partial(print_exposure, influenced=influenced)
    print_answer(context, answer, show, as_json=as_json, strict=strict)


@click.group()
def report() -> None:
    """Write reports for people."""


@report.command("exposure")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="The HTML file to write.",
)
@click.option("--category", metavar="KEY", help="Only attributes of this fideslang category or a kind of it.")
@_rules
@store_option
def report_exposure(out: Path, category: str | None, rules: Path | None, store: str) -> None:
    """Write the exposure of personal attributes as one HTML file that needs nothing else."""
    write_report(out, store, rules, category)
    click.echo(f"{out} written")


def write_report(out: Path, store: str, rules: Path | None = None, category: str | None = None) -> None:
    """The report over all personal attributes of the store, or those of a category."""
    from headwater_backend.audit.entries import AuditNote
    from headwater_backend.ingest.records import Batch
    from headwater_backend.questions.exposure import exposure as asked
    from headwater_backend.questions.exposure import labels_of
    from headwater_backend.reports.exposure import Occasion, render
    from headwater_backend.rules import read_rules
    from headwater_backend.stores import open_store

    named = read_rules(rules) if rules else ()
    require_store(store)
    with closing(open_store(store)) as opened:
        found = asked(opened, None, category, named)
        outputs = [output for each in found.attributes for output in each.outputs]
        labels = labels_of(opened, outputs, [each.attribute for each in found.attributes])
        details = {"category": category} if category else {}
        note = AuditNote(somebody_here().name, "exposure report", "written", details=details)
        opened.apply(Batch(notes=(note,)))
    question = f"Personal attributes of the category {category}" if category else "All personal attributes"
    out.write_text(
        render(found, labels, Occasion(datetime.now(timezone.utc), store, question)), encoding="utf-8"
    )


def print_exposure(answer: Mapping[str, Any], influenced: bool = False) -> None:
    """One line for each place where an attribute arrives; what is incomplete comes last."""
    out = console()
    if out.is_terminal:
        show_exposure(out, answer, influenced)
    else:
        print_table(HEADINGS, list(_rows(answer, influenced)))
    for line in gaps(answer):
        out.print(line, style="yellow", markup=False)


def show_exposure(out: Console, answer: Mapping[str, Any], influenced: bool = False) -> None:
    """The same for people: by attribute, with short names, and how many influences are left out."""
    rows = list(_rows(answer, influenced))
    names = short_names(row[2] for row in rows)
    width = max((len(f"{row[3]} in {names[row[2]]}") for row in rows), default=0)
    for (attribute, category), held in groupby(rows, key=lambda row: row[:2]):
        out.print(_heading(attribute, category))
        for _, _, dataset, path, form, jobs in held:
            out.print(_line(form, path, names[dataset], _short_jobs(jobs), width), soft_wrap=True)
    outputs = [output for attribute in answer["attributes"] for output in attribute["outputs"]]
    left_out = sum(output["form"] == INFLUENCED for output in outputs)
    if left_out and not influenced:
        out.print(
            f"{left_out} more are only influenced, by filters, joins or groupings: --influenced lists them"
        )


def _heading(attribute: str, category: str) -> Text:
    from rich.text import Text

    return Text.assemble((attribute, "bold"), ("  is ", "dim"), category)


def _line(form: str, path: str, dataset: str, jobs: str, width: int) -> Text:
    from rich.text import Text

    room = " " * (width - len(f"{path} in {dataset}"))
    style = FORM_STYLES.get(form.partition(" ")[0], "dim")
    return Text.assemble(
        "  ",
        (f"{form:<12}", style),
        "  ",
        (path, "bold"),
        (" in ", "dim"),
        (dataset, "cyan"),
        (f"{room}  by {jobs}", "dim"),
    )


def _rows(answer: Mapping[str, Any], influenced: bool) -> Iterator[tuple[str, ...]]:
    for attribute in answer["attributes"]:
        about = (attribute["node"]["label"], ", ".join(attribute["categories"]))
        for output in attribute["outputs"]:
            if output["form"] == INFLUENCED and not influenced:
                continue
            node = output["node"]
            jobs = dict.fromkeys(step["job"]["name"] for step in output["witness"])
            path = node["label"] if node["path"] else "(its rows)"
            yield (*about, node["name"], path, _form(output), JOB_SEPARATOR.join(jobs))


def _short_jobs(jobs: str) -> str:
    """The applications on the way; that is enough to recognise them by."""
    return JOB_SEPARATOR.join(dict.fromkeys(job.partition(".")[0] for job in jobs.split(JOB_SEPARATOR)))


def _form(output: Mapping[str, Any]) -> str:
    form: str = output["form"].lower()
    return f"{form} ({', '.join(output['kinds']).lower()})" if output["form"] == INFLUENCED else form
