"""Exposure of all attributes at once equals following the routes of each one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import Direction, Edge, JobKey, NodeKey
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.classification.decided import Declassification
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import WHOLE, Arrival, Form, form_table, weakest
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, Exploration, explore
from kit.graphs import KNOWN, graphs, graphs_into_leaves, tagged
from kit.memory_store import MemoryStore

depths = st.none() | st.integers(0, 4)


def _asked(
    drawn: Sequence[Edge], named: Sequence[NodeKey], scope: Scope, *decided: Declassification
) -> ExposureReport:
    tags = [(each, "data_category", "user.contact.email") for each in named]
    made = [DecisionMade(each.subject, 1, each.content(), "somebody", "because") for each in decided]
    return exposed(MemoryStore(drawn, paths=KNOWN, tags=tags, decisions=made), scope)


def _cells(report: ExposureReport) -> dict[tuple[NodeKey, NodeKey], tuple[tuple[Arrival, ...], int]]:
    return {
        (each.attribute.node, out.node): (out.arrivals, out.distance)
        for each in report.attributes
        for out in each.outputs
    }


@settings(max_examples=400, deadline=None)
@given(graphs, tagged, depths)
def test_all_attributes_at_once_are_each_by_itself(
    drawn: list[Edge], named: list[NodeKey], depth: int | None
) -> None:
    bounds = Bounds(depth=depth)
    report = _asked(drawn, named, Scope(influenced=True, bounds=bounds))
    found = explore(MemoryStore(drawn, paths=KNOWN), sorted(named), Direction.FORWARD, ALL_TYPES, bounds)
    expected = {}
    for start in named:
        reached, _ = _followed(start, found, depth)
        for each, levels in reached.items():
            expected[start, each] = (tuple(sorted(levels)), min(levels.values()))
    assert _cells(report) == expected


@settings(max_examples=300, deadline=None)
@given(graphs, tagged, depths)
def test_where_the_depth_ends_an_attribute_is_where_it_ends_by_itself(
    drawn: list[Edge], named: list[NodeKey], depth: int | None
) -> None:
    bounds = Bounds(depth=depth)
    report = _asked(drawn, named, Scope(influenced=True, bounds=bounds))
    found = explore(MemoryStore(drawn, paths=KNOWN), sorted(named), Direction.FORWARD, ALL_TYPES, bounds)
    for each in report.attributes:
        _, cut = _followed(each.attribute.node, found, depth)
        assert {NodeKey(gap.dataset, gap.path) for gap in each.incomplete} == cut


@settings(max_examples=300, deadline=None)
@given(graphs, tagged, depths)
def test_a_witness_is_a_shortest_route_of_the_strongest_form(
    drawn: list[Edge], named: list[NodeKey], depth: int | None
) -> None:
    bounds = Bounds(depth=depth)
    report = _asked(drawn, named, Scope(influenced=True, bounds=bounds))
    found = explore(MemoryStore(drawn, paths=KNOWN), sorted(named), Direction.FORWARD, ALL_TYPES, bounds)
    for each in report.attributes:
        reached, _ = _followed(each.attribute.node, found, depth)
        for out in each.outputs:
            assert len(out.witness) == reached[out.node][out.arrivals[0]]
            assert out.witness[-1].target == out.node
            forms = {WHOLE}
            for step in out.witness:
                forms = {
                    weakest(form, form_table().arrival(kind))
                    for form in forms
                    for kind in step.transformations
                }
            assert out.arrivals[0] in forms


@settings(max_examples=300, deadline=None)
@given(graphs, tagged)
def test_what_is_merely_influenced_is_all_that_is_left_out(drawn: list[Edge], named: list[NodeKey]) -> None:
    whole = _cells(_asked(drawn, named, Scope(influenced=True)))
    held = _cells(_asked(drawn, named, Scope()))
    expected = {
        cell: tuple(each for each in arrivals if each.form is not Form.INFLUENCED)
        for cell, (arrivals, _) in whole.items()
    }
    assert {cell: arrivals for cell, (arrivals, _) in held.items()} == {
        cell: arrivals for cell, arrivals in expected.items() if arrivals
    }


@settings(max_examples=300, deadline=None)
@given(graphs, tagged, st.sampled_from(KNOWN), st.booleans())
def test_what_arrived_at_a_node_is_that_part_of_the_whole(
    drawn: list[Edge], named: list[NodeKey], at: NodeKey, influenced: bool
) -> None:
    whole = _cells(_asked(drawn, named, Scope(influenced=influenced)))
    at_node = _cells(_asked(drawn, named, Scope(at=at, influenced=influenced)))
    assert at_node == {cell: found for cell, found in whole.items() if _comparable(cell[1], at)}


declassified = st.builds(
    Declassification,
    st.sampled_from([each for each in KNOWN if each.path]),
    st.none() | st.sampled_from([JobKey("ns", "one"), JobKey("ns", "two")]),
)


@settings(max_examples=400, deadline=None)
@given(
    graphs_into_leaves,
    tagged,
    st.lists(declassified, min_size=1, max_size=3),
    st.booleans(),
    st.none() | st.sampled_from(KNOWN),
)
def test_declassified_paths_are_as_if_nothing_went_there(
    drawn: list[Edge],
    named: list[NodeKey],
    decided: list[Declassification],
    influenced: bool,
    at: NodeKey | None,
) -> None:
    scope = Scope(influenced=influenced, at=at)
    left = [each for each in drawn if not any(_ends_at(each, stop) for stop in decided)]
    found, expected = _asked(drawn, named, scope, *decided), _asked(left, named, scope)
    assert _cells(found) == _cells(expected)
    if _cells(_asked(drawn, named, scope)) != _cells(expected):
        assert found.classification.stops


def _ends_at(each: Edge, stop: Declassification) -> bool:
    inside = each.target.path[: len(stop.node.path)] == stop.node.path
    return each.target.dataset == stop.node.dataset and inside and stop.job in (None, each.job)


def _comparable(one: NodeKey, other: NodeKey) -> bool:
    length = min(len(one.path), len(other.path))
    return one.dataset == other.dataset and one.path[:length] == other.path[:length]


Reached = dict[NodeKey, dict[Arrival, int]]


def _followed(start: NodeKey, found: Exploration, depth: int | None) -> tuple[Reached, set[NodeKey]]:
    """The least length of a route of each form to each node, and where the bounds ended one."""
    lengths: dict[tuple[NodeKey, Arrival], int] = {(start, WHOLE): 0}
    frontier, cut, level = [(start, WHOLE)], set[NodeKey](), 0
    while frontier:
        cut |= {at for at, _ in frontier if at in found.cut}
        if level == depth:
            cut |= {at for at, _ in frontier if found.fans.get(at)}
            break
        level += 1
        following = dict.fromkeys(state for each in frontier for state in _following(each, found))
        frontier = [state for state in following if state not in lengths]
        lengths.update(dict.fromkeys(frontier, level))
    reached: Reached = {}
    for (at, form), length in lengths.items():
        if at != start:
            reached.setdefault(at, {})[form] = length
    return reached, cut


def _following(state: tuple[NodeKey, Arrival], found: Exploration) -> Iterator[tuple[NodeKey, Arrival]]:
    at, form = state
    for fan in found.fans.get(at, ()):
        for far in fan.fars:
            for kind in fan.transformations:
                yield far, weakest(form, form_table().arrival(kind))
