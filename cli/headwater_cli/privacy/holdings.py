"""Holdings of personal attributes: paginated queries, and output as text, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import IO, TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.privacy.answer_text import (
    JOB_SEPARATOR,
    Answer,
    barred_text,
    held_text,
    jobs_text,
    path_text,
)
from headwater_cli.terminal.escaping import visible_json
from headwater_cli.terminal.output import short_names

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

PAGE = 1_000
HEADINGS = ("attribute", "category", "in dataset", "at path", "as", "by", "of dataset")
INFLUENCED = "INFLUENCED"
FORM_STYLES = {
    "identity": "red",
    "contained": "red",
    "transformed": "yellow",
    "derived": "yellow",
    "aggregated": "yellow",
    "pseudonymised": "yellow",
    "masked": "green",
    "possible": "magenta",
}


@dataclass(frozen=True, slots=True)
class Holdings:
    """A list of holdings: the fields of the first answer, and an iterator that reads further pages on demand."""

    answer: Answer
    holdings: Iterator[Answer]

    @property
    def total(self) -> int:
        return int(self.answer["totalCount"])

    @property
    def classified(self) -> bool:
        """Whether anybody has classified anything as personal."""
        known = self.answer["classification"]
        return bool(known["attributes"] or known["rules"])


def query_holdings(client: GraphQLClient, variables: Mapping[str, Any], most: int | None = None) -> Holdings:
    """Return the holdings, at most ``most`` of them."""
    first = min(PAGE, most or PAGE)
    answer = client.query("holdings", {**variables, "first": first})["holdings"]
    return Holdings(answer, islice(_all(client, variables, answer), most))


def _all(client: GraphQLClient, variables: Mapping[str, Any], page: Answer) -> Iterator[Answer]:
    while True:
        yield from (edge["node"] for edge in page["edges"])
        if not page["pageInfo"]["hasNextPage"]:
            return
        asked = {**variables, "first": PAGE, "after": page["pageInfo"]["endCursor"]}
        page = client.query("more_holdings", asked)["holdings"]


def rule_variables(file: Path | None) -> dict[str, Any]:
    """Return the rules of a file as GraphQL variables; without a file, there are none."""
    if file is None:
        return {}
    from headwater_backend.privacy.files import read_rules

    rules = read_rules(file)
    paths = [
        {
            "namespace": rule.dataset_text[0] or None,
            "name": rule.dataset_text[1],
            "path": rule.path_text,
            "category": rule.category,
            "line": rule.line,
        }
        for rule in rules.paths
    ]
    functions = [{"function": rule.function, "form": rule.form.name} for rule in rules.functions]
    return {"rules": paths, "functions": functions}


def row(holding: Answer) -> tuple[str, ...]:
    """Return the cells of a holding, under ``HEADINGS``."""
    attribute, output = holding["attribute"], holding["output"]
    node = output["node"]
    return (
        path_text(attribute["node"]),
        ", ".join(attribute["categories"]),
        node["name"],
        path_text(node),
        _form(output),
        jobs_text(output["witness"]),
        attribute["node"]["name"],
    )


def show(out: Console, holdings: Iterable[Answer], *, arrived: bool = False) -> None:
    """Print holdings grouped by attribute, with short names; ``arrived`` adds the attribute's dataset."""
    rows = [row(each) for each in holdings]
    names = short_names(name for each in rows for name in (each[2], each[6]))
    width = max((len(f"{each[3]} in {names[each[2]]}") for each in rows), default=0)
    for (attribute, category, origin), held in groupby(rows, key=lambda each: (*each[:2], each[6])):
        out.print(_heading(attribute, category, names[origin] if arrived else None))
        for _, _, dataset, path, form, jobs, _ in held:
            out.print(_line(form, path, names[dataset], _short_jobs(jobs), width), soft_wrap=True)


def write_csv(to: IO[str], holdings: Iterable[Answer]) -> None:
    """Write the holdings in the CSV format of the report."""
    from headwater_backend.reports.exposure_matrix import COLUMNS
    from headwater_backend.reports.formats.delimited import write_rows

    write_rows(to, [COLUMNS])
    write_rows(to, map(_cells, holdings))


def _cells(holding: Answer) -> tuple[str, ...]:
    attribute, output = holding["attribute"], holding["output"]
    return (
        *_place(attribute["node"]),
        " ".join(attribute["categories"]),
        "; ".join(attribute["saidBy"]),
        *_place(output["node"]),
        output["form"],
        " ".join(output["forms"]),
        " ".join(output["kinds"]),
        str(output["distance"]),
        jobs_text(output["witness"]),
    )


def _place(node: Answer) -> tuple[str, str, str]:
    return node["namespace"], node["name"], node["label"] if node["path"] else ""


def json_parts(found: Holdings) -> Iterator[str]:
    """Yield parts of one JSON object: the fields of the answer, then the holdings by attribute."""
    fields = {name: value for name, value in found.answer.items() if name not in {"edges", "pageInfo"}}
    fields["attributeCount"] = fields.pop("attributes")
    yield json.dumps(fields, indent=2, ensure_ascii=False).removesuffix("\n}") + ',\n  "attributes": ['
    separator = "\n"
    for _, held in groupby(found.holdings, key=lambda each: _key(each["attribute"]["node"])):
        of_one = list(held)
        outputs = [each["output"] for each in of_one]
        yield separator + json.dumps({**of_one[0]["attribute"], "outputs": outputs}, ensure_ascii=False)
        separator = ",\n"
    yield "\n  ]\n}"


def print_parts(parts: Iterable[str]) -> None:
    """Print the parts of a JSON document as they are generated."""
    for part in parts:
        click.echo(visible_json(part), nl=False)
    click.echo()


def combined_json_parts(became: Holdings, arrived: Holdings) -> Iterator[str]:
    """Yield parts of one JSON object: the holders of a node's attributes, and ``arrived``, the attributes it holds."""
    *before, _ = json_parts(became)
    return chain(before, ['\n  ],\n  "arrived": '], json_parts(arrived), ["\n}"])


def empty_message(found: Holdings, where: str) -> str | None:
    """Return the message for an empty list, or None; ``where`` is empty or starts with a space."""
    known = found.answer["classification"]
    if unclassified(found.answer):
        return (
            "Nothing is classified: no tag or rule classifies a personal path in any of the "
            f"{known['datasets']} known datasets, so holders of personal data cannot be determined. Tag fields with a "
            "data category, or classify paths in a file: --rules FILE"
        )
    if found.total:
        return None
    return (
        f"No known path{where} holds any of them. Checked: {found.answer['attributes']} of {known['attributes']} "
        f"personal attributes, in {known['classifiedDatasets']} of {known['datasets']} datasets, as of "
        f"{found.answer['asOf'][:19]}"
    )


def unclassified(answer: Answer) -> bool:
    """Return whether no path is classified as personal."""
    return any(gap["reason"] == "UNCLASSIFIED" for gap in answer["incomplete"])


def _key(node: Answer) -> tuple[str, str, tuple[str, ...]]:
    return node["namespace"], node["name"], tuple(node["path"])


def _form(output: Answer) -> str:
    form = held_text({**output, "forms": [output["form"]]})
    form += f" ({', '.join(output['kinds']).lower()})" if output["form"] == INFLUENCED else ""
    return f"{form} ({barred_text(output['because'])})" if output["because"] else form


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
        (f"{form:<13}", style),
        "  ",
        (path, "bold"),
        (" in ", "dim"),
        (dataset, "cyan"),
        (f"{room}  by {jobs}", "dim"),
    )


def _short_jobs(jobs: str) -> str:
    """Return the applications of the jobs, which is enough to recognize the jobs."""
    return JOB_SEPARATOR.join(dict.fromkeys(job.partition(".")[0] for job in jobs.split(JOB_SEPARATOR)))
