"""Long ways of data through what was replaced again and again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from headwater_backend.domain.model import DatasetKey
from headwater_backend.ingest.service import ingest
from headwater_backend.stores import open_store
from headwater_facets.schemas import EXTENT
from kit.openlineage import NAMESPACE, at, columns, dataset, event, facet

NIGHTS = 1_100
"""More than Python's calls may be nested."""


def test_a_table_that_is_made_anew_of_its_copy_each_night_may_hold_what_it_held_first(tmp_path: Path) -> None:
    whole = {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        EXTENT: facet(replaced="WHOLE"),
    }

    def night(number: int, source: str, target: str = "target") -> dict[str, object]:
        output = dataset(target, "x", columnLineage=columns({"x": [(source, "x")]}), **whole)
        return event("COMPLETE", number, f"night {number}", [dataset(source, "x")], [output])

    there_and_back = [("target", "copy"), ("copy", "target")]
    events = [
        night(0, "first"),
        *(night(number, *there_and_back[(number - 1) % 2]) for number in range(1, NIGHTS + 1)),
    ]
    first = DatasetKey(NAMESPACE, "first")
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        assert all(outcome.stored for outcome in ingest(store, events))
        asked = store.possible_outputs([first], earlier=True)
        assert [gap.reason for gap in asked[first]] == ["EARLIER_LINEAGE"]
        store.prune(at(NIGHTS + 2))
        assert store.possible_outputs([first], earlier=True) == asked
