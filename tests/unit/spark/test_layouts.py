"""The layout facet: emitted only if it determines which stored column is which."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_facets.schemas import LAYOUT
from headwater_spark.capture.execution import Outcome
from headwater_spark.emit.events import ended
from headwater_spark.tracing.result import PlanLineage, Read, Target
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


def test_a_case_sensitive_session_is_marked() -> None:
    read, _ = layouts(Read(0, source("orc", caseSensitive="true"), COLUMNS))
    assert facet(read) == {"caseSensitive": True}


def test_reads_of_one_dataset_with_several_schemas_are_listed() -> None:
    read, _ = layouts(Read(0, source("csv"), COLUMNS), Read(1, source("csv"), struct(_c0="string")))
    assert facet(read) == {"reads": [["name", "day"], ["_c0"]]}
