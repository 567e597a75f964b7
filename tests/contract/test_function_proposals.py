"""Proposals of what functions do: kept, decided and listed, in every store."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from headwater_backend.domain.errors import BadQuestion, Forbidden
from headwater_backend.domain.model import JobKey
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.function_proposals.proposal import CodeSeen, Proposal, State, Stated
from headwater_backend.function_proposals.stewardship import (
    MAX_CHARACTERS,
    Wanted,
    decide,
    proposals,
    propose,
)
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from kit.openlineage import NAMESPACE, dataset, event, facet, run_id

JOB = JobKey(NAMESPACE, "load")
SCORE = Proposal(
    JOB,
    "score",
    ("mail", "größe"),
    ("mail -> key", "größe -> ?"),
    None,
    CodeSeen("3.12:0f", "job.py", 7),
    ("runs: 12",),
)
OTHER = replace(SCORE, reads=("mail -> key",), writes="key")
ANA = Steward(everything("Ana"), "it was checked „by hand“")


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    """A job that calls the opaque function ``score``."""
    run = event("COMPLETE", 1, run_id("load"), [dataset("in", "a")], [dataset("out", "a")], "load")
    opaque = {"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE"}
    run["job"]["facets"] = {"headwater_functions": facet(functions=[opaque])}
    assert [outcome.error for outcome in ingest(store, [run])] == [None]
    return store


def states(found: list[Stated]) -> list[tuple[Proposal, State]]:
    return [(each.proposal, each.state) for each in found]


def test_a_proposal_is_kept_once_and_goes_through_its_states(filled: LineageStore) -> None:
    assert states(propose(filled, [SCORE], ANA, dry_run=True)) == [(SCORE, State.PROPOSED)]
    assert proposals(filled) == []
    assert states(propose(filled, [SCORE, SCORE], ANA)) == [(SCORE, State.PROPOSED)]
    assert propose(filled, [replace(SCORE, checks=("other",))], ANA) == []
    for wanted, state in (
        (Wanted(refused=(SCORE.id,)), State.REFUSED),
        (Wanted(accepted=(SCORE.id,)), State.ACCEPTED),
        (Wanted(reopened=(SCORE.id,)), State.PROPOSED),
    ):
        assert states(decide(filled, wanted, ANA)) == [(SCORE, state)]
        assert decide(filled, wanted, ANA) == []
        assert states(proposals(filled)) == [(SCORE, state)]
    (found,) = proposals(filled)
    assert [each.actor for each in found.decisions] == ["Ana"] * 4
    assert {each.reason for each in found.decisions} == {ANA.reason}


def test_what_was_accepted_stays_when_the_same_is_proposed_again(filled: LineageStore) -> None:
    propose(filled, [SCORE], ANA)
    decide(filled, Wanted(accepted=(SCORE.id,)), ANA)
    assert propose(filled, [SCORE], ANA) == []
    assert states(proposals(filled, states=[State.ACCEPTED])) == [(SCORE, State.ACCEPTED)]


def test_one_mapping_of_a_function_can_be_accepted(filled: LineageStore) -> None:
    propose(filled, [SCORE, OTHER], ANA)
    with pytest.raises(BadQuestion, match="another mapping"):
        decide(filled, Wanted(accepted=(SCORE.id, OTHER.id)), ANA)
    decide(filled, Wanted(accepted=(SCORE.id,)), ANA)
    with pytest.raises(BadQuestion, match="another mapping"):
        decide(filled, Wanted(accepted=(OTHER.id,)), ANA)
    decide(filled, Wanted(accepted=(OTHER.id,), refused=(SCORE.id,)), ANA)
    assert set(states(proposals(filled))) == {(OTHER, State.ACCEPTED), (SCORE, State.REFUSED)}


def test_proposals_are_listed_by_job_and_state(filled: LineageStore) -> None:
    propose(filled, [SCORE, OTHER], ANA)
    decide(filled, Wanted(refused=(OTHER.id,)), ANA)
    assert states(proposals(filled, JOB, [State.PROPOSED])) == [(SCORE, State.PROPOSED)]
    assert states(proposals(filled)) == [(OTHER, State.REFUSED), (SCORE, State.PROPOSED)]
    assert proposals(filled, JobKey(NAMESPACE, "other")) == []


@pytest.mark.parametrize(
    ("proposed", "says"),
    [
        (replace(SCORE, function="scores"), "calls no function 'scores'"),
        (replace(SCORE, job=JobKey(NAMESPACE, "nobody")), "calls no function"),
        (replace(SCORE, reads=("a" * MAX_CHARACTERS,)), "longer than"),
    ],
)
def test_what_is_of_no_job_or_too_long_is_not_kept(
    filled: LineageStore, proposed: Proposal, says: str
) -> None:
    with pytest.raises(BadQuestion, match=says):
        propose(filled, [SCORE, proposed], ANA)
    assert proposals(filled) == []


def test_stewards_decide_in_their_namespaces_alone(filled: LineageStore) -> None:
    eve = replace(ANA, caller=Caller("Eve", frozenset({Role.STEWARD}), ("elsewhere",)))
    with pytest.raises(Forbidden):
        propose(filled, [SCORE], eve)
    propose(filled, [SCORE], ANA)
    with pytest.raises(Forbidden):
        decide(filled, Wanted(accepted=(SCORE.id,)), eve)
    with pytest.raises(BadQuestion, match="no proposal"):
        decide(filled, Wanted(accepted=("0" * 32,)), ANA)
    with pytest.raises(BadQuestion, match="a reason"):
        decide(filled, Wanted(accepted=(SCORE.id,)), replace(ANA, reason=" "))
    assert states(proposals(filled)) == [(SCORE, State.PROPOSED)]


def test_decisions_are_in_the_audit_log(filled: LineageStore) -> None:
    propose(filled, [SCORE], ANA)
    decide(filled, Wanted(accepted=(SCORE.id,)), ANA)
    entries = [each for each in filled.audit() if each.action == "functions"]
    assert [each.result for each in entries] == ["proposed", "accepted"]
    assert {(each.actor, json.loads(each.details)["function"]) for each in entries} == {("Ana", "score")}
