"""Rows of which nobody saw where the program has them from: answers about them say so, and others are left alone."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.policy_check import Outcome, check_policies
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies, parse_rules
from headwater_backend.questions.lineage import Scope as Wide
from headwater_backend.questions.lineage import lineage
from kit.looked import look_at
from kit.openlineage import NAMESPACE, REPLACED, dataset, event, paths

RULING = Ruling(parse_rules("- {dataset: '* patients', path: ssn, category: user.government_id}"))
GAP = [
    {"reason": "PROGRAM", "paths": [["label"]], "detail": "rows of the program: nobody saw what else it read"}
]


def node(name: str, *path: str) -> NodeKey:
    return NodeKey(DatasetKey(NAMESPACE, name), path)


def stored(store: LineageStore) -> LineageStore:
    """``patients`` and a program's rows become ``labelled``, then ``copied``; ``apart`` has no such rows."""
    joined = {**paths((["ward"], "patients", ["ward"], "IDENTITY")), "complete": False, "incomplete": GAP}
    traced = [
        event(
            "COMPLETE",
            1,
            "run 1",
            [dataset("patients", "ward", "ssn")],
            [dataset("labelled", "ward", "label", headwater_pathLineage=joined)],
            "joins",
        ),
        _copy(2, "labelled", "copied", "label"),
        _copy(3, "patients", "apart", "ward"),
        _copy(4, "patients", "archive", "ssn"),
    ]
    assert all(each.stored for each in ingest(store, traced))
    look_at(store, "patients")
    return store


def _copy(minute: int, source: str, target: str, column: str) -> dict[str, Any]:
    copied = paths(([column], source, [column], "IDENTITY"))
    outputs = [dataset(target, column, headwater_pathLineage=copied)]
    return event("COMPLETE", minute, f"run {minute}", [dataset(source, column)], outputs, f"to {target}")


def reasons(gaps: Any) -> set[tuple[str, str]]:
    return {(gap.reason, gap.dataset.name) for gap in gaps if gap.reason == "PROGRAM"}


HERE = {("PROGRAM", "labelled")}


def leak(store: LineageStore, name: str) -> set[tuple[str, str]]:
    policy = parse_policies(f"- {{policy: leak, category: user, dataset: '* {name}'}}")
    return reasons(breach(store, policy, RULING).incomplete)


def outcome(store: LineageStore, name: str) -> Outcome:
    policy = parse_policies(f"- {{policy: none, category: user, dataset: '* {name}'}}")
    return check_policies(store, policy, RULING).verdicts[0].outcome


def test_rows_that_a_job_brought_earlier_may_be_where_they_were_copied(store: LineageStore) -> None:
    """``copied`` is made of others now, and ``kept`` is what it held before."""
    stored(store)
    anew = _copy(6, "patients", "copied", "ward")
    anew["outputs"][0]["facets"] |= REPLACED
    kept, apart = _copy(5, "copied", "kept", "label"), _copy(7, "copied", "later", "ward")
    assert all(each.stored for each in ingest(store, [kept, anew, apart]))
    assert leak(store, "kept") == HERE
    assert outcome(store, "kept") is Outcome.UNKNOWN
    assert leak(store, "apart") == set()


def test_an_answer_about_everything_has_the_gap(store: LineageStore) -> None:
    stored(store)
    assert reasons(exposed(store, Scope(), RULING).incomplete) == HERE


def test_places_where_the_rows_may_have_arrived_are_not_cleared_and_others_are(store: LineageStore) -> None:
    stored(store)
    assert {name: leak(store, name) for name in ("labelled", "copied", "apart")} == {
        "labelled": HERE,
        "copied": HERE,
        "apart": set(),
    }
    assert [outcome(store, name) for name in ("labelled", "copied", "apart")] == [
        Outcome.UNKNOWN,
        Outcome.UNKNOWN,
        Outcome.SATISFIED,
    ]


def test_what_is_in_them_is_asked_of_them_and_what_is_made_of_them(store: LineageStore) -> None:
    stored(store)
    for name in ("labelled", "copied"):
        assert reasons(exposed(store, Scope(at=node(name, "label")), RULING).incomplete) == HERE
        assert reasons(lineage(store, node(name, "label"), Direction.BACKWARD, Wide()).incomplete) == HERE
    assert reasons(exposed(store, Scope(at=node("apart")), RULING).incomplete) == set()


def test_the_ways_of_other_inputs_of_the_same_run_are_complete(store: LineageStore) -> None:
    stored(store)
    for path in ("ward", "ssn"):
        assert lineage(store, node("patients", path), Direction.FORWARD, Wide()).complete
    assert exposed(store, Scope(of=node("patients", "ssn")), RULING).complete


def test_it_ends_where_a_steward_decides_what_the_rows_hold(store: LineageStore) -> None:
    stored(store)
    steward = Steward(everything("anna"), "labels of wards")
    decide(store, Wanted(classes=(PathClass(node("labelled", "label"), ()),)), steward)
    assert reasons(exposed(store, Scope(), RULING).incomplete) == set()
    assert reasons(exposed(store, Scope(at=node("copied")), RULING).incomplete) == set()
    assert outcome(store, "copied") is Outcome.SATISFIED
