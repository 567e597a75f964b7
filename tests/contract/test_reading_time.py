"""What a run used of a dataset may have been read before it, and before the dataset was overwritten."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.stores import open_store
from headwater_facets.schemas import ACCESS, EXTENT
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, dataset, event, facet, paths

TAGS = facet(tags=[{"key": "user.contact.email", "value": "", "field": "mail"}])


def writes(minute: int, source: str, target: str, read_at: int | None = None) -> dict[str, Any]:
    """A run that certainly replaces the target with the mail of the source, as this was at a moment."""
    lineage = paths((["mail"], source, ["mail"], "IDENTITY"))
    whole = {"lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"), EXTENT: facet(replaced="WHOLE")}
    read = dataset(source, "mail", **({"tags": TAGS} if source == "p" else {}))
    if read_at is not None:
        read["inputFacets"] = {ACCESS: facet(paths=[], readAt=at(read_at).isoformat())}
    output = dataset(target, "mail", headwater_pathLineage=lineage, **whole)
    return event("COMPLETE", minute, f"{target} {minute}", [read], [output], f"to {target}")


def stored(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def holds(store: LineageStore, name: str) -> str:
    """Whether the attribute of ``p`` is at the dataset: yes, maybe, or no. Nothing in ``o`` is personal."""
    look_at(store, *(key.name for key in store.dataset_keys() if key.name == "o"))
    report = exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, name), ())))
    if report.attributes:
        return "yes"
    return "maybe" if report.incomplete else "no"


def test_rows_that_were_read_before_their_dataset_was_overwritten_hold_what_it_held(
    store: LineageStore,
) -> None:
    stored(store, writes(1, "p", "x"), writes(3, "o", "x"), writes(4, "x", "y", read_at=2))
    assert holds(store, "y") == "maybe"
    assert not exposed(store, Scope()).complete


def test_rows_that_were_read_at_several_times_may_hold_all_that_the_dataset_held_since_the_first(
    store: LineageStore,
) -> None:
    stored(store, writes(1, "o", "x"), writes(3, "p", "x"), writes(4, "x", "y", read_at=2))
    stored(store, writes(5, "o", "x"))
    assert holds(store, "y") == "maybe"


@pytest.mark.parametrize("read_at", [None, 3, 9])
def test_rows_that_were_read_after_it_hold_what_is_there_now(
    store: LineageStore, read_at: int | None
) -> None:
    stored(store, writes(1, "p", "x"), writes(2, "o", "x"), writes(4, "x", "y", read_at=read_at))
    assert holds(store, "y") == "no"


@pytest.mark.parametrize("read_at", ["yesterday", 7, None, ["2026"]])
def test_a_time_of_another_form_is_none(store: LineageStore, read_at: Any) -> None:
    odd = writes(4, "x", "y")
    odd["inputs"][0]["inputFacets"] = {ACCESS: facet(paths=[], readAt=read_at)}
    stored(store, writes(1, "p", "x"), writes(3, "o", "x"), odd)
    assert holds(store, "y") == "no"


def test_forgetting_old_runs_leaves_what_was_kept(store: LineageStore) -> None:
    stored(store, writes(1, "p", "x"), writes(3, "o", "x"), writes(4, "x", "y", read_at=2))
    stored(store, writes(6, "o", "x"), writes(7, "o", "x"), writes(8, "o", "x"))
    store.prune(at(9))
    assert holds(store, "y") == "maybe"


STEPS = st.lists(
    st.tuples(st.sampled_from(["p", "o", "x", "y"]), st.sampled_from(["x", "y", "z"]), st.integers(0, 5)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, data=st.data())
def test_no_history_of_kept_rows_is_called_clean_while_they_are_there(
    steps: list[tuple[str, str, int]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each step replaces a dataset with another as it was some minutes ago; ``now`` is what they really hold."""
    now = {"p": True, "o": False, "x": False, "y": False, "z": False}
    before, events = [dict(now)], []
    for number, (source, target, ago) in enumerate(steps):
        minute, then = 2 * number + 2, max(0, number - ago)
        # The state ``then`` was there from the even minute of its step on: it is read in the odd one after.
        now[target] = before[then][source]
        before.append(dict(now))
        events.append(writes(minute, source, target, read_at=2 * then + 1))
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('kept') / 'lineage.db'}")
    stored(store, *data.draw(st.permutations(events)))
    for name in ("x", "y", "z"):
        assert not now[name] or holds(store, name) != "no", (name, steps)
    store.close()
