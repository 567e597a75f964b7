"""Reads that hand values to a program: looking ahead, one meets the driver of its application, and its job."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, JobKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposure
from headwater_backend.questions.impact import impact
from headwater_backend.questions.lineage import Scope, lineage
from kit.openlineage import NAMESPACE, dataset, event, facet, node

COLLECTS = JobKey(NAMESPACE, "app.to_pandas.patients")
DRIVER = DatasetKey(f"driver://{NAMESPACE}", "app")
PARENT = facet(
    run={"runId": "3f5e83fa-3480-44ff-99c5-ff943904e5e8"}, job={"namespace": NAMESPACE, "name": "app"}
)


def access(minute: int, kind: str = "COMPLETE", **paths: list[str]) -> dict[str, Any]:
    """A run that read ``patients`` and wrote nothing: its paths with their kinds of access."""
    entries = [{"path": [name], "access": kinds, "reachesOutput": True} for name, kinds in paths.items()]
    read = dataset("patients", "ssn", "name", headwater_access=facet(paths=entries))
    found = event(kind, minute, f"run {minute}", [read], [], COLLECTS.name)
    found["run"]["facets"] = {"parent": PARENT}
    return found


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def ahead(store: LineageStore, path: str) -> set[NodeKey]:
    graph = lineage(store, node("patients", path), Direction.FORWARD, Scope())
    return {each.key for each in graph.nodes if each.distance}


def test_what_was_collected_is_in_the_driver_and_its_way_on_is_not_known(store: LineageStore) -> None:
    ingest_all(store, access(1, ssn=["PROJECT", "DRIVER"], name=["FILTER"]))
    graph = lineage(store, node("patients", "ssn"), Direction.FORWARD, Scope())
    assert [each.key for each in graph.nodes] == [node("patients", "ssn"), NodeKey(DRIVER, ("ssn",))]
    assert [(edge.job, edge.transformations[0].access) for edge in graph.edges] == [(COLLECTS, "DRIVER")]
    (gap,) = graph.incomplete
    assert (gap.reason, gap.dataset, gap.path, gap.job) == ("DRIVER", DRIVER, ("ssn",), COLLECTS)
    assert "handed to the program" in gap.detail


def test_what_was_only_looked_at_is_not_in_the_driver(store: LineageStore) -> None:
    ingest_all(store, access(1, ssn=["PROJECT", "DRIVER"], name=["FILTER"]))
    assert ahead(store, "name") == set()
    graph = lineage(store, node("patients", "name"), Direction.FORWARD, Scope())
    assert graph.complete


def test_the_newest_run_that_did_not_fail_decides_what_the_job_hands_over(
    store: LineageStore,
) -> None:
    ingest_all(
        store, access(1, ssn=["DRIVER"]), access(2, name=["DRIVER"]), access(3, "FAIL", ssn=["DRIVER"])
    )
    assert ahead(store, "ssn") == set()
    assert ahead(store, "name") == {NodeKey(DRIVER, ("name",))}


def test_impact_and_exposure_include_what_was_handed_over(store: LineageStore) -> None:
    tags = facet(tags=[{"key": "user.ssn", "value": "", "field": "ssn"}])
    collected = access(1, ssn=["PROJECT", "DRIVER"])
    collected["inputs"][0]["facets"]["tags"] = tags
    ingest_all(store, collected)
    found = impact(store, node("patients", "ssn"))
    assert [(each.key, each.reads) for each in found.jobs] == [(COLLECTS, True)]
    assert [each.key for each in found.outputs] == [DRIVER]
    (exposed,) = exposure(store, node("patients", "ssn")).attributes
    assert [output.node for output in exposed.outputs] == [NodeKey(DRIVER, ("ssn",))]
    assert {gap.reason for gap in exposed.incomplete} == {"DRIVER"}


def test_a_driver_takes_part_in_no_other_answer_about_the_dataset(store: LineageStore) -> None:
    ingest_all(store, access(1, ssn=["DRIVER"]))
    backward = lineage(store, node("patients", "ssn"), Direction.BACKWARD, Scope())
    assert backward.complete and len(backward.nodes) == 1
    assert list(store.sources()) == [node("patients", "ssn").dataset]
    assert store.possible_outputs([node("patients", "ssn").dataset]) == {}


def test_a_facet_of_another_form_is_ignored(store: LineageStore) -> None:
    odd = access(1, ssn=["DRIVER"])
    odd["inputs"][0]["facets"]["headwater_access"]["paths"] = [
        {"path": "ssn", "access": ["DRIVER"]},
        7,
        {"access": 3},
    ]
    ingest_all(store, odd)
    assert Incomplete not in map(type, store.incomplete([DRIVER]))
    assert ahead(store, "ssn") == set()


def test_the_way_on_of_other_paths_in_the_driver_does_not_concern_an_answer(store: LineageStore) -> None:
    ingest_all(store, access(1, ssn=["DRIVER"], name=["DRIVER"]))
    graph = lineage(store, node("patients", "name"), Direction.FORWARD, Scope())
    assert [gap.path for gap in graph.incomplete] == [("name",)]
