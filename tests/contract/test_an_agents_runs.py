"""The agent's START holds little: what a store answers comes from the last event of each run, whatever its state."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, JobKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit.events import ended, started
from kit.executions import execution, wire
from kit.openlineage import near

RUN = execution()
OUT = DatasetKey("file", "/out/tweets")
WHEN = 1_767_225_605_000
ENDS = {
    "COMPLETE": Outcome(WHEN, output={"rows": 7}),
    "FAIL": Outcome(WHEN, error={"class": "java.lang.RuntimeException", "message": "no"}),
    "ABORT": Outcome(WHEN, aborted=True),
}


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    for outcome in ingest(store, events):
        assert outcome.error is None


def answers(store: LineageStore) -> tuple[Any, ...]:
    """The job, its run, and the origins of its output, as the store has them."""
    job = store.newest_runs([JobKey(RUN.job.namespace, RUN.job.name)]).get(
        JobKey(RUN.job.namespace, RUN.job.name)
    )
    assert job is not None
    edges = near(store, NodeKey(OUT, ("text",)), Direction.BACKWARD)
    return job.run_id, job.state, edges, list(store.incomplete([OUT]))


@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("is_late", [False, True], ids=["in order", "START comes late"])
def test_what_a_run_did_is_in_its_end_whenever_its_start_comes(
    kind: str, is_late: bool, store: LineageStore
) -> None:
    events_of_run = [wire(started(RUN)), wire(ended(RUN, ENDS[kind]))]
    take(store, *(reversed(events_of_run) if is_late else events_of_run))
    run_id, state, edges, incomplete = answers(store)
    assert (run_id, state) == (RUN.job.run_id, kind)
    is_true = kind == "COMPLETE"
    assert len(edges) == (2 if is_true else 0)
    assert [each.reason for each in incomplete] == (["PYTHON_UDF"] if is_true else [])


def test_a_run_whose_end_never_came_is_reported_as_without_lineage(store: LineageStore) -> None:
    take(store, wire(started(RUN)))
    run_id, state, edges, incomplete = answers(store)
    assert (run_id, state, edges) == (RUN.job.run_id, "START", set())
    assert [each.reason for each in incomplete] == ["NO_LINEAGE_FACET"]


def test_a_run_whose_end_never_came_hides_nothing_that_is_known(store: LineageStore) -> None:
    take(store, wire(ended(RUN, ENDS["COMPLETE"])))
    before = answers(store)[2:]
    take(store, wire(started(execution())))
    assert answers(store)[2:] == before
