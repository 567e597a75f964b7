"""What stewards and auditors recorded goes with a store: all questions about persons have the same answers after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.decisions import Alias
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.exposure_changes import exposure_changes
from headwater_backend.privacy.answers.matrix import matrix
from headwater_backend.privacy.answers.policy_check import Outcome, check_policies
from headwater_backend.privacy.answers.reidentification import reidentifications
from headwater_backend.privacy.answers.subject import subject_data
from headwater_backend.privacy.classification import class_lists
from headwater_backend.privacy.classification.decided import Declassification, PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.findings import listing, recording
from headwater_backend.privacy.findings.finding import State
from headwater_backend.privacy.holdings import holdings
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.proposals.listing import proposals
from headwater_backend.privacy.retention.overdue import retention
from headwater_backend.privacy.reviews.sign_off import listed
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind, ReportQuestion
from headwater_backend.reports.signing import sign
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import StoreChangedError, migrate, unchanged
from kit.openlineage import NAMESPACE, at, dataset, event, facet, paths

RULING = Ruling()
NOTE = AuditNote("somebody", "store.fill", "done")
TAGS = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
COLUMNS = ("mail", "straße", "a.b", "iban")
POLICIES = parse_policies(
    """
- policy: keine Adressen im Bericht
  category: user.contact
  dataset: {namespace: "*", name: "*bericht"}
- policy: nothing in copies
  category: user
  dataset: {namespace: "*", name: copy}
  severity: warning
"""
)
STATED = parse_organisation("""processing: [{activity: Sales, outputs: "* kunden", retention: 1 days}]""")
MOMENTS = (5, 8, 30)


def node(name: str, *path: str) -> NodeKey:
    return NodeKey(DatasetKey(NAMESPACE, name), path)


def steward(minute: int, reason: str = "see the „catalogue“") -> Steward:
    return Steward(everything("Änne"), reason, now=at(minute))


def copied(minute: int, job: str, source: str, target: str) -> dict[str, Any]:
    traced = paths(*(([column], source, [column], "IDENTITY") for column in COLUMNS))
    made = dataset(target, *COLUMNS, headwater_pathLineage=traced)
    tagged = {"tags": TAGS} if source == "kunden" else {}
    return event("COMPLETE", minute, f"{job} {minute}", [dataset(source, *COLUMNS, **tagged)], [made], job)


def fill_by_people(store: LineageStore) -> None:
    """A chain of copies, and every kind of record that people and checks make, also revoked and changed ones."""
    events = [copied(1, "copies", "kunden", "copy"), copied(2, "reports", "copy", "bericht")]
    assert all(outcome.stored for outcome in ingest(store, events))
    street, bericht = node("kunden", "straße"), node("bericht", "mail")
    given = (
        PathClass(street, ("user.contact.address",)),
        PathClass(node("kunden", "a.b"), ("user.health_and_medical",)),
    )
    decide(store, Wanted(classes=given, rejected=(node("copy", "iban"),)), steward(3))
    found = check_policies(store, POLICIES, RULING)
    recording.record(store, found, at(4))
    first, second, *_ = [change.finding.id for _, change in listing.findings(store).items]
    recording.decide(store, [first], State.ACKNOWLEDGED, steward(5, "bis März"))
    recording.decide(store, [second], State.RESOLVED, steward(5))
    review = ReportQuestion(Kind.REVIEW, since=at(0), bounds=Bounds(as_of=at(5)))
    sign(store, review, digest(as_json(build(store, review))), steward(6, "gelesen"))
    ended = (
        Declassification(bericht, JobKey(NAMESPACE, "reports"), at(20)),
        Declassification(node("bericht", "straße")),
        Declassification(node("copy", "a.b")),
    )
    decide(store, Wanted(declassified=ended), steward(6))
    decide(
        store, Wanted(classes=(PathClass(street, ()),), reinstated=((node("copy", "a.b"), None),)), steward(7)
    )
    decide(store, Wanted(revoked=(node("kunden", "a.b"),)), steward(8))
    alias = Alias(DatasetKey(NAMESPACE, "kunden"), DatasetKey("lager", "kunden"))
    stewardship.decide(store, stewardship.Wanted((alias,)), steward(9))
    recording.record(store, check_policies(store, POLICIES, RULING), at(10))


def answers(store: LineageStore) -> dict[str, Any]:
    """What every question about persons answers, at several moments."""
    found: dict[str, Any] = {
        "history of classes": class_lists.history(store).items,
        "history of names": stewardship.history(store),
        "findings": listing.findings(store).items,
        "histories": [
            listing.history(store, each.finding.id).items for _, each in listing.findings(store).items
        ],
        "sign-offs": listed(store).items,
        "proposals": proposals(store, RULING).items,
    }
    for minute in MOMENTS:
        bounds = Bounds(as_of=at(minute))
        scope = Scope(influenced=True, bounds=bounds)
        found |= {
            f"exposure {minute}": plain(exposed(store, scope, RULING)),
            f"classes {minute}": class_lists.classes(store, (), as_of=at(minute)).items,
            f"declassifications {minute}": class_lists.declassifications(store, at(minute)).items,
            f"policies {minute}": plain(check_policies(store, POLICIES, RULING, bounds)),
            f"findings {minute}": listing.findings(store, as_of=at(minute)).items,
            f"holdings {minute}": [
                (each.output.node, each.cursor) for each in holdings(store, scope, RULING, Snapshots()).items
            ],
            f"matrix {minute}": plain(matrix(store, scope, RULING, Snapshots())),
            f"subject {minute}": subject_data(store, scope, RULING),
            f"breach {minute}": breach(
                store, (PlacePattern((NAMESPACE, "bericht"), "**", 1),), RULING, bounds
            ),
            f"reidentified {minute}": reidentifications(store, RULING, bounds=bounds),
            f"retention {minute}": plain(retention(store, scope, RULING, STATED)),
            f"report {minute}": as_json(
                build(store, ReportQuestion(Kind.ART30, organisation=STATED, bounds=bounds))
            ),
        }
    since = Scope(bounds=Bounds(as_of=at(12)))
    found["changes"] = exposure_changes(store, since, None, RULING)
    return found


def plain(answer: Any) -> Any:
    """The answer as values that are equal where the answers are."""
    if isinstance(answer, ExposureReport):
        attributes = [
            (each.attribute, each.incomplete, [(out.node, out.arrivals, out.witness) for out in each.outputs])
            for each in answer.attributes
        ]
        return attributes, answer.as_of, answer.incomplete, answer.classification
    return (
        {each.name: plain(getattr(answer, each.name)) for each in fields(answer)}
        if is_dataclass(answer)
        else answer
    )


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[LineageStore]:
    opened = open_store(f"sqlite:///{tmp_path}/filled.db")
    fill_by_people(opened)
    yield opened
    opened.close()


def test_all_questions_about_persons_answer_the_same_in_each_copy(
    filled: LineageStore, store: LineageStore, tmp_path: Path
) -> None:
    third = open_store(f"sqlite:///{tmp_path}/third.db")
    for source, target in pairwise((filled, store, third)):
        assert migrate(source, target, (NOTE, NOTE), lambda _: None).equal
    expected = answers(filled)
    states = {change.finding.state for _, change in expected["findings"]}
    assert states == {State.OPEN, State.RESOLVED, State.CLEARED}
    assert expected["sign-offs"] and expected["proposals"] and expected["history of names"]
    assert Outcome.VIOLATED in {each.outcome for each in expected["policies 5"]["verdicts"]}
    assert len({str(expected[f"exposure {minute}"][0]) for minute in MOMENTS}) == 3
    assert answers(store) == expected
    assert answers(third) == expected
    third.close()


def test_a_copy_can_be_decided_about_further(filled: LineageStore, store: LineageStore) -> None:
    migrate(filled, store, (NOTE, NOTE), lambda _: None)
    for each in (filled, store):
        decide(each, Wanted(revoked=(node("kunden", "straße"),)), steward(40))
        recording.record(each, check_policies(each, POLICIES, RULING), at(41))
        alias = Alias(DatasetKey(NAMESPACE, "kunden"), DatasetKey("lager", "kunden"))
        stewardship.decide(each, stewardship.Wanted(dropped_aliases=(alias.name,)), steward(42))
    assert answers(store) == answers(filled)


def test_a_decision_while_a_store_is_read_is_an_error(filled: LineageStore) -> None:
    with pytest.raises(StoreChangedError), unchanged(filled):
        decide(filled, Wanted(classes=(PathClass(node("copy", "mail"), ("user",)),)), steward(40))
    finding = next(change.finding.id for _, change in listing.findings(filled).items)
    with pytest.raises(StoreChangedError), unchanged(filled):
        recording.decide(filled, [finding], State.RESOLVED, steward(41, "again"))
    review = ReportQuestion(Kind.REVIEW, since=at(5), bounds=Bounds(as_of=at(12)))
    read = digest(as_json(build(filled, review)))
    with pytest.raises(StoreChangedError), unchanged(filled):
        sign(filled, review, read, steward(42))
