"""The exposure matrix: the strongest form in each cell, whatever its rows and columns are."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.matrix import NOT_STATED, Column, MatrixPage, Row, matrix
from headwater_backend.privacy.answers.matrix_filter import UNOWNED, MatrixFilter
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import held_attributes
from headwater_backend.privacy.organisation.coverage import UNMATCHED_STATEMENT
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from kit.looked import look_at
from kit.openlineage import NAMESPACE, dataset, event, facet, paths

TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.name, user.contact", "source": "CONFIG", "field": "name"},
    ]
)
FOLDS = list(product(Column, Row))
STATED = parse_organisation(
    """
processing:
  - {activity: A, outputs: "* people", subjects: [customer, employee]}
  - {activity: B, jobs: "* counts", subjects: [visitor]}
recipients:
  - {name: Mailer, datasets: "* mailing"}
  - {name: Mailer, datasets: "* people"}
  - {name: Printer, datasets: "* mailing"}
"""
)


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
            organisation=STATED,
            first=first,
            after=after,
        )
        for _, cell in page.cells.items:
            path = ".".join(cell.attribute.path) if cell.attribute else ""
            name = cell.category or cell.subject or path
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
            names = columns_of(held.attribute.node, held.attribute.categories, column)
            for place, name in product(rows_of(held.node.dataset, row), names):
                key = (*place, name)
                strongest[key] = min(held.forms[0], strongest.get(key, Form.INFLUENCED))
                declared = held.node == held.attribute.node or expected.get(key) == "DECLARED"
                expected[key] = "DECLARED" if declared else strongest[key].name
    assert cells(filled, column, row) == expected
    assert len(set(expected.values())) > (1 if column is Column.SUBJECT else 2)


def columns_of(node: NodeKey, categories: tuple[str, ...], column: Column) -> tuple[str, ...]:
    """By hand: all attributes are declared in people, whose data are those of customers and employees."""
    if column is Column.SUBJECT:
        return ("customer", "employee")
    return categories if column is Column.CATEGORY else (".".join(node.path),)


def rows_of(dataset: DatasetKey, row: Row) -> list[tuple[str, str]]:
    by_name = {"mailing": ["Mailer", "Printer"], "people": ["Mailer"]}
    if row is Row.RECIPIENT:
        return [("", name) for name in by_name.get(dataset.name, [NOT_STATED])]
    return [(dataset.namespace, dataset.name if row is Row.DATASET else "")]


def folded(store: LineageStore, text: str, column: Column, row: Row) -> MatrixPage:
    stated = parse_organisation(text)
    return matrix(store, Scope(), Ruling(), Snapshots(), column=column, row=row, organisation=stated)


def test_what_is_not_stated_is_a_row_and_a_column(filled: LineageStore) -> None:
    page = folded(filled, "", Column.SUBJECT, Row.RECIPIENT)
    (cell,) = (cell for _, cell in page.cells.items)
    assert (cell.namespace, cell.name, cell.subject) == ("", NOT_STATED, NOT_STATED)
    assert (cell.form, cell.declared) == (Form.IDENTITY, True)
    held_by = folded(
        filled,
        """processing: [{activity: A, jobs: "* counts", subjects: [visitor]}]""",
        Column.SUBJECT,
        Row.DATASET,
    )
    assert {(cell.name, cell.subject) for _, cell in held_by.cells.items} == {
        ("counts", "visitor"),
        ("mailing", NOT_STATED),
        ("people", NOT_STATED),
    }


def test_a_statement_on_no_known_dataset_is_a_gap(filled: LineageStore) -> None:
    text = """
processing: [{activity: A, outputs: "* poeple", subjects: [customer]}]
recipients: [{name: Mailer, datasets: "* malling"}]
"""
    page = folded(filled, text, Column.SUBJECT, Row.RECIPIENT)
    assert page.report.complete
    assert [(gap.reason, gap.dataset.name) for gap in page.incomplete] == [
        (UNMATCHED_STATEMENT, "* malling"),
        (UNMATCHED_STATEMENT, "* poeple"),
    ]
    assert "mailing" in page.incomplete[0].detail
    assert page.idle == ()
    assert folded(filled, text, Column.CATEGORY, Row.DATASET).incomplete == ()


def test_a_recipient_of_nothing_personal_is_named(filled: LineageStore) -> None:
    copied = event("COMPLETE", 3, "run", [dataset("in", "x")], [dataset("plain", "x")], "plain")
    assert all(outcome.stored for outcome in ingest(filled, [copied]))
    look_at(filled, "in")
    text = """recipients: [{name: Mailer, datasets: "* mailing"}, {name: Idle, datasets: "* plain"}]"""
    page = folded(filled, text, Column.CATEGORY, Row.RECIPIENT)
    assert (page.idle, [gap.reason for gap in page.incomplete]) == (("Idle",), [])


def test_a_path_without_a_category_is_personal_data(filled: LineageStore) -> None:
    of = NodeKey(DatasetKey(NAMESPACE, "mailing"), ("to",))
    page = matrix(filled, Scope(of=of), Ruling(), Snapshots())
    assert [(cell.name, cell.category) for _, cell in page.cells.items] == [("mailing", "user")]


def test_pages_hold_every_cell_once(filled: LineageStore) -> None:
    whole = cells(filled, Column.CATEGORY, Row.DATASET)
    assert cells(filled, Column.CATEGORY, Row.DATASET, first=1) == whole


def test_a_cursor_of_another_question_is_refused(filled: LineageStore) -> None:
    snapshots = Snapshots()
    page = matrix(filled, Scope(), Ruling(), snapshots, first=1)
    after = page.cells.items[0][0]
    with pytest.raises(BadQuestion, match="another question"):
        matrix(filled, Scope(influenced=True), Ruling(), snapshots, after=after)
    with pytest.raises(BadQuestion, match="another question"):
        matrix(filled, Scope(), Ruling(), snapshots, row=Row.NAMESPACE, after=after)


def test_without_a_class_it_is_empty_and_incomplete(store: LineageStore) -> None:
    page = matrix(store, Scope(), Ruling(), Snapshots())
    assert (page.count, page.report.complete) == (0, False)


def test_the_matrix_is_filtered_by_special_category_subject_and_owner(store: LineageStore) -> None:
    tags = facet(
        tags=[
            {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
            {"key": "data_category", "value": "user.demographic", "source": "CONFIG", "field": "about"},
            {
                "key": "data_category",
                "value": "user.health_and_medical, user.name",
                "source": "CONFIG",
                "field": "ill",
            },
        ]
    )
    owner = facet(owners=[{"name": "team:people"}])
    named = dataset("people", "mail", "about", "ill", tags=tags, ownership=owner)
    asked = dataset("visits", "mail", tags=facet(tags=tags["tags"][:1]))
    assert ingest(store, [event("COMPLETE", 1, "load", [named, asked], [], "load")])[0].stored

    def found(column: Column = Column.CATEGORY, **wanted: Any) -> set[tuple[str, str | None]]:
        page = matrix(
            store,
            Scope(),
            Ruling(),
            Snapshots(),
            column=column,
            organisation=STATED,
            wanted=MatrixFilter(**wanted),
        )
        assert page.choices.owners == ("team:people",)
        assert page.choices.subjects == ("customer", "employee", "visitor")
        return {(cell.name, cell.category or cell.subject) for _, cell in page.cells.items}

    everything = found()
    assert len(everything) == 5
    assert found(special=True) == {("people", "user.demographic"), ("people", "user.health_and_medical")}
    assert found(subject="employee") == everything
    assert found(subject="visitor") == {("visits", "user.contact.email")}, "nobody states whose visits are"
    assert found(Column.SUBJECT, subject="employee") == {("people", "employee"), ("visits", NOT_STATED)}
    assert found(owner="team:people") == {each for each in everything if each[0] == "people"}
    assert found(owner=UNOWNED) == {("visits", "user.contact.email")}


def test_a_cursor_of_one_filter_is_none_of_another(filled: LineageStore) -> None:
    snapshots = Snapshots()
    first = matrix(filled, Scope(), Ruling(), snapshots, first=1)
    with pytest.raises(BadQuestion, match="another question"):
        after = first.cells.items[-1][0]
        matrix(filled, Scope(), Ruling(), snapshots, wanted=MatrixFilter(owner=UNOWNED), after=after)


def opaque(store: LineageStore, reason: str, output: str = "scores") -> None:
    """A job whose function of people's mail nobody looked into."""
    gap = [{"path": ["score"], "reason": reason, "name": "score"}]
    lineage = {**paths((["score"], "people", ["mail"], "TRANSFORMATION")), "opaque": gap}
    written = dataset(output, "score", headwater_pathLineage=lineage)
    people = dataset("people", "mail", "name", tags=TAGS)
    outcomes = ingest(store, [event("COMPLETE", 3, "scores", [people], [written], "scores")])
    assert {outcome.error for outcome in outcomes} == {None}


def doubtful(store: LineageStore, column: Column) -> set[str]:
    page = matrix(store, Scope(), Ruling(), Snapshots(), column=column)
    assert {cell.column for _, cell in page.cells.items} >= page.doubtful
    return {each if isinstance(each, str) else ".".join(each.path) for each in page.doubtful}


def test_a_user_function_leaves_no_doubt_about_attributes_that_are_no_input_of_it(
    filled: LineageStore,
) -> None:
    look_at(filled, "people")
    opaque(filled, "PYTHON_UDF")
    assert doubtful(filled, Column.ATTRIBUTE) == {"mail"}
    assert doubtful(filled, Column.CATEGORY) == {"user.contact.email"}
    assert doubtful(filled, Column.SUBJECT) == {NOT_STATED}


def in_doubt(store: LineageStore, column: Column, row: Row) -> set[tuple[str, str]] | None:
    """The rows of the matrix in which an empty cell of a column may not be empty; None for all."""
    page = matrix(store, Scope(), Ruling(), Snapshots(), column=column, row=row)
    assert {each for doubt in page.doubts for each in doubt.columns} == page.doubtful
    rows: set[tuple[str, str]] = set()
    for doubt in page.doubts:
        if doubt.rows is None:
            return None
        rows.update(doubt.rows)
    return rows


def reader_of_scores(store: LineageStore, read: str = "scores") -> None:
    """A job that takes the function's result with people's names."""
    lineage = paths((["s"], read, ["score"], "IDENTITY"), (["n"], "people", ["name"], "IDENTITY"))
    inputs = [dataset(read, "score"), dataset("people", "mail", "name", tags=TAGS)]
    output = dataset("ranking", "s", "n", headwater_pathLineage=lineage)
    outcomes = ingest(store, [event("COMPLETE", 4, "ranks", inputs, [output], "ranks")])
    assert {outcome.error for outcome in outcomes} == {None}


@pytest.mark.parametrize("column", Column)
@pytest.mark.parametrize("row", Row)
def test_rows_that_the_result_of_a_user_function_never_reaches_are_in_no_doubt(
    filled: LineageStore, column: Column, row: Row
) -> None:
    look_at(filled, "people")
    opaque(filled, "PYTHON_UDF")
    reader_of_scores(filled)
    reached = in_doubt(filled, column, row)
    assert (
        reached
        == {
            Row.DATASET: {(NAMESPACE, "scores"), (NAMESPACE, "ranking")},
            Row.NAMESPACE: {(NAMESPACE, "")},
            Row.RECIPIENT: {("", NOT_STATED)},
        }[row]
    )


@pytest.mark.parametrize("written", ["scores", "alias"])
@pytest.mark.parametrize("read", ["scores", "alias"])
def test_rows_in_doubt_are_those_of_the_dataset_by_whatever_name_jobs_know_it(
    filled: LineageStore, written: str, read: str
) -> None:
    look_at(filled, "people")
    opaque(filled, "PYTHON_UDF", written)
    reader_of_scores(filled, read)
    other = facet(identifiers=[{"namespace": NAMESPACE, "name": "alias", "type": "TABLE"}])
    named = event("COMPLETE", 5, "names", [dataset("scores", "score", symlinks=other)], [], "names")
    assert {outcome.error for outcome in ingest(filled, [named])} == {None}
    assert in_doubt(filled, Column.ATTRIBUTE, Row.DATASET) == {
        (NAMESPACE, "scores"),
        (NAMESPACE, "ranking"),
    }


@pytest.mark.parametrize("reason", ["RDD", "DRIVER", "SCHEMA_DRIFT"])
def test_other_gaps_leave_every_row_in_doubt(filled: LineageStore, reason: str) -> None:
    look_at(filled, "people")
    opaque(filled, reason)
    assert in_doubt(filled, Column.ATTRIBUTE, Row.DATASET) is None


def test_a_function_behind_a_limit_leaves_every_row_in_doubt(filled: LineageStore) -> None:
    look_at(filled, "people")
    opaque(filled, "PYTHON_UDF")
    reader_of_scores(filled)
    page = matrix(filled, Scope(bounds=Bounds(depth=1)), Ruling(), Snapshots(), column=Column.ATTRIBUTE)
    assert [doubt.rows for doubt in page.doubts] == [None]


@pytest.mark.parametrize("reason", ["RDD", "UNKNOWN_RELATION", "PROGRAM", "not known to us"])
def test_where_it_is_not_known_what_was_read_any_attribute_is_in_doubt(
    filled: LineageStore, reason: str
) -> None:
    look_at(filled, "people")
    opaque(filled, reason)
    assert doubtful(filled, Column.ATTRIBUTE) == {"mail", "name"}


def test_where_nobody_decided_what_is_personal_any_attribute_is_in_doubt(filled: LineageStore) -> None:
    source = event("COMPLETE", 4, "other", [dataset("orders", "phone")], [dataset("out", "x")], "other")
    assert {outcome.error for outcome in ingest(filled, [source])} == {None}
    assert doubtful(filled, Column.ATTRIBUTE) == {"mail", "name"}
