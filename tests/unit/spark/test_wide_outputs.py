"""Wide outputs: the common parts of many columns are emitted once, without loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from openlineage.client.event_v2 import RunEvent

from headwater_backend.ingest.decoding.decode import decode as taken_in
from headwater_facets.codec import read_path_lineage, to_json
from headwater_facets.kinds import Access
from headwater_spark.capture.execution import Outcome
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
PATH_LINEAGE = "headwater_pathLineage"


def lineage(columns: int) -> PlanLineage:
    return trace(decode(doubled(columns)))


def valid(event: RunEvent) -> dict[str, Any]:
    document = wire(event)
    validate_event(document)
    return document


def facets(event: dict[str, Any]) -> dict[str, Any]:
    (output,) = event["outputs"]
    return dict(output["facets"])


def test_up_to_a_thousand_fields_are_listed_one_by_one() -> None:
    found = facets(valid(ended(execution(lineage(LIMIT)), DONE)))
    assert len(found[PATH_LINEAGE]["fields"]) == LIMIT
    assert "alike" not in found[PATH_LINEAGE]
    assert "masking" in found["columnLineage"]["fields"]["column_0"]["inputFields"][0]["transformations"][0]


def test_more_fields_with_equal_transformations_are_grouped() -> None:
    facet = facets(valid(ended(execution(lineage(LIMIT + 1)), DONE)))[PATH_LINEAGE]
    (group,) = facet["alike"]
    assert (facet["fields"], len(group["pairs"]), facet["complete"]) == ([], LIMIT + 1, True)
    assert group["pairs"][7] == {"from": ["column_7"], "to": ["column_7"]}
    assert group["transformations"][0]["masking"] is False


def test_the_lineage_that_is_kept_is_the_same_whether_fields_are_listed_or_grouped() -> None:
    together = valid(ended(execution(lineage(LIMIT + 1)), DONE))
    facet = read_path_lineage(facets(together)[PATH_LINEAGE])
    alone = {**together, "outputs": [dict(together["outputs"][0])]}
    alone["outputs"][0]["facets"] = {**facets(together), PATH_LINEAGE: to_json(facet)}
    assert "alike" not in facets(alone)[PATH_LINEAGE]
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
    plan_lineage = lineage(LIMIT + 1)
    first = replace(plan_lineage.access[0], access=(Access.PROJECT, Access.FILTER))
    nested = Touched(0, ("column_1", "member"), (Access.SORT,), False)
    event = valid(
        ended(execution(replace(plan_lineage, access=(first, *plan_lineage.access[1:], nested))), DONE)
    )
    paths = event["inputs"][0]["facets"]["headwater_access"]["paths"]
    assert [(each["path"], each["access"]) for each in paths] == [
        ([], ["PROJECT"]),
        (list(first.path), ["PROJECT", "FILTER"]),
        (["column_1", "member"], ["SORT"]),
    ]


def test_a_column_that_is_not_looked_at_keeps_the_others_apart() -> None:
    plan_lineage = lineage(LIMIT + 2)
    event = valid(ended(execution(replace(plan_lineage, access=plan_lineage.access[1:])), DONE))
    assert len(event["inputs"][0]["facets"]["headwater_access"]["paths"]) == LIMIT + 1


def test_a_start_is_as_small_whatever_the_plan() -> None:
    narrow, wide = (len(wire_bytes(started(execution(lineage(columns))))) for columns in (1, LIMIT + 1))
    assert narrow == wide


def test_five_thousand_columns_need_two_megabytes_at_most() -> None:
    run = execution(lineage(5_000))
    event = ended(run, DONE)
    facet = facets(valid(event))[PATH_LINEAGE]
    assert facet["complete"] is True
    assert len(wire_bytes(event)) <= 2_000_000
    assert len(wire_bytes(started(run))) <= 4_000


def wire_bytes(event: RunEvent) -> bytes:
    return text(event).encode()
