"""What nobody has decided about is a gap of every answer about personal data, of every store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headwater_backend.copies import stewardship
from headwater_backend.copies.decisions import Pair
from headwater_backend.copies.gaps import lineage
from headwater_backend.copies.stewardship import Wanted
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, NodeKey, Use
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.exposure_changes import exposure_changes
from headwater_backend.privacy.answers.matrix import matrix
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.answers.reidentification import reidentifications
from headwater_backend.privacy.answers.residency import residency
from headwater_backend.privacy.answers.subject import subject_data
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.organisation.statements import NO_ORGANISATION
from headwater_backend.privacy.retention.overdue import retention
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.lineage import Scope as LineageScope
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, columns, dataset, event, facet

TAGS = facet(tags=[{"key": "data_category", "value": "user.contact.email", "field": "mail"}])
ME = Steward(everything("somebody"), "moved by a script", now=at(60))


def key(name: str) -> DatasetKey:
    return DatasetKey(NAMESPACE, name)


def made(minute: int, source: str, target: str, **figures: int) -> dict[str, Any]:
    """A run that copies the mail of the source, which has the size and the rows, if any."""
    tagged = {"tags": TAGS} if source == "people" else {}
    read = dataset(source, "mail", **tagged)
    out = dataset(target, "mail", columnLineage=columns({"mail": [(source, "mail")]}))
    if figures:
        read = {**read, "inputFacets": {"inputStatistics": facet(**figures)}}
        out = {**out, "outputFacets": {"outputStatistics": facet(**figures)}}
    return event("COMPLETE", minute, f"{target} {minute}", [read], [out], f"to {target}")


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def texts(gaps: tuple[Incomplete, ...]) -> list[str]:
    return [f"{gap.reason} {gap.dataset.name}" for gap in gaps]


def leak(name: str) -> Any:
    return parse_policies(f"- {{policy: p, category: user, dataset: '* {name}'}}")


ANSWERS: dict[str, Callable[[LineageStore], Any]] = {
    "exposure": lambda store: exposed(store, Scope(), Ruling()).incomplete,
    "at": lambda store: exposed(store, Scope(at=NodeKey(key("other"), ())), Ruling()).incomplete,
    "breach": lambda store: breach(store, leak("other"), Ruling()).incomplete,
    "check": lambda store: check_policies(store, leak("other"), Ruling()).verdicts[0].incomplete,
    "subject": lambda store: subject_data(store, Scope(), Ruling()).incomplete,
    "reidentified": lambda store: reidentifications(store, Ruling()).incomplete,
    "matrix": lambda store: (
        matrix(store, Scope(), Ruling(), Snapshots(), organisation=NO_ORGANISATION).incomplete
    ),
    "residency": lambda store: (
        residency(store, Scope(), Ruling(), Snapshots(), policies=(), organisation=NO_ORGANISATION).incomplete
    ),
    "retention": lambda store: retention(store, Scope(), Ruling(), NO_ORGANISATION).incomplete,
    "changes": lambda store: exposure_changes(store, Scope(), at(0), Ruling()).incomplete,
}


@pytest.mark.parametrize("question", ANSWERS)
def test_each_answer_tells_of_an_origin_until_somebody_looked(store: LineageStore, question: str) -> None:
    stored(store, made(1, "people", "report"), made(2, "raw", "other"))
    assert "UNDECIDED_ORIGIN raw" in texts(ANSWERS[question](store))
    look_at(store, "raw")
    assert "UNDECIDED_ORIGIN raw" not in texts(ANSWERS[question](store))


def test_the_record_of_processing_tells_of_it_too(store: LineageStore) -> None:
    stored(store, made(1, "people", "report"), made(2, "raw", "other"))
    document = build(store, ReportQuestion(Kind.ART30, bounds=Bounds(as_of=at(9))))
    assert not document.complete
    look_at(store, "raw")
    later = build(store, ReportQuestion(Kind.EXPOSURE, bounds=Bounds(as_of=at(9))))
    assert later.complete


def test_a_leak_that_an_origin_cannot_reach_does_not_tell_of_it(store: LineageStore) -> None:
    stored(store, made(1, "people", "report"), made(2, "raw", "other"))
    assert texts(breach(store, leak("report"), Ruling()).incomplete) == []
    assert texts(check_policies(store, leak("report"), Ruling()).verdicts[0].incomplete) == []


def test_a_path_that_appeared_after_a_look_is_undecided(store: LineageStore) -> None:
    stored(store, made(1, "people", "report"), made(2, "raw", "other"))
    look_at(store, "raw")
    assert exposed(store, Scope(), Ruling()).complete
    stored(store, event("COMPLETE", 3, "again", [dataset("raw", "mail", "owner")], [dataset("o")], "again"))
    gap = next(each for each in exposed(store, Scope(), Ruling()).incomplete if each.dataset == key("raw"))
    assert (gap.reason, gap.detail.rpartition(": ")[2]) == ("UNDECIDED_ORIGIN", "1 (owner)")


def test_what_was_dropped_is_no_origin_if_a_job_made_it_of_others(store: LineageStore) -> None:
    stored(store, made(1, "people", "stage"), made(2, "stage", "report"), made(3, "raw", "other"))
    dropped = {"lifecycleStateChange": facet(lifecycleStateChange="DROP")}
    for minute, name in ((4, "stage"), (5, "raw")):
        stored(
            store, event("COMPLETE", minute, f"drop {name}", [], [dataset(name, **dropped)], f"drop {name}")
        )
    found = texts(exposed(store, Scope(), Ruling()).incomplete)
    assert [each for each in found if each.startswith("UNDECIDED")] == ["UNDECIDED_ORIGIN raw"]


@pytest.fixture
def copied(store: LineageStore) -> LineageStore:
    """``moved``, which nobody wrote, is as large as ``report``, which holds the mail; both were looked at."""
    stored(store, made(1, "people", "report", rowCount=40, size=5_000))
    stored(store, made(3, "moved", "list", rowCount=40, size=5_000))
    look_at(store, "moved")
    return store


def ways(store: LineageStore) -> dict[str, list[str]]:
    """Of each answer on whose ways the copy is, what it tells."""
    back = lineage(store, NodeKey(key("list"), ("mail",)), Direction.BACKWARD, LineageScope())
    ahead = lineage(store, NodeKey(key("people"), ("mail",)), Direction.FORWARD, LineageScope())
    return {
        "backward": texts(back.incomplete),
        "forward": texts(ahead.incomplete),
        "exposure": texts(exposed(store, Scope(), Ruling()).incomplete),
        "at": texts(exposed(store, Scope(at=NodeKey(key("list"), ())), Ruling()).incomplete),
        "breach": texts(breach(store, leak("list"), Ruling()).incomplete),
        "check": texts(check_policies(store, leak("list"), Ruling()).verdicts[0].incomplete),
    }


def test_each_answer_tells_of_a_probable_copy_until_a_steward_decides(copied: LineageStore) -> None:
    assert {tuple(each) for each in ways(copied).values()} == {("POSSIBLE_COPY moved",)}
    (gap,) = exposed(copied, Scope(), Ruling()).incomplete
    assert gap.detail == f"probably a copy of {NAMESPACE} report"
    pair = Pair(key("moved"), key("report"))
    stewardship.decide(copied, Wanted(refused=(pair,)), ME)
    assert not any(ways(copied).values())
    stewardship.decide(copied, Wanted(confirmed=(pair,)), ME)
    assert not any("POSSIBLE_COPY moved" in each for each in ways(copied).values())
    held = {out.node.dataset.name for out in exposed(copied, Scope(), Ruling()).attributes[0].outputs}
    assert "list" in held


def test_what_a_copy_cannot_reach_does_not_tell_of_it(copied: LineageStore) -> None:
    assert texts(breach(copied, leak("report"), Ruling()).incomplete) == []
    back = lineage(copied, NodeKey(key("report"), ("mail",)), Direction.BACKWARD, LineageScope())
    assert back.complete


def test_what_was_counted_is_found_from_either_side(copied: LineageStore) -> None:
    found = copied.counted_alike([key("moved")], Use.INPUT)
    assert [(each.other.name, each.figure, each.value) for each in found] == [
        (name, figure, value)
        for name in ("list", "report")
        for figure, value in (("rows", 40), ("size", 5_000))
    ]
    back = copied.counted_alike([key("report")], Use.OUTPUT)
    assert {each.other.name for each in back} == {"moved", "people"}
    assert copied.counted_alike([key("people")], Use.OUTPUT) == []
