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
    Block,
    Cell,
    Column,
    ColumnKind,
    Computed,
    Document,
    Fact,
    Facts,
    Lines,
    Paragraph,
    Section,
    Sides,
    Table,
)
from headwater_backend.reports.languages.catalogue import Language, Words, words
from headwater_boundary.policy import Policy
from headwater_boundary.statements import label_of, statements_of

_CHECKS: Final = ("forms", "twice", "schemas", "reads")
_LINES: Final = ("law_of_country", "supplementary_measures", "conclusion")
_KINDS: Final = {
    "stage": ColumnKind.NUMBER,
    "line": ColumnKind.NAME,
    "column": ColumnKind.NAME,
    "type": ColumnKind.NAME,
}
_VOCABULARIES: Final = {"where": "sides"}


def report_of(
    made: Mapping[str, Any],
    files: Mapping[str, Path | None],
    policy: Policy,
    language: Language,
    as_of: datetime,
) -> Document:
    """The report of a split that was not refused; ``files`` are the script, the rules and the policy."""
    text = words(language)
    script = files["script"]
    assert script is not None  # noqa: S101 - a split has one
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
        sections=tuple(_sections(text, made, script.name, policy)),
    )


def _sections(text: Words, made: Mapping[str, Any], script: str, policy: Policy) -> Iterator[Section]:
    leaving = [each for each in made["intermediates"] if not each["back"]]
    yield _section(
        text,
        "status",
        Paragraph(text("paragraphs.split", script=script, leaving=len(leaving))),
        Paragraph(text("paragraphs.split_no_group"), notice=True) if policy.least_group == 1 else None,
        Paragraph(text("paragraphs.split_open"), notice=True) if made["open"] else None,
        _facts(
            text, "split", stages=str(made["stages"]), least_group=str(policy.least_group), **_stated(policy)
        ),
    )
    computed = tuple(Computed(s.key, s.label, s.side, s.inputs) for s in statements_of(text, made))
    yield _section(
        text,
        "sides",
        Paragraph(text("paragraphs.sides")),
        Sides("sides", text("tables.sides"), computed),
        _table(text, "sides", "line what where stage because", _placements(text, made)),
    )
    crossing = [_crossing(text, each) for each in made["intermediates"]]
    yield _section(text, "leaving", Paragraph(text("paragraphs.leaving")), *crossing)
    checks = [Paragraph(text(f"paragraphs.check_{each}")) for each in _CHECKS]
    yield _section(text, "checked", Paragraph(text("paragraphs.checked")), *checks)
    if made["open"]:
        yield _section(
            text, "undecided", _table(text, "undecided", "detail", [(each,) for each in made["open"]])
        )
    lines = Lines("assessment", tuple(text(f"lines.{each}") for each in _LINES))
    yield _section(text, "assessment", Paragraph(text("paragraphs.assessment")), lines)


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


def _crossing(text: Words, each: Mapping[str, Any]) -> Table:
    title = text(
        "tables.crossing_back" if each["back"] else "tables.crossing_out",
        name=each["name"],
        line=each["line"],
        stage=each["stage"],
    )
    rows = [(c["name"], c["type"], text.detail(c["why"], "split")) for c in each["columns"]]
    columns = _columns(text, "column type because")
    return Table(f"leaving_{each['name']}", title, columns, tuple(rows), len(rows))


def _section(text: Words, key: str, *blocks: Block | None) -> Section:
    return Section(key, text(f"sections.{key}"), tuple(each for each in blocks if each is not None))


def _facts(text: Words, key: str, **facts: str | Sequence[str]) -> Facts:
    return Facts(
        key,
        tuple(
            Fact(name, text(f"facts.{name}"), (given,) if isinstance(given, str) else tuple(given))
            for name, given in facts.items()
        ),
    )


def _table(
    text: Words, key: str, columns: str, rows: Iterator[tuple[Cell, ...]] | list[tuple[Cell, ...]]
) -> Table:
    found = tuple(rows)
    return Table(key, text(f"tables.{key}"), _columns(text, columns), found, len(found))


def _columns(text: Words, keys: str) -> tuple[Column, ...]:
    return tuple(
        Column(
            key,
            text(f"columns.{key}"),
            ColumnKind.WORD if key in _VOCABULARIES else _KINDS.get(key, ColumnKind.TEXT),
            _VOCABULARIES.get(key, ""),
        )
        for key in keys.split()
    )


def _digest(file: Path | None) -> str | None:
    """The SHA-256 of a file, by which it is known again."""
    return None if file is None else f"{file.name} sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
