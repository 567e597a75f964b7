"""What many columns share is told once, and nothing of it is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from openlineage.client.event_v2 import RunEvent

from headwater_backend.ingest.decoding.decode import decode as taken_in
from headwater_facets.codec import read_path_lineage, to_json
from headwater_facets.kinds import Access
from headwater_spark.capture.application import Outcome
from headwater_spark.decode import decode
from headwater_spark.emit.events import ended, started
from headwater_spark.emit.wire import text
from headwater_spark.tracing import trace
from headwater_spark.tracing.result import PlanLineage, Touched
from kit.events import validate_event
from kit.executions import execution, wire
from kit.large_plans import doubled

DONE = Outcome(1_767_225_605_000)
LIMIT = 1_000
TOLD = "headwater_pathLineage"


def lineage(columns: int) -> PlanLineage:
    return trace(decode(doubled(columns)))


def valid(event: RunEvent) -> dict[str, Any]:
    document = wire(event)
    validate_event(document)
    return document


def facets(event: dict[str, Any]) -> dict[str, Any]:
    (output,) = event["outputs"]
    return dict(output["facets"])


def test_up_to_a_thousand_fields_are_told_one_by_one() -> None:
    told = facets(valid(ended(execution(lineage(LIMIT)), DONE)))
    assert len(told[TOLD]["fields"]) == LIMIT
    assert "alike" not in told[TOLD]
    assert "masking" in told["columnLineage"]["fields"]["column_0"]["inputFields"][0]["transformations"][0]


def test_more_fields_that_are_made_alike_are_told_together() -> None:
    told = facets(valid(ended(execution(lineage(LIMIT + 1)), DONE)))[TOLD]
    (group,) = told["alike"]
    assert (told["fields"], len(group["pairs"]), told["complete"]) == ([], LIMIT + 1, True)
    assert group["pairs"][7] == {"from": ["column_7"], "to": ["column_7"]}
    assert group["transformations"][0]["masking"] is False


def test_the_lineage_that_is_kept_is_the_same_whether_fields_are_told_alone_or_together() -> None:
    together = valid(ended(execution(lineage(LIMIT + 1)), DONE))
    facet = read_path_lineage(facets(together)[TOLD])
    alone = {**together, "outputs": [dict(together["outputs"][0])]}
    alone["outputs"][0]["facets"] = {**facets(together), TOLD: to_json(facet)}
    assert "alike" not in facets(alone)[TOLD]
    kept = taken_in(together).versions
    assert kept == taken_in(alone).versions
    assert len(kept[0].edges) == LIMIT + 1


def test_an_operator_that_looks_at_every_one_of_many_columns_looks_at_the_row() -> None:
    event = valid(ended(execution(lineage(LIMIT + 1)), DONE))
    _, projection, _ = event["job"]["facets"]["headwater_operators"]["operators"]
    assert projection["accessed"] == [{"access": "PROJECT", "input": 0, "path": []}]
    assert len(projection["manipulated"]) == LIMIT + 1
    (touched,) = event["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert touched == {"access": ["PROJECT"], "path": [], "reachesOutput": True}


def test_a_column_that_is_accessed_in_a_further_way_keeps_an_entry_of_its_own() -> None:
    told = lineage(LIMIT + 1)
    first = replace(told.access[0], access=(Access.PROJECT, Access.FILTER))
    nested = Touched(0, ("column_1", "member"), (Access.SORT,), False)
    event = valid(ended(execution(replace(told, access=(first, *told.access[1:], nested))), DONE))
    paths = event["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert [(each["path"], each["access"]) for each in paths] == [
        ([], ["PROJECT"]),
        (list(first.path), ["PROJECT", "FILTER"]),
        (["column_1", "member"], ["SORT"]),
    ]


def test_a_column_that_is_not_looked_at_keeps_the_others_apart() -> None:
    told = lineage(LIMIT + 2)
    event = valid(ended(execution(replace(told, access=told.access[1:])), DONE))
    assert len(event["inputs"][0]["facets"]["headwater_access"]["paths"]) == LIMIT + 1


def test_a_start_is_as_small_whatever_the_plan() -> None:
    narrow, wide = (len(wire_bytes(started(execution(lineage(columns))))) for columns in (1, LIMIT + 1))
    assert narrow == wide


def test_five_thousand_columns_are_told_in_two_megabytes() -> None:
    run = execution(lineage(5_000))
    event = ended(run, DONE)
    told = facets(valid(event))[TOLD]
    assert told["complete"] is True
    assert len(wire_bytes(event)) <= 2_000_000
    assert len(wire_bytes(started(run))) <= 4_000


def wire_bytes(event: RunEvent) -> bytes:
    return text(event).encode()
