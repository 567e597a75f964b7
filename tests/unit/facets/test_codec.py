from __future__ import annotations

import json
from typing import Any

import pytest
from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.serde import Serde
from openlineage.client.uuid import generate_new_uuid

from headwater_facets.codec import (
    MAX_EXPRESSION_DEPTH,
    FacetError,
    read_conditions,
    read_path_lineage,
    to_json,
)
from headwater_facets.facets import (
    IncompleteEntry,
    Literal,
    PathField,
    PathInput,
    PathLineageDatasetFacet,
    PathTransformation,
)
from headwater_facets.kinds import LineageType, Manipulation, Subtype

COPIED = PathField(
    ["author"],
    [
        PathInput(
            "file",
            "/in/tweets",
            ["user"],
            [PathTransformation(LineageType.DIRECT, Subtype.IDENTITY, manipulation=[Manipulation.COPY])],
        )
    ],
)


def document(**changes: Any) -> dict[str, Any]:
    return {**to_json(PathLineageDatasetFacet([COPIED])), **changes}


def test_openlineage_python_serialises_our_facets_inside_an_event() -> None:
    facet = PathLineageDatasetFacet(
        [COPIED],
        complete=False,
        incomplete=[IncompleteEntry("RDD", [["score"]])],
        producer="https://example.org",
    )
    event = RunEvent(
        eventTime="2026-01-01T00:00:00Z",
        run=Run(str(generate_new_uuid())),
        job=Job("default", "copy"),
        eventType=RunState.COMPLETE,
        outputs=[OutputDataset("file", "/out", facets={"headwater_pathLineage": facet})],
    )
    wire = json.loads(Serde.to_json(event))["outputs"][0]["facets"]["headwater_pathLineage"]
    assert wire["_producer"] == "https://example.org"
    assert wire["_schemaURL"].endswith("/1-4-0/PathLineageDatasetFacet.json#/$defs/PathLineageDatasetFacet")
    assert wire["fields"][0]["inputFields"][0]["transformations"] == [
        {"type": "DIRECT", "subtype": "IDENTITY", "masking": False, "manipulation": ["COPY"]}
    ]
    assert read_path_lineage(wire) == facet


@pytest.mark.parametrize(
    ("changes", "code", "pointer"),
    [
        ({"fields": {}}, "FACET_SHAPE", "/fields"),
        ({"fields": [{"path": "a", "inputFields": []}]}, "FACET_SHAPE", "/fields/0/path"),
        ({"fields": [{"path": ["a"]}]}, "FACET_MISSING", "/fields/0/inputFields"),
        ({"complete": "yes"}, "FACET_SHAPE", "/complete"),
        ({"dataset": [7]}, "FACET_SHAPE", "/dataset/0"),
        ({"_producer": "http://[half"}, "FACET_SHAPE", "/_producer"),
    ],
)
def test_a_facet_of_the_wrong_shape_reports_the_pointer(
    changes: dict[str, Any], code: str, pointer: str
) -> None:
    with pytest.raises(FacetError) as caught:
        read_path_lineage(document(**changes))
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


def test_a_value_that_is_not_an_object_is_refused() -> None:
    with pytest.raises(FacetError):
        read_path_lineage([])  # type: ignore[arg-type]


def test_words_and_fields_of_newer_producers_are_tolerated() -> None:
    wire = document(confidence=0.5)
    wire["fields"][0]["inputFields"][0]["transformations"][0]["subtype"] = "ENTANGLED"
    transformation = read_path_lineage(wire).fields[0].inputFields[0].transformations[0]
    assert transformation.subtype == "ENTANGLED"
    assert transformation.type is LineageType.DIRECT


def test_null_in_a_condition_survives_without_a_literal() -> None:
    wire = {"operator": 1, "access": "FILTER", "sql": "a <=> NULL", "expression": {"type": "string"}}
    facet = read_conditions({"conditions": [wire]})
    assert facet.conditions[0].expression == Literal(None, "string")
    assert to_json(facet)["conditions"] == [wire]


def test_a_condition_that_nests_too_deeply_is_refused_without_exhausting_the_stack() -> None:
    tree: dict[str, Any] = {"literal": True, "type": "boolean"}
    for _ in range(MAX_EXPRESSION_DEPTH * 20):
        tree = {"op": "not", "args": [tree]}
    wire = {"operator": 1, "access": "FILTER", "sql": "…", "expression": tree}
    with pytest.raises(FacetError) as caught:
        read_conditions({"conditions": [wire]})
    assert caught.value.code == "FACET_DEPTH"
