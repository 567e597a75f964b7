"""What nobody has decided about is a gap of the answers that it concerns, and of no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.answers.policy_check import Outcome, check_policies
from headwater_backend.privacy.classification.decided import (
    Decidable,
    Declassification,
    PathClass,
    Rejection,
    Reviewed,
)
from headwater_backend.privacy.exposure import ExposureReport, Ruling, exposed, exposure
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies, parse_rules
from kit.memory_store import MemoryStore, graph, node
from kit.openlineage import at

EDGES = """
    people:mail -IDENTITY-> report:mail
    depots:place -COMPUTE-> report:near
    depots:place -IDENTITY-> map:place
"""
MAIL = (node("people:mail"), "data_category", "user.contact.email")
RULE = "- {dataset: ns depots, path: place, category: user.location}"


def store_of(*decided: Decidable, edges: str = EDGES, **more: Any) -> MemoryStore:
    made = [DecisionMade(each.subject, micros(at(1)), each.content(), "anna", "checked") for each in decided]
    return MemoryStore(graph(edges), decisions=made, **{"tags": [MAIL], **more})


def gaps(report: ExposureReport) -> list[str]:
    return [f"{gap.reason} {gap.dataset.name}" for gap in report.incomplete]


def looked(name: str, *paths: str) -> Reviewed:
    return Reviewed(node(name), frozenset((path,) for path in paths))


def test_an_origin_that_nobody_decided_about_is_a_gap_once_for_all_its_paths() -> None:
    store = store_of(paths=[node("depots:street_lamps"), node("depots:places")])
    assert gaps(exposure(store)) == ["UNDECIDED_ORIGIN depots"]


def test_what_jobs_write_is_decided_by_what_it_comes_from() -> None:
    edges = "people:mail -IDENTITY-> report:mail\nreport:mail -IDENTITY-> next:email"
    assert exposure(store_of(edges=edges)).complete


@pytest.mark.parametrize(
    "decision",
    [
        PathClass(node("depots:place"), ("user.location",)),
        PathClass(node("depots:place"), ()),
        Rejection(node("depots:place")),
        Declassification(node("depots:place")),
        looked("depots", "place"),
    ],
)
def test_a_decision_about_one_of_its_paths_decides_about_an_origin(decision: Decidable) -> None:
    assert exposure(store_of(decision)).complete


def test_a_rule_on_one_of_its_paths_decides_about_an_origin() -> None:
    assert exposure(store_of(), rules=parse_rules(RULE)).complete


@pytest.mark.parametrize(
    ("key", "value", "complete"),
    [
        ("pii", "true", True),
        ("pii", "false", True),
        ("data_category", "system.operations", True),
        ("layer", "bronze", False),
    ],
)
def test_a_tag_decides_if_it_is_about_personal_data(key: str, value: str, complete: bool) -> None:
    assert exposure(store_of(tags=[MAIL, (node("depots:place"), key, value)])).complete is complete


def test_only_what_can_reach_the_path_that_was_asked_for_is_listed() -> None:
    store = store_of()
    assert gaps(exposed(store, Scope(at=node("report:mail")))) == []
    assert gaps(exposed(store, Scope(at=node("report:near")))) == ["UNDECIDED_ORIGIN depots"]
    assert gaps(exposed(store, Scope(of=node("people")))) == []
    assert gaps(exposed(store, Scope(of=node("depots")))) == ["UNDECIDED_ORIGIN depots"]


def test_a_look_holds_for_the_paths_that_were_known_then() -> None:
    decided: list[Decidable] = [looked("depots", "place"), PathClass(node("depots:place"), ())]
    store = store_of(*decided, paths=[node("depots:owner"), node("depots:since")])
    (gap,) = exposure(store).incomplete
    assert (gap.reason, gap.dataset.name) == ("UNDECIDED_ORIGIN", "depots")
    assert gap.detail == "paths that anna did not know when looking at it on 2026-01-01: 2 (owner, since)"
    later = PathClass(node("depots:owner"), ("user.name",)), PathClass(node("depots:since"), ())
    assert exposure(store_of(*decided, *later, paths=[node("depots:owner"), node("depots:since")])).complete


def test_what_looks_personal_beside_what_is_decided_is_an_open_proposal_and_counted() -> None:
    names = ["phone", "email", "street", "city", "amount"]
    store = store_of(looked("depots", "place"), paths=[node(f"people:{name}") for name in names])
    (gap,) = exposure(store).incomplete
    assert (gap.reason, gap.dataset.name) == ("OPEN_PROPOSAL", "people")
    assert gap.detail == "paths that look personal: 4 (city, email, phone, …)"
    assert exposed(store, Scope(at=node("report:mail"))).complete, "none of them comes there"


@pytest.mark.parametrize("decision", [PathClass(node("people:phone"), ()), Rejection(node("people:phone"))])
def test_a_proposal_that_is_decided_is_not_open(decision: Decidable) -> None:
    store = store_of(decision, looked("depots", "place"), paths=[node("people:phone")])
    assert exposure(store).complete


KEYS = """
    people:mail -IDENTITY-> report:mail
    people:mail -JOIN-> report @join
    report:mail -JOIN-> found @find
    visits:ref -JOIN-> found @find
    visits:place -JOIN-> report @another
    visits:place -IDENTITY-> found:place @find
"""


def test_what_a_job_joins_on_beside_a_copy_of_an_identifier_is_an_open_proposal_and_counted() -> None:
    of_place = PathClass(node("visits:place"), ("user.location",))
    store = store_of(of_place, edges=KEYS, paths=[node("visits:day")])
    for scope in (Scope(), Scope(at=node("found:place"))):
        assert gaps(exposed(store, scope)) == ([] if scope.at else ["OPEN_PROPOSAL visits"])
    (gap,) = exposure(store).incomplete
    assert gap.detail == "paths that look personal: 1 (ref)"
    assert exposure(store_of(of_place, Rejection(node("visits:ref")), edges=KEYS)).complete
    by_age = [(node("people:mail"), "data_category", "user.demographic.age_range")]
    assert exposure(store_of(of_place, edges=KEYS, tags=by_age)).complete


def test_what_is_inside_of_something_classified_is_not_open() -> None:
    tags = [(node("people:person"), "data_category", "user")]
    store = store_of(edges="people:person.mail -IDENTITY-> report:mail", tags=tags)
    assert exposure(store).complete


def test_where_nothing_is_personal_somebody_has_to_have_looked_at_all_origins() -> None:
    assert gaps(exposure(store_of(tags=()))) == ["UNCLASSIFIED "]
    half = [looked("people", "mail")]
    assert gaps(exposure(store_of(*half, tags=()))) == ["UNCLASSIFIED "]
    assert gaps(exposed(store_of(*half, tags=()), Scope(at=node("report:mail")))) == []
    assert exposure(store_of(*half, looked("depots", "place"), tags=())).complete


def test_what_comes_round_in_a_circle_has_no_origin_that_somebody_could_have_looked_at() -> None:
    store = store_of(edges="a:x -IDENTITY-> b:x\nb:x -IDENTITY-> a:x", tags=())
    assert gaps(exposure(store)) == ["UNCLASSIFIED "]


def outcomes(store: MemoryStore, names: Sequence[str]) -> dict[str, Outcome]:
    text = "".join(
        f"- {{policy: {name}, category: user.contact, dataset: ns {name}, allow: [identity]}}\n"
        for name in names
    )
    verdicts = check_policies(store, parse_policies(text), Ruling()).verdicts
    return {each.policy.name: each.outcome for each in verdicts}


def test_a_policy_is_not_known_to_hold_where_data_of_an_undecided_origin_may_come() -> None:
    edges = EDGES + "people:mail -IDENTITY-> list:mail\nreport:near -IDENTITY-> far:near"
    found = outcomes(store_of(edges=edges), ["report", "list", "map", "far", "people", "depots"])
    assert found == {
        "report": Outcome.UNKNOWN,
        "list": Outcome.SATISFIED,
        "map": Outcome.UNKNOWN,
        "far": Outcome.UNKNOWN,
        "people": Outcome.SATISFIED,
        "depots": Outcome.UNKNOWN,
    }
