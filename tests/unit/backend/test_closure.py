"""The closure of the stored edges: containment, influence, distance, and reported gaps."""

from __future__ import annotations

import pytest

from headwater_backend.domain.errors import BadQuestion, UnknownDataset, UnknownPath
from headwater_backend.domain.model import DatasetKey, Incomplete, JobKey, NodeKey, SchemaField
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.questions.closure import LineageGraph, Reach, backward, forward
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from kit.memory_store import MemoryStore, graph, node


def _summary(answer: LineageGraph) -> set[str]:
    """Each node as ``dataset:path distance``, with ``~`` when it only influences."""
    mark = {Reach.DIRECT: "", Reach.INFLUENCED: "~"}
    return {f"{_name(n.key)} {n.distance}{mark[n.reach]}" for n in answer.nodes}


def _edges(answer: LineageGraph) -> set[str]:
    return {f"{_name(e.source)} -> {_name(e.target)}" for e in answer.edges}


def _name(key: NodeKey) -> str:
    return f"{key.dataset.name}:{'.'.join(key.path)}"


CHAIN = """
    a:x -IDENTITY-> b:x @one
    b:x -COMPUTE-> c:x @two
    c:x -SUM-> d:x @three
"""


def test_backward_follows_a_chain_to_its_first_input() -> None:
    answer = backward(MemoryStore(graph(CHAIN)), node("d:x"))
    assert _summary(answer) == {"d:x 0", "c:x 1", "b:x 2", "a:x 3"}
    assert _edges(answer) == {"a:x -> b:x", "b:x -> c:x", "c:x -> d:x"}
    assert answer.complete


def test_forward_follows_the_same_chain_and_shows_the_same_edges() -> None:
    store = MemoryStore(graph(CHAIN))
    assert _summary(forward(store, node("a:x"))) == {"a:x 0", "b:x 1", "c:x 2", "d:x 3"}
    assert forward(store, node("a:x")).edges == backward(store, node("d:x")).edges


def test_edges_are_a_list_in_the_order_of_their_names_and_made_where_they_are_looked_at() -> None:
    stored = graph("b:y -SUM-> c:x @two\nb:x -SUM-> c:x @two\nb:x -IDENTITY-> c:x @one\nb:x -HASH-> c:x @two")
    edges = backward(MemoryStore(stored), node("c:x")).edges
    assert "columns" not in vars(edges)
    assert [(_name(e.source), e.job.name, len(e.transformations)) for e in edges] == [
        ("b:x", "one", 1),
        ("b:x", "two", 2),
        ("b:y", "two", 1),
    ]
    assert (len(edges), edges[-1], edges[1:]) == (3, stored[0], tuple(edges)[1:])
    assert edges != backward(MemoryStore(stored[1:]), node("c:x")).edges
    assert edges == backward(MemoryStore(stored[::-1]), node("c:x")).edges


def test_the_distance_is_that_of_the_shortest_route() -> None:
    store = MemoryStore(graph(CHAIN + "a:x -IDENTITY-> d:x @short"))
    assert "a:x 1" in _summary(backward(store, node("d:x")))


def test_a_cycle_ends() -> None:
    store = MemoryStore(graph("a:x -IDENTITY-> b:x\nb:x -IDENTITY-> a:x\nb:x -COMPUTE-> b:x"))
    assert _summary(backward(store, node("a:x"))) == {"a:x 0", "b:x 1"}


def test_each_level_is_one_store_call() -> None:
    store = MemoryStore(
        graph(
            "\n".join(
                f"d{i}:c{j} -COMPUTE-> d{i + 1}:c{k}" for i in range(5) for j in range(4) for k in range(4)
            )
        )
    )
    backward(store, node("d5:c0"))
    assert store.calls.count("neighbours") == 6


def test_paths_under_the_start_join_it() -> None:
    store = MemoryStore(
        graph("t:id -IDENTITY-> o:user.id\nt:name -IDENTITY-> o:user.name\nt:z -IDENTITY-> o:z")
    )
    answer = backward(store, node("o:user"))
    assert _summary(answer) == {"o:user 0", "o:user.id 0", "o:user.name 0", "t:id 1", "t:name 1"}


def test_a_whole_dataset_starts_with_all_its_paths_that_have_edges() -> None:
    store = MemoryStore(graph("t:id -IDENTITY-> o:id\nt:x -FILTER-> o"), paths=[node("o:constant")])
    assert _summary(backward(store, node("o"))) == {"o: 0", "o:id 0", "t:id 1"}
    assert _summary(backward(store, node("o"), ALL_TYPES)) == {"o: 0", "o:id 0", "t:id 1", "t:x 1~"}


def test_an_identity_of_a_holder_is_refined_to_the_same_relative_path() -> None:
    store = MemoryStore(graph("t:user -IDENTITY-> o:author"), paths=[node("t:user.id"), node("o:author.id")])
    answer = backward(store, node("o:author.id"))
    assert _summary(answer) == {"o:author.id 0", "t:user.id 1"}
    assert _edges(answer) == {"t:user.id -> o:author.id"}


def test_an_identity_of_a_holder_is_kept_where_the_far_dataset_knows_no_finer_path() -> None:
    store = MemoryStore(graph("t:user -IDENTITY-> o:author"), paths=[node("o:author.id")])
    assert _summary(backward(store, node("o:author.id"))) == {"o:author.id 0", "t:user 1"}


def test_a_transformation_of_a_holder_is_not_refined() -> None:
    store = MemoryStore(graph("t:user -COMPUTE-> o:author"), paths=[node("t:user.id"), node("o:author.id")])
    assert _summary(backward(store, node("o:author.id"))) == {"o:author.id 0", "t:user 1"}


def test_forward_is_refined_as_well() -> None:
    store = MemoryStore(graph("t:user -IDENTITY-> o:author"), paths=[node("t:user.id"), node("o:author.id")])
    assert _summary(forward(store, node("t:user.id"))) == {"t:user.id 0", "o:author.id 1"}


def test_an_influence_beside_an_identity_does_not_coarsen_it() -> None:
    store = MemoryStore(
        graph("t:user -IDENTITY+GROUP_BY-> o:author"), paths=[node("t:user.id"), node("o:author.id")]
    )
    answer = backward(store, node("o:author.id"), ALL_TYPES)
    assert _summary(answer) == {"o:author.id 0", "t:user.id 1", "t:user 1~"}


def test_a_top_level_edge_meets_a_nested_one() -> None:
    store = MemoryStore(graph("t:user.id -IDENTITY-> mid:author.id\nmid:author -IDENTITY-> o:who"))
    assert _summary(backward(store, node("o:who"))) == {
        "o:who 0",
        "mid:author 1",
        "mid:author.id 1",
        "t:user.id 2",
    }


def test_an_influence_on_the_dataset_ends_at_it_and_opens_no_siblings() -> None:
    store = MemoryStore(graph("t:a -IDENTITY-> o:a\nt:b -IDENTITY-> o:b\nt:rank -FILTER-> o"))
    answer = backward(store, node("o:a"), ALL_TYPES)
    assert _summary(answer) == {"o:a 0", "o: 0", "t:a 1", "t:rank 1~"}
    assert _edges(answer) == {"t:a -> o:a", "t:rank -> o:"}


def test_the_default_follows_values_only() -> None:
    store = MemoryStore(graph("t:a -IDENTITY-> o:a\nt:rank -FILTER-> o"))
    assert _summary(backward(store, node("o:a"))) == {"o:a 0", "t:a 1"}


def test_all_that_is_made_of_an_influenced_dataset_is_influenced_in_turn() -> None:
    store = MemoryStore(graph("t:rank -FILTER-> o\no:a -IDENTITY-> p:a\np:a -SUM-> q:a\np:b -SUM-> q:b"))
    answer = forward(store, node("t:rank"), ALL_TYPES)
    assert _summary(answer) == {"t:rank 0", "o: 1~", "o:a 1~", "p:a 2~", "q:a 3~"}


def test_a_longer_route_by_value_beats_a_shorter_influence() -> None:
    store = MemoryStore(
        graph("t:a -GROUP_BY-> o:n\nt:a -IDENTITY-> m:a\nm:a -COMPUTE-> o:n\no:n -COMPUTE-> p:n")
    )
    answer = forward(store, node("t:a"), ALL_TYPES)
    assert {"o:n 1", "p:n 2"} <= _summary(answer)
    assert {"o:n 1~"} <= _summary(forward(store, node("t:a"), ALL_TYPES, Bounds(depth=1)))


def test_an_influence_is_not_made_direct_by_a_sibling() -> None:
    store = MemoryStore(
        graph("t:a -IDENTITY-> o:a\nt:a -FILTER-> o\no:b -IDENTITY-> p:b\no:a -IDENTITY-> p:a")
    )
    assert _summary(forward(store, node("t:a"), ALL_TYPES)) >= {"o:a 1", "p:a 2", "o: 1~", "o:b 1~", "p:b 2~"}


def test_what_the_depth_cuts_off_is_reported() -> None:
    answer = backward(MemoryStore(graph(CHAIN)), node("d:x"), bounds=Bounds(depth=1))
    assert _summary(answer) == {"d:x 0", "c:x 1"}
    assert answer.incomplete == (Incomplete("DEPTH", DatasetKey("ns", "c"), ("x",)),)


def test_a_depth_that_suffices_cuts_nothing() -> None:
    assert backward(MemoryStore(graph(CHAIN)), node("d:x"), bounds=Bounds(depth=3)).complete


def test_depth_nought_is_the_start_alone() -> None:
    answer = backward(MemoryStore(graph(CHAIN)), node("d:x"), bounds=Bounds(depth=0))
    assert _summary(answer) == {"d:x 0"} and not answer.complete


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(BadQuestion):
        Bounds(depth=-1)


def test_too_large_an_answer_is_reported_as_partial() -> None:
    store = MemoryStore(graph("\n".join(f"t:c{i:03} -COMPUTE-> o:x" for i in range(100))))
    answer = backward(store, node("o:x"), bounds=Bounds(nodes=10))
    assert len(answer.nodes) == 10
    assert [entry.reason for entry in answer.incomplete] == ["NODE_LIMIT"]


def test_what_the_store_knows_to_be_missing_is_in_the_answer() -> None:
    known = Incomplete("RDD", DatasetKey("ns", "b"), (), JobKey("ns", "one"), "an RDD")
    elsewhere = Incomplete("RDD", DatasetKey("ns", "z"))
    answer = backward(MemoryStore(graph(CHAIN), incomplete=[known, elsewhere]), node("d:x"))
    assert answer.incomplete == (known,)
    assert not answer.complete


def test_a_symlinked_name_leads_to_the_dataset() -> None:
    store = MemoryStore(graph(CHAIN), symlinks={DatasetKey("hive", "db.d"): DatasetKey("ns", "d")})
    answer = backward(store, node("d:x")._replace(dataset=DatasetKey("hive", "db.d")))
    assert "d:x 0" in _summary(answer)


def test_an_unknown_dataset_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UnknownDataset) as raised:
        backward(MemoryStore(graph("customers:id -IDENTITY-> orders:id")), node("custmers:id"))
    assert raised.value.code == "UNKNOWN_DATASET"
    assert "'ns customers'" in (raised.value.hint or "")


def test_an_unknown_path_is_an_error_with_the_nearest_paths() -> None:
    with pytest.raises(UnknownPath) as raised:
        backward(MemoryStore(graph("t:user.id_str -IDENTITY-> o:id")), node("t:user.idstr"))
    assert raised.value.code == "UNKNOWN_PATH"
    assert "'user.id_str'" in (raised.value.hint or "")


def test_edges_of_two_jobs_between_the_same_paths_stay_apart() -> None:
    answer = backward(MemoryStore(graph("a:x -IDENTITY-> b:x @one\na:x -COMPUTE-> b:x @two")), node("b:x"))
    assert [e.job.name for e in answer.edges] == ["one", "two"]


def test_a_chain_of_a_thousand_hops_is_followed_to_its_end() -> None:
    store = MemoryStore(graph("\n".join(f"d{i}:x -IDENTITY-> d{i + 1}:x" for i in range(1000))))
    assert len(backward(store, node("d1000:x"), bounds=Bounds(depth=None)).nodes) == 1001


def test_labels_are_written_for_people() -> None:
    store = MemoryStore(graph("t:mentions._element.id -IDENTITY-> o:id\no:id -FILTER-> p"))
    answer = forward(store, node("t:mentions"), ALL_TYPES)
    assert [n.label for n in answer.nodes] == ["mentions", "mentions[].id", "id", "p"]


def test_the_schema_distinguishes_a_map_s_value_from_a_member_of_that_name() -> None:
    props = SchemaField("props", "map<string,string>", fields=(SchemaField("value", "string"),))
    store = MemoryStore(
        graph("t:props.value -IDENTITY-> o:pair.value"), fields={DatasetKey("ns", "t"): (props,)}
    )
    assert [n.label for n in forward(store, node("t:props.value")).nodes] == ["props{}", "pair.value"]


def test_a_stop_that_leaves_out_nothing_but_what_is_shown_leaves_the_answer_complete() -> None:
    store = MemoryStore(graph("d:s.p -IDENTITY-> d:s.p"))
    stopped = backward(store, node("d:s"), bounds=Bounds(stops=(DatasetPattern(name="d"),)))
    assert stopped == backward(store, node("d:s"))
    assert stopped.complete
