"""What a change touches: outputs, jobs, owners; directly, or only by influence."""

from __future__ import annotations

from headwater_backend.domain.facet_readers import Owner
from headwater_backend.domain.model import JobKey
from headwater_backend.questions.closure import Reach
from headwater_backend.questions.impact import impact
from headwater_backend.questions.traversal import Bounds
from kit.memory_store import MemoryStore, graph, node

GRAPH = """
    raw:email -IDENTITY-> clean:email @load
    raw:email -FILTER-> counts @count
    clean:email -HASH-> token:id @mask
    other:x -IDENTITY-> elsewhere:x @away
"""
ALICE, BOB = Owner("team:alice", "OWNER"), Owner("bob", None)


def _owned(*owners: Owner) -> dict[str, object]:
    entries = [{"name": o.name, "type": o.type} if o.type else {"name": o.name} for o in owners]
    return {"ownership": {"owners": entries}}


def _store() -> MemoryStore:
    facets = {
        node("clean").dataset: _owned(ALICE),
        node("token").dataset: _owned(BOB, ALICE),
        JobKey("ns", "mask"): _owned(BOB),
        node("elsewhere").dataset: _owned(Owner("nobody", None)),
    }
    return MemoryStore(graph(GRAPH), facets=facets)  # type: ignore[arg-type]


def test_outputs_are_listed_by_distance_with_their_reach() -> None:
    found = impact(_store(), node("raw:email"))
    assert [(each.key.name, each.distance, each.reach) for each in found.outputs] == [
        ("clean", 1, Reach.DIRECT),
        ("counts", 1, Reach.INFLUENCED),
        ("token", 2, Reach.DIRECT),
    ]
    assert [n.label for n in found.outputs[0].paths] == ["email"]
    assert found.complete


def test_a_job_that_reads_the_path_is_distinguished_from_one_that_reads_derived_data() -> None:
    found = impact(_store(), node("raw:email"))
    assert [(job.key.name, job.reads, job.reach) for job in found.jobs] == [
        ("count", True, Reach.INFLUENCED),
        ("load", True, Reach.DIRECT),
        ("mask", False, Reach.DIRECT),
    ]


def test_owners_are_listed_with_their_affected_datasets_and_jobs() -> None:
    found = impact(_store(), node("raw:email"))
    assert [
        (each.owner, [d.name for d in each.datasets], [j.name for j in each.jobs]) for each in found.owners
    ] == [
        (BOB, ["token"], ["mask"]),
        (ALICE, ["clean", "token"], []),
    ]


def test_owners_are_looked_up_in_one_store_call_each() -> None:
    store = _store()
    impact(store, node("raw"))
    assert store.calls.count("get_jobs") == 1
    assert store.calls.count("get_datasets") <= 2


def test_what_the_depth_leaves_out_is_reported() -> None:
    found = impact(_store(), node("raw:email"), Bounds(depth=1))
    assert [each.key.name for each in found.outputs] == ["clean", "counts"]
    assert not found.complete


def test_a_path_that_nothing_is_made_of_touches_nothing() -> None:
    found = impact(_store(), node("token:id"))
    assert (found.outputs, found.jobs, found.owners) == ((), (), ())
