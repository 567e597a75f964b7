"""What is closed changes the names in an answer, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headwater_backend.access.visible_store import VisibleStore
from headwater_backend.domain.model import DatasetKey, Direction, Edge, NodeKey
from headwater_backend.questions.closure import lineage
from headwater_backend.questions.traversal import ALL_TYPES
from kit.graphs import KNOWN, graphs
from kit.memory_store import MemoryStore

DATASETS = sorted({node.dataset for node in KNOWN})


def _apart(key: DatasetKey) -> DatasetKey:
    """The dataset in a namespace of its own."""
    return DatasetKey(f"{key.namespace}/{key.name}", key.name)


def _moved(edges: list[Edge]) -> list[Edge]:
    return [
        Edge(
            NodeKey(_apart(edge.source.dataset), edge.source.path),
            NodeKey(_apart(edge.target.dataset), edge.target.path),
            edge.job,
            edge.transformations,
        )
        for edge in edges
    ]


@given(graphs, st.sampled_from(KNOWN), st.sampled_from(list(Direction)), st.sets(st.sampled_from(DATASETS)))
def test_a_closed_answer_has_the_shape_of_the_whole_one(
    edges: list[Edge], start: NodeKey, direction: Direction, shut: set[DatasetKey]
) -> None:
    node = NodeKey(_apart(start.dataset), start.path)
    moved = _moved(edges)
    used = {each for edge in moved for each in (edge.source, edge.target)}
    store = MemoryStore(moved, paths=[*used, node])
    hidden = {_apart(key).namespace for key in shut - {start.dataset}}
    closed = VisibleStore(store, lambda namespace: namespace not in hidden)
    whole, seen = (lineage(each, node, direction, ALL_TYPES) for each in (store, closed))
    assert len(seen.nodes) == len(whole.nodes)
    assert sorted((each.distance, each.reach.value, len(each.key.path)) for each in seen.nodes) == sorted(
        (each.distance, each.reach.value, len(each.key.path)) for each in whole.nodes
    )
    open_ones = {each.key for each in whole.nodes if each.key.dataset.namespace not in hidden}
    assert {each.key for each in seen.nodes if each.key.dataset.namespace != "closed"} == open_ones
    assert not hidden & {each.key.dataset.namespace for each in seen.nodes}
    assert len(list(seen.edges)) == len(list(whole.edges))
