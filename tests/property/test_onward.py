"""Where data may come from, searched from their places, is where they may go to, searched from their origins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import DatasetKey, Edge
from headwater_backend.privacy.exposure_search import Scope, values
from headwater_backend.questions.onward import before, onward
from headwater_backend.questions.traversal import Bounds
from kit.graphs import KNOWN, graphs
from kit.memory_store import MemoryStore

DATASETS = [DatasetKey("ns", name) for name in "abcd"]
BOUNDS = Bounds()


class GraphWithUses(MemoryStore):
    def used_by_jobs(self, *_: Any) -> Any:
        return {}


@settings(max_examples=500, deadline=None)
@given(graphs, st.sets(st.sampled_from(DATASETS), min_size=1), st.booleans())
def test_no_way_to_a_place_is_missed_from_the_place(
    drawn: Sequence[Edge], places: set[DatasetKey], influenced: bool
) -> None:
    store, scope = GraphWithUses(drawn, paths=KNOWN), Scope(influenced=influenced)
    back = before(store, places, BOUNDS, values(scope, backward=True))
    assert back is not None
    for start in DATASETS:
        ahead = onward(store, [start], BOUNDS, values(scope))
        assert ahead is not None
        assert (start in back) >= (not places.isdisjoint(ahead.from_any([start])))
