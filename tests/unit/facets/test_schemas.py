"""Examples of the schemas are valid or invalid as their names say, and other producers' events validate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from headwater_facets import codec, schemas
from headwater_facets.facets import FACET_CLASSES
from headwater_facets.kinds import Access, LineageType, Manipulation, OperatorType, Replaced, Subtype
from kit.events import facet_problems, problems, validate_event
from kit.shared import DATA

EXAMPLES = schemas.spec_folder() / "examples"
VALID = sorted(EXAMPLES.glob("*/valid/*.json"))
INVALID = sorted(EXAMPLES.glob("*/invalid/*.json"))

TRANSFORMATION = "/fields/0/inputFields/0/transformations/0"

# The error of each invalid example: the JSON pointer that the validator reports, below the facet.
BROKEN_AT = {
    "headwater_access/access-is-empty": "/paths/0/access",
    "headwater_access/access-is-unknown": "/paths/0/access/0",
    "headwater_access/path-is-a-string": "/paths/0/path",
    "headwater_access/paths-is-missing": "",
    "headwater_access/read-at-is-a-number": "/readAt",
    "headwater_access/reaches-output-is-missing": "/paths/0",
    "headwater_conditions/access-is-not-a-predicate": "/conditions/0/access",
    "headwater_conditions/args-is-missing": "/conditions/0/expression",
    "headwater_conditions/column-without-a-path": "/populations/0/conditions/0/expression",
    "headwater_conditions/expression-is-empty": "/conditions/0/expression",
    "headwater_conditions/expression-is-text": "/conditions/0/expression",
    "headwater_conditions/expression-is-two-kinds": "/conditions/0/expression",
    "headwater_conditions/literal-is-an-array": "/conditions/0/expression",
    "headwater_conditions/rows-are-missing": "/populations/0",
    "headwater_conditions/sql-is-missing": "/conditions/0",
    "headwater_conditions/value-is-text": "/populations/0/values/0/expression",
    "headwater_extent/fewer-files-than-none": "/base/files",
    "headwater_extent/replaced-is-missing": "",
    "headwater_extent/replaced-is-unknown": "/replaced",
    "headwater_functions/difference-is-unknown": "/functions/0/differences/0/difference",
    "headwater_functions/functions-is-missing": "",
    "headwater_functions/known-is-unknown": "/functions/0/known",
    "headwater_functions/line-is-text": "/functions/0/code/line",
    "headwater_functions/reason-is-missing": "/functions/0/why/0",
    "headwater_layout/case-sensitive-is-text": "/caseSensitive",
    "headwater_layout/field-id-has-no-name": "/fieldIds/0",
    "headwater_layout/matching-is-unknown": "/matching",
    "headwater_layout/partitions-is-text": "/partitions",
    "headwater_layout/reads-is-flat": "/reads/0",
    "headwater_operators/accessed-path-is-a-string": "/operators/0/accessed/0/path",
    "headwater_operators/id-is-a-string": "/operators/0/id",
    "headwater_operators/inputs-is-missing": "/operators/0",
    "headwater_operators/manipulated-without-to": "/operators/0/manipulated/0",
    "headwater_operators/operators-is-missing": "",
    "headwater_operators/type-is-unknown": "/operators/0/type",
    "headwater_pathLineage/access-is-unknown": f"{TRANSFORMATION}/access",
    "headwater_pathLineage/complete-is-missing": "",
    "headwater_pathLineage/complete-with-incomplete-entries": "/incomplete",
    "headwater_pathLineage/fields-is-missing": "",
    "headwater_pathLineage/incomplete-without-entries": "/incomplete",
    "headwater_pathLineage/manipulation-is-unknown": f"{TRANSFORMATION}/manipulation/0",
    "headwater_pathLineage/namespace-is-missing": "/fields/0/inputFields/0",
    "headwater_pathLineage/operators-is-negative": f"{TRANSFORMATION}/operators/0",
    "headwater_pathLineage/pair-without-from": "/alike/0/pairs/1",
    "headwater_pathLineage/path-is-a-string": "/fields/0/path",
    "headwater_pathLineage/producer-is-missing": "",
    "headwater_pathLineage/retains-is-unknown": f"{TRANSFORMATION}/retains",
    "headwater_pathLineage/subtype-is-not-of-the-type": f"{TRANSFORMATION}/subtype",
    "headwater_pathLineage/transformations-is-empty": "/fields/0/inputFields/0/transformations",
    "headwater_pathLineage/type-is-unknown": f"{TRANSFORMATION}/type",
    "headwater_records/folder-is-missing": "",
    "headwater_records/mode-is-unknown": "/mode",
    "headwater_records/operator-without-a-type": "/operators/0",
    "headwater_records/rows-is-text": "/rows",
    "headwater_split/column-without-a-reason": "/statements/0/columns/0",
    "headwater_split/side-is-unknown": "/statements/0/side",
    "headwater_split/statements-is-missing": "",
}


def name(path: Path) -> str:
    return f"{path.parents[1].name}/{path.stem}"


def example(path: Path) -> tuple[str, dict[str, Any]]:
    ((key, facet),) = json.loads(path.read_text()).items()
    assert key == path.parents[1].name
    return key, facet


@pytest.mark.parametrize("path", VALID, ids=name)
def test_a_valid_example_validates_and_survives_the_codec(path: Path) -> None:
    key, facet = example(path)
    assert facet_problems(key, facet) == []
    typed = codec.READERS[key](facet)
    again = codec.to_json(typed)
    assert facet_problems(key, again) == []
    assert codec.READERS[key](again) == typed


@pytest.mark.parametrize("path", INVALID, ids=name)
def test_an_invalid_example_fails_at_the_expected_place(path: Path) -> None:
    key, facet = example(path)
    places = {problem.partition(":")[0].removeprefix(f"/{key}") for problem in facet_problems(key, facet)}
    assert places, "the schema lets it pass"
    assert any(place.startswith(BROKEN_AT[name(path)]) for place in places), places


def test_every_invalid_example_has_a_pointer_and_every_facet_both_kinds_of_example() -> None:
    assert {name(path) for path in INVALID} == set(BROKEN_AT)
    assert (
        {p.parents[1].name for p in VALID} == {p.parents[1].name for p in INVALID} == set(schemas.registry())
    )


@pytest.mark.parametrize("key", schemas.registry())
def test_a_schema_is_sound_immutable_and_registered(key: str) -> None:
    document, entry = schemas.load(key), schemas.registry()[key]
    Draft202012Validator.check_schema(document)
    assert document["$id"] == f"https://headwater.dev/spec/facets/{entry['version']}/{entry['schema']}"
    assert entry["facetClass"] == FACET_CLASSES[key].__name__
    assert FACET_CLASSES[key]._get_schema() == schemas.schema_url(key)


def test_schemas_and_kinds_have_the_same_words() -> None:
    transformation = schemas.load("headwater_pathLineage")["$defs"]["Transformation"]["properties"]
    operator = schemas.load("headwater_operators")["$defs"]["Operator"]["properties"]
    assert transformation["type"]["enum"] == list(LineageType)
    assert transformation["subtype"]["enum"] == list(Subtype)
    assert transformation["manipulation"]["items"]["enum"] == list(Manipulation)
    assert transformation["access"]["enum"] == list(Access)
    assert operator["type"]["enum"] == list(OperatorType)
    extent = schemas.load("headwater_extent")["$defs"]["ExtentDatasetFacet"]["allOf"][1]["properties"]
    assert extent["replaced"]["enum"] == list(Replaced)


def test_the_kit_accepts_events_that_keep_the_standard() -> None:
    for event in parcels():
        validate_event(event)


def test_the_kit_reports_the_pointer_in_a_standard_facet() -> None:
    event = parcels()[0]
    event["outputs"][0]["facets"]["schema"]["fields"][0] = {"type": "long"}
    assert [p.partition(":")[0] for p in problems(event)] == ["/outputs/0/facets/schema/fields/0"]


def parcels() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / "parcels.ndjson").read_text("utf-8").splitlines()]
