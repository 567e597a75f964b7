"""An answer is incomplete if, and only if, a gap concerns a node that was searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headwater_backend.domain.deadline import Deadline
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, LineageType, Neighbours
from headwater_backend.privacy.exposure import exposed, exposure
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.closure import lineage
from headwater_backend.questions.impact import impact
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from headwater_backend.questions.witness import witnesses
from kit.memory_store import MemoryStore, graph, node

OUT = DatasetKey("ns", "out")
UDF = Incomplete("PYTHON_UDF", OUT, ("score",), None, "f")
LOST = Incomplete("TRUNCATED", OUT, ("rest",))
RDD = Incomplete("RDD", OUT)
EDGES = """
in:ssn -IDENTITY-> out:ssn
in:ssn -FILTER-> out
in:visits -COMPUTE-> out:score.value
out:ssn -HASH-> top:token
"""


def _store(*gaps: Incomplete) -> MemoryStore:
    return MemoryStore(graph(EDGES), incomplete=gaps, tags=[(node("in:ssn"), "pii", "true")])


@pytest.mark.parametrize("types", [DIRECT_ONLY, ALL_TYPES])
def test_a_column_is_complete_beside_one_that_is_not(types: frozenset[LineageType]) -> None:
    store = _store(UDF, LOST)
    assert lineage(store, node("out:ssn"), Direction.BACKWARD, types).complete
    assert lineage(store, node("top:token"), Direction.BACKWARD, types).complete
    assert witnesses(store, node("in:ssn"), node("top:token"), types).complete


@pytest.mark.parametrize("asked", ["out:score", "out:score.value", "out"])
def test_a_path_is_incomplete_with_what_it_holds_and_what_holds_it(asked: str) -> None:
    assert lineage(_store(UDF), node(asked), Direction.BACKWARD).incomplete == (UDF,)


@pytest.mark.parametrize("asked", ["out:ssn", "out:score", "top:token", "out"])
def test_a_gap_of_a_whole_dataset_concerns_every_path(asked: str) -> None:
    assert lineage(_store(RDD), node(asked), Direction.BACKWARD).incomplete == (RDD,)


def test_looking_ahead_a_user_function_concerns_what_it_reads() -> None:
    assert lineage(_store(UDF), node("in:ssn"), Direction.FORWARD).complete
    assert lineage(_store(UDF), node("in:visits"), Direction.FORWARD).incomplete == (UDF,)
    assert exposure(_store(UDF)).complete


def test_looking_ahead_what_is_lost_may_have_been_made_of_anything() -> None:
    assert lineage(_store(LOST), node("in:ssn"), Direction.FORWARD).incomplete == (LOST,)
    assert exposure(_store(LOST)).incomplete == (LOST,)


def test_an_influence_on_a_whole_dataset_concerns_all_its_paths_ahead() -> None:
    assert impact(_store(UDF), node("in:ssn")).incomplete == (UDF,)


def test_what_arrived_is_incomplete_as_the_path_s_own_lineage_is() -> None:
    assert exposed(_store(UDF), Scope(at=node("out:ssn"))).complete
    assert exposed(_store(UDF), Scope(at=node("out"))).incomplete == (UDF,)


MANY = "\n".join(f"in{number}:ssn -IDENTITY-> out:c{number}" for number in range(10))
TAGGED = [(node(f"in{number}:ssn"), "pii", "true") for number in range(10)]
AT = Scope(at=node("out:c9"))


class Late(MemoryStore):
    """A store of which a question has no time left after some looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(graph(MANY), tags=TAGGED)
        self._looks = looks

    def neighbours(self, *args: Any, **options: Any) -> Neighbours:
        self._looks -= 1
        if self._looks < 0:
            raise Deadline(0).error()
        return super().neighbours(*args, **options)


def test_what_arrived_is_incomplete_where_the_search_ended_at_a_limit() -> None:
    whole = exposed(MemoryStore(graph(MANY), tags=TAGGED), AT)
    assert (len(whole.attributes), whole.complete) == (1, True)
    limited = exposed(MemoryStore(graph(MANY), tags=TAGGED), replace(AT, bounds=Bounds(nodes=5)))
    assert {gap.reason for gap in limited.incomplete} == {"NODE_LIMIT"}


def test_each_attribute_is_incomplete_whose_values_may_be_beyond_a_limit() -> None:
    """The search ends among the outputs of ``b``, and has not looked beyond ``a1``."""
    wide = "\n".join(f"b:ssn -IDENTITY-> b{number}:x" for number in range(30))
    tags = [(node("a:ssn"), "pii", "true"), (node("b:ssn"), "pii", "true")]
    store = MemoryStore(graph(f"a:ssn -IDENTITY-> a1:x\na1:x -IDENTITY-> a2:x\n{wide}"), tags=tags)
    for nodes in range(2, 40):
        found = exposure(store, bounds=Bounds(nodes=nodes))
        for each in found.attributes:
            reached = 30 if each.attribute.node == node("b:ssn") else 2
            assert len(each.outputs) == reached or not each.complete, nodes


@pytest.mark.parametrize("looks", range(1, 7))
def test_what_arrived_is_listed_or_incomplete_whenever_the_time_ends(looks: int) -> None:
    found = exposed(Late(looks), AT)
    assert [each.attribute.node for each in found.attributes] == [node("in9:ssn")] or not found.complete
    assert found.complete or {gap.reason for gap in found.incomplete} == {"TIME_LIMIT"}
