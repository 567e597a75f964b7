"""Explanations: where a path comes from in plain sentences, in each language."""

from __future__ import annotations

from copy import deepcopy

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.lineage import Scope
from headwater_backend.reports.explanation import Sort, explain
from headwater_backend.reports.languages.catalogue import Language
from kit.filtered import REGIONS
from kit.openlineage import facet, node

ANALYSED = {
    "name": "city",
    "sort": "PYTHON_UDF",
    "known": "ANALYSED",
    "code": {"function": "city", "file": "job.py", "line": 9},
}
DECLARED = {**ANALYSED, "name": "zip", "known": "DECLARED"}
ACCEPTED = {**DECLARED, "name": "score", "declaredBy": "Ana"}


def sentences(store: LineageStore, place: str, language: Language = Language.EN) -> dict[Sort, list[str]]:
    found: dict[Sort, list[str]] = {}
    for each in explain(store, node(place, "x"), Scope(), language).sentences:
        found.setdefault(each.sort, []).append(each.text)
    return found


def take(store: LineageStore) -> None:
    events = deepcopy(REGIONS)
    events[2]["job"]["facets"]["headwater_functions"] = facet(functions=[ANALYSED, DECLARED, ACCEPTED])
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def test_the_steps_the_code_and_the_source_with_its_conditions(store: LineageStore) -> None:
    take(store)
    found = sentences(store, "a0")
    assert found[Sort.STEP] == [
        "a2 to a0 makes x of a0 of x of a2 (copied).",
        "a4 to a2 makes x of a2 of x of a4 (copied).",
        "a6 to a4 makes x of a4 of x of a6 (copied).",
        "a8 to a6 makes x of a6 of x of a8 (copied).",
    ]
    assert found[Sort.CODE] == [
        "In a6 to a4, what city does was read from code: job.py, line 9.",
        "In a6 to a4, what score does was declared: a proposal that Ana accepted.",
    ]
    source, query = found[Sort.SOURCE]
    assert source.startswith("The data begin at x of a8, in rows of which this holds:")
    assert query.startswith("This query fetches them from a8: SELECT `x` FROM `a8` WHERE")
    assert all("`region`" in each and "'Americas'" in each for each in (source, query))
    assert found.keys() == {Sort.STEP, Sort.CODE, Sort.SOURCE}


def test_what_no_row_can_take_is_reported_with_the_reason(store: LineageStore) -> None:
    take(store)
    (pruned,) = sentences(store, "a1")[Sort.PRUNED]
    assert pruned.startswith("Nothing comes from x of a9. No row can pass:")
    assert "Europe" in pruned and "Americas" in pruned


def test_the_same_in_german(store: LineageStore) -> None:
    take(store)
    found = sentences(store, "a1", Language.DE)
    assert found[Sort.STEP][0].startswith("a3 to a1 macht x in a1 aus x in a3 (")
    assert found[Sort.PRUNED][0].startswith("Von x in a9 kommt nichts. Keine Zeile kommt durch:")
    assert found[Sort.SOURCE][0].startswith("Die Daten beginnen bei x in a7")


def test_a_source_has_no_lineage(store: LineageStore) -> None:
    take(store)
    assert sentences(store, "a9")[Sort.STEP] == ["No lineage leads to x of a9."]
