"""The jobs by which one path gets to another: containment at both ends, influences, and missing routes."""

from __future__ import annotations

import time

import pytest

from headwater_backend.domain.errors import BadQuestion, UnknownPath
from headwater_backend.questions.closure import Reach
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from headwater_backend.questions.witness import Witnesses, witnesses
from kit.memory_store import MemoryStore, edge, graph, node


def _summary(answer: Witnesses) -> list[str]:
    """Each route as ``a:x > b:x @one, …``."""
    return [
        ", ".join(f"{_name(e.source)} > {_name(e.target)} @{e.job.name}" for e in w.steps)
        for w in answer.witnesses
    ]


def _name(key: object) -> str:
    return f"{key.dataset.name}:{'.'.join(key.path)}"  # type: ignore[attr-defined]


TWO_WAYS = """
    a:x -IDENTITY-> b:x @one
    b:x -COMPUTE-> d:x @two
    a:x -IDENTITY-> c:x @three
    c:x -SUM-> c2:x @four
    c2:x -IDENTITY-> d:x @five
"""


def test_the_shortest_route_comes_first_and_the_longer_one_after_it() -> None:
    answer = witnesses(MemoryStore(graph(TWO_WAYS)), node("a:x"), node("d:x"))
    assert _summary(answer) == [
        "a:x > b:x @one, b:x > d:x @two",
        "a:x > c:x @three, c:x > c2:x @four, c2:x > d:x @five",
    ]
    assert not answer.more
    assert answer.complete


def test_further_routes_are_reported() -> None:
    answer = witnesses(MemoryStore(graph(TWO_WAYS)), node("a:x"), node("d:x"), first=1)
    assert len(answer.witnesses) == 1
    assert answer.more


def test_two_jobs_between_the_same_paths_are_two_routes() -> None:
    store = MemoryStore(graph("a:x -IDENTITY-> b:x @one\na:x -COMPUTE-> b:x @two"))
    assert _summary(witnesses(store, node("a:x"), node("b:x"))) == ["a:x > b:x @one", "a:x > b:x @two"]


def test_no_route_is_a_complete_answer() -> None:
    answer = witnesses(MemoryStore(graph(TWO_WAYS)), node("d:x"), node("a:x"))
    assert answer.witnesses == ()
    assert answer.complete


def test_a_member_gets_where_its_holder_goes() -> None:
    store = MemoryStore(graph("t:user -COMPUTE-> o:who"), paths=[node("t:user.id")])
    assert _summary(witnesses(store, node("t:user.id"), node("o:who"))) == ["t:user > o:who @job"]
    assert _summary(witnesses(store, node("t"), node("o"))) == ["t:user > o:who @job"]


def test_an_influence_is_a_route_only_when_asked_for() -> None:
    store = MemoryStore(graph("t:rank -FILTER-> o\nt:a -IDENTITY-> o:a"))
    assert witnesses(store, node("t:rank"), node("o:a")).witnesses == ()
    (route,) = witnesses(store, node("t:rank"), node("o:a"), ALL_TYPES).witnesses
    assert route.reach is Reach.INFLUENCED


def test_a_route_that_the_depth_cuts_off_is_not_denied() -> None:
    answer = witnesses(MemoryStore(graph(TWO_WAYS)), node("a:x"), node("d:x"), bounds=Bounds(depth=1))
    assert answer.witnesses == ()
    assert {gap.reason for gap in answer.incomplete} == {"DEPTH"}


def test_many_equal_routes_do_not_take_long() -> None:
    layers = [
        edge(f"d{layer}:c{one} -COMPUTE-> d{layer + 1}:c{other} @job{layer}")
        for layer in range(20)
        for one in range(10)
        for other in range(10)
    ]
    began = time.monotonic()
    answer = witnesses(MemoryStore(layers), node("d0:c0"), node("d20:c0"), first=5)
    assert [len(w.steps) for w in answer.witnesses] == [20] * 5
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("first", [0, 101])
def test_a_senseless_number_of_routes_is_refused(first: int) -> None:
    with pytest.raises(BadQuestion):
        witnesses(MemoryStore(graph(TWO_WAYS)), node("a:x"), node("d:x"), first=first)


def test_an_unknown_end_is_named() -> None:
    with pytest.raises(UnknownPath, match="no path y"):
        witnesses(MemoryStore(graph(TWO_WAYS)), node("a:x"), node("d:y"))
