"""The report document: sections of paragraphs, facts, tables and findings, in one language.

A document has no markup and no values of persons: texts from the catalogue of its language, and names from events. Keys
of sections, blocks and columns are the same in all languages. None, and an empty list of a fact's values, mean that
something is not provided; every format prints that, and leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

Cell = str | int | tuple[str, ...] | None
"""A table's cell; a tuple holds several names, or keys of a vocabulary."""


class ColumnKind(str, Enum):
    """What a column's cells are: text, names from events, numbers, moments, or keys of a vocabulary."""

    TEXT = "TEXT"
    NAME = "NAME"
    NUMBER = "NUMBER"
    TIME = "TIME"
    WORD = "WORD"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``words`` is the vocabulary of the catalogue whose keys the cells of a WORD column are."""

    key: str
    title: str
    kind: ColumnKind = ColumnKind.TEXT
    words: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; with ``notice``, one that the reader must not miss."""

    text: str
    notice: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A term and its values; without any, it is not provided."""

    key: str
    term: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """A list of definitions."""

    key: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``total`` counts all rows, of which ``rows`` are the first.

    An ``annex`` is for reference: pages that are printed tell how many rows it has, unless these are few.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    annex: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A path of a dataset, as people write it; without a path, the whole dataset."""

    namespace: str
    name: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a finding's lineage: what a job did between two places; ``how`` is in words."""

    source: Place
    target: Place
    job_namespace: str
    job: str
    how: str
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """An attribute at a place, the forms in which it is there, and the steps that brought it there.

    Without steps, it is declared there.
    """

    attribute: Place
    categories: tuple[str, ...]
    place: Place
    forms: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings, whose lineage is drawn. ``total`` counts all, of which ``findings`` are the first."""

    key: str
    title: str
    findings: tuple[Finding, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Flow:
    """How many paths in a country hold data of others, with a verdict; without any, countries are not stated."""

    origin: tuple[str, ...]
    to: str
    verdict: str
    count: int


@dataclass(frozen=True, slots=True)
class Flows:
    """Flows between countries, which are drawn; a table beside them lists the same."""

    key: str
    title: str
    flows: tuple[Flow, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """Rows that a job computes, or that cross a boundary: ``side`` is where, and ``inputs`` the keys of what they are
    made of.
    """

    key: str
    label: str
    side: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sides:
    """What is computed on which side of a boundary, each after its inputs, which is drawn; a table lists the same."""

    key: str
    title: str
    computed: tuple[Computed, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines to be filled in by hand."""

    key: str
    labels: tuple[str, ...]


Block = Paragraph | Facts | Table | Findings | Flows | Sides | Lines


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under a heading; one with a page of its own can be handed out alone."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    own_page: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A report: the same for the same question and ``as_of``, whenever and wherever it is made.

    ``question`` is what was asked, as JSON; ``complete`` is whether nothing is known to be missing, ``classified``
    whether anything is known as personal.
    """

    kind: str
    language: str
    title: str
    law: str
    as_of: datetime
    version: str
    question: Mapping[str, Any]
    complete: bool
    classified: bool
    sections: tuple[Section, ...]

    @property
    def drawn(self) -> bool:
        """Whether pages that are printed have the lineage of findings as pictures."""
        return bool(self.question.get("drawings"))

    def section(self, key: str) -> Section | None:
        return next((each for each in self.sections if each.key == key), None)

    def tables(self) -> list[tuple[Section, Table]]:
        """All tables with their sections, in order."""
        return [(each, block) for each in self.sections for block in each.blocks if isinstance(block, Table)]

    def findings(self) -> list[Finding]:
        """All findings, in order."""
        blocks = [block for each in self.sections for block in each.blocks if isinstance(block, Findings)]
        return [finding for block in blocks for finding in block.findings]


@dataclass(frozen=True, slots=True)
class Imprint:
    """When a report was made, and from which store or server; not part of the document, nor of its hash."""

    made_at: datetime
    source: str
