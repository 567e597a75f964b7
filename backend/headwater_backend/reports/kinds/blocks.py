"""The blocks of sections, with their titles and columns out of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from headwater_backend.domain.model import DatasetKey, Edge, NodeKey
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.periods import count_of
from headwater_backend.privacy.organisation.statements import Party, Statement
from headwater_backend.reports.document.model import (
    Block,
    Cell,
    Column,
    ColumnKind,
    Fact,
    Facts,
    Finding,
    Findings,
    Lines,
    Paragraph,
    Section,
    Table,
)
from headwater_backend.reports.kinds.material import Material, ends_of, shown_forms_of
from headwater_backend.reports.languages.catalogue import COUNTRIES, Words

T = TypeVar("T")
ASSESSMENT: Final = "law_of_country supplementary_measures conclusion"
"""The lines for those who assess a transfer."""
DRAWN: Final = 60
"""The number of findings whose lineage a report draws."""

Found = tuple[Attribute, NodeKey, Sequence[Form], Sequence[Edge], str]
"""A finding: the attribute, where it is, in which forms, by which edges, and a remark."""

_NAMES: Final = (
    "namespace dataset path paths attribute attribute_dataset jobs job functions keys owners named_by "
    "source_dataset target_dataset datasets readers writers code limit_of came_through "
    "pseudonym readable_by readable_in source_path condition query"
)
_KINDS: Final = {
    **dict.fromkeys(_NAMES.split(), ColumnKind.NAME),
    **dict.fromkeys(["count", "number", "rows", "held", "influences", "gaps"], ColumnKind.NUMBER),
    "written_at": ColumnKind.TIME,
}
_VOCABULARIES: Final = {
    "category": "categories",
    "categories": "categories",
    "purpose": "uses",
    "purposes": "uses",
    "legal_bases": "bases",
    "protection": "protections",
    "form": "forms",
    "forms": "forms",
    "before": "forms",
    "after": "forms",
    "legal_basis": "bases",
    "subjects": "subjects",
    "article": "articles",
    "reason": "reasons",
    "change": "changes",
    "outcome": "outcomes",
    "severity": "severities",
    "kinds": "subtypes",
    "erasable": "erasable",
    "reidentifies": "yes_no",
    "readable": "reidentified",
    "verdict": "crossings",
    **dict.fromkeys(["country", "countries", "from_countries", "to_country", "to_countries"], COUNTRIES),
    "safeguard_kind": "safeguards",
    "in_force": "yes_no",
    "where": "sides",
}


class PlainBlocks:
    """Blocks in a language. A table lists as many ``rows`` at most; ``kinds`` are those of columns that differ."""

    def __init__(
        self, words: Words, rows: int | None = None, kinds: Mapping[str, ColumnKind] | None = None
    ) -> None:
        self.words = words
        self._rows = rows
        self._kinds = {**_KINDS, **(kinds or {})}

    def section(self, key: str, *blocks: Block | None) -> Section:
        """A section; blocks that are None are left out."""
        return Section(key, self.words(f"sections.{key}"), tuple(each for each in blocks if each is not None))

    def page(self, key: str, title: str, *blocks: Block | None) -> Section:
        """A section with that title on a page of its own."""
        return Section(key, title, tuple(each for each in blocks if each is not None), own_page=True)

    def paragraph(self, key: str, *, notice: bool = False, **arguments: object) -> Paragraph:
        return Paragraph(self.words(f"paragraphs.{key}", **arguments), notice)

    def listed(self, found: Sequence[T]) -> Sequence[T]:
        """The first ones, as many as a table of the report may list."""
        return found[: self._rows]

    def table(
        self,
        key: str,
        columns: str,
        rows: Iterable[Sequence[Cell]],
        total: int | None = None,
        *,
        annex: bool = False,
        title: str | None = None,
    ) -> Table:
        """A table of as many rows as the report may list; ``columns`` are their keys.

        ``total`` counts all rows, if not all are given; an ``annex`` is for reference.
        """
        found = [tuple(row) for row in rows]
        return Table(
            key,
            self.words(f"tables.{key}") if title is None else title,
            tuple(map(self._column, columns.split())),
            tuple(self.listed(found)),
            len(found) if total is None else total,
            annex,
        )

    def lines(self, keys: str) -> Lines:
        """Lines to be filled in by hand."""
        found = keys.split()
        return Lines(found[0], tuple(self.words(f"lines.{key}") for key in found))

    def _column(self, key: str) -> Column:
        title = self.words(f"columns.{key}")
        if key in _VOCABULARIES:
            return Column(key, title, ColumnKind.WORD, _VOCABULARIES[key])
        return Column(key, title, self._kinds.get(key, ColumnKind.TEXT))

    def facts(self, key: str, **facts: str | Iterable[str] | None) -> Facts:
        """A list of definitions; an empty value is not provided."""
        return Facts(key, tuple(self._fact(name, values) for name, values in facts.items()))

    def _fact(self, key: str, values: str | Iterable[str] | None) -> Fact:
        given = (values,) if isinstance(values, str) else tuple(values or ())
        return Fact(key, self.words(f"facts.{key}"), tuple(each for each in given if each))


class Blocks(PlainBlocks):
    """Blocks in the language of the material, and within its limits."""

    def __init__(self, material: Material) -> None:
        super().__init__(material.words, material.question.rows)
        self.material = material

    def categories(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The labels of data categories."""
        return tuple(self.words.of("categories", key) for key in keys)

    def period(self, stated: str) -> str:
        """A period of retention in the report's language; what is no period stays as it was stated."""
        counted = count_of(stated)
        if counted is None:
            return stated
        count, unit = counted
        return self.words(f"periods.{unit.removesuffix('s') if count == 1 else unit}", count=count)

    def periods(self, stated: Iterable[Statement]) -> tuple[str, ...]:
        """The periods of retention that are stated, each once."""
        return tuple(dict.fromkeys(self.period(each.retention) for each in stated if each.retention))

    def findings(
        self,
        key: str,
        found: Iterable[Found],
        total: int | None = None,
    ) -> Findings | None:
        """The first findings, to be drawn; None without any. ``total`` counts all, if not all are given."""
        given = list(found)
        shown = given[:DRAWN]
        place = self.material.places(
            chain.from_iterable((each.node, node, *ends_of(edges)) for each, node, _, edges, _ in shown)
        )
        findings = tuple(
            Finding(
                place(each.node),
                each.categories,
                place(node),
                shown_forms_of(forms, edges),
                tuple(self.material.step(edge, place) for edge in edges),
                remark,
            )
            for each, node, forms, edges, remark in shown
        )
        title = self.words(f"findings.{key}")
        return Findings(key, title, findings, len(given) if total is None else total) if given else None


def form_names(forms: Iterable[Form]) -> tuple[str, ...]:
    """The keys of forms, for cells."""
    return tuple(form.name for form in forms)


def names(datasets: Iterable[DatasetKey]) -> tuple[str, ...]:
    """The names of datasets for people: without namespaces, each once."""
    return tuple(dict.fromkeys(each.name for each in datasets))


def party(given: Party | None) -> tuple[str, ...]:
    """The lines on a party."""
    return () if given is None else tuple(filter(None, (given.name, given.address, given.contact)))


def parties(given: Iterable[Party]) -> tuple[str, ...]:
    """A line for each party."""
    return tuple(", ".join(party(each)) for each in given)
