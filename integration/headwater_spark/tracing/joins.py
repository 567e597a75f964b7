"""What a join finds: the columns of one side are decided, for each row, by what they were compared with on the other.

    visits JOIN codes ON visits.reason = codes.key      codes.label is decided by visits.reason, and visits.day by
                                                        codes.key: each is the other one's table to look up in

The same holds for a product of relations that is filtered (``FROM visits, codes WHERE …``), and for any comparison, not
only an equal key (``ON salary BETWEEN low AND high``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from headwater_facets.kinds import Access, Retains, Subtype
from headwater_spark.ir import Expression, Join, Relation
from headwater_spark.tracing.values.driver import is_of_program
from headwater_spark.tracing.values.expressions import Tracer, columns_in
from headwater_spark.tracing.values.functions import conditional
from headwater_spark.tracing.values.told import Told, conjuncts, told
from headwater_spark.tracing.values.value import Edge, Origin, Value, decision, merge, substitute, with_edges

MOST_FOUND: Final = 2_000
"""Above this many columns × keys, all rows tell of the keys, instead of each column."""

ONE_SIDED: Final = frozenset({"LeftSemi", "LeftAnti", "Existence"})
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


def nullable(kind: str, left: Columns, right: Columns) -> Columns:
    """The columns that an outer join fills with nulls."""
    found = Columns()
    found |= right if kind in ("LeftOuter", "FullOuter") else Columns()
    return found | (left if kind in ("RightOuter", "FullOuter") else Columns())


def told_by_join(kind: str, sides: Sequence[Columns], condition: Expression) -> Iterator[Told]:
    """What all rows of a join tell of the operands of its condition."""
    for part in conjuncts(condition):
        read = columns_in(part)
        across = sum(not read.isdisjoint(side) for side in sides) > 1
        for each in told(part):
            if kind in ONE_SIDED and (across or kind == "LeftAnti") and each.tells is not None:
                yield Told(each.operand, Retains.FACT)
            elif not across and kind in ("Inner", "Cross", "LeftSemi"):
                yield each


@dataclass(frozen=True, slots=True)
class Finding:
    """Adds to the ``columns`` of an operator what they were found by."""

    tracer: Tracer
    columns: dict[int, Value]
    resolve: Callable[[Origin], Value]

    def find(self, sides: Sequence[Columns], condition: Expression, nullable: Columns) -> list[Edge]:
        """Join the sides by the condition; gives what all rows tell of instead.

        Whether the columns ``nullable`` are there is decided by all of the condition.
        """
        rows: list[Edge] = []
        groups = list(sides)
        for part in conjuncts(condition):
            read = columns_in(part)
            touched = [group for group in groups if group & read]
            if len(touched) > 1:
                rows += self._found_by_others(touched, part, self._so_far)
                groups = [Columns().union(*touched), *(each for each in groups if each not in touched)]
            elif len(touched := [side for side in sides if side & read]) > 1:
                rows += self._found_by_others(touched, part, self.resolve)
            elif nullable:
                rows += self._decide(nullable, substitute(Value(edges=self._compared(part)), self.resolve))
        return rows

    def _so_far(self, origin: Origin) -> Value:
        return self.columns.get(origin.column) or self.resolve(origin)

    def _compared(self, part: Expression) -> tuple[Edge, ...]:
        values = [self.tracer.trace(each.operand) for each in told(part) if each.tells is not None]
        return merge(conditional(value, self.tracer.operator, Access.JOIN) for value in values).edges

    def _found_by_others(
        self, groups: Sequence[Columns], part: Expression, resolve: Callable[[Origin], Value]
    ) -> list[Edge]:
        compared = self._compared(part)
        by = [tuple(e for e in compared if e.origin.column not in group) for group in groups]
        found = [substitute(Value(edges=edges), resolve) for edges in by]
        return [edge for pair in zip(groups, found, strict=True) for edge in self._decide(*pair)]

    def _decide(self, columns: Columns, by: Value) -> tuple[Edge, ...]:
        """That decides the values of the columns; gives what all rows tell of, where there are too many."""
        if len(columns) * len(by.edges) > MOST_FOUND:
            operator = self.tracer.operator
            return decision(by, Subtype.JOIN, Access.JOIN, operator, tells=Retains.FACT).edges
        edges = tuple(e for e in by.edges if not is_of_program(e))
        for column in columns & self.columns.keys():
            self.columns[column] = with_edges(self.columns[column], edges)
        return ()
