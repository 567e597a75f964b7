"""Signed reviews: what is signed, and since when changes are not reviewed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.exposure_changes import NOT_AS_SIGNED, exposure_changes
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.reviews.last_review import last_review
from headwater_backend.privacy.reviews.sign_off import SignOff, listed
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.document.model import Document, Facts, Paragraph, Table
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.languages.catalogue import Language
from headwater_backend.reports.signing import sign
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import migrate
from kit.openlineage import NAMESPACE, START_OF_TIME, at, dataset, event, facet, paths

MAIL = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
PEOPLE = NodeKey(DatasetKey(NAMESPACE, "people"), ())


def job(minute: int, output: str) -> dict[str, Any]:
    """A run of a job of that output, which copies the mail address."""
    copied = paths((["a"], "people", ["mail"], "IDENTITY"))
    written = dataset(output, "a", "b", headwater_pathLineage=copied)
    return event("COMPLETE", minute, output, [dataset("people", "mail", tags=MAIL)], [written], output)


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def review(since: int | None, until: int, **more: Any) -> ReportQuestion:
    moment = None if since is None else at(since)
    return ReportQuestion(Kind.REVIEW, since=moment, bounds=Bounds(as_of=at(until)), **more)


def signed(store: LineageStore, question: ReportQuestion, by: str = "Ada", reason: str = "read") -> SignOff:
    """The sign-off of the report, a minute after its moment."""
    read = digest(as_json(build(store, question)))
    assert question.bounds.as_of
    return sign(store, question, read, Steward(everything(by), reason, now=_later(question.bounds.as_of)))


def _later(moment: datetime) -> datetime:
    return moment.replace(second=30)


def until(store: LineageStore, moment: int, **scope: Any) -> datetime:
    """The moment of the last review."""
    return last_review(store, Scope(bounds=Bounds(as_of=at(moment)), **scope), at(moment)).report.as_of


def new(store: LineageStore, until: int) -> list[str]:
    """The datasets of changes since the last signed review."""
    found = exposure_changes(store, Scope(bounds=Bounds(as_of=at(until))), None, Ruling())
    return [change.node.dataset.name for change in found.changes]


def blocks(document: Document, section: str) -> list[Any]:
    found = document.section(section)
    return list(found.blocks) if found else []


def test_changes_are_those_since_the_last_signed_review(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    with pytest.raises(BadQuestion, match="no signed review covers this question"):
        new(store, 5)
    with pytest.raises(BadQuestion, match="no signed review covers this question"):
        build(store, review(None, 5))
    first = signed(store, review(0, 5))
    stored(store, job(6, "two"))
    assert new(store, 9) == ["two"]
    document = build(store, review(None, 9))
    assert document.question["since"] == at(5).isoformat()
    (facts,) = (block for block in blocks(document, "previous_review") if isinstance(block, Facts))
    assert {fact.key: fact.values for fact in facts.facts} == {
        "signed_by": ("Ada",),
        "signed_at": ("2026-01-01 00:05:30 UTC",),
        "signed_reason": ("read",),
        "signed_hash": (first.report.hash,),
    }
    assert as_json(build(store, review(5, 9))) == as_json(document)
    signed(store, review(5, 9))
    assert new(store, 12) == []


def test_a_sign_off_is_kept_for_good_and_goes_to_another_store(store: LineageStore, tmp_path: Path) -> None:
    stored(store, job(1, "one"))
    first = signed(store, review(0, 5))
    assert signed(store, review(0, 5)) == first
    signed(store, review(0, 5), by="Bea")
    found = [each for _, each in listed(store).items]
    assert [(each.by, each.report) for each in found] == [("Bea", first.report), ("Ada", first.report)]
    assert (first.report.kind, first.report.since, first.report.complete) == ("review", START_OF_TIME, True)
    assert [each for _, each in listed(store, kind="art30").items] == []
    notes = [each for each in store.audit() if each.action == "sign-offs"]
    assert [(each.actor, each.result) for each in notes] == [("Ada", "signed"), ("Bea", "signed")]
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    done = AuditNote("Ada", "store.export", "done")
    migrate(store, other, (done, done), lambda *_: None)
    assert [each for _, each in listed(other).items] == found
    other.close()


def test_only_what_still_has_the_same_answer_is_signed(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    read = digest(as_json(build(store, review(0, 5))))
    stored(store, job(2, "two"))
    steward = Steward(everything("Ada"), "read", now=at(9))
    with pytest.raises(BadQuestion, match="has another answer now"):
        sign(store, review(0, 5), read, steward)
    with pytest.raises(BadQuestion, match="is in the future"):
        sign(store, review(0, 15), read, steward)
    with pytest.raises(BadQuestion, match="a reason is needed"):
        sign(store, review(0, 5), read, Steward(everything("Ada"), " ", now=at(9)))
    with pytest.raises(BadQuestion, match=r"lists 1 of 2 changes"):
        signed(store, review(0, 5, rows=1))
    assert not listed(store).items


def test_nothing_is_signed_where_nothing_is_classified(store: LineageStore) -> None:
    stored(store, event("COMPLETE", 1, "run", [dataset("in", "x")], [dataset("out", "x")], "job"))
    with pytest.raises(BadQuestion, match="nothing is classified as personal"):
        signed(store, review(0, 5))


def test_a_review_of_a_part_does_not_stand_for_all(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    signed(store, review(0, 5, category="user.contact"))
    signed(store, review(0, 6, of=PEOPLE))
    signed(store, review(0, 7), by="Bea")
    assert until(store, 8) == at(7)
    stored(store, job(9, "two"))
    signed(store, review(5, 10, category="user.contact"))
    assert until(store, 11) == at(7)
    assert until(store, 11, category="user.contact.email") == at(10)
    assert until(store, 11, category="user.name") == at(7)
    assert until(store, 11, of=NodeKey(PEOPLE.dataset, ("mail",))) == at(7)


def test_a_shallow_review_does_not_stand_for_a_deep_one(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    shallow = ReportQuestion(Kind.REVIEW, since=START_OF_TIME, bounds=Bounds(depth=0, as_of=at(5)))
    signed(store, shallow)
    with pytest.raises(BadQuestion, match="no signed review covers"):
        until(store, 8)
    with pytest.raises(BadQuestion, match="no signed review covers"):
        until(store, 8, influenced=True)
    assert last_review(store, Scope(bounds=Bounds(depth=0)), at(8)).report.as_of == at(5)


def test_what_changed_between_two_reviews_is_not_reviewed(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    signed(store, review(0, 3))
    stored(store, job(4, "two"), job(6, "three"))
    signed(store, review(5, 7))
    assert until(store, 8) == at(3)
    assert new(store, 8) == ["three", "two"]
    signed(store, review(3, 8))
    assert until(store, 9) == at(8)


def test_what_came_late_or_was_classified_since_is_a_gap(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    signed(store, review(0, 5))
    bounds = Bounds(as_of=at(9))
    assert exposure_changes(store, Scope(bounds=bounds), None, Ruling()).complete
    stored(store, job(2, "late"))
    found = exposure_changes(store, Scope(bounds=bounds), None, Ruling())
    assert (found.changes, found.complete) == ((), False)
    assert [gap.reason for gap in found.incomplete_before] == [NOT_AS_SIGNED]
    of_people = exposure_changes(store, Scope(of=PEOPLE, bounds=bounds), None, Ruling())
    assert [gap.reason for gap in of_people.incomplete_before] == [NOT_AS_SIGNED]
    document = build(store, review(None, 9, language=Language.DE))
    assert not document.complete
    (gaps,) = (table for _, table in document.tables() if table.key == "gaps")
    assert [row[4:6] for row in gaps.rows] == [(NOT_AS_SIGNED, gaps.rows[0][5])]
    assert str(gaps.rows[0][5]).startswith(
        "von diesem Zeitpunkt ist anderes bekannt, als Ada unterzeichnet hat"
    )
    notices = blocks(document, "previous_review")
    assert any(isinstance(block, Paragraph) and block.notice for block in notices)


def test_decisions_since_the_review_are_listed(store: LineageStore) -> None:
    stored(store, job(1, "one"))
    signed(store, review(0, 5))
    node = NodeKey(DatasetKey(NAMESPACE, "one"), ("b",))
    wanted = Wanted(classes=(PathClass(node, ("user.name",)),))
    decide(store, wanted, Steward(everything("Bea"), "names are there", now=at(7)))
    document = build(store, review(None, 9))
    (table,) = (block for block in blocks(document, "class_decisions") if isinstance(block, Table))
    assert [row[1:] for row in table.rows] == [("test one b: user.name", "Bea", "names are there")]
    assert any(isinstance(block, Paragraph) and block.notice for block in blocks(document, "previous_review"))
