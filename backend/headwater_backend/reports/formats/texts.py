"""The texts that all formats show alike: cells, facts and places, in the words of the document's language."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.reports.document.model import (
    Cell,
    Column,
    ColumnKind,
    Document,
    Finding,
    Place,
    Step,
    Table,
)
from headwater_backend.reports.languages.catalogue import Language, Words, words

NOTHING = "–"
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_PATHS = frozenset({"path", "attribute"})


def words_of(document: Document) -> Words:
    """The catalogue of the document's language."""
    return words(Language(document.language))


def cell_text(words: Words, column: Column, cell: Cell) -> str:
    """The text of a cell: a dash for None, and the whole dataset for no name of a path."""
    if cell is None:
        return NOTHING
    if cell in ("", ()):
        return words("page.whole_dataset") if column.key in _PATHS else NOTHING
    if isinstance(cell, int):
        return f"{cell:,}"
    if column.kind is ColumnKind.TIME and isinstance(cell, str):
        return moment(datetime.fromisoformat(cell))
    if isinstance(cell, str):
        return words.of(column.words, cell) if column.kind is ColumnKind.WORD else cell
    if column.kind is ColumnKind.WORD:
        return ", ".join(words.of(column.words, key) for key in cell)
    return ", ".join(cell)


def moment(time: datetime) -> str:
    """The moment to the second, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S %Z").strip()


def place_text(words: Words, place: Place) -> str:
    """The path of a place, or that it is the whole dataset."""
    return place.path or words("page.whole_dataset")


def finding_title(words: Words, finding: Finding) -> str:
    """What is where: ``email of customers in mail of letters``."""
    return words("page.finding", **_ends(words, finding))


def picture_text(words: Words, finding: Finding) -> str:
    """The text in place of the picture of a finding's lineage."""
    return words("page.picture", count=len(finding.steps), **_ends(words, finding))


def _ends(words: Words, finding: Finding) -> dict[str, str]:
    return {
        "attribute": place_text(words, finding.attribute),
        "source": finding.attribute.name,
        "place": place_text(words, finding.place),
        "target": finding.place.name,
    }


def step_text(words: Words, step: Step) -> str:
    """What a job did, and to which place: ``by job copy: copied → mail of letters``."""
    functions = words("page.functions", names=", ".join(step.functions)) if step.functions else ""
    did = "; ".join(filter(None, (step.how, functions)))
    target = f"{step.target.name} {step.target.path}".strip()
    return f"{words('page.by_job', job=step.job)}: {did} → {target}"


def rows_note(words: Words, table: Table) -> str:
    """How many of the rows are listed, if not all are."""
    shown, total = len(table.rows), table.total
    return words("page.rows_shown", shown=f"{shown:,}", total=f"{total:,}") if shown < total else ""


def safe_cell(text: str) -> str:
    """The text, safe for spreadsheets: names come from senders of events, and some could be formulas."""
    return f"'{text}" if is_formula(text) else text


def is_formula(text: str) -> bool:
    """Whether spreadsheet programs take the text for a formula when it is typed or imported."""
    return text.startswith(_FORMULA)
