"""The explicit ``lineage`` facet, of datasets and of jobs, in every store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from headwater_backend.domain.errors import EventError
from headwater_backend.domain.model import DatasetKey, Direction, LineageType
from headwater_backend.ingest.decoding.decode import decode
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.traversal import Bounds, explore
from kit.openlineage import DIRECT, JOB, NAMESPACE, columns, dataset, event, facet, near, node, paths
from kit.shared import DATA

BACKWARD = Direction.BACKWARD
INDIRECT = frozenset({LineageType.INDIRECT})


def source(name: str, field: str | None = None, *kinds: str) -> dict[str, Any]:
    reported = {"namespace": NAMESPACE, "name": name, "type": "DATASET"}
    reported |= {"field": field} if field else {}
    how = [{"type": "INDIRECT" if kind == "FILTER" else "DIRECT", "subtype": kind} for kind in kinds]
    return {**reported, **({"transformations": how} if how else {})}


def lineage(*inputs: dict[str, Any], **fields: list[dict[str, Any]]) -> dict[str, Any]:
    reported = {"inputs": list(inputs)} if inputs else {}
    return facet(**reported, fields={name: {"inputs": some} for name, some in fields.items()})


def entry(name: str, *inputs: dict[str, Any], **fields: list[dict[str, Any]]) -> dict[str, Any]:
    named = {"namespace": NAMESPACE, "name": name, "type": "DATASET"}
    return {**named, "inputs": list(inputs), "fields": {k: {"inputs": some} for k, some in fields.items()}}


def with_job_facet(reported: dict[str, Any], **content: Any) -> dict[str, Any]:
    job = {"namespace": JOB.namespace, "name": JOB.name, "facets": {"lineage": facet(**content)}}
    return {**reported, "job": job}


def take(store: LineageStore, *reported: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, reported)] == [None] * len(reported)


def test_a_field_comes_from_the_fields_that_are_named(store: LineageStore) -> None:
    reported = lineage(x=[source("in", "a", "IDENTITY"), source("in", "b", "FILTER")], y=[source("whole")])
    take(store, event(inputs=[dataset("in", "a", "b")], outputs=[dataset("out", "x", "y", lineage=reported)]))
    assert near(store, node("out", "x"), BACKWARD, types=DIRECT) == {("in:a", "out:x")}
    assert near(store, node("out", "x"), BACKWARD, types=INDIRECT) == {("in:b", "out:x")}
    assert near(store, node("out", "y"), BACKWARD) == {("whole:", "out:y")}


def test_a_field_that_feeds_a_whole_dataset_influences_all_of_it(store: LineageStore) -> None:
    reported = lineage(source("in", "f"), source("in", "g", "FILTER"), source("in"), x=[source("in", "a")])
    take(store, event(outputs=[dataset("out", "x", lineage=reported)]))
    assert near(store, node("out", "x"), BACKWARD, types=INDIRECT) == {("in:f", "out:"), ("in:g", "out:")}
    assert near(store, node("out", "x"), BACKWARD, types=DIRECT) == {("in:a", "out:x")}


def test_a_whole_dataset_that_no_field_names_is_a_source_itself(store: LineageStore) -> None:
    reported = lineage(source("other"), source("in"), x=[source("in", "a")])
    take(store, event(outputs=[dataset("out", "x", lineage=reported)]))
    assert near(store, node("out"), BACKWARD) == {("other:", "out:"), ("in:a", "out:x")}


def test_of_a_dataset_that_feeds_another_any_field_may_be_in_any_of_its_fields(store: LineageStore) -> None:
    reported = event(
        inputs=[dataset("in", "x", "y")], outputs=[dataset("out", "x", lineage=lineage(source("in")))]
    )
    take(store, reported)
    found = explore(store, [node("out", "x")], BACKWARD, DIRECT, Bounds())
    assert {far for fans in found.fans.values() for fan in fans for far in fan.fars} == {node("in")}


def test_it_goes_before_the_columns_facet_and_behind_the_paths_facet(store: LineageStore) -> None:
    reported = lineage(x=[source("explicit", "a")])
    coarse = columns({"x": [("column", "a")]})
    fine = paths((["x"], "path", ["a"], "IDENTITY"))
    take(
        store,
        event(run="r1", outputs=[dataset("two", "x", lineage=reported, columnLineage=coarse)]),
        event(
            run="r2",
            outputs=[
                dataset("three", "x", lineage=reported, columnLineage=coarse, headwater_pathLineage=fine)
            ],
        ),
        event("START", 1, "r3", outputs=[dataset("later", "x", lineage=reported)]),
        event("COMPLETE", 2, "r3", outputs=[dataset("later", "x", columnLineage=coarse)]),
    )
    assert near(store, node("two"), BACKWARD) == {("explicit:a", "two:x")}
    assert near(store, node("three"), BACKWARD) == {("path:a", "three:x")}
    assert near(store, node("later"), BACKWARD) == {("explicit:a", "later:x")}


def test_a_deleted_facet_has_no_lineage(store: LineageStore) -> None:
    reported = dataset(
        "out", "x", lineage=facet(_deleted=True), columnLineage=columns({"x": [("column", "a")]})
    )
    take(store, event(outputs=[reported]))
    assert near(store, node("out"), BACKWARD) == {("column:a", "out:x")}


def test_a_job_facet_describes_its_outputs_listed_or_not(store: LineageStore) -> None:
    entries = [
        entry("out", x=[source("in", "a")]),
        entry("unlisted", source("in")),
        {"type": "JOB", "inputs": [source("read")]},
    ]
    take(store, with_job_facet(event(outputs=[dataset("out", "x")]), entries=entries))
    assert near(store, node("out"), BACKWARD) == {("in:a", "out:x")}
    assert near(store, node("unlisted"), BACKWARD) == {("in:", "unlisted:")}
    used = {(use.dataset.name, str(use.use.value)) for use in store.used_by_jobs([JOB])[JOB]}
    assert used == {("out", "OUTPUT"), ("unlisted", "OUTPUT"), ("read", "INPUT")}


def test_the_dataset_s_own_facet_precedes_the_job_s(store: LineageStore) -> None:
    own = lineage(x=[source("own", "a")])
    entries = [entry("out", x=[source("of job", "a")])]
    take(store, with_job_facet(event(outputs=[dataset("out", "x", lineage=own)]), entries=entries))
    assert near(store, node("out"), BACKWARD) == {("own:a", "out:x")}


def test_a_job_declares_its_lineage_without_a_run(store: LineageStore) -> None:
    reported = with_job_facet(event(), entries=[entry("out", x=[source("in", "a")])])
    declared = {key: value for key, value in reported.items() if key not in {"run", "eventType"}}
    take(store, declared)
    assert near(store, node("out"), BACKWARD) == {("in:a", "out:x")}


def test_an_output_without_sources_is_not_incomplete(store: LineageStore) -> None:
    """An empty list means that nothing is known to feed it; a job that feeds it is no dataset."""
    generated = facet(inputs=[{"type": "JOB"}])
    take(
        store,
        event(run="r1", inputs=[dataset("in")], outputs=[dataset("empty", lineage=facet(inputs=[]))]),
        event(run="r2", inputs=[dataset("in")], outputs=[dataset("made", lineage=generated)], job="b"),
        event(run="r3", inputs=[dataset("in")], outputs=[dataset("unknown")], job="c"),
    )
    keys = [DatasetKey(NAMESPACE, name) for name in ("empty", "made", "unknown")]
    assert [gap.dataset.name for gap in store.incomplete(keys)] == ["unknown"]


@pytest.mark.parametrize(
    ("reported", "place"),
    [
        (facet(fields=[]), "/fields"),
        (facet(fields={"a/b": 1}), "/fields/a~1b"),
        (facet(fields={"x": {"inputs": {}}}), "/fields/x/inputs"),
        (facet(fields={"x": {"inputs": [{"type": "DATASET", "namespace": "n"}]}}), "/fields/x/inputs/0/name"),
        (facet(inputs=[source("in"), {**source("in"), "field": 7}]), "/inputs/1/field"),
        (facet(inputs=[{**source("in"), "transformations": [1]}]), "/inputs/0/transformations/0"),
    ],
)
def test_a_facet_of_another_shape_is_refused_with_the_place(reported: dict[str, Any], place: str) -> None:
    with pytest.raises(EventError) as refused:
        decode(event(outputs=[dataset("out", lineage=reported)]))
    assert (refused.value.code, refused.value.pointer) == ("FACET_SHAPE", f"/outputs/0/facets/lineage{place}")
    with pytest.raises(EventError) as refused:
        decode(with_job_facet(event(), entries=[{**entry("out"), **reported}]))
    assert refused.value.pointer == f"/job/facets/lineage/entries/0{place}"


def test_the_facets_above_follow_the_standard() -> None:
    schema = json.loads((DATA / "openlineage" / "facets" / "LineageFacet.json").read_text("utf-8"))
    definitions = {**schema["$defs"]}
    for name in ("LineageDatasetFacet", "LineageJobFacet"):
        definitions[name] = {
            key: value for key, value in definitions[name]["allOf"][1].items() if key != "allOf"
        }
    reported = lineage(source("in", "f", "FILTER"), {"type": "JOB"}, x=[source("in", "a", "IDENTITY")])
    of_job = facet(entries=[entry("out", source("in")), {"type": "JOB", "inputs": [source("read")]}])
    for name, content in (("LineageDatasetFacet", reported), ("LineageJobFacet", of_job)):
        Draft202012Validator({"$defs": definitions, "$ref": f"#/$defs/{name}"}).validate(content)
