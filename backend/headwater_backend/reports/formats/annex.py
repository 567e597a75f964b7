"""What printed pages leave to the annex, a spreadsheet: long tables for reference, and the lineage of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from headwater_backend.reports.document.model import (
    Cell,
    Column,
    ColumnKind,
    Document,
    Finding,
    Findings,
    Table,
)
from headwater_backend.reports.formats import texts
from headwater_backend.reports.languages.catalogue import Words

FILE: Final = "annex.xlsx"
PRINTED: Final = 14
"""The number of lines up to which a table for reference is printed in its place."""
_LINE: Final = 36
"""The number of characters of a line in one of its columns, more or less."""


def is_printed(table: Table) -> bool:
    """Whether printed pages have the rows of the table."""
    return not table.annex or sum(map(_lines, table.rows)) <= PRINTED


def _lines(row: tuple[Cell, ...]) -> int:
    return max((1 + len(_text(cell)) // _LINE for cell in row), default=1)


def _text(cell: Cell) -> str:
    return ", ".join(cell) if isinstance(cell, tuple) else str(cell)


def annexed(words: Words, document: Document) -> list[Table]:
    """The tables that printed pages leave to the annex."""
    found = [*(table for _, table in document.tables()), *of_findings(words, document)]
    return [table for table in found if not is_printed(table)]


def of_findings(words: Words, document: Document) -> list[Table]:
    """A table for each list of findings."""
    blocks = [block for section in document.sections for block in section.blocks]
    return [findings_table(words, block) for block in blocks if isinstance(block, Findings)]


def findings_table(words: Words, block: Findings) -> Table:
    """The findings as a table: what is where, in which form, and the way there in words."""
    kinds = {"forms": ColumnKind.WORD, "way": ColumnKind.TEXT, "remark": ColumnKind.TEXT}
    keys = ("attribute", "attribute_dataset", "path", "dataset", "forms", "way", "remark")
    columns = [
        Column(
            key, words(f"columns.{key}"), kinds.get(key, ColumnKind.NAME), "forms" if key == "forms" else ""
        )
        for key in keys
    ]
    rows = [_row(words, each) for each in block.findings]
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(block.key, block.title, tuple(columns), tuple(rows), block.total, annex=True)


def _row(words: Words, each: Finding) -> tuple[str | tuple[str, ...], ...]:
    way = _numbered([texts.step_text(words, step) for step in each.steps]) or words("page.declared")
    place, attribute = each.place, each.attribute
    return attribute.path, attribute.name, place.path, place.name, each.forms, way, each.remark


def _numbered(steps: Sequence[str]) -> str:
    """The steps in one line, which a cell of every format can have."""
    if len(steps) < 2:
        return "".join(steps)
    return " ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))
