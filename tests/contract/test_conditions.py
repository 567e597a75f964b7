"""The conditions under which versions of lineage were made, now and at a moment."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from typing import Any

import pytest

from headwater_backend.domain.model import Direction, Making
from headwater_backend.domain.moments import micros
from headwater_backend.domain.records import MOST_CONDITIONS, united
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from headwater_facets.schemas import CONDITIONS, EXTENT
from kit.openlineage import BOTH, NAMESPACE, at, dataset, digest, event, facet, node, paths

SPARK = facet(processingType="BATCH", integration="SPARK")
WHOLE: dict[str, Any] = {
    "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
    EXTENT: facet(replaced="WHOLE"),
}


def stated(*days: int) -> dict[str, Any]:
    """The facet of a job that filters by days."""
    place = {"namespace": NAMESPACE, "name": "in", "path": ["day"]}
    return facet(
        conditions=[
            {
                "operator": 3,
                "access": "FILTER",
                "sql": f"day = {day}",
                "expression": {"op": "=", "args": [{"path": place}, {"literal": day, "type": "integer"}]},
            }
            for day in days
        ]
    )


def run(minute: int, *days: int, kind: str = "COMPLETE", name: str = "", **facets: Any) -> dict[str, Any]:
    """A run that copies ``in.x`` to ``out.x`` of some days; of none, it says nothing of them."""
    out = dataset("out", "x", headwater_pathLineage=paths((["x"], "in", ["x"], "IDENTITY")), **facets)
    found = event(kind, minute, name or f"run {minute}", [dataset("in", "x", "day")], [out])
    found["job"]["facets"] = {"jobType": SPARK, **({CONDITIONS: stated(*days)} if days else {})}
    return found


def take(store: LineageStore, *events: dict[str, Any], received: int | None = None) -> None:
    assert [each.error for each in ingest(store, events, received=received)] == [None] * len(events)


def stored_conditions(store: LineageStore) -> int:
    return [kind for kind, *_ in store.contents()].count("conditions")


def makings(store: LineageStore, as_of: datetime | None = None) -> list[Making]:
    found = store.neighbours([node("out", "x")], Direction.BACKWARD, BOTH, as_of)
    (version,) = {fan.version for fan in found.fans}
    return sorted(store.conditions([version], as_of)[version], key=lambda each: (each.left, str(each)))


def days(store: LineageStore, as_of: datetime | None = None) -> list[str]:
    """The predicates of each making, ``unknown`` where they are not known, in brackets what may be left."""
    texts = [(_text(made), made) for made in makings(store, as_of)]
    return sorted(f"({text})" if made.left else text for text, made in texts)


def _text(made: Making) -> str:
    known = made.conditions.predicates if made.conditions else None
    return "unknown" if known is None else " and ".join(each.sql for each in known)


def test_an_edge_has_the_predicates_of_the_run_that_made_it_with_operator_and_sender(
    store: LineageStore,
) -> None:
    take(store, run(1, 7, **WHOLE))
    (made,) = makings(store)
    assert made.conditions is not None and made.conditions.predicates is not None
    (predicate,) = made.conditions.predicates
    assert (predicate.operator, predicate.access, predicate.sql) == (3, "FILTER", "day = 7")
    assert (made.conditions.producer, made.by) == ("https://example.org/test", ("local",))


def test_a_run_that_replaced_everything_has_its_own_conditions_and_those_of_before_are_past(
    store: LineageStore,
) -> None:
    take(store, run(1, 1, **WHOLE), run(2, 2, **WHOLE), run(3, 3, 4, **WHOLE))
    assert days(store) == ["day = 3 and day = 4"]
    assert days(store, at(2)) == ["day = 2"]
    assert days(store, at(1)) == ["day = 1"]


def test_runs_that_append_are_in_force_under_the_conditions_of_each(store: LineageStore) -> None:
    take(store, run(1, 1, **WHOLE), run(2, 2), run(3, 3), run(4, 3))
    assert days(store) == ["day = 1", "day = 2", "day = 3"]
    assert days(store, at(2)) == ["day = 1", "day = 2"]


def test_what_one_run_that_is_in_force_did_not_say_is_not_known(store: LineageStore) -> None:
    take(store, run(1, 1, **WHOLE), run(2))
    assert days(store) == ["day = 1", "unknown"]


def test_what_may_be_left_of_a_run_that_was_replaced_or_failed_counts_as_left(store: LineageStore) -> None:
    maybe: dict[str, Any] = {"lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE")}
    take(store, run(1, 1, **WHOLE), run(2, 2, **maybe), run(3, 3, kind="FAIL"))
    assert days(store) == ["(day = 1)", "(day = 3)", "day = 2"]
    take(store, run(4, 4, **WHOLE))
    assert days(store) == ["day = 4"]


def test_what_is_reported_later_of_a_run_takes_nothing_back(store: LineageStore) -> None:
    take(
        store, run(1, name="run", kind="START"), run(2, 1, name="run", kind="RUNNING"), run(3, 2, name="run")
    )
    assert days(store) == ["day = 1", "day = 2", "unknown"]


def test_what_was_not_received_yet_was_not_known(store: LineageStore) -> None:
    take(store, run(1, 1, **WHOLE), received=micros(at(10)))
    take(store, run(2, 2), received=micros(at(60)))
    assert days(store) == ["day = 1", "day = 2"]
    assert days(store.known_at(at(50))) == ["day = 1"]


def test_equal_conditions_are_stored_once(store: LineageStore) -> None:
    take(store, *(run(minute, 1 + minute % 2) for minute in range(6)))
    assert stored_conditions(store) == 2


def test_pruning_keeps_each_condition_that_counts_and_deletes_the_others(store: LineageStore) -> None:
    take(store, run(1, 1), run(2, 2, **WHOLE), *(run(minute, minute % 2) for minute in range(3, 20)))
    before = days(store)
    assert store.prune(at(15)).runs > 5
    assert days(store) == before == ["day = 0", "day = 1", "day = 2"]
    take(store, run(30, 9, **WHOLE), run(31, 9, **WHOLE), run(32, 9, **WHOLE))
    store.prune(at(40))
    assert days(store) == ["day = 9"]
    assert stored_conditions(store) == 1


def test_a_facet_of_another_shape_is_not_known(store: LineageStore) -> None:
    odd = run(1)
    odd["job"]["facets"][CONDITIONS] = facet(conditions=[{"sql": "day = 1"}])
    take(store, odd)
    assert days(store) == ["unknown"]


def test_a_copy_of_a_store_has_the_same_conditions(store: LineageStore, tmp_path: Any) -> None:
    take(store, run(1, 1), run(2, 2), run(3))
    with closing(open_store(f"sqlite:///{tmp_path}/copy.db")) as other:
        for batch in store.batches():
            other.apply(batch)
        assert days(other) == days(store)
        assert digest(other, receipts=True) == digest(store, receipts=True)


def test_the_state_of_two_stores_is_equal_in_any_order_of_events(store: LineageStore) -> None:
    events = [run(1, 1, name="run"), run(2, 2, name="run"), run(3, name="run"), run(4, *range(9), name="run")]
    take(store, *events)
    expected = digest(store)
    with_more = [*events[::-1], *events]
    for each in with_more:
        take(store, each)
    assert digest(store) == expected


def test_of_a_version_that_nobody_reported_nothing_is_known(store: LineageStore) -> None:
    assert store.conditions(["0" * 32]) == {"0" * 32: [Making(None)]}


@pytest.mark.parametrize("count", [MOST_CONDITIONS, MOST_CONDITIONS + 1])
def test_a_run_that_says_more_than_a_few_conditions_says_none(store: LineageStore, count: int) -> None:
    take(store, *(run(1, day, name="run") for day in range(1, count + 1)))
    assert len(days(store)) == (count if count == MOST_CONDITIONS else 1)
    assert ("unknown" in days(store)) is (count > MOST_CONDITIONS)


def test_sets_of_conditions_unite_in_any_order() -> None:
    sets = ["-", "a", "b c", "*", " ".join(f"{number:03}" for number in range(MOST_CONDITIONS))]
    for one in sets:
        assert united(one, one) == one
        for other in sets:
            assert united(one, other) == united(other, one)
            for third in sets:
                assert united(united(one, other), third) == united(one, united(other, third))
