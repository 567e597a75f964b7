"""The regions: A0 … A9, where a way of Europe's data is cut by a step that keeps the Americas."""

from __future__ import annotations

from headwater_backend.active.ways import ActiveWays, active_ways
from headwater_backend.domain.model import Direction, NodeKey
from kit.conditions import Branch, Job, Tree, column, edges, node, op, step, text

EUROPE, AMERICAS = text("Europe"), text("Americas")
BOTH = (EUROPE, AMERICAS)


def moved(output: str, source: str, *regions: Tree) -> Job:
    """A population with a condition on the region of its source."""
    passed = op("in", column("region"), *regions)
    return Job(output, (Branch((source,), (passed,), {"region": column("region"), "x": column("x")}),))


JOBS = [
    moved("A0", "A2", *BOTH),
    moved("A1", "A3", *BOTH),
    moved("A2", "A4", AMERICAS),
    moved("A3", "A5", AMERICAS),
    moved("A4", "A6", *BOTH),
    moved("A5", "A7", *BOTH),
    moved("A6", "A8", AMERICAS),
    moved("A7", "A9", EUROPE),
]


def answer(start: NodeKey) -> ActiveWays:
    return active_ways(edges(JOBS), map(step, JOBS), start, Direction.BACKWARD)


def sources(found: ActiveWays) -> set[str]:
    return {edge.source.dataset.name for edge in found.taken}


def test_data_of_the_americas_comes_all_the_way() -> None:
    found = answer(node("A0", "x"))
    assert "/A8" in sources(found)


def test_data_of_europe_is_cut_and_the_two_conditions_are_named() -> None:
    found = answer(node("A1", "x"))
    assert sources(found) == {"/A3", "/A5", "/A7"}
    (cut,) = [why for edge, why in found.excluded.items() if edge.source == node("A9", "x")]
    jobs = {reason.job.name for fact in cut[0].facts for reason in fact.reasons if reason.job}
    assert jobs == {"make_A3", "make_A7"}


def test_forward_from_europe_the_way_ends_where_the_americas_are_kept() -> None:
    found = active_ways(edges(JOBS), map(step, JOBS), node("A9", "x"), Direction.FORWARD)
    assert {edge.target.dataset.name for edge in found.taken} == {"/A7", "/A5"}
