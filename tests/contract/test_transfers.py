"""The report on transfers: flows between countries, each path with its verdict and reasons, and the safeguards."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from headwater_backend.ports import LineageStore
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.model import Document, Facts, Findings, Table
from headwater_backend.reports.formats.annex import findings_table
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import Language, words
from kit.pipelines import COUNTRIES, IN_EUROPE, fill_shop

BOUNDS = Bounds(as_of=datetime(2099, 1, 1, tzinfo=timezone.utc))


@pytest.fixture
def shop(store: LineageStore) -> LineageStore:
    fill_shop(store)
    return store


def report(store: LineageStore, stated: str = COUNTRIES, policies: str = IN_EUROPE, **more: Any) -> Document:
    question = ReportQuestion(
        Kind.TRANSFERS,
        organisation=parse_organisation(stated),
        policies=tuple(parse_policies(policies)) if policies else (),
        bounds=BOUNDS,
        **more,
    )
    return build(store, question)


def table(document: Document, key: str) -> Table:
    return next(each for _, each in document.tables() if each.key == key)


def test_flows_are_counted_by_countries_and_verdict(shop: LineageStore) -> None:
    document = report(shop)
    assert set(table(document, "flows").rows) == {
        (("DE",), "FR", ("ALLOWED",), 2),
        (("DE",), "JP", ("SAFEGUARDED",), 2),
        (("DE",), "US", ("VIOLATION",), 1),
    }
    assert table(document, "crossing_counts").rows == (
        (("VIOLATION",), 1),
        (("UNKNOWN",), 0),
        (("SAFEGUARDED",), 2),
        (("ALLOWED",), 2),
    )


def test_each_path_has_its_reasons_the_gravest_first(shop: LineageStore) -> None:
    found = table(report(shop), "crossings")
    keys = [column.key for column in found.columns]
    rows: list[dict[str, Any]] = [dict(zip(keys, row, strict=True)) for row in found.rows]
    first = rows[0]
    assert first["verdict"] == ("VIOLATION",) and first["dataset"] == "spending"
    assert first["because"][:2] == ("not permitted: United States (US)", "in Europe")
    assert first["because"][2].startswith("not in force: standard contractual clauses")
    safeguarded = [each for each in rows if each["verdict"] == ("SAFEGUARDED",)]
    assert all(
        "adequacy decision, Art. 45 (Japan, 2019-01-23 – …)" in each["because"] for each in safeguarded
    )
    assert all(each["jobs"] for each in rows)


def test_safeguards_are_listed_with_whether_they_are_in_force(shop: LineageStore) -> None:
    adequacy, clauses = table(report(shop), "safeguards").rows
    assert adequacy == (("adequacy",), ("JP",), None, "2019-01-23", None, ("YES",), None)
    assert clauses == (("clauses",), ("US",), "* spending", None, "2020-06-30", ("NO",), "before Schrems II")


def test_a_violation_names_what_a_transfer_rests_on(shop: LineageStore) -> None:
    found = table(report(shop), "violations")
    at = [column.key for column in found.columns].index("safeguard")
    rests = {(row[2], row[at]) for row in found.rows}
    assert rests == {("letters", "adequacy decision, Art. 45 (Japan, 2019-01-23 – …)"), ("spending", None)}


def test_what_is_not_stated_is_not_complete(shop: LineageStore) -> None:
    document = report(shop, stated="controller: {name: Example}", policies="")
    assert not document.complete
    assert {row[2] for row in table(document, "flows").rows} == {("UNKNOWN",)}


def test_without_personal_data_elsewhere_that_is_what_it_says(shop: LineageStore) -> None:
    everywhere = "locations: [{datasets: '*', country: DE}]"
    document = report(shop, stated=everywhere, language=Language.DE)
    text = str(document.sections)
    assert "Kein Pfad mit personenbezogenen Daten" in text and "keine Garantien" in text


@pytest.mark.parametrize("kind", [Kind.TRANSFERS, Kind.ART30, Kind.EXPOSURE])
def test_the_summary_names_third_countries_that_are_no_recipients(shop: LineageStore, kind: Kind) -> None:
    question = ReportQuestion(kind, organisation=parse_organisation(COUNTRIES), bounds=BOUNDS)
    (values,) = (
        fact.values
        for block in build(shop, question).sections[0].blocks
        if isinstance(block, Facts)
        for fact in block.facts
        if fact.key == "transfers"
    )
    assert values == ("Japan (JP), United States (US)",)


ACTIVITIES = """
processing:
  - {activity: Orders, outputs: "* orders_enriched", purpose: essential.service}
recipients:
  - {name: Letter Shop, datasets: "* letters", country: JP}
"""


def test_an_activity_lists_all_third_countries_that_its_data_reach_with_what_is_in_force(
    shop: LineageStore,
) -> None:
    stated = parse_organisation(ACTIVITIES + COUNTRIES)
    document = build(shop, ReportQuestion(Kind.ART30, organisation=stated, bounds=BOUNDS))
    (page,) = (each for each in document.sections if each.key == "activity_1")
    facts = next(block for block in page.blocks if isinstance(block, Facts)).facts
    (values,) = (fact.values for fact in facts if fact.key == "transfers")
    assert values == (
        "Letter Shop, Japan (JP): adequacy decision, Art. 45 (Japan, 2019-01-23 – …)",
        "United States (US): no safeguard stated",  # the clauses have lapsed
    )


def test_a_way_of_several_steps_is_one_line_of_a_cell(shop: LineageStore) -> None:
    document = report(shop)
    found = next(each for each in document.findings() if each.place.name == "spending")
    block = Findings("crossings", "", (found,), 1)
    (row,) = findings_table(words(Language.EN), block).rows
    assert str(row[5]).startswith("1) by job enrich: ") and " 2) by job group: " in str(row[5])
    assert "\n" not in str(row[5])
