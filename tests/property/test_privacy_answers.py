"""Policies, breaches and subject data are parts of the exposure of everything, judged cell by cell."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import Edge, NodeKey
from headwater_backend.ports import CataloguedGraph
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.answers.subject import subject_data
from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import Policy
from kit.graphs import KNOWN, graphs, tagged
from kit.memory_store import MemoryStore

places = st.builds(
    lambda name, path: (name, path), st.sampled_from("abcd*"), st.sampled_from(["**", "x", "s", "s.p", "s.*"])
)
OF_ONE_PERSON = {Form.IDENTITY, Form.TRANSFORMED, Form.PSEUDONYMISED, Form.POSSIBLE}
Cell = tuple[NodeKey, NodeKey, tuple[Form, ...]]


class GraphWithRuns(MemoryStore):
    """A graph without the history of its runs."""

    def runs_with(self, *_: Any, **__: Any) -> Any:
        return {}

    def used_by_runs(self, *_: Any) -> Any:
        return {}


def store_of(drawn: Sequence[Edge], named: Sequence[NodeKey]) -> GraphWithRuns:
    tags = [(each, "data_category", "user.contact.email") for each in named]
    return GraphWithRuns(drawn, paths=KNOWN, tags=tags)


def cells(store: CataloguedGraph, *, influenced: bool) -> set[Cell]:
    """Each attribute with each path that holds it, itself among them, and the forms there."""
    report = exposed(store, Scope(influenced=influenced))
    found = {(each.attribute.node, out.node, out.forms) for each in report.attributes for out in each.outputs}
    return found | {
        (each.attribute.node, each.attribute.node, (Form.IDENTITY,)) for each in report.attributes
    }


def is_at(at: NodeKey, name: str, path: str) -> bool:
    """Whether a path is one of a pattern's places, contains one, or is contained in one; written out by hand."""
    if name not in ("*", at.dataset.name):
        return False
    matched: dict[str, list[tuple[str, ...]]] = {
        "**": [("x",), ("s",), ("s", "p"), ("s", "q")],
        "x": [("x",)],
        "s": [("s",)],
        "s.p": [("s", "p")],
    }
    steps = matched.get(path, [("s", "p"), ("s", "q")])
    return any(at.path[: len(each)] == each or each[: len(at.path)] == at.path for each in steps)


@settings(max_examples=300, deadline=None)
@given(graphs, tagged, places, st.frozensets(st.sampled_from(Form)))
def test_a_policy_is_violated_by_exactly_the_cells_at_its_places(
    drawn: list[Edge], named: list[NodeKey], place: tuple[str, str], allowed: frozenset[Form]
) -> None:
    store = store_of(drawn, named)
    policy = Policy(("ns", place[0]), place[1], 1, "p", "user", allowed)
    found = check_policies(store, [policy], Ruling()).verdicts[0].violations
    expected = {
        cell
        for cell in cells(store, influenced=Form.INFLUENCED not in allowed)
        if is_at(cell[1], *place) and not allowed.issuperset(cell[2])
    }
    assert {(each.attribute.node, each.node, each.forms) for each in found} == expected


@settings(max_examples=300, deadline=None)
@given(graphs, tagged, st.lists(places, min_size=1, max_size=2, unique=True))
def test_a_breach_is_exactly_the_cells_of_the_leak_and_what_links_to_them(
    drawn: list[Edge], named: list[NodeKey], leaked: list[tuple[str, str]]
) -> None:
    store = store_of(drawn, named)
    patterns = [PlacePattern(("ns", name), path, 1) for name, path in leaked]
    found = breach(store, patterns, Ruling())
    whole = cells(store, influenced=True)
    inside = {cell for cell in whole if any(is_at(cell[1], *place) for place in leaked)}
    values = {(each.attribute.node, each.node, each.forms) for each in found.values}
    influences = {(each.attribute.node, each.node, each.forms) for each in found.influences}
    assert values | influences == inside
    assert all(forms[0] is not Form.INFLUENCED for _, _, forms in values)
    assert all(forms == (Form.INFLUENCED,) for _, _, forms in influences)
    names = {each.dataset for each in found.datasets}
    linked = {
        (attribute, at, form)
        for attribute, at, forms in whole
        if at.dataset not in names
        for form in linking({form for other, _, held in values if other == attribute for form in held}, forms)
    }
    assert {(each.attribute.node, each.node, each.form) for each in found.joinable} == linked


def linking(leaked: Collection[Form], outside: Collection[Form]) -> set[Form]:
    """The forms by which an identifying attribute links two paths, spelt out case by case."""
    found = {Form.PSEUDONYMISED} & set(leaked) & set(outside)
    if Form.IDENTITY in leaked and Form.IDENTITY in outside:
        return found | {Form.IDENTITY}
    computed = Form.TRANSFORMED in leaked and {Form.IDENTITY, Form.TRANSFORMED} & set(outside)
    computable = Form.TRANSFORMED in outside and Form.IDENTITY in leaked
    return found | {Form.TRANSFORMED} if computed or computable else found


@settings(max_examples=300, deadline=None)
@given(graphs, tagged)
def test_subject_data_are_all_cells_and_only_what_is_of_one_person_is_erasable(
    drawn: list[Edge], named: list[NodeKey]
) -> None:
    store = store_of(drawn, named)
    found = [path for each in subject_data(store, Scope(), Ruling()).datasets for path in each.paths]
    held = {(each.held.attribute.node, each.held.node, each.held.forms) for each in found}
    assert held == cells(store, influenced=False)
    for each in found:
        assert not each.erasable or (each.keys and not OF_ONE_PERSON.isdisjoint(each.held.forms))
        assert each.erasable or not each.keys or OF_ONE_PERSON.isdisjoint(each.held.forms)
        assert not (each.keys and each.possible_keys)
        assert all(key.node.dataset == each.held.node.dataset for key in each.keys)
        assert all(key.attribute.node.dataset == each.held.attribute.node.dataset for key in each.keys)
        assert all(key.node.dataset == each.held.node.dataset for key in each.possible_keys)
        assert each.keys or Form.TRANSFORMED not in each.held.forms or each.possible_keys
