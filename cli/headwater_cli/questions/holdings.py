"""Who holds what, as lists of holdings: asking for them page by page, and printing them for people and programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import IO, TYPE_CHECKING, Any

import click

from headwater_cli.asking.ask import Place
from headwater_cli.terminal.screen import short_names
from headwater_cli.terminal.visible import visible_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

PAGE = 1_000
HEADINGS = ("attribute", "category", "in dataset", "at path", "as", "by", "of dataset")
INFLUENCED = "INFLUENCED"
JOB_SEPARATOR = " → "
FORM_STYLES = {
    "identity": "red",
    "transformed": "yellow",
    "aggregated": "yellow",
    "masked": "green",
    "possible": "magenta",
}

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Holdings:
    """A list of holdings: what the first page says of all, and all holdings, read page by page as they are needed."""

    answer: Answer
    holdings: Iterator[Answer]

    @property
    def total(self) -> int:
        return int(self.answer["totalCount"])


def ask_for(place: Place, variables: Mapping[str, Any], most: int | None = None) -> Holdings:
    """The holdings; ``most`` is how many will be read of them."""
    first = min(PAGE, most or PAGE)
    answer = place.ask("holdings", {**variables, "first": first})["holdings"]
    return Holdings(answer, islice(_all(place, variables, answer), most))


def _all(place: Place, variables: Mapping[str, Any], page: Answer) -> Iterator[Answer]:
    while True:
        yield from (edge["node"] for edge in page["edges"])
        if not page["pageInfo"]["hasNextPage"]:
            return
        asked = {**variables, "first": PAGE, "after": page["pageInfo"]["endCursor"]}
        page = place.ask("more_holdings", asked)["holdings"]


def rules_of(file: Path | None) -> list[dict[str, Any]] | None:
    """The rules of a file as they go with a question."""
    if file is None:
        return None
    from headwater_backend.privacy.rules import read_rules

    return [
        {
            "namespace": rule.dataset_text[0] if rule.namespace else None,
            "name": rule.dataset_text[1],
            "path": rule.path_text,
            "category": rule.category,
            "line": rule.line,
        }
        for rule in read_rules(file)
    ]


def row(holding: Answer) -> tuple[str, ...]:
    """A line for programs, under ``HEADINGS``."""
    attribute, output = holding["attribute"], holding["output"]
    node = output["node"]
    jobs = dict.fromkeys(step["job"]["name"] for step in output["witness"])
    return (
        _label(attribute["node"]),
        ", ".join(attribute["categories"]),
        node["name"],
        node["label"] if node["path"] else "(its rows)",
        _form(output),
        JOB_SEPARATOR.join(jobs),
        attribute["node"]["name"],
    )


def show(out: Console, holdings: Iterable[Answer], *, arrived: bool = False) -> None:
    """Lines for people, by attribute, with short names; ``arrived`` names the attribute's own dataset."""
    rows = [row(each) for each in holdings]
    names = short_names(name for each in rows for name in (each[2], each[6]))
    width = max((len(f"{each[3]} in {names[each[2]]}") for each in rows), default=0)
    for (attribute, category, origin), held in groupby(rows, key=lambda each: (*each[:2], each[6])):
        out.print(_heading(attribute, category, names[origin] if arrived else None))
        for _, _, dataset, path, form, jobs, _ in held:
            out.print(_line(form, path, names[dataset], _short_jobs(jobs), width), soft_wrap=True)


def write_csv(to: IO[str], holdings: Iterable[Answer]) -> None:
    """All of them, as the report's CSV has them."""
    from headwater_backend.reports.exposure_files import COLUMNS, safe_cell

    writer = csv.writer(to, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in holdings:
        writer.writerow(map(safe_cell, _cells(each)))


def _cells(holding: Answer) -> tuple[str, ...]:
    attribute, output = holding["attribute"], holding["output"]
    jobs = dict.fromkeys(step["job"]["name"] for step in output["witness"])
    return (
        *_place(attribute["node"]),
        " ".join(attribute["categories"]),
        "; ".join(attribute["saidBy"]),
        *_place(output["node"]),
        output["form"],
        " ".join(output["forms"]),
        " ".join(output["kinds"]),
        str(output["distance"]),
        JOB_SEPARATOR.join(jobs),
    )


def _place(node: Answer) -> tuple[str, str, str]:
    return node["namespace"], node["name"], node["label"] if node["path"] else ""


def json_parts(found: Holdings) -> Iterator[str]:
    """One JSON object, in parts: what is said of all, and the holdings by attribute."""
    said = {name: value for name, value in found.answer.items() if name not in {"edges", "pageInfo"}}
    said["attributeCount"] = said.pop("attributes")
    yield json.dumps(said, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "attributes": ['
    separator = "\n"
    for _, held in groupby(found.holdings, key=lambda each: _key(each["attribute"]["node"])):
        of_one = list(held)
        outputs = [each["output"] for each in of_one]
        yield separator + json.dumps({**of_one[0]["attribute"], "outputs": outputs}, ensure_ascii=False)
        separator = ",\n"
    yield "\n  ]\n}"


def print_json(parts: Iterable[str]) -> None:
    """The parts, as they come."""
    for part in parts:
        click.echo(visible_json(part), nl=False)
    click.echo()


def of_both(became: Holdings, arrived: Holdings) -> Iterator[str]:
    """What became of a node's attributes, and under ``arrived`` what arrived there, as one JSON object."""
    *before, _ = json_parts(became)
    return chain(before, ['\n  ],\n  "arrived": '], json_parts(arrived), ["\n}"])


def nothing(found: Holdings, where: str) -> str | None:
    """What is to be said where there are no holdings, or None; ``where`` is "" or begins with a blank."""
    known = found.answer["classification"]
    if unclassified(found):
        return (
            "Nothing is classified: no tag and no rule names a personal path in any of the "
            f"{known['datasets']} known datasets. So nobody knows who holds personal data. Tag fields with a data "
            "category, or name paths in a file: --rules FILE"
        )
    if found.total:
        return None
    return (
        f"No known path{where} holds any of them. Looked for: {found.answer['attributes']} of {known['attributes']} "
        f"personal attributes, in {known['classifiedDatasets']} of {known['datasets']} datasets, as of "
        f"{found.answer['asOf'][:19]}"
    )


def unclassified(found: Holdings) -> bool:
    """Whether there was nothing to look for, because nothing is known to be personal."""
    return any(gap["reason"] == "UNCLASSIFIED" for gap in found.answer["incomplete"])


def _key(node: Answer) -> tuple[str, str, tuple[str, ...]]:
    return node["namespace"], node["name"], tuple(node["path"])


def _label(node: Answer) -> str:
    return str(node["label"]) if node["path"] else "(its rows)"


def _form(output: Answer) -> str:
    form: str = output["form"].lower()
    return f"{form} ({', '.join(output['kinds']).lower()})" if output["form"] == INFLUENCED else form


def _heading(attribute: str, category: str, origin: str | None) -> Text:
    from rich.text import Text

    of = (("  of ", "dim"), (origin, "cyan")) if origin else ()
    return Text.assemble((attribute, "bold"), *of, ("  is ", "dim"), category or "not classified")


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


def _short_jobs(jobs: str) -> str:
    """The applications on the way; that is enough to recognise them by."""
    return JOB_SEPARATOR.join(dict.fromkeys(job.partition(".")[0] for job in jobs.split(JOB_SEPARATOR)))
