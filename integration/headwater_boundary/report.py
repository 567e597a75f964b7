"""The report of a split: what is computed where and why, what leaves, and what was checked; to be filed.

It is made of the answer of the process that split the job (``headwater_boundary.__main__``), as plain data, and of what
the organisation states. Like all reports it holds names and sentences, and no value of a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from headwater_backend.reports.document.model import (
    Cell,
    ColumnKind,
    Computed,
    Document,
    Section,
    Sides,
    Table,
)
from headwater_backend.reports.kinds.blocks import ASSESSMENT, PlainBlocks
from headwater_backend.reports.languages.catalogue import Language, Words, words
from headwater_boundary.policy import Policy
from headwater_boundary.statements import label_of, statements_of

_CHECKS: Final = ("forms", "twice", "schemas", "reads")
_KINDS: Final = {
    "stage": ColumnKind.NUMBER,
    "line": ColumnKind.NAME,
    "column": ColumnKind.NAME,
    "type": ColumnKind.NAME,
}


def report_of(
    made: Mapping[str, Any],
    script: Path,
    beside: Mapping[str, Path | None],
    policy: Policy,
    *,
    language: Language,
    as_of: datetime,
) -> Document:
    """The report of a split that was not refused; ``beside`` are the files of rules and of the policy, if any."""
    text = words(language)
    files = {"script": script, **beside}
    return Document(
        kind="split",
        language=language.value,
        title=text("titles.split"),
        law=text("laws.split"),
        as_of=as_of,
        version=version("headwater"),
        question={"files": {name: _digest(file) for name, file in files.items()}},
        complete=not made["open"],
        classified=any(each["side"] == "inside" for each in made["placements"]),
        sections=tuple(_sections(PlainBlocks(text, kinds=_KINDS), made, script.name, policy)),
    )


def _sections(blocks: PlainBlocks, made: Mapping[str, Any], script: str, policy: Policy) -> Iterator[Section]:
    leaving = [each for each in made["intermediates"] if not each["back"]]
    yield blocks.section(
        "status",
        blocks.paragraph("split", script=script, leaving=len(leaving)),
        blocks.paragraph("split_no_group", notice=True) if policy.least_group == 1 else None,
        blocks.paragraph("split_open", notice=True) if made["open"] else None,
        blocks.facts(
            "split", stages=str(made["stages"]), least_group=str(policy.least_group), **_stated(policy)
        ),
    )
    statements = statements_of(blocks.words, made)
    computed = tuple(Computed(s.key, s.label, s.side, tuple(s.inputs or ())) for s in statements)
    yield blocks.section(
        "sides",
        blocks.paragraph("sides"),
        Sides("sides", blocks.words("tables.sides"), computed),
        blocks.table("sides", "line what where stage because", _placements(blocks.words, made)),
    )
    crossing = [_crossing(blocks, each) for each in made["intermediates"]]
    yield blocks.section("leaving", blocks.paragraph("leaving"), *crossing)
    checks = [blocks.paragraph(f"check_{each}") for each in _CHECKS]
    yield blocks.section("checked", blocks.paragraph("checked"), *checks)
    if made["open"]:
        yield blocks.section(
            "undecided", blocks.table("undecided", "detail", [(each,) for each in made["open"]])
        )
    yield blocks.section("assessment", blocks.paragraph("assessment"), blocks.lines(ASSESSMENT))


def _stated(policy: Policy) -> dict[str, Sequence[str]]:
    """What the policy states, as it is written there."""
    return {
        "shared": policy.shared,
        "regional": policy.regional,
        "identifying": policy.persons,
        "colocated": [f"{name}: {', '.join(paths)}" for name, paths in policy.colocated.items()],
        "sketches": sorted(each.value for each in policy.sketches),
    }


def _placements(text: Words, made: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    for each in made["placements"]:
        why = text.detail(each["why"], "split")
        yield each["line"], label_of(text, each), (each["side"],), each["stage"], why


def _crossing(blocks: PlainBlocks, each: Mapping[str, Any]) -> Table:
    text = blocks.words
    title = text(
        "tables.crossing_back" if each["back"] else "tables.crossing_out",
        name=each["name"],
        line=each["line"],
        stage=each["stage"],
    )
    rows = ((c["name"], c["type"], text.detail(c["why"], "split")) for c in each["columns"])
    return blocks.table(f"leaving_{each['name']}", "column type because", rows, title=title)


def _digest(file: Path | None) -> str | None:
    """The SHA-256 of a file, by which it is known again."""
    return None if file is None else f"{file.name} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
