"""The exposure matrix, folded: what is personal against where it is, with the strongest form in each cell.

Columns are attributes or categories of them, rows are datasets or namespaces. A cell has the strongest form in which an
attribute of the column is at a path of the row; an attribute that is declared there is there itself. The paths and the
jobs behind a cell are its holdings (``holdings``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.node_keys import node_text
from headwater_backend.domain.pages import Page, cursor, page, read_cursor, size
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import ExposureReport, Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.propagation import Propagation, places
from headwater_backend.privacy.snapshots import Snapshots, question_digest


class Column(str, Enum):
    """What the columns are."""

    CATEGORY = "CATEGORY"
    ATTRIBUTE = "ATTRIBUTE"


class Row(str, Enum):
    """What the rows are."""

    DATASET = "DATASET"
    NAMESPACE = "NAMESPACE"


@dataclass(frozen=True, slots=True)
class Cell:
    """A row that holds something of a column. Either ``attribute`` or ``category`` is the column.

    ``name`` is empty if the row is a namespace. ``form`` is the strongest there. ``declared`` is whether an attribute
    of the column is declared there.
    """

    namespace: str
    name: str
    attribute: NodeKey | None
    category: str | None
    form: Form
    declared: bool


@dataclass(frozen=True, slots=True)
class MatrixPage:
    """A part of the cells, each with its cursor, by row and column; ``count`` is the number of all."""

    report: ExposureReport
    cells: Page[tuple[str, Cell]]
    count: int


_ROWS: Final[Mapping[Row, Callable[[NodeKey], tuple[str, str]]]] = {
    Row.DATASET: lambda node: (node.dataset.namespace, node.dataset.name),
    Row.NAMESPACE: lambda node: (node.dataset.namespace, ""),
}


def matrix(
    store: CataloguedGraph,
    scope: Scope,
    ruling: Ruling,
    snapshots: Snapshots,
    *,
    column: Column = Column.CATEGORY,
    row: Row = Row.DATASET,
    first: int | None = None,
    after: str | None = None,
) -> MatrixPage:
    """A page of the cells of that part of the matrix. Raises what ``exposed`` raises, and ``BadQuestion``."""
    wanted, question = size(first, "cells"), question_digest(scope, ruling)
    asked, name, *last = read_cursor(after, (str,) * 5) if after else (question, None)
    if asked != question:
        raise BadQuestion("the cursor belongs to another question", "continue with the same arguments")
    report, name = snapshots.report(store, scope, ruling, name)
    cells = sorted(_cells(report, column, row), key=_order)
    start = bisect_right(cells, tuple(last), key=_order) if last else 0
    items = [(cursor(question, name, *_order(cell)), cell) for cell in cells[start : start + wanted + 1]]
    return MatrixPage(report, page(items, wanted), len(cells))


def _cells(report: ExposureReport, column: Column, row: Row) -> Iterator[Cell]:
    attributes = [each.attribute for each in report.attributes]
    if not attributes:
        return
    columns = [_columns(each, column) for each in attributes]
    propagation = report.attributes[0].propagation
    for (namespace, name), (bits, declared) in _by_row(propagation, attributes, _ROWS[row]).items():
        strongest: dict[NodeKey | str, Form] = {}
        for form in Form:
            for place in places(bits.get(form, 0)):
                for each in columns[place]:
                    strongest.setdefault(each, form)
        own = {each for place in places(declared) for each in columns[place]}
        for each in strongest.keys() | own:
            attribute, category = (each, None) if isinstance(each, NodeKey) else (None, each)
            form = Form.IDENTITY if each in own else strongest[each]
            yield Cell(namespace, name, attribute, category, form, each in own)


def _by_row(
    propagation: Propagation, attributes: Sequence[Attribute], row_of: Callable[[NodeKey], tuple[str, str]]
) -> dict[tuple[str, str], tuple[dict[Form, int], int]]:
    """For each row the attributes that arrived there, by form, and those that are declared there, as bits."""
    arrived: dict[tuple[str, str], dict[Form, int]] = defaultdict(lambda: defaultdict(int))
    for node in propagation.nodes():
        for form, bits in propagation.reached(node).items():
            if bits:
                arrived[row_of(node)][form] |= bits
    declared: dict[tuple[str, str], int] = defaultdict(int)
    for place, each in enumerate(attributes):
        declared[row_of(each.node)] |= 1 << place
    return {
        key: (arrived.get(key, {}), declared.get(key, 0)) for key in sorted(arrived.keys() | declared.keys())
    }


def _columns(attribute: Attribute, column: Column) -> tuple[NodeKey | str, ...]:
    return attribute.categories if column is Column.CATEGORY else (attribute.node,)


def _order(cell: Cell) -> tuple[str, str, str]:
    column = cell.category if cell.attribute is None else node_text(cell.attribute)
    return cell.namespace, cell.name, column or ""
