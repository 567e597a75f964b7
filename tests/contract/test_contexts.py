"""Uses of paths by what for and together with what, over jobs of Spark, other producers and business mappings."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion, UnknownDataset, UnknownPath
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.catalog.contexts import (
    MOST_TOGETHER,
    Context,
    Contexts,
    Use,
    Wanted,
    Within,
    usages,
)
from headwater_mappings import Document, events_of, parse
from kit.openlineage import NAMESPACE, at, dataset, event, node, paths

MAPPINGS = """
WHEN POPULATING REPORT FROM SALES
  POPULATE REPORT.TOTAL WITH SUM(SALES.AMOUNT) IF SALES.KIND = "shop"
  POPULATE REPORT.CITY WITH ADDRESS.CITY
  SELECT ROWS WHERE SALES.COUNTRY = "US"
  NAVIGATE FROM SALES TO ADDRESS USING SALES.ID = ADDRESS.ID
WHEN POPULATING ARCHIVE FROM SALES
  POPULATE ARCHIVE.AMOUNT WITH SALES.AMOUNT
  SELECT ROWS WHERE SALES.AMOUNT > 5
"""


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def take_mappings(store: LineageStore) -> None:
    take(store, *events_of([Document("m", "2026-01-01T00:00:00+00:00", parse(MAPPINGS))]))


def sales(name: str, *uses: Use, entity: str = "SALES") -> Wanted:
    return Wanted(NodeKey(DatasetKey("mappings", entity), (name,) if name else ()), frozenset(uses))


def outputs(found: Contexts) -> list[str]:
    return [each.output.name for each in found.contexts]


def uses_of(context: Context) -> dict[str, set[Use]]:
    return {".".join(each.node.path): set(each.uses) for each in context.of}


def test_each_use_is_named_with_what_it_is_for(store: LineageStore) -> None:
    take_mappings(store)
    archive, report = usages(store, sales("AMOUNT")).contexts
    assert uses_of(archive) == {"AMOUNT": {Use.VALUE, Use.FILTER}}
    assert uses_of(report) == {"AMOUNT": {Use.VALUE, Use.AGGREGATE}}
    assert [each.path for each in report.of[0].targets] == [("TOTAL",)]
    assert report.of[0].functions == ("sum",)
    assert {each.path for each in archive.of[0].targets} == {(), ("AMOUNT",)}


@pytest.mark.parametrize(
    ("name", "use", "where"),
    [
        ("AMOUNT", Use.AGGREGATE, ["REPORT"]),
        ("AMOUNT", Use.FILTER, ["ARCHIVE"]),
        ("AMOUNT", Use.VALUE, ["ARCHIVE", "REPORT"]),
        ("COUNTRY", Use.FILTER, ["REPORT"]),
        ("ID", Use.JOIN, ["REPORT"]),
        ("KIND", Use.CONDITION, ["REPORT"]),
        ("KIND", Use.VALUE, []),
        ("AMOUNT", Use.SORT, []),
        ("AMOUNT", Use.WINDOW, []),
        ("AMOUNT", Use.GROUP_KEY, []),
    ],
)
def test_only_uses_of_a_kind_are_listed(store: LineageStore, name: str, use: Use, where: list[str]) -> None:
    take_mappings(store)
    assert outputs(usages(store, sales(name, use))) == where


def test_together_is_what_one_job_makes_of_both(store: LineageStore) -> None:
    take_mappings(store)
    found = usages(store, sales("AMOUNT"), [sales("COUNTRY", Use.FILTER), sales("CITY", entity="ADDRESS")])
    (context,) = found.contexts
    assert context.output.name == "REPORT"
    assert [[each.node.path for each in some] for some in context.together] == [[("COUNTRY",)], [("CITY",)]]
    assert not usages(store, sales("AMOUNT"), [sales("COUNTRY", Use.JOIN)]).contexts
    assert not usages(store, sales("AMOUNT", Use.FILTER), [sales("COUNTRY")]).contexts


def test_closer_together_is_what_one_path_is_made_of(store: LineageStore) -> None:
    take_mappings(store)
    city = sales("CITY", entity="ADDRESS")
    assert outputs(usages(store, sales("AMOUNT"), [city], Within.WRITE)) == ["REPORT"]
    assert outputs(usages(store, sales("AMOUNT"), [city], Within.PATH)) == []
    assert outputs(usages(store, sales("AMOUNT"), [sales("KIND", Use.CONDITION)], Within.PATH)) == ["REPORT"]
    assert outputs(usages(store, city, [sales("KIND", Use.CONDITION)], Within.PATH)) == []
    # What filters rows decides about each path of them.
    assert outputs(usages(store, city, [sales("COUNTRY")], Within.PATH)) == ["REPORT"]


def test_three_that_are_not_together_at_one_path_are_not_together(store: LineageStore) -> None:
    lineage = paths(
        (["one"], "in", ["a"], "IDENTITY"),
        (["one"], "in", ["b"], "IDENTITY"),
        (["two"], "in", ["a"], "IDENTITY"),
        (["two"], "in", ["c"], "IDENTITY"),
    )
    kind = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    entry = {"namespace": NAMESPACE, "name": "in", "path": ["k"], "transformations": [kind]}
    out = dataset("out", "one", "two", headwater_pathLineage={**lineage, "dataset": [entry]})
    take(store, event("COMPLETE", 1, "r", [dataset("in", "a", "b", "c", "k")], [out], "job"))
    a, b, c, k = (Wanted(node("in", name)) for name in "abck")
    assert len(usages(store, k, [c], Within.PATH).contexts) == 1
    assert not usages(store, k, [b, c], Within.PATH).contexts
    assert len(usages(store, a, [b], Within.PATH).contexts) == 1
    assert len(usages(store, a, [b, c], Within.WRITE).contexts) == 1
    assert not usages(store, a, [b, c], Within.PATH).contexts


def test_a_dataset_is_all_of_its_paths(store: LineageStore) -> None:
    take_mappings(store)
    _, report = usages(store, sales("")).contexts
    assert uses_of(report).keys() == {"AMOUNT", "KIND", "COUNTRY", "ID"}


@pytest.mark.parametrize(
    ("subtype", "use"),
    [
        ("GROUP_BY", Use.GROUP_KEY),
        ("SORT", Use.SORT),
        ("WINDOW", Use.WINDOW),
        ("CONDITIONAL", Use.CONDITION),
        ("JOIN", Use.JOIN),
        ("THEIR_OWN", Use.OTHER),
    ],
)
def test_what_influences_is_a_use_whoever_reports_it(store: LineageStore, subtype: str, use: Use) -> None:
    kind = {"type": "INDIRECT", "subtype": subtype, "masking": False}
    entry = {"namespace": NAMESPACE, "name": "in", "path": ["k"], "transformations": [kind]}
    lineage = {**paths((["x"], "in", ["x"], "IDENTITY")), "dataset": [entry]}
    out = dataset("out", "x", headwater_pathLineage=lineage)
    take(store, event("COMPLETE", 1, "r", [dataset("in", "x", "k")], [out], "job"))
    (context,) = usages(store, Wanted(node("in", "k"), frozenset({use}))).contexts
    assert context.of[0].uses == (use,)


def test_what_a_job_does_not_list_is_a_gap(store: LineageStore) -> None:
    take(store, event("COMPLETE", 1, "r", [dataset("in", "x")], [dataset("out", "x")], "blind"))
    found = usages(store, Wanted(node("in", "x")))
    assert not found.contexts and not found.complete


def test_earlier_uses_are_those_of_their_time(store: LineageStore) -> None:
    for minute, name in ((1, "x"), (5, "y")):
        out = dataset("out", "x", headwater_pathLineage=paths((["x"], "in", [name], "IDENTITY")))
        take(store, event("COMPLETE", minute, f"r{minute}", [dataset("in", "x", "y")], [out], "job"))
    assert not usages(store, Wanted(node("in", "x"))).contexts
    assert usages(store, Wanted(node("in", "x")), as_of=at(3)).contexts


def test_unknown_names_are_refused_with_the_nearest(store: LineageStore) -> None:
    take_mappings(store)
    with pytest.raises(UnknownPath) as path:
        usages(store, sales("AMOUNT"), [sales("COUNTRI")])
    assert "COUNTRY" in (path.value.hint or "")
    with pytest.raises(UnknownDataset) as unknown:
        usages(store, sales("AMOUNT", entity="SALE"))
    assert "SALES" in (unknown.value.hint or "")
    with pytest.raises(BadQuestion):
        usages(store, sales("AMOUNT"), [sales("KIND")] * (MOST_TOGETHER + 1))
