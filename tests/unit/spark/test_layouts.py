"""The layout facet: emitted only if it determines which stored column is which."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_facets.schemas import LAYOUT
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit.events import ended
from headwater_spark.tracing.result import PlanLineage, Population, Read, Target
from kit.events import validate_event
from kit.executions import COMMAND, execution, struct, wire

COLUMNS = struct(name="string", day="string")
DONE = Outcome(1_767_225_605_000)


def source(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": "files", "roots": ["file:/data/people"], "format": kind, **more}


def layouts(*reads: Read, target: dict[str, Any] | None = None) -> tuple[Any, Any]:
    """The facet of the input and that of the output."""
    written = {**(target or source("parquet")), "roots": ["file:/data/out"]}
    lineage = PlanLineage(reads=reads, target=Target(1, written, COMMAND, COLUMNS))
    event = wire(ended(execution(lineage), DONE))
    validate_event(event)
    return event["inputs"][0]["facets"].get(LAYOUT), event["outputs"][0]["facets"].get(LAYOUT)


def facet(layout: Any) -> dict[str, Any]:
    return {key: value for key, value in layout.items() if not key.startswith("_")}


def test_formats_that_are_read_by_name_need_nothing() -> None:
    assert layouts(Read(0, source("parquet"), COLUMNS), target=source("json")) == (None, None)


@pytest.mark.parametrize("kind", ["csv", "text", "parquet"])
def test_partition_columns_are_listed(kind: str) -> None:
    parted = source(kind, partitionColumns=["day"])
    read, written = layouts(Read(0, parted, COLUMNS), target=parted)
    assert facet(read) == facet(written) == {"partitions": ["day"]}


def test_the_separator_of_csv_is_emitted_if_it_is_no_comma() -> None:
    read, written = layouts(
        Read(0, source("csv", separator="|"), COLUMNS), target=source("csv", separator=",")
    )
    assert facet(read) == {"separator": "|"}
    assert written is None


def test_a_separator_that_may_be_a_value_is_not_stated() -> None:
    read, _ = layouts(Read(0, source("csv", separator="lp"), COLUMNS), target=source("csv", separator=","))
    assert facet(read) == {"separator": ""}


def test_a_case_sensitive_session_is_marked() -> None:
    read, _ = layouts(Read(0, source("orc", caseSensitive="true"), COLUMNS))
    assert facet(read) == {"caseSensitive": True}


def test_reads_of_one_dataset_with_several_schemas_are_listed() -> None:
    read, _ = layouts(Read(0, source("csv"), COLUMNS), Read(1, source("csv"), struct(_c0="string")))
    assert facet(read) == {"reads": [["name", "day"], ["_c0"]]}


def test_how_columns_are_found_is_emitted_if_it_is_not_by_their_names() -> None:
    by_position, by_id = source("orc", matching="position"), source("orc", matching="id")
    read, written = layouts(Read(0, by_position, COLUMNS), target=source("orc"))
    assert facet(read) == {"matching": "position"}
    assert written is None
    both, _ = layouts(Read(0, by_position, COLUMNS), Read(1, by_id, COLUMNS))
    assert facet(both) == {"matching": "id"}


IDS = [["name", "1", []], ["day", "2", []]]


def test_the_identifiers_of_columns_are_emitted() -> None:
    read, written = layouts(Read(0, source("delta", ids=IDS), COLUMNS), target=source("delta", ids=IDS))
    named = [{"name": "name", "id": "1"}, {"name": "day", "id": "2"}]
    assert facet(read) == facet(written) == {"fieldIds": named}


def test_members_have_identifiers_of_their_own_and_lists_may_have_none() -> None:
    nested = [["all", "7", [["_element", "", [["mail", "8", []]]]]]]
    read, _ = layouts(Read(0, source("delta", ids=nested), COLUMNS))
    element = {"name": "_element", "fields": [{"name": "mail", "id": "8"}]}
    assert facet(read) == {"fieldIds": [{"name": "all", "id": "7", "fields": [element]}]}


def test_identifiers_that_differ_between_the_reads_of_one_run_are_not_emitted() -> None:
    other = [["name", "2", []], ["day", "1", []]]
    read, _ = layouts(
        Read(0, source("delta", ids=IDS), COLUMNS), Read(1, source("delta", ids=other), COLUMNS)
    )
    assert read is None


def test_identifiers_of_the_end_of_a_write_count() -> None:
    lineage = PlanLineage(
        target=Target(1, {**source("delta", ids=IDS), "roots": ["file:/data/out"]}, COMMAND, COLUMNS)
    )
    event = wire(ended(execution(lineage), Outcome(1_767_225_605_000, ids=[["name", "9", []]])))
    validate_event(event)
    assert facet(event["outputs"][0]["facets"][LAYOUT]) == {"fieldIds": [{"name": "name", "id": "9"}]}


@pytest.mark.parametrize(
    ("found_by", "is_kept"),
    [({}, True), ({"ids": IDS}, False), ({"matching": "position"}, False)],
    ids=["name", "identifier", "position"],
)
def test_conditions_on_rows_hold_for_readers_by_name_alone(found_by: dict[str, Any], is_kept: bool) -> None:
    read = Read(0, source("delta", partitionColumns=[], **found_by), COLUMNS)
    target = Target(1, {**source("delta"), "roots": ["file:/data/out"]}, COMMAND, COLUMNS)
    rows = Population(rows=((0, 0),), passed=(), values=((("name",), None, {"path": ["name"], "row": 0}),))
    event = wire(ended(execution(PlanLineage(reads=(read,), target=target, populations=(rows,))), DONE))
    validate_event(event)
    (found,) = event["job"]["facets"]["headwater_conditions"]["populations"]

    assert found["rows"][0]["kept"] is is_kept
