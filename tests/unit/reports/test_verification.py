"""The verification of reports: one changed byte is found, wherever it is."""

from __future__ import annotations

import io
import json
import random
import zipfile

import pytest

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, digest
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.verification import differences, verify
from kit.reports import IMPRINT, over

HOLDING = [Format.HTML, Format.PDF, Format.XLSX, Format.CSV, Format.JSON]
EDGES = "t:user.mail -IDENTITY-> m:mail @copy\nm:mail -HASH-> o:token @hash"


@pytest.fixture(scope="module")
def document() -> Document:
    return over(EDGES)


@pytest.mark.parametrize("of", HOLDING)
def test_a_file_as_written_is_intact(of: Format, document: Document) -> None:
    found = verify(render(document, IMPRINT, of))
    assert found.format is of
    assert found.same_hash and found.same_bytes and found.intact


@pytest.mark.parametrize("of", HOLDING)
def test_one_changed_byte_is_found_anywhere(of: Format, document: Document) -> None:
    content = render(document, IMPRINT, of)
    chance = random.Random(7)
    for at in chance.sample(range(len(content)), 40):
        changed = bytearray(content)
        changed[at] ^= 1
        try:
            found = verify(bytes(changed))
        except HeadwaterError:
            continue
        assert not found.intact, at


def test_what_is_only_printed_differently_is_found(document: Document) -> None:
    page = render(document, IMPRINT, Format.HTML)
    found = verify(page.replace(b"by job hash", b"by job none"))
    assert found.same_hash and found.same_bytes is False and not found.intact


def test_other_content_with_its_own_hash_is_found_by_asking_again(document: Document) -> None:
    report = as_json(document)
    forged = json.loads(json.dumps(report).replace("PSEUDONYMISED", "MASKED"))
    content = json.dumps({"report": forged, "hash": digest(forged)}).encode()
    assert verify(content).same_hash
    lines = list(differences(forged, report))
    assert any(line.startswith("holders/table/holders: +") and "PSEUDONYMISED" in line for line in lines)


def test_a_report_of_another_version_is_verified_by_its_hash(document: Document) -> None:
    report = {**as_json(document), "version": "0.0.1"}
    found = verify(json.dumps({"report": report, "hash": digest(report)}).encode())
    assert found.intact and found.same_bytes is None


def test_the_same_report_has_no_differences(document: Document) -> None:
    assert list(differences(as_json(document), as_json(over(EDGES)))) == []


def test_differences_name_what_is_new_and_gone(document: Document) -> None:
    other = as_json(over("t:user.mail -IDENTITY-> m:mail @copy\nm:mail -SUM-> p:total @sum"))
    lines = list(differences(as_json(document), other))
    assert any(line.startswith("holders/table/holders: - ") and " o | token" in line for line in lines)
    assert any(line.startswith("holders/table/holders: + ") and " p | total" in line for line in lines)
    assert any(line.startswith("basis/facts/basis: + graph: sha256:") for line in lines)


def _archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x", "y")
    return out.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"text", b"{}", b"%PDF-1.7", b"PK", _archive(), b'{"report": {}, "hash": 1}']
)
def test_another_file_is_no_report(content: bytes) -> None:
    with pytest.raises(ReportUnreadable):
        verify(content)
