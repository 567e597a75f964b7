"""The documents of reports: what each kind says, and that the same question gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, Incomplete
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.subject import Order
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION
from headwater_backend.privacy.policies import Policy
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import as_json, from_json, sealed, unsealed
from headwater_backend.reports.document.model import Document, Fact, Facts, Finding, Lines, Paragraph, Table
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Language
from kit.reports import AS_OF, IMPRINT, REPORTS, over, parcels, question

LATER = datetime(2099, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LineageStore]:
    with closing(parcels(tmp_path_factory.mktemp("reports"))) as opened:
        yield opened


def rows(document: Document, key: str) -> list[tuple[object, ...]]:
    """The rows of the table."""
    return [row for _, table in document.tables() if table.key == key for row in table.rows]


def facts(document: Document, section: str) -> list[Fact]:
    """The facts of a section."""
    found = document.section(section)
    assert found
    return [fact for block in found.blocks if isinstance(block, Facts) for fact in block.facts]


def values(document: Document, section: str, key: str) -> tuple[str, ...]:
    """The values of a fact."""
    return next(fact.values for fact in facts(document, section) if fact.key == key)


def texts(document: Document, section: str) -> list[str]:
    found = document.section(section)
    return [block.text for block in found.blocks if isinstance(block, Paragraph)] if found else []


def test_the_record_of_a_controller_fills_in_what_lineage_knows(store: LineageStore) -> None:
    document = build(store, question(Kind.ART30))
    assert [section.key for section in document.sections] == [
        "status",
        "parties",
        "activities",
        "activity_1",
        "categories",
        "recipients",
        "transfers",
        "retention",
        "overdue",
        "measures",
        "completeness",
        "basis",
    ]
    assert values(document, "parties", "controller")[0] == "Example GmbH"
    assert "joint_controllers" not in {fact.key for fact in facts(document, "parties")}
    assert [row[:4] for row in rows(document, "activities")] == [
        ("Orders", "essential.service", ("contract",), ("customer",))
    ]
    assert ("parcels", "shop.vouchers", "user.contact.email", ("NONE",), ("IDENTITY",)) in rows(
        document, "categories"
    )
    assert {(row[0], row[1], row[3]) for row in rows(document, "recipients")} == {
        ("Voucher Ltd", "US", "shop.vouchers")
    }
    assert {row[1] for row in rows(document, "ends")} == {"shop.slow_parcels"}
    assert [row[:5] for row in rows(document, "transfers")] == [
        (
            "Voucher Ltd",
            "US",
            "standard contractual clauses, Art. 46(2)(c)",
            "parcels",
            "shop.vouchers",
        )
    ]


def test_what_lies_in_a_third_country_is_a_transfer(store: LineageStore) -> None:
    text = """
locations: [{datasets: "* shop.*", country: DE}, {datasets: "* shop.v*", country: US}, {datasets: "* *", country: IN}]
recipients:
  - {name: Here, datasets: "* shop.vouchers", country: FR}
  - {name: There, datasets: "* shop.vouchers", country: US, safeguard: clauses}
"""
    document = build(store, question(Kind.ART30, organisation=parse_organisation(text)))
    listed = [(row[0], row[1], row[2]) for row in rows(document, "transfers") if row[4] == "shop.vouchers"]
    assert listed == [("There", "US", "clauses"), (None, "IN", None)]
    assert not any("not stated in which country" in text for text in texts(document, "transfers"))


def test_whether_data_are_in_a_third_country_is_not_known_without_locations(store: LineageStore) -> None:
    document = build(store, question(Kind.ART30, organisation=parse_organisation("")))
    assert any("Of 4 datasets with personal data" in text for text in texts(document, "transfers"))


def test_a_violation_has_the_countries_in_which_the_data_may_not_be(store: LineageStore) -> None:
    policies = parse_policies("- {policy: p, category: user, countries: [EEA]}")
    there = "{name: There, datasets: '* shop.v*', country: US, safeguard: clauses}"
    for stated, safeguard in (
        ("locations: [{datasets: '* shop.v*', country: US}]", None),
        (f"recipients: [{there}]", "clauses"),
    ):
        asked = question(Kind.ART30, organisation=parse_organisation(stated), policies=policies)
        found = rows(build(store, asked), "violations")
        assert {(row[2], *row[-2:]) for row in found} == {("shop.vouchers", ("US",), safeguard)}


def test_the_canonical_json_of_a_record_is_the_golden_one(store: LineageStore) -> None:
    found = as_json(build(store, question(Kind.ART30)))
    expected = json.loads((REPORTS / "art30.json").read_text("utf-8"))["report"]
    versions = {fact["key"]: fact["values"] for fact in _basis(found)["facts"]}
    for fact in _basis(expected)["facts"]:
        if fact["key"] in ("version", "taxonomy"):
            fact["values"] = versions[fact["key"]]
    assert found == {**expected, "version": found["version"]}


def test_a_record_lists_what_is_kept_for_too_long(store: LineageStore) -> None:
    text = """processing: [{activity: Orders, outputs: "* shop.customers", retention: 1 day}]"""
    asked = question(Kind.ART30, organisation=parse_organisation(text), bounds=Bounds(as_of=LATER))
    document = build(store, asked)
    listed = {row[1]: row[4:6] for row in rows(document, "overdue")}
    assert listed["shop.vouchers"] == ("1 day", "shop.customers")
    assert rows(document, "unknown_retention") == []
    assert any("may hold data that were written before" in text for text in texts(document, "overdue"))


def _basis(report: dict[str, Any]) -> Any:
    section = next(each for each in report["sections"] if each["key"] == "basis")
    return next(block for block in section["blocks"] if block["block"] == "facts")


@pytest.mark.parametrize("kind", Kind)
def test_a_report_is_the_same_twice_and_from_another_order_of_events(
    kind: Kind, store: LineageStore, tmp_path: Path
) -> None:
    first = sealed(build(store, question(kind)))
    assert sealed(build(store, question(kind))) == first
    with closing(parcels(tmp_path, backwards=True)) as other:
        assert sealed(build(other, question(kind))) == first


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", Kind)
def test_a_document_is_read_back_from_its_json(kind: Kind, language: Language, store: LineageStore) -> None:
    document = build(store, question(kind, language=language))
    read = unsealed(sealed(document, IMPRINT))
    assert read.intact
    assert read.imprint == IMPRINT
    assert from_json(read.report) == document


@pytest.mark.parametrize("kind", Kind)
def test_every_report_says_what_it_is_based_on(kind: Kind, store: LineageStore) -> None:
    document = build(store, replace(question(kind), organisation=NO_ORGANISATION))
    assert values(document, "basis", "version")[0].startswith("Headwater ")
    assert values(document, "basis", "taxonomy")[0].startswith("fideslang ")
    assert values(document, "basis", "graph")[0].startswith("sha256:")
    assert values(document, "basis", "organisation") == ("none given",)
    assert "not legal advice" in texts(document, "basis")[-1]
    assert document.section("completeness")


def test_the_digest_of_the_lineage_changes_with_an_edge() -> None:
    one = over("t:user.mail -IDENTITY-> o:mail\no:mail -IDENTITY-> p:mail")
    other = over("t:user.mail -IDENTITY-> o:mail\no:mail -COMPUTE-> p:mail")
    again = over("o:mail -IDENTITY-> p:mail\nt:user.mail -IDENTITY-> o:mail")
    assert values(one, "basis", "graph") == values(again, "basis", "graph")
    assert values(one, "basis", "graph") != values(other, "basis", "graph")


def test_gaps_are_counted_and_listed() -> None:
    gap = Incomplete("RDD", DatasetKey("ns", "o"), (), None, "an RDD that could not be seen into")
    document = over("t:user.mail -IDENTITY-> o:mail", incomplete=[gap])
    assert not document.complete
    remedy = (
        "Use DataFrames for this step, or functions that can be read: what else goes through an RDD cannot be"
        " traced."
    )
    assert rows(document, "gap_counts") == [("RDD", ("RDD",), 1, remedy)]
    assert rows(document, "gaps")[0][-1] == "an RDD that could not be seen into"
    assert "incomplete: 1 things" in texts(document, "status")[0]


def test_without_attributes_every_kind_reports_that_nothing_is_classified(tmp_path: Path) -> None:
    with closing(parcels(tmp_path, looked=False)) as store:
        for kind in Kind:
            document = build(store, question(kind, ruling=Ruling()))
            assert not document.classified and not document.complete
            assert "not known who holds personal data" in texts(document, "status")[0], kind


def test_without_attributes_a_report_is_complete_if_somebody_looked_at_all_sources(
    store: LineageStore,
) -> None:
    document = build(store, question(Kind.EXPOSURE, ruling=Ruling()))
    assert document.classified and document.complete


def test_masking_on_the_way_is_a_measure() -> None:
    document = over("t:user.mail -HASH-> o:token @hash", Kind.ART30)
    assert rows(document, "protections") == [("hash", "t", "o", ("PSEUDONYMISED",), ("UNKNOWN",), None)]


def test_datasets_that_no_statement_covers_are_listed() -> None:
    document = over("t:user.mail -IDENTITY-> o:mail", Kind.ART30)
    assert rows(document, "activities") == [
        (None, None, None, None, ("user.contact.email",), ("o", "t"), None, None)
    ]
    assert "2 datasets" in texts(document, "activities")[1]


def test_what_data_decided_about_is_in_the_information_for_persons() -> None:
    document = over("t:user.mail -FILTER-> o @select", Kind.ART15)
    assert rows(document, "decisions") == [("user.mail", "t", "o", "", ("FILTER",), ("INFLUENCED",))]
    (finding,) = document.findings()
    assert finding.steps[0].how == "rows filtered by it"


def test_erasure_lists_keys_order_and_what_cannot_be_erased() -> None:
    edges = "t:user.mail -IDENTITY-> m:mail @copy\nm:mail -SUM-> o:count @sum"
    document = over(edges, Kind.ART17)
    assert [row[:3] for row in rows(document, "erasure_order")] == [
        (1, "ns", "t"),
        (2, "ns", "m"),
        (3, "ns", "o"),
    ]
    assert [(row[1], row[-1]) for row in rows(document, "erasure_paths")] == [
        ("t", ("ERASABLE",)),
        ("m", ("ERASABLE",)),
        ("o", ("NOT_OF_ONE_PERSON",)),
    ]
    assert rows(document, "not_erasable") == [("ns", "o", ("NOT_OF_ONE_PERSON",), 1, ("count",))]
    assert [finding.place.name for finding in document.findings()] == ["o"]


def test_erasure_may_begin_with_the_copies(store: LineageStore) -> None:
    first, last = (
        rows(build(store, question(Kind.ART17, order=order)), "erasure_order")
        for order in (Order.SOURCES_FIRST, Order.SOURCES_LAST)
    )
    assert [row[2] for row in first] == [row[2] for row in reversed(last)]


def test_a_breach_lists_what_leaked_and_who_has_read_it(store: LineageStore) -> None:
    document = build(store, question(Kind.ART33))
    assert [row[1] for row in rows(document, "leaked")] == ["shop.vouchers"]
    assert ("shop.vouchers", "customer_email") in [row[:2] for row in rows(document, "leaked_values")]
    assert values(document, "persons", "subjects") == ("customers",)
    assert values(document, "consequences", "consequences") == ()
    assert ("parcels", "shop.customers", "email") in [row[3:6] for row in rows(document, "joinable")]


def test_a_review_lists_changes_to_be_signed(store: LineageStore) -> None:
    document = build(store, question(Kind.REVIEW))
    assert {row[0] for row in rows(document, "changes")} == {("NEW",)}
    signed = document.section("sign_off")
    assert signed and isinstance(signed.blocks[-1], Lines)


def test_verdicts_on_policies_are_listed(store: LineageStore) -> None:
    policy = Policy(("parcels", "shop.vouchers"), "**", 1, "no contacts in vouchers", "user.contact")
    document = build(store, question(Kind.REVIEW, policies=(policy,)))
    assert rows(document, "verdicts") == [
        ("no contacts in vouchers", "user.contact", ("ERROR",), ("VIOLATED",))
    ]
    assert [row[2:4] for row in rows(document, "violations")] == [("shop.vouchers", "customer_email")]


def test_much_is_counted_in_full_and_listed_in_part() -> None:
    edges = "\n".join(f"t:user.mail -IDENTITY-> o:mail{n}" for n in range(40))
    document = over(edges, rows=4)
    (holders,) = (table for _, table in document.tables() if table.key == "holders")
    assert (len(holders.rows), holders.total) == (4, 4)
    assert texts(document, "holders") == ["4 of 40 paths are listed here, the strongest of each attribute."]
    assert [row[-1] for row in rows(document, "figures")][Form.IDENTITY] == 40


def test_a_question_that_does_not_fit_its_kind_is_refused() -> None:
    with pytest.raises(BadQuestion):
        question(Kind.ART33, leaked=())
    with pytest.raises(BadQuestion):
        question(Kind.ART30, since=AS_OF)
    with pytest.raises(BadQuestion):
        question(Kind.ART30, rows=0)


def test_the_depth_is_part_of_the_question(store: LineageStore) -> None:
    cut = build(store, question(Kind.EXPOSURE, bounds=Bounds(depth=1, as_of=AS_OF)))
    assert not cut.complete
    assert cut.question["depth"] == 1


def test_a_finding_has_its_whole_lineage() -> None:
    document = over("t:user.mail -IDENTITY-> m:mail @copy\nm:mail -HASH-> o:token @hash")
    finding: Finding = document.findings()[-1]
    assert [(step.job, step.how, step.target.path) for step in finding.steps] == [
        ("copy", "copied", "mail"),
        ("hash", "masked", "token"),
    ]
    assert finding.forms == ("PSEUDONYMISED",)


def test_every_table_has_rows_as_wide_as_its_head(store: LineageStore) -> None:
    for kind in Kind:
        for _, table in build(store, question(kind)).tables():
            assert isinstance(table, Table)
            assert {len(row) for row in table.rows} <= {len(table.columns)}, table.key
