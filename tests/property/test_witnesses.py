"""Witnesses are the shortest existing routes, in order of length."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import Edge, LineageType, NodeKey
from headwater_backend.questions.witness import witnesses
from kit.memory_store import MemoryStore, edge, node

_NODES = [f"{name}:x" for name in "abcde"]
edges = st.builds(
    lambda source, target, job: edge(f"{source} -COMPUTE-> {target} @{job}"),
    st.sampled_from(_NODES),
    st.sampled_from(_NODES),
    st.sampled_from(["one", "two"]),
)
graphs = st.lists(edges, max_size=14, unique_by=lambda e: (e.source, e.target, e.job))


@settings(max_examples=300, deadline=None)
@given(graphs, st.integers(1, 6))
def test_the_shortest_routes_come_first_and_each_once(drawn: list[Edge], first: int) -> None:
    store = MemoryStore(drawn, paths=[node(text) for text in _NODES])
    every = sorted(_routes(drawn, node("a:x"), node("e:x"), ()), key=len)
    answer = witnesses(store, node("a:x"), node("e:x"), first=first)
    found = [witness.steps for witness in answer.witnesses]
    assert [len(steps) for steps in found] == [len(steps) for steps in every[:first]]
    assert len(set(found)) == len(found)
    assert set(found) <= set(every)
    assert answer.more == (len(every) > first)
    assert answer.complete


def _routes(
    drawn: list[Edge], at: NodeKey, target: NodeKey, so_far: tuple[Edge, ...]
) -> Iterator[tuple[Edge, ...]]:
    if at == target and so_far:
        yield so_far
        return
    passed = {step.source for step in so_far} | {at}
    for each in drawn:
        kinds = {kind.type for kind in each.transformations}
        if each.source == at and each.target not in passed and kinds == {LineageType.DIRECT}:
            yield from _routes(drawn, each.target, target, (*so_far, each))
