"""The format of `.case` files, as `README.md` describes it: reading, the lineage of a plan in it, and rewriting."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater_facets.path import Path as FacetPath
from headwater_spark.tracing.result import OF_PROGRAM, Gap, InputPath, PlanLineage, Transformation

SECTION = re.compile(r"^\[(?P<kind>table|rows|sql|python|only|collected|lineage)(?: (?P<name>\w+))?\]$")


@dataclass(frozen=True)
class Case:
    """One `.case` file."""

    path: Path
    title: str
    tables: dict[str, str]
    programs: dict[str, str]
    only: str | None
    collected: bool
    """Whether the program has collected data before."""
    lineage: tuple[str, ...]
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """What the tables hold when the program is executed, where it asks for more than any rows."""

    def __str__(self) -> str:
        return self.path.stem


def read_case(path: Path) -> Case:
    """The case; `ValueError` names the file and line that is out of form."""
    title = ""
    sections: dict[tuple[str, str], list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if match := SECTION.match(line):
            current = sections.setdefault((match["kind"], match["name"] or ""), [])
        elif current is not None:
            current.append(line)
        elif line.startswith("# "):
            title += line[2:] + " "
        elif line.strip():
            raise ValueError(f"{path.name}:{number}: text before the first section")
    texts = {key: "\n".join(lines).strip() for key, lines in sections.items()}
    return Case(
        path,
        title.strip(),
        {name: text for (kind, name), text in texts.items() if kind == "table"},
        {kind: text for (kind, _), text in texts.items() if kind in ("sql", "python")},
        texts.get(("only", "")),
        ("collected", "") in texts,
        tuple(line for line in texts.get(("lineage", ""), "").splitlines() if line),
        {
            name: [json.loads(line) for line in text.splitlines()]
            for (kind, name), text in texts.items()
            if kind == "rows"
        },
    )


def rewrite(case: Case, lineage: tuple[str, ...]) -> None:
    """Put the lineage into the case's file, in the order of `written`."""
    before, _, _ = case.path.read_text().partition("[lineage]")
    case.path.write_text(before + "[lineage]\n" + "\n".join(lineage) + "\n")


def written(lineage: PlanLineage) -> tuple[str, ...]:
    """The lines of the lineage: fields in the order of the output's columns, then what is about all of it."""
    names = [_table(read.source) for read in lineage.reads]

    def source(entry: InputPath) -> str:
        if entry.read in OF_PROGRAM:
            return "collected"
        return ".".join(filter(None, (names[entry.read], str(FacetPath.from_wire(list(entry.path))))))

    lines = [
        f"{FacetPath.from_wire(list(field.path))} <- {source(entry)}: {_ways(entry)}"
        for field in lineage.fields
        for entry in field.inputs
    ]
    lines += [f"* <- {source(entry)}: {_ways(entry)}" for entry in lineage.dataset]
    lines += [f"{FacetPath.from_wire(list(g.path))} = {g.how}" for g in lineage.generated]
    lines += [f"{FacetPath.from_wire(list(o.path))} ? {o.reason} {o.name}" for o in lineage.opaque]
    lines += [f"! {gap.reason} {gap.detail or _places(gap)}" for gap in lineage.incomplete]
    return tuple(lines)


def _places(gap: Gap) -> str:
    return ", ".join(str(FacetPath.from_wire(list(path))) for path in gap.paths)


def _table(source: object) -> str:
    roots = source.get("roots", ["?"]) if isinstance(source, dict) else ["?"]
    return str(roots[0]).rstrip("/").rpartition("/")[2]


def _ways(entry: InputPath) -> str:
    return " | ".join(map(_way, entry.transformations))


def _way(way: Transformation) -> str:
    words = [way.subtype.value, *(m.value for m in way.manipulation)]
    if (
        way.access is not None
        and way.access.value != way.subtype.value
        and way.subtype.value != "CONDITIONAL"
    ):
        words.append(f"as {way.access.value}")
    if (
        way.subtype.value == "CONDITIONAL"
        and way.access is not None
        and way.access.value in ("INDEX", "NULL_TEST", "JOIN")
    ):
        words.append(f"as {way.access.value}")
    if way.access is not None and way.access.value == "DRIVER" and way.subtype.value == "CONDITIONAL":
        words.append("as DRIVER")
    if way.functions:
        words.append(f"by {', '.join(way.functions)}")
    notes = ["masking"] * way.masking + [f"at {', '.join(way.at)}"] * bool(way.at)
    notes += [] if way.retains is None else [f"retains {way.retains}"]
    notes += [
        f"{word} {FacetPath.of(*names)}"
        for word, names in (("of", way.unpacked), ("as", way.packed))
        if names
    ]
    return " ".join(words) + (f" ({', '.join(notes)})" if notes else "")
