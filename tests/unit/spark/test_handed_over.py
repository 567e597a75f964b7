"""What only functions of the program are given: of a count, or a write to nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater_facets.kinds import Access, Known
from headwater_plan.types import StructType
from headwater_spark.executions.handed_over import with_handed_over
from headwater_spark.tracing.result import PlanLineage, Target, Touched, UserFunction

SEEN = (Touched(0, ("mail",), (Access.PROJECT,), False), Touched(0, ("id",), (Access.FILTER,), True))
NOWHERE = Target(3, {"kind": "memory", "keeps": "nothing"}, "AppendData", StructType(()))
MEMORY = Target(3, {"kind": "memory"}, "WriteToMicroBatchDataSourceV1", StructType(()))
A_TABLE = Target(3, {"kind": "table"}, "AppendData", StructType(()))


def lineage(known: Known | None, target: Target | None = None) -> PlanLineage:
    functions = () if known is None else (UserFunction("f", "PYTHON_UDF", known),)
    return PlanLineage(access=SEEN, functions=functions, target=target)


@pytest.mark.parametrize("known", [Known.OPAQUE, Known.DECLARED])
@pytest.mark.parametrize(
    ("action", "target"), [("count", None), ("show", None), ("start", None), ("save", NOWHERE)]
)
def test_a_function_that_nobody_has_read_is_handed_what_its_plan_looks_at(
    known: Known, action: str, target: Target | None
) -> None:
    found = with_handed_over(lineage(known, target), action)

    assert found.returned == ((0, ("mail",)), (0, ("id",)))
    assert found.is_handed_over
    assert found.target is None


@pytest.mark.parametrize("known", [Known.ANALYSED, None])
@pytest.mark.parametrize(("action", "target"), [("count", None), ("save", NOWHERE)])
def test_a_function_whose_code_was_read_sends_nothing(
    known: Known | None, action: str, target: Target | None
) -> None:
    given = lineage(known, target)
    assert with_handed_over(given, action) is given


@pytest.mark.parametrize(("action", "target"), [("collect", None), ("save", A_TABLE), ("start", MEMORY)])
def test_what_returns_or_writes_something_stays_as_it_is(action: str, target: Target | None) -> None:
    given = replace(lineage(Known.OPAQUE, target), returned=() if target else ((0, ("mail",)),))
    assert with_handed_over(given, action) is given
