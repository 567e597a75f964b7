"""Data that were copied without any producer's report are proposed, confirmed and refused, in every store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater_backend.copies import stewardship
from headwater_backend.copies.decisions import Pair
from headwater_backend.copies.gaps import lineage
from headwater_backend.copies.proposals import proposals, undecided_copies
from headwater_backend.copies.stewardship import Wanted
from headwater_backend.domain.errors import BadQuestion, Forbidden, UnknownDataset
from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposure
from headwater_backend.privacy.files import parse_rules
from headwater_backend.questions.lineage import Scope
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, closure, columns, dataset, event, facet, run_id

PEOPLE, COPY, REPORT = (DatasetKey(NAMESPACE, name) for name in ("people", "moved", "report"))
PAIR = Pair(COPY, PEOPLE)
ME = Steward(everything("somebody"), "moved by a script", now=at(60))
RULE = "- {dataset: {namespace: test, name: source}, path: mail, category: user.contact.email}"
SOURCE = NodeKey(DatasetKey(NAMESPACE, "source"), ("mail",))


def counted(part: dict[str, Any], kind: str, **figures: int) -> dict[str, Any]:
    return {**part, f"{kind}Facets": {f"{kind}Statistics": facet(**figures)}}


def written(minute: int, source: str = "source", size: int = 5_000) -> dict[str, Any]:
    """A run that makes ``people`` anew."""
    anew = {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        "headwater_extent": facet(replaced="WHOLE"),
    }
    out = dataset("people", "mail", columnLineage=columns({"mail": [(source, "mail")]}), **anew)
    out = counted(out, "output", rowCount=40, size=size)
    return event("COMPLETE", minute, f"write {minute}", [dataset(source, "mail")], [out], job="write")


def read(minute: int) -> dict[str, Any]:
    """A run that reads ``moved``, which nobody wrote."""
    part = counted(dataset("moved", "mail"), "input", rowCount=40, size=5_000)
    out = dataset("report", "mail", columnLineage=columns({"mail": [("moved", "mail")]}))
    return event("COMPLETE", minute, f"read {minute}", [part], [out], job="read")


@pytest.fixture
def copied(store: LineageStore) -> LineageStore:
    assert all(each.stored for each in ingest(store, [written(1), read(3)]))
    return store


def reached(store: LineageStore) -> set[DatasetKey]:
    return {node.dataset for node in closure(store, SOURCE, Direction.FORWARD)}


def test_a_dataset_that_nobody_wrote_is_proposed_as_a_copy(copied: LineageStore) -> None:
    (found,) = proposals(copied)
    assert (found.dataset, found.original) == (COPY, PEOPLE)
    assert found.why == (
        "the same size (5,000 bytes)",
        "the same number of rows (40)",
        "the same columns",
    )
    assert reached(copied) == {PEOPLE}


def test_a_confirmed_copy_is_lineage(copied: LineageStore) -> None:
    (made,) = stewardship.decide(copied, Wanted(confirmed=(PAIR,)), ME)
    assert proposals(copied) == []
    assert reached(copied) == {PEOPLE, COPY, REPORT}
    assert stewardship.decide(copied, Wanted(confirmed=(PAIR,)), ME) == ()
    assert stewardship.history(copied) == [made]


@pytest.mark.parametrize("confirmed", [True, False])
def test_what_was_copied_is_still_looked_for_after_the_original_was_replaced(
    copied: LineageStore, confirmed: bool
) -> None:
    decision = Wanted(confirmed=(PAIR,)) if confirmed else Wanted(refused=(PAIR,))
    stewardship.decide(copied, decision, ME)
    ingest(copied, [written(9, source="other")])
    look_at(copied, "other", "moved")
    found = exposure(copied, rules=parse_rules(RULE))
    assert [gap.reason for gap in found.incomplete] == ["EARLIER_LINEAGE"] * confirmed


def writes_over(minute: int, *, whole: bool) -> dict[str, Any]:
    """A run that reads ``moved``, gives it another column, and writes it again, or appends to it."""
    lineage = columns({"mail": [("moved", "mail")], "city": [("source", "mail")]})
    anew = {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        "headwater_extent": facet(replaced="WHOLE"),
    }
    out = dataset("moved", "mail", "city", columnLineage=lineage, **(anew if whole else {}))
    part = counted(dataset("moved", "mail"), "input", rowCount=40)
    return event("COMPLETE", minute, f"run {minute}", [part], [out], job=f"job {minute}")


@pytest.mark.parametrize("whole", [True, False])
def test_a_copy_that_a_job_writes_to_stays_a_copy(store: LineageStore, *, whole: bool) -> None:
    assert all(each.stored for each in ingest(store, [written(1), writes_over(3, whole=whole)]))
    (found,) = proposals(store)
    assert (found.dataset, found.original) == (COPY, PEOPLE)
    assert found.why == ("the same number of rows (40)", "the same columns"), "as it was read"
    look_at(store, "source")
    (gap,) = exposure(store, rules=parse_rules(RULE)).incomplete[-1:]
    assert (gap.reason, gap.dataset) == ("UNDECIDED_ORIGIN", COPY)


def test_what_was_made_of_a_copy_before_it_was_replaced_still_comes_from_it(copied: LineageStore) -> None:
    ingest(copied, [over := written(5)])
    over["outputs"][0]["name"], over["run"]["runId"] = "moved", run_id("over")
    ingest(copied, [over])
    assert [(found.dataset, found.original) for found in proposals(copied)] == [(COPY, PEOPLE)]
    emptied = dataset("report", lifecycleStateChange=facet(lifecycleStateChange="DROP"))
    ingest(copied, [event("COMPLETE", 7, "drop", [], [emptied], job="drop")])
    assert proposals(copied) == []
    assert [found.dataset for found in undecided_copies(copied, as_of=at(6))] == [COPY]


def test_a_dataset_that_was_written_before_it_was_read_is_no_copy(store: LineageStore) -> None:
    first = written(1)
    first["outputs"][0]["name"] = "moved"
    assert all(each.stored for each in ingest(store, [written(0), first, read(3)]))
    assert proposals(store) == []
    assert store.found_there().keys() == {DatasetKey(NAMESPACE, "source")}


def appended(minute: int, kind: str = "COMPLETE", *, found: bool = True) -> dict[str, Any]:
    """A run that appends to ``moved``, where it finds data, and one that ends otherwise."""
    extent = {"headwater_extent": facet(replaced="NONE", found=True)} if found else {}
    out = dataset("moved", "mail", columnLineage=columns({"mail": [("source", "mail")]}), **extent)
    made = event(kind, minute, f"append {minute}", [dataset("source", "mail")], [out], job="append")
    made["job"]["facets"] = {"jobType": facet(processingType="BATCH", integration="SPARK")}
    return made


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        ([appended(1)], True),
        ([appended(1, found=False)], False),
        ([appended(1, "FAIL"), appended(2)], True),
        ([appended(1, found=False), appended(2)], False),
        ([appended(1), appended(2, found=False)], True),
    ],
    ids=["found", "nothing there", "tried again", "of a job", "goes on"],
)
def test_what_a_first_append_found_is_nobodys(
    store: LineageStore, runs: list[dict[str, Any]], *, found: bool
) -> None:
    assert all(each.stored for each in ingest(store, runs))
    assert (COPY in store.found_there()) is found
    assert (COPY in store.found_there([COPY])) is found
    gaps = exposure(store, rules=parse_rules(RULE)).incomplete
    assert any(gap.reason == "UNDECIDED_ORIGIN" and gap.dataset == COPY for gap in gaps) is found


def test_what_an_append_found_is_gone_when_all_is_replaced(store: LineageStore) -> None:
    over = written(3)
    over["outputs"][0]["name"] = "moved"
    assert all(each.stored for each in ingest(store, [appended(1), over]))
    assert COPY not in store.found_there()
    assert COPY in store.found_there(as_of=at(2))


def test_a_refused_copy_is_not_proposed_again_until_it_is_reopened(copied: LineageStore) -> None:
    stewardship.decide(copied, Wanted(refused=(PAIR,)), ME)
    assert proposals(copied) == []
    assert reached(copied) == {PEOPLE}
    stewardship.decide(copied, Wanted(reopened=(PAIR,)), ME)
    assert [found.dataset for found in proposals(copied)] == [COPY]


def test_a_confirmation_that_is_taken_back_is_no_lineage(copied: LineageStore) -> None:
    stewardship.decide(copied, Wanted(confirmed=(PAIR,)), ME)
    stewardship.decide(copied, Wanted(reopened=(PAIR,)), ME)
    assert reached(copied) == {PEOPLE}


def test_a_dry_run_decides_nothing(copied: LineageStore) -> None:
    assert stewardship.decide(copied, Wanted(confirmed=(PAIR,)), ME, dry_run=True)
    assert reached(copied) == {PEOPLE}
    assert stewardship.history(copied) == []


def test_a_decision_is_in_the_audit_log_with_its_reason(copied: LineageStore) -> None:
    stewardship.decide(copied, Wanted(confirmed=(PAIR,)), ME)
    (entry,) = [each for each in copied.audit() if each.action == stewardship.ACTION]
    details = {"dataset": "test moved", "original": "test people", "reason": "moved by a script"}
    assert (entry.actor, entry.result, json.loads(entry.details)) == ("somebody", "confirmed", details)


def test_what_makes_no_sense_is_refused(copied: LineageStore) -> None:
    unknown = Pair(DatasetKey(NAMESPACE, "nobody's"), PEOPLE)
    both = Wanted(confirmed=(PAIR,), refused=(PAIR,))
    stranger = Steward(Caller("other", frozenset({Role.STEWARD}), ("elsewhere",)), "mine")
    for wanted, error in (
        (Wanted(confirmed=(unknown,)), UnknownDataset),
        (Wanted(confirmed=(Pair(PEOPLE, PEOPLE),)), BadQuestion),
        (Wanted(reopened=(PAIR,)), BadQuestion),
        (both, BadQuestion),
    ):
        with pytest.raises(error):
            stewardship.decide(copied, wanted, ME)
    with pytest.raises(Forbidden):
        stewardship.decide(copied, Wanted(refused=(PAIR,)), stranger)
    assert stewardship.history(copied) == []


def in_database(minute: int, name: str, source: str) -> dict[str, Any]:
    """A run that writes a table of a database."""
    out = dataset(name, "mail", columnLineage=columns({"mail": [(source, "mail")]}))
    out["namespace"] = SHOP
    return event("COMPLETE", minute, f"load {name}", [dataset(source, "mail")], [out], job=f"load {name}")


SHOP = "postgres://shop"
SPELLINGS = DatasetKey(SHOP, "people"), DatasetKey(SHOP, "PUBLIC.People")


def test_a_table_that_is_written_in_two_spellings_may_be_one(store: LineageStore) -> None:
    one, other = SPELLINGS
    assert all(
        each.stored
        for each in ingest(store, [in_database(1, one.name, "source"), in_database(2, other.name, "else")])
    )
    assert {(each.dataset, each.original) for each in proposals(store)} == {(one, other), (other, one)}
    assert "POSSIBLE_COPY" in {gap.reason for gap in exposure(store, rules=parse_rules(RULE)).incomplete}
    for key in SPELLINGS:
        node = NodeKey(key, ("mail",))
        found = lineage(store, node, Direction.BACKWARD, Scope())
        assert "POSSIBLE_COPY" in {gap.reason for gap in found.incomplete}
    stewardship.decide(store, Wanted(refused=(Pair(other, one),)), ME)
    assert proposals(store) == []
