"""A job that reads its own output and replaces it keeps the origin of what it held."""

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
from headwater_backend.questions.closure import backward, forward
from headwater_backend.questions.traversal import Bounds
from headwater_backend.stores import open_store
from headwater_facets.schemas import EXTENT
from kit.openlineage import NAMESPACE, at, dataset, event, facet, node, paths

TAGS = facet(tags=[{"key": "user.contact.email", "value": "", "field": "mail"}])


def writes(
    minute: int, *sources: str, target: str = "t", job: str = "nightly", **more: Any
) -> dict[str, Any]:
    """A run that certainly replaces the target with the mail of the sources."""
    lineage = paths(*((["mail"], source, ["mail"], "IDENTITY") for source in sources))
    whole = {"lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"), EXTENT: facet(replaced="WHOLE")}
    output = dataset(target, "mail", headwater_pathLineage=lineage, **whole, **more)
    inputs = [dataset(name, "mail", **({"tags": TAGS} if name[0] == "p" else {})) for name in sources]
    return event("COMPLETE", minute, f"{job} {minute}", inputs, [output], job)


def origins(store: LineageStore, name: str = "t", minute: int | None = None) -> set[str]:
    bounds = Bounds(as_of=None if minute is None else at(minute))
    return {each.key.dataset.name for each in backward(store, node(name, "mail"), bounds=bounds).nodes} - {
        name
    }


def stored(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def test_each_night_adds_to_what_the_nights_before_loaded(store: LineageStore) -> None:
    stored(store, writes(1, "p"), writes(2, "t", "q"), writes(3, "t", "r"))
    assert origins(store) == {"p", "q", "r"}
    assert [origins(store, minute=minute) for minute in (1, 2, 3)] == [{"p"}, {"p", "q"}, {"p", "q", "r"}]
    assert "t" in {each.key.dataset.name for each in forward(store, node("p", "mail")).nodes}


def test_a_replacement_that_does_not_read_itself_ends_it(store: LineageStore) -> None:
    stored(store, writes(1, "p"), writes(2, "t", "q"), writes(3, "r"))
    assert origins(store) == {"r"}
    assert origins(store, minute=2) == {"p", "q"}


def test_an_output_that_is_read_under_its_other_name_is_itself(store: LineageStore) -> None:
    link = facet(identifiers=[{"namespace": NAMESPACE, "name": "table", "type": "TABLE"}])
    stored(store, writes(1, "p", symlinks=link), writes(2, "table", "q", symlinks=link))
    assert {"p", "q"} <= origins(store)


def test_a_run_whose_lineage_is_not_known_may_carry_over_what_it_reads(store: LineageStore) -> None:
    unknown = writes(2, "t")
    del unknown["outputs"][0]["facets"]["headwater_pathLineage"]
    stored(store, writes(1, "p"), unknown)
    assert origins(store) == {"p"}


def test_what_went_through_a_temporary_table_is_a_gap_at_least(store: LineageStore) -> None:
    through = [writes(2, "t", target="tmp", job="stage"), writes(3, "tmp")]
    dropped = dataset("tmp", lifecycleStateChange=facet(lifecycleStateChange="DROP"))
    stored(store, writes(1, "p"), *through, event("COMPLETE", 4, "drop", [], [dropped], "drop"))
    report = exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, "t"), ())))
    assert report.attributes or {gap.reason for gap in report.incomplete} == {"EARLIER_LINEAGE"}


def test_forgetting_old_runs_leaves_what_is_carried_over(store: LineageStore) -> None:
    stored(store, writes(1, "p"), *(writes(minute, "t", "q") for minute in range(2, 8)))
    store.prune(at(7))
    assert origins(store) == {"p", "q"}


NIGHTS = st.lists(st.tuples(st.sets(st.sampled_from(["p", "q", "r"])), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nights=NIGHTS, data=st.data())
def test_any_history_holds_what_a_run_of_it_would(
    nights: list[tuple[set[str], bool]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each night replaces the table with some sources, and maybe with what it held: the table really holds ``held``."""
    store = open_store(f"sqlite:///{tmp_path_factory.mktemp('nights') / 'lineage.db'}")
    held, after, events = set[str](), [], []
    for minute, (sources, itself) in enumerate(nights, 1):
        held = sources | (held if itself else set())
        after.append(held)
        events.append(writes(minute, *sorted(sources), *(["t"] if itself else [])))
    stored(store, *data.draw(st.permutations(events)))
    assert origins(store) == after[-1]
    assert [origins(store, minute=minute) for minute in range(1, len(nights) + 1)] == after
    store.close()
