"""What the rows of a join reveal of the operands of its condition.

    visits JOIN codes ON visits.reason = codes.key      codes.label stands for visits.reason, and visits.day for
                                                        codes.key: each side is the other one's table to look up in

So all rows reveal of what was compared across the sides: of an equal key the value, of any other comparison a part
(``ON salary BETWEEN low AND high``). The same holds for a product of relations that is filtered (``FROM visits, codes
WHERE …``). A semi or an anti join gives no column of the other side, and reveals a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from headwater_facets.kinds import Retains
from headwater_plan.nodes import Call, Expression, Join, Relation
from headwater_plan.traversal import columns_in
from headwater_spark.tracing.values.revealed import EQUAL, Revealed, conjuncts, revealed

_ONE_SIDED: Final = frozenset({"LeftSemi", "LeftAnti", "Existence"})
"""Kinds of joins that give no column of the right side."""

Columns = frozenset[int]
"""The expression ids of a relation's columns."""


def ids(relation: Relation) -> Columns:
    return frozenset(a.id for a in relation.outputs)


def multiplied(relation: Relation) -> tuple[Columns, ...]:
    """The columns of each of the relations whose product it is."""
    if isinstance(relation, Join) and relation.condition is None and relation.kind in ("Inner", "Cross"):
        return (*multiplied(relation.left), *multiplied(relation.right))
    return (ids(relation),)


def revealed_by_join(kind: str, sides: Sequence[Columns], condition: Expression) -> Iterator[Revealed]:
    """What all rows of a join reveal of the operands that its condition does not compare across the sides."""
    for part in conjuncts(condition):
        for each in revealed(part):
            if kind == "LeftAnti" or (kind in _ONE_SIDED and is_across(sides, part)):
                yield Revealed(each.operand, each.reveals and Retains.FACT)
            elif not is_across(sides, part):
                yield each


def found_by_join(kind: str, sides: Sequence[Columns], condition: Expression) -> Iterator[Revealed]:
    """What the rows reveal of the operands by which each side was found from the other."""
    if kind in _ONE_SIDED:
        return
    for part in conjuncts(condition):
        if not is_across(sides, part):
            continue
        if isinstance(part, Call) and part.function in EQUAL:
            yield from (Revealed(operand, Retains.VALUE) for operand in part.args)
        else:
            yield Revealed(part, Retains.PART)


def is_across(sides: Sequence[Columns], part: Expression) -> bool:
    """Whether the condition compares columns of several sides."""
    read = columns_in(part)
    return sum(not read.isdisjoint(side) for side in sides) > 1
