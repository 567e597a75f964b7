"""The user functions of a job are listed, however many it has."""

from __future__ import annotations

from headwater_facets.kinds import OperatorType
from headwater_plan.nodes import OpaqueRelation
from headwater_spark.tracing.user_code import user_functions
from headwater_spark.tracing.values.analysis import Traced


def calling(number: int, name: str) -> Traced:
    relation = OpaqueRelation((), (), name, "OPAQUE", "UDF")
    return Traced(number, relation, OperatorType.MAP, name, (), {})


def test_all_functions_are_listed_each_once() -> None:
    called = [calling(number, f"f{number % 700}") for number in range(1_400)]
    found = user_functions(called)
    assert [each.name for each in found] == [f"f{number}" for number in range(700)]
    assert found[3].operators == (3, 703)
