"""The reports of a company with nine jobs, as a data protection officer reads them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest

from headwater_backend.domain.errors import RulesError
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.reports.document.canonical import as_json
from headwater_backend.reports.document.model import Document, Facts, Lines, Paragraph, Table
from headwater_backend.reports.formats.annex import is_printed
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Language, words
from headwater_backend.reports.verification import verify
from kit import nine_jobs
from kit.reports import IMPRINT, question

pypdf = pytest.importorskip("pypdf")
openpyxl = pytest.importorskip("openpyxl")

ARTICLES = (Kind.ART30, Kind.ART30_PROCESSOR, Kind.ART15, Kind.ART17, Kind.ART33)
PAGES = 15
"""The most that somebody reads, of which one is for the signature."""
Made = Callable[..., Document]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Builds a report of the company."""
    with closing(nine_jobs.company(tmp_path_factory.mktemp("company"))) as store:
        yield lambda kind, **more: _report(store, kind, **more)


def _report(store: LineageStore, kind: Kind, **more: Any) -> Document:
    if kind is Kind.ART33:
        more.setdefault("leaked", (PlacePattern(("s3://lake", "core/orders"), "**", 1),))
    given = {"ruling": nine_jobs.ruling(), "organisation": nine_jobs.organisation()}
    return build(store, question(kind, **{**given, **more}))


def table(document: Document, key: str) -> Table:
    return next(table for _, table in document.tables() if table.key == key)


def fact(document: Document, section: str, key: str) -> tuple[str, ...]:
    found = document.section(section)
    assert found
    blocks = [block for block in found.blocks if isinstance(block, Facts)]
    return next(each.values for block in blocks for each in block.facts if each.key == key)


def notices(document: Document, section: str) -> str:
    found = document.section(section)
    return "\n".join(each.text for each in found.blocks if isinstance(each, Paragraph)) if found else ""


def pages(document: Document) -> list[str]:
    reader = pypdf.PdfReader(io.BytesIO(render(document, IMPRINT, Format.PDF)))
    return [page.extract_text() for page in reader.pages]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", ARTICLES)
def test_it_is_short_with_a_page_to_sign_and_contents_with_page_numbers(
    kind: Kind, language: Language, made: Made
) -> None:
    document = made(kind, language=language)
    found = pages(document)
    assert len(found) <= PAGES
    summary = document.sections[0]
    assert isinstance(summary.blocks[-1], Lines)
    assert all(label in found[0] for label in summary.blocks[-1].labels)
    for section in document.sections[1:]:
        (number,) = re.findall(re.escape(section.title) + r"[\s.]*(\d+)$", found[1], re.MULTILINE)[:1]
        assert section.title in found[int(number) - 1]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", ARTICLES)
def test_no_caption_and_no_introduction_of_a_table_is_alone_at_the_end_of_a_page(
    kind: Kind, language: Language, made: Made
) -> None:
    document = made(kind, language=language)
    titles = {table.title for _, table in document.tables()}
    introductions = {
        block.text
        for section in document.sections
        for block, below in pairwise(section.blocks)
        if isinstance(block, Paragraph) and not block.notice and isinstance(below, Table)
    }
    for page in pages(document):
        *_, above, _ = page.strip().splitlines()  # the last line is the footer
        assert above not in titles | introductions


def test_periods_are_in_the_language_of_the_report(made: Made) -> None:
    document = made(Kind.ART30, language=Language.DE)
    assert {row[1] for row in table(document, "periods").rows} == {"3 Jahre", "10 Jahre", "nicht angegeben"}
    assert fact(document, "activity_1", "retention") == ("3 Jahre",)
    document = made(Kind.ART15, language=Language.DE)
    assert "years" not in str(document)


@pytest.mark.parametrize("language", Language)
def test_what_is_not_stated_is_printed_only_where_it_is_asked_for(language: Language, made: Made) -> None:
    missing = "nicht angegeben" if language is Language.DE else "not stated"
    for kind in ARTICLES:
        assert sum(page.count(missing) for page in pages(made(kind, language=language))) < 10, kind


def test_each_activity_has_a_page_that_can_be_handed_out_alone(made: Made) -> None:
    document = made(Kind.ART30)
    found = [page for page in pages(document)[2:] if "Activity: " in page]
    assert len(found) == 4
    for page in found:
        assert "Beispiel Versand GmbH" in page and "dpo@beispiel.example" in page
        assert page.count("Activity: ") == 1
    (newsletter,) = (page for page in found if "Activity: Newsletter" in page)
    assert "Mailer Inc., United States (US)" in newsletter and "marketing by e-mail" in newsletter


def test_a_page_that_is_handed_out_alone_says_what_it_may_lack(made: Made) -> None:
    alone = {each.title: notices(made(Kind.ART30), each.key) for each in made(Kind.ART30).sections}
    assert "newsletter_export" in alone["Activity: Kundenkonten"]
    assert "newsletter_export" not in alone["Activity: Gehaltsabrechnung"]
    assert all(
        "known gaps (3)" in alone[f"Activity: {each}"] for each in ("Kundenkonten", "Gehaltsabrechnung")
    )
    assert "known gaps" in notices(made(Kind.ART30_PROCESSOR), "client_1")


def test_recipients_are_those_that_are_stated_downstream_of_an_activity(made: Made) -> None:
    document = made(Kind.ART30)
    recipients = {row[0]: row[6] for row in table(document, "activities").rows}
    assert recipients["Kundenkonten"] == ("Mailer Inc.",)
    assert recipients["Bestellungen"] is None
    assert {row[0] for row in table(document, "recipients").rows} == {"Mailer Inc.", "Steuerbüro Nord"}
    assert {row[1] for row in table(document, "ends").rows} == {"figures/revenue_by_city", "support/cases"}
    listed = [
        row for key in ("activities", "recipients", "ends", "uncovered") for row in table(document, key).rows
    ]
    assert not any("driver://" in str(row) or "newsletter_export" in str(row) for row in listed)
    assert "not known: newsletter_export" in notices(document, "recipients")


def test_a_processors_record_has_what_is_done_for_each_controller(made: Made) -> None:
    text = nine_jobs.ORGANISATION.replace(
        "{name: Nord Handel AG, contact: privacy@nord.example}",
        "{name: Nord Handel AG, activities: [Newsletter, Bestellungen]}",
    )
    document = made(Kind.ART30_PROCESSOR, organisation=parse_organisation(text))
    first, other = document.section("client_1"), document.section("client_2")
    assert first and first.own_page and first.title == "On behalf of Nord Handel AG"
    (done,) = (block for block in first.blocks if isinstance(block, Table))
    assert [row[:2] for row in done.rows] == [
        ("Bestellungen", "essential.service.payment_processing"),
        ("Newsletter", "marketing.communications.email"),
    ]
    assert done.rows[1][-1] == (
        "Mailer Inc., United States (US): Standardvertragsklauseln, Art. 46 Abs. 2 Buchst. c",
    )
    assert other and "not stated which activities" in notices(document, "client_2")
    assert "Kundenkonten, Gehaltsabrechnung" in notices(document, "for_nobody")


def test_an_activity_of_a_client_has_to_be_stated() -> None:
    with pytest.raises(RulesError, match="activity that is stated"):
        parse_organisation("on_behalf_of: [{name: A, activities: [Orderz]}]")


def test_a_notification_has_whose_data_leaked_and_what_the_law_asks_for(made: Made) -> None:
    document = made(Kind.ART33)
    assert fact(document, "persons", "subjects") == ("customers",)
    (deadline,) = fact(document, "nature", "deadline")
    assert deadline.startswith("2026-11-23 08:15")
    keys = [each.key for each in document.sections]
    assert keys[:7] == ["status", "nature", "persons", "contact", "consequences", "taken", "informed"]
    assert keys.index("consequences") < keys.index("leaked")
    assert "readable values of 6 attributes" in fact(document, "consequences", "signs")
    assert "Risk to the persons as stated" in fact(document, "follow_up", "missing")
    assert "does not release from informing" in notices(document, "informed")
    assert "delay" not in str(as_json(document)["sections"][1])


def test_whose_data_leaked_is_known_from_the_way_and_else_stated_not_to_be(made: Made) -> None:
    cases = (PlacePattern(("s3://lake", "support/cases"), "**", 1),)
    assert fact(made(Kind.ART33, leaked=cases), "persons", "subjects") == ("customers",)
    nothing = made(Kind.ART33, leaked=cases, organisation=parse_organisation("measures: [a]"))
    assert "not stated whose data" in notices(nothing, "persons")


def test_a_late_notification_needs_reasons(made: Made) -> None:
    text = nine_jobs.ORGANISATION + "  notified: 2026-11-25\n"
    document = made(Kind.ART33, organisation=parse_organisation(text))
    assert "later than 72 hours" in notices(document, "nature")
    assert fact(document, "nature", "delay") == ()


@pytest.mark.parametrize("notified", ["2026-11-23", "2026-11-23T08:00Z", "by telephone"])
def test_where_the_times_do_not_tell_whether_it_was_late_the_report_says_so(
    made: Made, notified: str
) -> None:
    text = f"{nine_jobs.ORGANISATION}  notified: {notified}\n"
    document = made(Kind.ART33, organisation=parse_organisation(text))
    assert "is not known from the times that are stated" in notices(document, "nature")
    assert fact(document, "nature", "delay") == ()


def test_where_not_all_of_a_leak_is_known_readable_values_may_be_in_it(made: Made) -> None:
    opaque = (PlacePattern(("s3://lake", "support/cases"), "note", 1),)
    found = notices(made(Kind.ART33, leaked=opaque), "informed")
    assert "No leaked value is known to be readable" in found
    assert "values that can be read may be among it" in found
    assert "may be among it" not in notices(made(Kind.ART33), "informed")


def test_what_is_readable_in_another_notation_is_not_merely_computed(made: Made) -> None:
    forms = {row[1:3]: row[4] for row in table(made(Kind.ART30), "categories").rows}
    assert forms["core/customers", "user.contact.email"] == ("CONTAINED",)
    assert forms["export/newsletter", "user.contact.address.city"] == ("CONTAINED",)
    assert forms["raw/customers", "user.contact.email"] == ("IDENTITY",)
    assert forms["figures/orders", "user.contact.phone_number"] == ("TRANSFORMED",)
    leak = made(Kind.ART33)
    assert table(leak, "leaked_forms").rows == ((("IDENTITY",), 4), (("CONTAINED",), 2))
    assert "holds it in another notation" in "\n".join(pages(leak))


def test_hashes_with_and_without_a_key_differ_and_checksums_are_no_measures(made: Made) -> None:
    keyed = nine_jobs.rules_text() + (
        '\n- {dataset: {namespace: "s3://lake", name: raw/orders}, path: customer_id, category: user.unique_id}'
    )
    document = made(Kind.ART30, ruling=nine_jobs.ruling(keyed))
    found = {row[-1]: row[3:5] for row in table(document, "protections").rows}
    assert found == {
        ("sha2",): (("PSEUDONYMISED",), ("BARE",)),
        ("hmac",): (("PSEUDONYMISED",), ("KEYED",)),
    }
    assert [row[-1] for row in table(document, "shortened").rows] == [("crc32", "hash")]


def test_purposes_and_categories_have_labels_in_both_languages(made: Made) -> None:
    for kind in (Kind.ART30, Kind.ART15, Kind.ART33):
        text = "\n".join(pages(made(kind, language=Language.DE)))
        assert "E-Mail-Adresse" in text and "user.contact" not in text, kind
        english = "\n".join(pages(made(kind)))
        assert "e-mail address" in english and "user.contact" not in english, kind
    assert "Werbung per E-Mail" in "\n".join(pages(made(Kind.ART30, language=Language.DE)))


@pytest.mark.parametrize("language", Language)
def test_information_for_a_person_has_no_rules_and_no_codes(language: Language, made: Made) -> None:
    document = made(Kind.ART15, language=language)
    text = "\n".join(pages(document))
    assert "line 2" not in text and "Zeile 2" not in text and "UNDECIDED_ORIGIN\n" not in text
    rows = {row[0]: row for row in table(document, "your_data").rows}
    assert rows["user.contact.email"][2:5] == (
        (
            "essential.service",
            "essential.service.payment_processing",
            "marketing.communications.email",
            "employment",
        ),
        ("contract", "consent", "legal_obligation"),
        tuple(
            f"{name}, {words(language).country(code)}"
            for name, code in (("Mailer Inc.", "US"), ("Steuerbüro Nord", "DE"))
        ),
    )
    assert "gap_counts" in {each.key for _, each in document.tables()}
    assert [column.key for column in table(document, "gap_counts").columns] == ["reason", "count"]


def test_the_annex_has_what_is_not_printed_and_the_file_is_verified(made: Made) -> None:
    document = made(Kind.ART30)
    content = render(document, IMPRINT, Format.PDF)
    assert verify(content).intact and verify(content).same_bytes
    (annex,) = pypdf.PdfReader(io.BytesIO(content)).attachments["annex.xlsx"]
    book = openpyxl.load_workbook(io.BytesIO(annex))
    left = [each for _, each in document.tables() if not is_printed(each)]
    assert left
    sizes = [sheet.max_row - 1 for sheet in book.worksheets]
    assert all(len(each.rows) in sizes for each in left)
    assert "88 rows, in the attached annex.xlsx" in "\n".join(pages(document)).replace("\n", " ")


def test_drawings_are_made_on_demand(made: Made) -> None:
    plain, drawn = made(Kind.ART30), made(Kind.ART30, drawings=True)
    assert len(pages(drawn)) > len(pages(plain)) + 3
    assert plain.findings() == drawn.findings()
