"""An answer is incomplete where a gap concerns what it asked for, and only there."""

from __future__ import annotations

import pytest

from headwater_backend.model import DatasetKey, Direction, Incomplete
from headwater_backend.questions.closure import lineage
from headwater_backend.questions.exposure import Scope, exposed, exposure
from headwater_backend.questions.impact import impact
from headwater_backend.questions.search import ALL_TYPES, DIRECT_ONLY
from headwater_backend.questions.witness import witnesses
from kit.memory_store import MemoryStore, graph, node

OUT = DatasetKey("ns", "out")
UDF = Incomplete("PYTHON_UDF", OUT, ("score",), None, "f")
LOST = Incomplete("TRUNCATED", OUT, ("rest",))
RDD = Incomplete("RDD", OUT)
EDGES = """
in:ssn -IDENTITY-> out:ssn
in:ssn -FILTER-> out
in:age -COMPUTE-> out:score.value
out:ssn -HASH-> top:token
"""


def _store(*gaps: Incomplete) -> MemoryStore:
    return MemoryStore(graph(EDGES), incomplete=gaps, tags=[(node("in:ssn"), "pii", "true")])


@pytest.mark.parametrize("types", [DIRECT_ONLY, ALL_TYPES])
def test_a_column_is_complete_beside_one_that_is_not(types: frozenset) -> None:
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
    assert lineage(_store(UDF), node("in:age"), Direction.FORWARD).incomplete == (UDF,)
    assert exposure(_store(UDF)).complete


def test_looking_ahead_what_is_lost_may_have_been_made_of_anything() -> None:
    assert lineage(_store(LOST), node("in:ssn"), Direction.FORWARD).incomplete == (LOST,)
    assert exposure(_store(LOST)).incomplete == (LOST,)


def test_an_influence_on_a_whole_dataset_concerns_all_its_paths_ahead() -> None:
    assert impact(_store(UDF), node("in:ssn")).incomplete == (UDF,)


def test_what_arrived_is_incomplete_as_the_path_s_own_lineage_is() -> None:
    assert exposed(_store(UDF), Scope(at=node("out:ssn"))).complete
    assert exposed(_store(UDF), Scope(at=node("out"))).incomplete == (UDF,)
