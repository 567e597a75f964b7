"""Measurements and tests of datasets by producers, listed for the dataset and for each run."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain import facet_readers
from headwater_backend.domain.errors import UnknownDataset
from headwater_backend.domain.model import DatasetKey, Use
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import runs
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.openlineage import NAMESPACE, dataset, event, facet, run_id

KEY = DatasetKey(NAMESPACE, "orders")
METRICS = facet(
    rowCount=12,
    bytes=2**40,
    fileCount=3,
    lastUpdated="2026-01-01T00:00:00Z",
    captureDate="2026-01-01T01:00:00Z",
    columnMetrics={
        "id": {"nullCount": 0, "distinctCount": 12, "quantiles": {"0.5": 6, "1": 12.5}},
        "price": {"nullCount": 1, "sum": 10.5, "count": 11, "min": -1, "max": 1e300},
    },
)
ASSERTIONS = facet(
    assertions=[
        {"assertion": "not_null", "success": True, "column": "id"},
        {
            "assertion": "row_count",
            "success": False,
            "severity": "warn",
            "name": "enough",
            "description": "as many as yesterday",
            "expected": "13",
            "actual": "12",
        },
    ]
)


def used(name: str, kind: str, **facets: Any) -> dict[str, Any]:
    return {**dataset(name, "id"), kind: facets}


@pytest.fixture
def orders(store: LineageStore) -> LineageStore:
    """Written, tested by a run that reads it under another name, and measured by an event of its own."""
    symlinks = facet(identifiers=[{"namespace": NAMESPACE, "name": "shop.orders", "type": "TABLE"}])
    output = used("orders", "outputFacets", outputStatistics=facet(rowCount=12, size=340, fileCount=2))
    output["facets"]["symlinks"] = symlinks
    tested = used("shop.orders", "inputFacets", dataQualityMetrics=METRICS, dataQualityAssertions=ASSERTIONS)
    itself = {key: value for key, value in event("x", 9).items() if key in ("eventTime", "producer")}
    itself["dataset"] = dataset("orders", dataQualityMetrics=facet(rowCount=11, columnMetrics={}))
    reported = [
        event("COMPLETE", 1, "load", [dataset("raw")], [output], "load"),
        event("COMPLETE", 2, "test", [tested, dataset("other")], [], "test"),
        itself,
    ]
    assert [outcome.error for outcome in ingest(store, reported)] == [None] * 3
    return store


def test_the_history_has_only_the_dataset_under_any_of_its_names(orders: LineageStore) -> None:
    found = runs.history(orders, KEY)
    assert [
        (run.run_id, [(each.use, each.dataset.name) for each in reported]) for run, reported in found.items
    ] == [
        (run_id("test"), [(Use.INPUT, "shop.orders")]),
        (run_id("load"), [(Use.OUTPUT, "orders")]),
    ]
    (_, (reported,)), _ = found.items
    metrics = facet_readers.quality(reported.facets)
    assert metrics and (metrics.rows, metrics.size, metrics.files) == (12, 2**40, 3)
    assert metrics.columns == (
        facet_readers.ColumnMetrics(
            "id", null_count=0, distinct_count=12, quantiles=(("0.5", 6.0), ("1", 12.5))
        ),
        facet_readers.ColumnMetrics("price", null_count=1, sum=10.5, count=11.0, min=-1.0, max=1e300),
    )
    assert [
        (each.assertion, each.column, each.success) for each in facet_readers.assertions(reported.facets)
    ] == [
        ("not_null", "id", True),
        ("row_count", None, False),
    ]


def test_the_history_of_a_dataset_is_paged_and_narrowed(orders: LineageStore) -> None:
    ((newest, _),) = runs.history(orders, KEY, None, 1).items
    ((oldest, _),) = runs.history(orders, KEY, None, 1, runs.cursor(newest)).items
    assert [newest.run_id, oldest.run_id] == [run_id("test"), run_id("load")]
    ((written, reported),) = runs.history(orders, DatasetKey(NAMESPACE, "shop.orders"), Use.OUTPUT).items
    assert (written, facet_readers.statistics(reported[0].facets)) == (
        oldest,
        facet_readers.Statistics(12, 340, 2),
    )
    with pytest.raises(UnknownDataset):
        runs.history(orders, DatasetKey(NAMESPACE, "order"))


def test_graphql_has_it_for_the_dataset_and_its_runs(orders: LineageStore) -> None:
    variables = {"namespace": NAMESPACE, "name": "orders"}
    with TestClient(create_app(orders, Settings()), base_url="http://localhost") as client:

        def ask(name: str) -> Any:
            answer = client.post("/graphql", json={"query": queries()[name], "variables": variables}).json()
            assert "errors" not in answer, answer
            return next(iter(answer["data"].values()))

        itself, history = ask("dataset"), ask("dataset_history")["edges"]
    assert (itself["quality"]["rows"], itself["quality"]["columns"], itself["assertions"]) == (11, [], [])
    tested, loaded = (edge["node"] for edge in history)
    (read,), (wrote,) = tested["read"], loaded["wrote"]
    assert tested["wrote"] == loaded["read"] == []
    assert (wrote["rows"], wrote["bytes"], wrote["files"], wrote["quality"]) == (12, 340, 2, None)
    assert (read["rows"], read["quality"]["bytes"]) == (None, 2**40)
    identity, price = read["quality"]["columns"]
    assert (identity["nullCount"], identity["quantiles"][0]) == (0, {"share": "0.5", "value": 6.0})
    assert (price["max"], price["min"], price["count"]) == (1e300, -1.0, 11.0)
    assert read["assertions"][1] == {
        "assertion": "row_count",
        "success": False,
        "column": None,
        "severity": "warn",
        "name": "enough",
        "description": "as many as yesterday",
        "expected": "13",
        "actual": "12",
    }


@pytest.mark.parametrize(
    "strange",
    [
        {"rowCount": True, "bytes": -1, "fileCount": 2**70, "columnMetrics": []},
        {"columnMetrics": {"a": 7, "b": None}},
        {"columnMetrics": {"a": {"nullCount": "3", "sum": 10**400, "min": "2026", "quantiles": [1]}}},
        {"columnMetrics": {"a": {"max": True, "quantiles": {"0.5": "half", "1": None}}}},
    ],
)
def test_facets_of_another_shape_are_ignored(strange: dict[str, Any]) -> None:
    reported = facet_readers.quality({"dataQualityMetrics": strange})
    assert reported and reported[:3] == (None, None, None)
    assert [
        column for column in reported.columns if column != facet_readers.ColumnMetrics(column.column)
    ] == []


def test_an_assertion_without_an_outcome_is_none() -> None:
    strange = [7, {"assertion": "x"}, {"assertion": 7, "success": True}, {"assertion": "x", "success": "yes"}]
    assert facet_readers.assertions({"dataQualityAssertions": {"assertions": strange}}) == ()
    assert facet_readers.assertions({"dataQualityAssertions": []}) == facet_readers.assertions({}) == ()
    assert facet_readers.quality({}) is None


def test_what_a_run_tested_is_read_out_of_its_facet() -> None:
    executed = [
        {"name": "fresh", "status": "fail", "expected": "1"},
        {"name": 7, "status": "pass"},
        {"name": "x"},
    ]
    (test,) = facet_readers.tests({"test": {"tests": executed}})
    assert test == facet_readers.TestExecution("fresh", "fail", expected="1")
    assert facet_readers.tests({"test": {"tests": {}}}) == facet_readers.tests({}) == ()
