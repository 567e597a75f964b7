"""The exposure matrix: the strongest form in each cell, whatever its rows and columns are."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.matrix import Column, Row, matrix
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import held_attributes
from headwater_backend.privacy.snapshots import Snapshots
from kit.openlineage import dataset, event, facet, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.name, user.contact", "source": "CONFIG", "field": "name"},
    ]
)
FOLDS = list(product(Column, Row))


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    """People, whose data are copied, counted, and filtered by."""
    people = dataset("people", "mail", "name", tags=TAGS)
    by_name = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    filtered = [
        {"namespace": people["namespace"], "name": "people", "path": ["name"], "transformations": [by_name]}
    ]

    def job(minute: int, name: str, output: dict[str, Any]) -> dict[str, Any]:
        return event("COMPLETE", minute, name, [people], [output], name)

    copied = paths((["to"], "people", ["mail"], "IDENTITY"), (["who"], "people", ["name"], "TRANSFORMATION"))
    counted = paths((["n"], "people", ["mail"], "AGGREGATION"), dataset=filtered)
    elsewhere = {**dataset("counts", "n", headwater_pathLineage=counted), "namespace": "elsewhere"}
    events = [
        job(1, "copies", dataset("mailing", "to", "who", headwater_pathLineage=copied)),
        job(2, "counts", elsewhere),
    ]
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def cells(store: LineageStore, column: Column, row: Row, first: int = 100) -> dict[tuple[str, str, str], str]:
    """The form of each cell, and whether it is declared, page by page."""
    snapshots = Snapshots()
    after: str | None = None
    found: dict[tuple[str, str, str], str] = {}
    while True:
        page = matrix(
            store,
            Scope(influenced=True),
            Ruling(),
            snapshots,
            column=column,
            row=row,
            first=first,
            after=after,
        )
        for _, cell in page.cells.items:
            name = cell.category or ".".join(cell.attribute.path if cell.attribute else ())
            found[cell.namespace, cell.name, name] = "DECLARED" if cell.declared else cell.form.name
        after = page.cells.items[-1][0]
        if not page.cells.has_next:
            assert len(found) == page.count
            return found


@pytest.mark.parametrize(("column", "row"), FOLDS)
def test_a_cell_has_the_strongest_form_of_its_holdings(
    filled: LineageStore, column: Column, row: Row
) -> None:
    expected: dict[tuple[str, str, str], str] = {}
    strongest: dict[tuple[str, str, str], Form] = {}
    for exposure in exposed(filled, Scope(influenced=True)).attributes:
        for held in held_attributes(exposure):
            for name in names(held.attribute.node, held.attribute.categories, column):
                key = (
                    held.node.dataset.namespace,
                    held.node.dataset.name if row is Row.DATASET else "",
                    name,
                )
                strongest[key] = min(held.forms[0], strongest.get(key, Form.INFLUENCED))
                declared = held.node == held.attribute.node or expected.get(key) == "DECLARED"
                expected[key] = "DECLARED" if declared else strongest[key].name
    assert cells(filled, column, row) == expected
    assert len(set(expected.values())) > 2


def names(node: NodeKey, categories: tuple[str, ...], column: Column) -> tuple[str, ...]:
    return categories if column is Column.CATEGORY else (".".join(node.path),)


def test_pages_hold_every_cell_once(filled: LineageStore) -> None:
    whole = cells(filled, Column.CATEGORY, Row.DATASET)
    assert cells(filled, Column.CATEGORY, Row.DATASET, first=1) == whole


def test_a_cursor_of_another_question_is_refused(filled: LineageStore) -> None:
    snapshots = Snapshots()
    page = matrix(filled, Scope(), Ruling(), snapshots, first=1)
    with pytest.raises(BadQuestion, match="another question"):
        matrix(filled, Scope(influenced=True), Ruling(), snapshots, after=page.cells.items[0][0])


def test_without_a_class_it_is_empty_and_incomplete(store: LineageStore) -> None:
    page = matrix(store, Scope(), Ruling(), Snapshots())
    assert (page.count, page.report.complete) == (0, False)
