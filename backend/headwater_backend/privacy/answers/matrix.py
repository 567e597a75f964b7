"""The exposure matrix, folded: what is personal against where it is, with the strongest form in each cell.

Columns are attributes, categories of them, or the data subjects whose data they are; rows are datasets, namespaces, or
the recipients of datasets. A cell has the strongest form in which an attribute of the column is at a path of the row;
an attribute that is declared there is there itself. The paths and the jobs behind a cell are its holdings
(``holdings``).

Recipients and data subjects are what the organisation states (``organisation.coverage``). Where it states none of a
dataset, the row or the column is NOT_STATED, so that every holding is in some cell, whatever is stated. A statement
that fits no known dataset is a gap: what it is about may stand under NOT_STATED.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey
from headwater_backend.domain.node_keys import node_text
from headwater_backend.domain.pages import Page, cursor, page, read_cursor, size
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.answers.matrix_doubt import Doubt, Reached
from headwater_backend.privacy.answers.matrix_filter import (
    EVERYTHING,
    NO_CHOICES,
    Choices,
    MatrixFilter,
    choices,
    owners_of,
)
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import ExposureReport, Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.coverage import (
    Coverage,
    known_recipients,
    unmatched_recipients,
    unmatched_subjects,
)
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION, Organisation
from headwater_backend.privacy.propagation import Propagation, places
from headwater_backend.privacy.snapshots import Snapshots, question_digest


class Column(str, Enum):
    """What the columns are."""

    CATEGORY = "CATEGORY"
    SUBJECT = "SUBJECT"
    ATTRIBUTE = "ATTRIBUTE"


class Row(str, Enum):
    """What the rows are."""

    DATASET = "DATASET"
    NAMESPACE = "NAMESPACE"
    RECIPIENT = "RECIPIENT"


NOT_STATED: Final = ""
"""The recipient, or the subject, where none is stated."""
UNNAMED: Final = "user"
"""The category of an attribute without any: personal data."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A row that holds something of a column, which is ``attribute``, ``category`` or ``subject``.

    ``name`` is empty if the row is a namespace, and the recipient's if it is a recipient, without a ``namespace`` then.
    ``form`` is the strongest there. ``declared`` is whether an attribute of the column is declared there.
    """

    namespace: str
    name: str
    form: Form
    declared: bool
    attribute: NodeKey | None = None
    category: str | None = None
    subject: str | None = None

    @property
    def column(self) -> NodeKey | str:
        return self.attribute or self.category or self.subject or NOT_STATED


@dataclass(frozen=True, slots=True)
class RowsInDoubt:
    """The columns, in order, of which an empty cell in one of the rows may not be empty; ``rows`` is None for all."""

    columns: tuple[NodeKey | str, ...]
    rows: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True, slots=True)
class MatrixPage:
    """A part of the cells, each with its cursor, by row and column; ``count`` is the number of all.

    ``incomplete`` are the report's gaps and unmatched statements. ``idle`` are recipients of known datasets
    none of which is known to hold something personal; ``choices`` is what a filter may ask for. ``doubtful`` are the
    columns of these cells, as their names or nodes, of which an empty cell may not be empty; ``doubts`` are the rows
    where that is so, on the first page.
    """

    report: ExposureReport
    cells: Page[tuple[str, Cell]]
    count: int
    incomplete: tuple[Incomplete, ...]
    idle: tuple[str, ...] = ()
    choices: Choices = NO_CHOICES
    doubtful: frozenset[NodeKey | str] = frozenset()
    doubts: tuple[RowsInDoubt, ...] = ()


def matrix(
    store: CataloguedGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    *,
    column: Column = Column.CATEGORY,
    row: Row = Row.DATASET,
    organisation: Organisation = NO_ORGANISATION,
    wanted: MatrixFilter = EVERYTHING,
    first: int | None = None,
    after: str | None = None,
) -> MatrixPage:
    """A page of the cells of that part of the matrix. Raises what ``exposed`` raises, and ``BadQuestion``."""
    count = size(first, "cells")
    asked_for = (question_digest(scope, ruling), column.value, row.value, organisation.digest, wanted.text)
    question = " ".join(asked_for)
    asked, name, *last = read_cursor(after, (str,) * 5) if after else (question, None)
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    report, name = snapshots.report(store, scope, ruling, name)
    held, owned = _Held.of(report, organisation), owners_of(store)
    cells = sorted(held.cells(column, row, wanted, owned), key=_order)
    start = bisect_right(cells, tuple(last), key=_order) if last else 0
    items = [(cursor(question, name, *_order(cell)), cell) for cell in cells[start : start + count + 1]]
    unmatched = [*(unmatched_recipients(store, organisation) if row is Row.RECIPIENT else ())]
    unmatched += unmatched_subjects(store, organisation) if column is Column.SUBJECT else ()
    named = known_recipients(store, organisation) if row is Row.RECIPIENT else frozenset()
    idle = tuple(sorted(named - {cell.name for cell in cells}))
    gaps = (*report.incomplete, *unmatched)
    # A later page may come when the store is no longer as the report found it.
    reached = held.reached(column, cells, Doubt.of(report, unmatched, None if after else store))
    doubts = () if after else held.doubts(row, cells, reached)
    return MatrixPage(
        report, page(items, count), len(cells), gaps, idle, held.choices(owned), frozenset(reached), doubts
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """The attributes of a report, what is stated of them, and the datasets that hold them."""

    attributes: Sequence[Attribute]
    stated: Coverage
    by_dataset: Mapping[DatasetKey, tuple[Mapping[Form, int], int]]

    @classmethod
    def of(cls, report: ExposureReport, organisation: Organisation) -> _Held:
        attributes = [each.attribute for each in report.attributes]
        propagation = report.attributes[0].propagation if attributes else None
        held = by_dataset(propagation, attributes) if propagation else {}
        return cls(attributes, Coverage(organisation, propagation), held)

    def choices(self, owned: Mapping[DatasetKey, tuple[str, ...]]) -> Choices:
        return choices(self.attributes, self.by_dataset, self.stated, owned)

    def reached(self, column: Column, cells: Iterable[Cell], doubt: Doubt) -> Mapping[NodeKey | str, Reached]:
        """The columns of the cells that an attribute in doubt may belong to, with the datasets where it may be.

        Whose data something is depends on where it is.
        """
        columns = {each.column for each in cells}
        if doubt.of_all:
            return dict.fromkeys(columns)
        in_doubt = [each for each in self.attributes if each.node in doubt.places]
        if column is Column.SUBJECT:
            return dict.fromkeys(columns, doubt.about(in_doubt)) if in_doubt else {}
        of: dict[NodeKey | str, list[Attribute]] = defaultdict(list)
        for each in in_doubt:
            names = [each.node] if column is Column.ATTRIBUTE else each.categories or (UNNAMED,)
            for name in columns.intersection(names):
                of[name].append(each)
        return {name: doubt.about(some) for name, some in of.items()}

    def doubts(
        self, row: Row, cells: Iterable[Cell], reached: Mapping[NodeKey | str, Reached]
    ) -> tuple[RowsInDoubt, ...]:
        """The rows of the cells in which the datasets are that columns in doubt may be in: alike ones together."""
        rows = {(each.namespace, each.name) for each in cells}
        alike: dict[Reached, list[NodeKey | str]] = defaultdict(list)
        for column, datasets in reached.items():
            alike[datasets].append(column)
        return tuple(
            RowsInDoubt(
                tuple(sorted(columns, key=str)),
                None if datasets is None else tuple(sorted(self._rows_of(datasets, row) & rows)),
            )
            for datasets, columns in alike.items()
        )

    def _rows_of(self, datasets: Iterable[DatasetKey], row: Row) -> set[tuple[str, str]]:
        return {each for dataset in datasets for each in _rows(dataset, row, self.stated)}

    def cells(
        self, column: Column, row: Row, wanted: MatrixFilter, owned: Mapping[DatasetKey, tuple[str, ...]]
    ) -> Iterator[Cell]:
        found: dict[tuple[tuple[str, str], NodeKey | str], tuple[Form, bool]] = {}
        for dataset in (each for each in self.by_dataset if wanted.wants_dataset(each, owned)):
            rows = _rows(dataset, row, self.stated)
            for attribute, form, own in self._wanted(dataset, wanted):
                columns = _columns(attribute, dataset, column, self.stated, wanted)
                for key in product(rows, columns):
                    known, declared = found.get(key, (form, False))
                    found[key] = min(known, form), declared or own
        for ((namespace, name), each), (form, own) in found.items():
            at = {column.value.lower(): each}
            yield Cell(namespace, name, Form.IDENTITY if own else form, own, **at)  # type: ignore[arg-type]  # the column's own field

    def _wanted(self, dataset: DatasetKey, wanted: MatrixFilter) -> Iterator[tuple[Attribute, Form, bool]]:
        for place, form, own in _held(*self.by_dataset[dataset]):
            if wanted.wants_attribute(self.attributes[place], dataset, self.stated):
                yield self.attributes[place], form, own


def _held(forms: Mapping[Form, int], declared: int) -> Iterator[tuple[int, Form, bool]]:
    """The attributes in a dataset by their places, each in every form, and whether it is declared there."""
    for form, bits in forms.items():
        yield from ((place, form, False) for place in places(bits))
    yield from ((place, Form.IDENTITY, True) for place in places(declared))


def by_dataset(
    propagation: Propagation, attributes: Sequence[Attribute]
) -> dict[DatasetKey, tuple[dict[Form, int], int]]:
    """For each dataset the attributes that arrived there, by form, and those that are declared there, as bits."""
    arrived: dict[DatasetKey, dict[Form, int]] = defaultdict(lambda: defaultdict(int))
    for node in propagation.nodes():
        for form, bits in propagation.reached(node).items():
            if bits:
                arrived[node.dataset][form] |= bits
    declared: dict[DatasetKey, int] = defaultdict(int)
    for place, each in enumerate(attributes):
        declared[each.node.dataset] |= 1 << place
    return {
        key: (arrived.get(key, {}), declared.get(key, 0)) for key in sorted(arrived.keys() | declared.keys())
    }


def _rows(dataset: DatasetKey, row: Row, stated: Coverage) -> list[tuple[str, str]]:
    """The rows that the dataset belongs to."""
    match row:
        case Row.DATASET:
            return [(dataset.namespace, dataset.name)]
        case Row.NAMESPACE:
            return [(dataset.namespace, "")]
        case Row.RECIPIENT:
            return [("", name) for name in sorted({each.name for each in stated.recipients_of(dataset)})] or [
                ("", NOT_STATED)
            ]


def _columns(
    attribute: Attribute, held: DatasetKey, column: Column, stated: Coverage, wanted: MatrixFilter
) -> tuple[NodeKey | str, ...]:
    """The columns that the attribute belongs to in a dataset that holds it."""
    match column:
        case Column.CATEGORY:
            return tuple(filter(wanted.wants_category, attribute.categories or (UNNAMED,)))
        case Column.ATTRIBUTE:
            return (attribute.node,)
        case Column.SUBJECT:
            subjects = stated.subjects_of(attribute.node.dataset, held) or (NOT_STATED,)
            return subjects if wanted.subject not in subjects else (wanted.subject or NOT_STATED,)


def _order(cell: Cell) -> tuple[str, str, str]:
    column = node_text(cell.attribute) if cell.attribute else cell.category or cell.subject
    return cell.namespace, cell.name, column or ""
