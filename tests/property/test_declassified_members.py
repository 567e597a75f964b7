"""Declassified paths in random events: exactly what would have gone there stops, judged leaf by leaf."""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import closing

import pytest

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.decided import Declassification
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.classification.rules import FunctionRule, Rules
from headwater_backend.privacy.exposure import AttributeExposure, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.stores import open_store
from kit.brute_force import BruteForce, Place, comparable
from kit.openlineage import NAMESPACE
from kit.planted import FUNCTIONS
from kit.plantings import planted

IN_CI, IN_FULL = 60, 400
RULING = Ruling(Rules(functions=tuple(FunctionRule(name, Form[form.upper()], 1) for name, form in FUNCTIONS)))
ME = Steward(everything("anna"), "groups of ten at least")
Stopped = tuple[Place, str | None]
Cells = dict[Place, set[tuple[str, str]]]


@pytest.mark.parametrize("seed", range(IN_CI))
def test_exactly_what_goes_to_a_declassified_path_stops(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    judge(f"sqlite:///{tmp_path_factory.mktemp('declassified')}/lineage.db", seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(IN_CI, IN_FULL))
def test_exactly_that_stops_in_many_graphs(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    judge(f"sqlite:///{tmp_path_factory.mktemp('declassified')}/lineage.db", seed)


def judge(url: str, seed: int) -> None:
    """Compare the exposure with the truth, for some paths that values reach, and for all jobs or for one."""
    events = planted(seed).events
    whole = BruteForce(events, dict(FUNCTIONS))
    stopped = chosen(whole, random.Random(seed))
    brute = BruteForce(events, dict(FUNCTIONS), stopped)
    with closing(open_store(url)) as store:
        assert all(outcome.stored for outcome in ingest(store, events))
        before = exposed(store, Scope(influenced=True), RULING)
        things = [
            Declassification(node_of(at), JobKey(NAMESPACE, job) if job else None) for at, job in stopped
        ]
        decide(store, Wanted(declassified=tuple(things)), ME)
        after = exposed(store, Scope(influenced=True), RULING)
        judge_report(after, before, brute, whole, stopped)
        for at, _ in stopped:
            judge_place(store, at, after, brute)


def chosen(brute: BruteForce, chance: random.Random) -> list[Stopped]:
    """Places that values reach, leaves or structs around them, each for all jobs or for one that writes it."""
    reached = sorted({at for attribute in brute.personal for at in brute.held(attribute)})
    found: dict[Place, str | None] = {}
    for name, path in chance.sample(reached, min(3, len(reached))):
        place = name, path[: chance.choice([len(path), len(path), chance.randint(1, len(path))])]
        jobs = sorted({each.job for each in brute.entries if comparable(each.target, place)})
        found[place] = chance.choice([None, chance.choice(jobs)]) if jobs else None
    return sorted(found.items(), key=str)


def judge_report(
    after: ExposureReport,
    before: ExposureReport,
    brute: BruteForce,
    whole: BruteForce,
    stopped: list[Stopped],
) -> None:
    differs = False
    for one, other in zip(after.attributes, before.attributes, strict=True):
        attribute = one.attribute.node.dataset.name, one.attribute.node.path
        truth = {at: set(forms) for at, forms in brute.held(attribute).items()}
        found = cells(one, brute)
        assert not lost(truth, found), (attribute, stopped)
        assert found.keys() <= cells(other, brute).keys(), (attribute, stopped)
        if not copies_around(brute, stopped):
            assert found == truth, (attribute, stopped)
        differs |= truth.keys() != whole.held(attribute).keys()
    if differs:
        assert after.classification.stops


def judge_place(store: LineageStore, at: Place, after: ExposureReport, brute: BruteForce) -> None:
    """Asked for the place itself, there is what arrives at it nevertheless, and not what decides about rows alone."""
    report = exposed(store, Scope(at=node_of(at), influenced=True), RULING)
    found = {each.attribute.node for each in report.attributes}
    held = {
        each.attribute.node
        for each in after.attributes
        if any(comparable(at, cell) for cell in cells(each, brute))
    }
    assert found <= held, at
    for node in held - found:
        by_values = brute.held((node.dataset.name, node.path), rows=False)
        assert not any(comparable(at, cell) for cell in by_values), (at, node)


def copies_around(brute: BruteForce, stopped: list[Stopped]) -> bool:
    """Whether a struct around a declassified path is copied on as a whole: which part of it goes on is not known."""
    return any(
        each.source[0] == at[0] and len(each.source[1]) < len(at[1]) and comparable(each.source, at)
        for each in brute.entries
        for at, _ in stopped
    )


def cells(exposure: AttributeExposure, brute: BruteForce) -> Cells:
    """The leaves that may hold the attribute, each with the forms."""
    found: Cells = defaultdict(set)
    own = exposure.attribute.node.dataset.name, exposure.attribute.node.path
    for output in exposure.outputs:
        for leaf in brute.leaves_around((output.node.dataset.name, output.node.path)):
            if not comparable(leaf, own) and exposure.propagation.may_be_in(output.node, node_of(leaf)):
                found[leaf] |= {(each.form.name.lower(), each.kind) for each in output.arrivals}
    return dict(found)


def lost(some: Cells, others: Cells) -> Cells:
    """What is in the first, and not in the others."""
    return {at: forms - others.get(at, set()) for at, forms in some.items() if forms - others.get(at, set())}


def node_of(place: Place) -> NodeKey:
    return NodeKey(DatasetKey(NAMESPACE, place[0]), place[1])
