"""What can be got back from a function's result is never called less: every function of Spark is executed.

An independent reader tries to get the arguments back, and what it got is recorded (``readings``). ``retains`` of the
lineage may say more than the reader finds, never less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from golden.cases import lineage_of_plan
from golden.functions import TYPED, Sample, alone, in_portions
from golden.readback import PROBES
from golden.readings import KINDS, Readings, calls, observe, reader, recorded, recorded_of
from headwater_facets.kinds import LineageType, Retains, strongest
from headwater_spark.tracing import PlanLineage
from kit.spark_lines import LINES, SPARK_4, Planner

pytestmark = pytest.mark.spark

Claims = dict[tuple[int, str], Retains]
"""(number of the call, column) → what the lineage says can be read back."""

IMPOSSIBLE = {
    "bit_get": "fails at a position above those of the number",
    "getbit": "fails at a position above those of the number",
    "make_time": "fails for an hour above 23",
    "measure": "is valid only over a metric view",
    "raise_error": "raises, and gives nothing",
    "regexp_extract": "fails for a group that the pattern does not have",
    "st_setsrid": "fails for a reference system that does not exist",
    "to_number": "fails for a text of more digits than its format has",
}
"""Functions that cannot be executed over these rows, each with the reason."""


@pytest.fixture(scope="module")
def planner() -> Iterator[Planner]:
    planner = reader(SPARK_4)
    yield planner
    planner.close()


@pytest.fixture(scope="module", params=LINES, ids=str)
def planner_of_line(request: pytest.FixtureRequest) -> Iterator[Planner]:
    planner = reader(request.param)
    yield planner
    planner.close()


@pytest.mark.parametrize("kind", KINDS)
def test_no_function_is_claimed_to_retain_less_than_was_got_back(planner: Planner, kind: str) -> None:
    found = [s for s in calls(SPARK_4) if s.kind == kind]
    known = recorded_of(found)
    read = {**known, **observe(planner, [s for s in found if s not in known])}
    assert _failed(read) <= set(IMPOSSIBLE)
    assert list(_understated(planner, read)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_function_is_claimed_to_retain_less_than_is_got_back(planner_of_line: Planner, kind: str) -> None:
    found = [s for s in calls(planner_of_line.line) if s.kind == kind]
    read = observe(planner_of_line, found)
    assert _failed(read) <= set(IMPOSSIBLE)
    assert list(_understated(planner_of_line, read)) == []
    if planner_of_line.line == SPARK_4 and recorded().is_current:
        assert read == {**read, **recorded_of(found)}, (
            "other columns are got back than were recorded: make golden"
        )


def test_less_than_was_got_back_is_found(planner: Planner) -> None:
    counted = Sample("count", "sql", "aggregate", "count(a_text)", None)
    assert list(_understated(planner, {counted: frozenset({"a_text"})}))


def _failed(read: Readings) -> set[str]:
    return {call.name for call, columns in read.items() if columns is None}


def _understated(planner: Planner, read: Readings) -> Iterator[str]:
    """The calls from which a column was got back, and of which the lineage says less."""
    for portion in in_portions([call for call, columns in read.items() if columns is not None]):
        for (number, column), claim in _claims(planner, portion).items():
            if not claim.readable and column in (read[portion[number]] or ()):
                yield f"{portion[number]}: {column} is {claim}"


def _claims(planner: Planner, found: Sequence[Sample]) -> Claims:
    lineage, _ = lineage_of_plan(*planner.plan({"typed": TYPED}, python=alone(found)))
    ways: dict[tuple[int, str], list[Retains]] = {}
    for number in range(len(found)):
        for column, way in _direct(lineage, f"c{number}"):
            ways.setdefault((number, column), []).append(way)
    return {key: strongest(each) for key, each in ways.items()}


def _direct(lineage: PlanLineage, output: str) -> Iterator[tuple[str, Retains]]:
    for field in lineage.fields:
        for entry in field.inputs:
            for way in entry.transformations:
                if field.path[0] == output and way.type is LineageType.DIRECT and entry.path[0] in PROBES:
                    yield entry.path[0], way.retains or Retains.VALUE
