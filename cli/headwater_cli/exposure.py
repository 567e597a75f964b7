"""``headwater exposure`` and ``headwater report exposure``: who holds personal attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from headwater_cli.ask import place, require_store, store_option, store_or_url
from headwater_cli.errors import EXIT_CODES, INCOMPLETE
from headwater_cli.graph import gaps
from headwater_cli.node import node_ref
from headwater_cli.screen import console, print_json, print_table

_rules = click.option(
    "--rules",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="HEADWATER_RULES",
    show_envvar=True,
    help="A YAML file that names personal attributes.",
)
HEADINGS = ("attribute", "category", "in dataset", "at path", "as", "by")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@click.option("--category", metavar="KEY", help="Only attributes of this fideslang category or a kind of it.")
@click.option("--depth", type=click.IntRange(min=0), default=50, show_default=True, help="Edges to follow.")
@_rules
@store_or_url
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
    rules: Path | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Say who holds personal attributes.

    Lists each output path that holds one or is influenced by it, in which form, and by which jobs. Personal
    attributes are named by field tags in the events, and by --rules. With DATASET (and PATH), only those there.
    """
    where = place(context, store, url, None if url else rules)
    node = node_ref(where, dataset, path, namespace) if dataset else None
    variables = {"node": node, "category": category, "depth": depth}
    answer = where.ask("exposure", variables)["attributeExposure"]
    if as_json:
        print_json(answer)
    else:
        print_exposure(answer)
    if strict and not answer["complete"]:
        context.exit(INCOMPLETE)


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
    from headwater_backend.questions.exposure import exposure as asked
    from headwater_backend.reports.exposure import Occasion, render
    from headwater_backend.rules import read_rules
    from headwater_backend.stores import open_store

    named = read_rules(rules) if rules else ()
    require_store(store)
    with closing(open_store(store)) as opened:
        found = asked(opened, None, category, named)
    question = f"Personal attributes of the category {category}" if category else "All personal attributes"
    out.write_text(render(found, Occasion(datetime.now(timezone.utc), store, question)), encoding="utf-8")


def print_exposure(answer: Mapping[str, Any]) -> None:
    """One line for each place where an attribute arrives; what is incomplete comes last."""
    print_table(HEADINGS, exposure_rows(answer))
    for line in gaps(answer):
        console().print(line, style="yellow", markup=False)


def exposure_rows(answer: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row under ``HEADINGS`` for each place where an attribute arrives."""
    return list(_rows(answer))


def _rows(answer: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for attribute in answer["attributes"]:
        about = (attribute["node"]["label"], ", ".join(attribute["categories"]))
        for output in attribute["outputs"]:
            node = output["node"]
            jobs = dict.fromkeys(step["job"]["name"] for step in output["witness"])
            path = node["label"] if node["path"] else "(its rows)"
            yield (*about, node["name"], path, _form(output), " → ".join(jobs))


def _form(output: Mapping[str, Any]) -> str:
    form: str = output["form"].lower()
    return f"{form} ({', '.join(output['kinds']).lower()})" if output["kinds"] else form
