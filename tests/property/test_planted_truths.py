"""Truths planted into random events are found, and nothing else is: judged by routes through the events themselves."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.reidentification import How, Reidentifications, reidentifications
from headwater_backend.privacy.classification.rules import FunctionRule, Rules
from headwater_backend.privacy.exposure import (
    AttributeExposure,
    ExposedOutput,
    ExposureReport,
    Ruling,
    exposed,
)
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.stores import open_store
from kit.brute_force import BruteForce, Held, Place, comparable
from kit.openlineage import NAMESPACE
from kit.planted import FUNCTIONS, Planting
from kit.plantings import planted

IN_CI, IN_FULL = 60, 500
RULING = Ruling(Rules(functions=tuple(FunctionRule(name, Form[form.upper()], 1) for name, form in FUNCTIONS)))
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
        for influenced in (True, False):
            report = exposed(store, Scope(influenced=influenced), RULING)
            judge_report(report, brute, influenced=influenced)
            judge_planting(report, planting)
        judge_findings(reidentifications(store, RULING), planting, brute)
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


def judge_findings(answer: Reidentifications, planting: Planting, brute: BruteForce) -> None:
    """Re-identified is what is planted, and each dataset with a pseudonym and the attribute in different columns."""
    beside = {
        (each.dataset.name, place_of(each.attribute.node)): each
        for each in answer.findings
        if each.how is not How.KEY_TABLE
    }
    assert {key for key, each in beside.items() if each.how is How.SAME_ROWS} >= set(planting.reidentified)
    for attribute in brute.personal:
        held = brute.held(attribute, influenced=False)
        pseudonyms = {at for at, forms in held.items() if ("pseudonymised", "") in forms}
        readable = {at for at, forms in held.items() if {("identity", ""), ("transformed", "")} & set(forms)}
        together = {
            one[0]
            for one in pseudonyms
            for other in (*readable, attribute)
            if one[0] == other[0] and one[1][0] != other[1][0]
        }
        assert together <= {name for name, of in beside if of == attribute}
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
