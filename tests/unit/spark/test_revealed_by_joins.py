"""What the rows of a join reveal of the operands of its condition."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from headwater_facets.kinds import Retains
from headwater_plan.nodes import Call, Column, Expression, Literal
from headwater_plan.types import AtomicType
from headwater_spark.tracing.joins import found_by_join, revealed_by_join
from headwater_spark.tracing.values.revealed import Revealed

TEXT = AtomicType("string")
A, B = Column(1, "a", TEXT), Column(2, "b", TEXT)
SIDES = (frozenset({1}), frozenset({2}))
EQUAL, GREATER = Call("=", (A, B)), Call(">", (A, B))
FLU = Call("=", (A, Literal("flu", TEXT, "'flu'", "'flu'")))


@pytest.mark.parametrize(
    ("kind", "condition", "found", "revealed"),
    [
        ("Inner", EQUAL, {"a": Retains.VALUE, "b": Retains.VALUE}, {}),
        ("LeftOuter", GREATER, {"a > b": Retains.PART}, {}),
        ("LeftSemi", EQUAL, {}, {"a": Retains.FACT, "b": Retains.FACT}),
        ("LeftAnti", FLU, {}, {"a": Retains.FACT}),
        ("FullOuter", FLU, {}, {"a": Retains.VALUE}),
        ("Inner", Call("and", (EQUAL, FLU)), {"a": Retains.VALUE, "b": Retains.VALUE}, {"a": Retains.VALUE}),
    ],
)
def test_the_rows_tell_what_was_compared(
    kind: str, condition: Expression, found: dict[str, Retains], revealed: dict[str, Retains]
) -> None:
    assert by_name(found_by_join(kind, SIDES, condition)) == found
    assert by_name(revealed_by_join(kind, SIDES, condition)) == revealed


def by_name(parts: Iterable[Revealed]) -> dict[str, Retains | None]:
    return {e.name if isinstance(e, Column) else "a > b": reveals for e, reveals in parts}
