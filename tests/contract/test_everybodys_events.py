"""What other producers send today is taken in, and found again, in every store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, JobKey, RunKey
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore, get_dataset
from kit.events import validate_event
from kit.openlineage import BOTH, closure, digest, lines, near, node
from kit.shared import shared

FILES = ["food-delivery", "spark-official-nested", "spark-column-lineage", "airflow", "edge-cases"]


def load(store: LineageStore, name: str) -> list[dict[str, Any]]:
    raw = lines(shared(f"events/{name}.ndjson"))
    outcomes = ingest(store, raw)
    assert [outcome.error for outcome in outcomes] == [None] * len(raw)
    return [json.loads(line) for line in raw]


def test_the_kit_accepts_the_official_agents_events() -> None:
    for line in lines(shared("events/spark-official-nested.ndjson"))[::10]:
        validate_event(json.loads(line))


def parts(events: list[dict[str, Any]], side: str) -> list[dict[str, Any]]:
    return [part for event in events for part in event.get(side) or []]


def test_an_email_reaches_exactly_its_three_downstream_columns(store: LineageStore) -> None:
    load(store, "food-delivery")
    email = node("public.customers", "email", namespace="food_delivery")
    assert closure(store, email, Direction.FORWARD) == {
        node(name, "customer_email", namespace="food_delivery")
        for name in ("public.delivery_7_days", "public.top_delivery_times", "public.discounts")
    }


def test_content_that_came_in_start_is_the_current_lineage(store: LineageStore) -> None:
    events = load(store, "food-delivery")
    outputs = {(p["namespace"], p["name"]) for p in parts(events, "outputs")}
    reported = [
        (field, entry["field"])
        for part in parts(events, "outputs")
        for field, by in (part["facets"].get("columnLineage") or {"fields": {}})["fields"].items()
        for entry in by["inputFields"]
    ]
    whole = [node(name, namespace=namespace) for namespace, name in sorted(outputs)]
    edges = store.neighbours(whole, Direction.BACKWARD, BOTH).edges(Direction.BACKWARD)
    assert len(edges) == len(reported) == 39


@pytest.mark.parametrize("name", FILES)
def test_every_dataset_job_and_run_of_a_file_is_found_again(store: LineageStore, name: str) -> None:
    events = load(store, name)
    for part in parts(events, "inputs") + parts(events, "outputs"):
        found = get_dataset(store, DatasetKey(part["namespace"], part["name"]))
        assert found is not None
        assert {key for key, facet in (part.get("facets") or {}).items() if facet} <= found.facets.keys()
    for event in events:
        if "job" in event and "run" in event:
            job = JobKey(event["job"]["namespace"], event["job"]["name"])
            assert event["run"]["runId"] in {run.run_id for run in store.runs(job)}


@pytest.mark.parametrize("name", FILES)
def test_every_schema_path_of_a_file_is_found_again(store: LineageStore, name: str) -> None:
    events = load(store, name)
    for part in parts(events, "inputs") + parts(events, "outputs"):
        schema = (part.get("facets") or {}).get("schema")
        if schema:
            known = set(
                store.paths([DatasetKey(part["namespace"], part["name"])])[
                    DatasetKey(part["namespace"], part["name"])
                ]
            )
            assert set(all_paths(schema["fields"])) <= known


@pytest.mark.parametrize("name", FILES)
def test_every_facet_of_a_job_a_run_an_input_and_an_output_is_found_again_as_it_was(
    store: LineageStore, name: str
) -> None:
    """Of several of one name, the newest; either of two that are of the same moment."""
    reported: dict[Owner, dict[str, list[tuple[int, str]]]] = {}
    for event in load(store, name):
        for owner, facets in facets_of(event):
            for facet, content in facets.items():
                time = decode(event).jobs[0].last
                reported.setdefault(owner, {}).setdefault(facet, []).append((time, text(content)))
    assert reported
    for owner, facets in reported.items():
        found = found_facets(store, *owner)
        for facet, contents in facets.items():
            newest = max(contents)[0]
            assert text(found[facet]) in {content for time, content in contents if time == newest}


Owner = tuple[RunKey, str, str]


def text(content: Any) -> str:
    return json.dumps(content, sort_keys=True)


def facets_of(event: dict[str, Any]) -> Iterator[tuple[Owner, dict[str, Any]]]:
    """The facets of the event's run, job, inputs and outputs."""
    if "run" not in event or "job" not in event:
        return
    job = JobKey(event["job"]["namespace"], event["job"]["name"])
    run = RunKey(job, event["run"]["runId"].lower())
    yield (run, "run", ""), event["run"].get("facets") or {}
    yield (RunKey(job, ""), "job", ""), event["job"].get("facets") or {}
    for part in event.get("inputs") or []:
        yield (run, "INPUT", f"{part['namespace']} {part['name']}"), part.get("inputFacets") or {}
    for part in event.get("outputs") or []:
        yield (run, "OUTPUT", f"{part['namespace']} {part['name']}"), part.get("outputFacets") or {}


def found_facets(store: LineageStore, run: RunKey, kind: str, dataset: str) -> Mapping[str, Any]:
    if kind == "job":
        return store.get_jobs([run.job])[run.job].facets
    if kind == "run":
        return store.get_runs([run])[run].facets
    (used,) = [
        each
        for each in store.used_by_runs([run])[run]
        if each.use.value == kind and f"{each.dataset.namespace} {each.dataset.name}" == dataset
    ]
    return used.facets


def all_paths(fields: list[dict[str, Any]], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    here = [(*above, field["name"]) for field in fields]
    below = [all_paths(field.get("fields") or [], path) for field, path in zip(fields, here, strict=True)]
    return here + [path for paths in below for path in paths]


def test_every_column_mapping_of_the_official_agent_is_found_again_unless_its_run_failed(
    store: LineageStore,
) -> None:
    events = load(store, "spark-official-nested")
    failed = {event["run"]["runId"] for event in events if event["eventType"] == "FAIL"}
    last: dict[tuple[str, str, str], dict[str, Any]] = {}
    for event in events:
        for part in event["outputs"]:
            if "columnLineage" in part["facets"] and event["run"]["runId"] not in failed:
                last[(event["job"]["name"], part["namespace"], part["name"])] = part
    for (_, namespace, name), part in last.items():
        for column, by in part["facets"]["columnLineage"]["fields"].items():
            edges = store.neighbours(
                [node(name, column, namespace=namespace)], Direction.BACKWARD, BOTH
            ).edges(Direction.BACKWARD)
            origins = {(edge.source.dataset, edge.source.path[0]) for edge in edges}
            for entry in by["inputFields"]:
                assert (DatasetKey(entry["namespace"], entry["name"]), entry["field"]) in origins


def test_a_failed_write_stays_failed_though_complete_comes_after_it(store: LineageStore) -> None:
    events = load(store, "spark-official-nested")
    failed = [event for event in events if event["eventType"] == "FAIL"]
    assert len(failed) == 2
    for event in failed:
        job = JobKey(event["job"]["namespace"], event["job"]["name"])
        assert {run.run_id: run.state for run in store.runs(job)}[event["run"]["runId"]] == "FAIL"
        for part in event["outputs"]:
            assert near(store, node(part["name"], namespace=part["namespace"]), Direction.BACKWARD) == set()


def test_a_nested_path_meets_a_mapping_of_its_column(store: LineageStore) -> None:
    load(store, "spark-official-nested")
    nested = node("/warehouse/data/src", "user_mentions", "_element", "id_str", namespace="file")
    reached = closure(store, nested, Direction.FORWARD)
    assert node("/warehouse/data/out/c08_filter_lambda_outer", "f", namespace="file") in reached


def test_a_table_is_found_by_its_symlinked_name(store: LineageStore) -> None:
    load(store, "spark-column-lineage")
    table = get_dataset(store, DatasetKey("file:/tmp/cll_test", "default.tbl1"))
    assert table is not None
    assert table.key == DatasetKey("file", "/tmp/cll_test/tbl1")


def test_fragments_are_refused_one_by_one_with_the_place_named(store: LineageStore) -> None:
    outcomes = ingest(store, lines(shared("events/dbt.ndjson")))
    assert [(o.error.code, o.error.pointer) for o in outcomes if o.error] == [("MISSING", "/eventTime")] * 15
    assert list(store.contents()) == []


def test_loading_everything_twice_changes_nothing(store: LineageStore) -> None:
    for name in FILES:
        load(store, name)
    once = digest(store)
    for name in reversed(FILES):
        load(store, name)
    assert digest(store) == once


def test_an_output_without_lineage_facet_is_known_to_be_incomplete(store: LineageStore) -> None:
    load(store, "airflow")
    reasons = {(gap.reason, gap.dataset.name) for gap in store.incomplete(store.dataset_keys())}
    assert ("NO_LINEAGE_FACET", "copy_of_uploaded_file.txt") in reasons
    assert not {name for _, name in reasons} & {"mock-project.test.upload_cp", "uploaded_data.txt"}
