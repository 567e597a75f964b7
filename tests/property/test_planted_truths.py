"""Truths planted into random events are found, and nothing else is: judged by routes through the events themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import Outcome, Verdict, check_policies
from headwater_backend.privacy.answers.reidentification import reidentifications
from headwater_backend.privacy.classification.rules import FunctionRule, Rules
from headwater_backend.privacy.exposure import (
    AttributeExposure,
    ExposedOutput,
    ExposureReport,
    Ruling,
    exposed,
)
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.reidentified import How, Reidentification
from headwater_backend.stores import open_store
from kit.brute_force import BruteForce, Held, Place, comparable
from kit.looked import look_at
from kit.openlineage import NAMESPACE
from kit.planted import AMOUNT, FUNCTIONS, MAIL, Planting
from kit.plantings import planted

IN_CI, IN_FULL = 60, 500
RULING = Ruling(Rules(functions=tuple(FunctionRule(name, Form[form.upper()], 1) for name, form in FUNCTIONS)))
IDENTIFYING = ("user.contact", "user.name", "user.unique_id")
FORBIDDEN = f"""
- {{policy: whole, category: user, reidentification: forbidden}}
- {{policy: mails, category: {MAIL}, reidentification: forbidden}}
- {{policy: amounts, category: {AMOUNT}, reidentification: forbidden}}
"""
AT_DATASET = "- {policy: at %s, category: user, dataset: '* %s', reidentification: forbidden}\n"
BY_DEFAULT = "- {policy: by default at %s, category: user, dataset: '* %s'}\n"
BESIDE = "- {policy: no influence, category: user, dataset: '*', allow: []}\n"
"""A policy for which influences are searched, too."""
Cells = dict[Place, set[tuple[str, str]]]


@pytest.mark.parametrize("seed", range(IN_CI))
def test_what_is_planted_is_found_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    judge(f"sqlite:///{tmp_path_factory.mktemp('planted')}/lineage.db", seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_what_is_planted_is_found_in_many_graphs(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    judge(f"sqlite:///{tmp_path_factory.mktemp('planted')}/lineage.db", seed)


@pytest.mark.neo4j
@pytest.mark.parametrize("seed", range(5))
def test_what_is_planted_is_found_in_neo4j(neo4j_url: str, seed: int) -> None:
    judge(neo4j_url, seed)


def judge(url: str, seed: int) -> None:
    """Compare all answers about the events of the seed with the truth."""
    planting = planted(seed)
    brute = BruteForce(planting.events, dict(FUNCTIONS))
    with closing(open_store(url)) as store:
        outcomes = list(ingest(store, planting.events))
        assert all(outcome.stored for outcome in outcomes), outcomes
        # Gaps of what nobody decided are another matter: here somebody has looked.
        look_at(store, *(each.name for each in store.dataset_keys()), now=datetime.now(timezone.utc))
        for influenced in (True, False):
            report = exposed(store, Scope(influenced=influenced), RULING)
            judge_report(report, brute, influenced=influenced)
            judge_planting(report, planting)
        judge_policies(store, planting, brute)
        judge_allowances(store, planting)
        for at in {each.at[0] for each in planting.holds}:
            judge_arrivals(store, at, brute)
        for attribute in {each.attribute for each in planting.holds}:
            node = NodeKey(DatasetKey(NAMESPACE, attribute[0]), attribute[1])
            (alone,) = exposed(store, Scope(of=node), RULING).attributes
            assert cells(alone, brute) == forms_of(brute.held(attribute, influenced=False))


def judge_planting(report: ExposureReport, planting: Planting) -> None:
    """What was planted is found as it was planted; this knows nothing of routes."""
    found = {place_of(each.attribute.node): each for each in report.attributes}
    for each in planting.holds:
        attribute, at = each.attribute, each.at
        held = {
            form.name.lower()
            for output in found[attribute].outputs
            if comparable(place_of(output.node), at)
            for form in output.forms
        }
        assert held - {"influenced"} == each.forms, each
    for attribute in planting.nowhere:
        assert (found[attribute].outputs, found[attribute].incomplete) == ((), ())
    for attribute in planting.incomplete:
        assert not found[attribute].complete, attribute
    assert not (planting.incomplete and report.complete)


def judge_report(report: ExposureReport, brute: BruteForce, *, influenced: bool) -> None:
    found = {place_of(each.attribute.node): each for each in report.attributes}
    assert found.keys() == brute.personal.keys()
    for attribute, exposure in found.items():
        held = brute.held(attribute, influenced=influenced)
        assert cells(exposure, brute) == forms_of(held), attribute
        assert exposure.complete == brute.is_complete(attribute, held), (attribute, exposure.incomplete)
        for output in exposure.outputs:
            judge_witness(attribute, output, held, brute)


def judge_policies(store: LineageStore, planting: Planting, brute: BruteForce) -> None:
    """A policy that forbids re-identification finds what the answer finds; one that narrows it, its part of that; and
    each is satisfied only where nothing that may be re-identified is incomplete.
    """
    names = sorted({name for name, _ in (*planting.reidentified, *planting.joined)})
    text = FORBIDDEN + "".join(AT_DATASET % (name, name) for name in names)
    verdicts = check_policies(store, parse_policies(text), RULING).verdicts
    beside = check_policies(store, parse_policies(text + BESIDE), RULING).verdicts
    found, others = reidentified(verdicts[0]), reidentified(beside[0])
    answer = reidentifications(store, RULING).findings
    assert list(map(routes_of, found)) == list(map(routes_of, others)) == list(map(routes_of, answer))
    judge_findings(found, planting, brute)
    for verdict in verdicts[:3]:
        category = verdict.policy.category
        assert reidentified(verdict) == [each for each in found if each.attribute.is_of(category)]
        of = {attribute for attribute, each in brute.personal.items() if each.startswith(category)}
        persons = {attribute for attribute, each in brute.personal.items() if each.startswith(IDENTIFYING)}
        complete = bool(of) and all(
            brute.is_complete(each, brute.held(each, influenced=False)) for each in of | persons
        )
        assert complete is not bool(verdict.incomplete), category
    for name, verdict in zip(names, verdicts[3:], strict=True):
        assert reidentified(verdict) == [each for each in found if each.dataset.name == name]
        assert verdict.outcome is Outcome.VIOLATED


def judge_allowances(store: LineageStore, planting: Planting) -> None:
    """No policy is satisfied where something readable is that it does not allow."""
    held: dict[str, set[str]] = defaultdict(set)
    for each in planting.holds:
        held[each.at[0]] |= each.forms
    names = sorted(held)
    text = "".join(BY_DEFAULT % (name, name) for name in names)
    for name, verdict in zip(
        names, check_policies(store, parse_policies(text), RULING).verdicts, strict=True
    ):
        forbidden = held[name] - {"aggregated", "masked", "influenced"}
        assert not forbidden or verdict.outcome is Outcome.VIOLATED, (name, forbidden)


def reidentified(verdict: Verdict) -> list[Reidentification]:
    return [each.reidentification for each in verdict.violations if each.reidentification]


def routes_of(each: Reidentification) -> tuple[object, ...]:
    """All of it but how edges are described: with influences where these are searched."""
    routes = [[edge[:3] for edge in route] for route in each.routes]
    return each.dataset, each.attribute, each.how, each.pseudonym[:2], each.source[:2], routes


def judge_findings(found: Sequence[Reidentification], planting: Planting, brute: BruteForce) -> None:
    """Re-identified is what is planted, each dataset with a pseudonym and the attribute in different columns, and each
    that was joined with a key table; and nothing else.
    """
    beside = {
        (each.dataset.name, place_of(each.attribute.node)): each
        for each in found
        if each.how is not How.KEY_TABLE
    }
    rows = {key for key, each in beside.items() if each.how is How.SAME_ROWS}
    assert rows >= set(planting.reidentified)
    joined = {
        (each.dataset.name, place_of(each.attribute.node), each.pseudonym.node.dataset.name)
        for each in found
        if each.how is How.KEY_TABLE
    }
    assert {(name, of) for name, of, _ in joined} | rows >= set(planting.joined)
    for attribute in brute.personal:
        held = brute.held(attribute, influenced=False)
        pseudonyms = {at for at, forms in held.items() if ("pseudonymised", "") in forms}
        readable = {at for at, forms in held.items() if {("identity", ""), ("transformed", "")} & set(forms)}
        assert brute.together(attribute) <= {name for name, of in beside if of == attribute}
        assert {(name, near) for name, of, near in joined if of == attribute} == {
            (name, near) for name, near in brute.joined(attribute) if (name, attribute) not in rows
        }
        for (name, of), each in beside.items():
            if of == attribute:
                assert any(comparable(at, place_of(each.pseudonym.node)) for at in pseudonyms), (name, of)
                source = place_of(each.source.node)
                assert any(comparable(at, source) for at in (*readable, attribute)), (name, of)


def judge_arrivals(store: LineageStore, name: str, brute: BruteForce) -> None:
    """What arrived at a dataset, whosever attributes meet there."""
    dataset = NodeKey(DatasetKey(NAMESPACE, name), ())
    report = exposed(store, Scope(at=dataset, influenced=True), RULING)
    found = {place_of(each.attribute.node): cells(each, brute) for each in report.attributes}
    expected = {
        attribute: {at: forms for at, forms in forms_of(brute.held(attribute)).items() if at[0] == name}
        for attribute in brute.personal
    }
    assert found == {attribute: held for attribute, held in expected.items() if held}


def judge_witness(attribute: Place, output: ExposedOutput, held: Held, brute: BruteForce) -> None:
    """The witness is a real route that gives the value the form, and no longer one than there is."""
    place = place_of(output.node)
    arrival = (output.form.name.lower(), output.arrivals[0].kind)
    lengths = [forms[arrival] for at, forms in held.items() if comparable(at, place) and arrival in forms]
    assert not lengths or len(output.witness) >= min(lengths), (attribute, place, lengths)
    routes = {(leaf, ("identity", "")) for leaf in brute.leaves(attribute)}
    for edge in output.witness:
        near, far, job = place_of(edge.source), place_of(edge.target), edge.job.name
        routes = brute.along(routes, near, far, job)
    assert arrival in {form for at, form in routes if comparable(at, place)}, (attribute, place, routes)


def cells(exposure: AttributeExposure, brute: BruteForce) -> Cells:
    """The leaves that hold the attribute, each with the forms of all answers at, above or under it."""
    found: Cells = defaultdict(set)
    attribute = place_of(exposure.attribute.node)
    for output in exposure.outputs:
        for leaf in brute.leaves_around(place_of(output.node)):
            if not comparable(leaf, attribute):
                found[leaf] |= {(each.form.name.lower(), each.kind) for each in output.arrivals}
    return dict(found)


def forms_of(held: Held) -> Cells:
    return {at: set(forms) for at, forms in held.items()}


def place_of(node: NodeKey) -> Place:
    assert node.dataset.namespace == NAMESPACE
    return node.dataset.name, node.path
