"""What the analysis of a plan knows so far: each analysed operator, and what a column of one is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headwater_facets.kinds import OperatorType
from headwater_plan.nodes import INFLUENCES, ROW, Attribute, Expression, Relation, Subquery
from headwater_spark.tracing.collected import NOTHING_HELD, MayHold
from headwater_spark.tracing.values.driver import PROGRAM, ROWS
from headwater_spark.tracing.values.value import (
    Edge,
    Origin,
    Steps,
    Value,
    collapse,
    column,
    distinct,
    merge,
    untraced,
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition as the program states it, and the attribute it guards (None: the whole output)."""

    kind: str
    expression: Expression
    guards: Attribute | None = None
    decides: bool = True
    """Whether it is no value of the CASE that it belongs to."""


@dataclass(slots=True)
class Traced:
    """An operator that has been analysed.

    ``local`` are the values that it defines, by output attribute, over its inputs' columns (a column that
    passes is not among them); ``reads`` are the local edges that only decide, or are accessed and dropped.
    """

    id: int
    relation: Relation
    type: OperatorType
    text: str
    inputs: tuple[int, ...]
    columns: dict[int, Value]
    influences: tuple[Edge, ...] = ()
    local: dict[int, Value] = field(default_factory=dict)
    reads: tuple[Edge, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    opaque: bool = False
    groups: bool = False
    """Whether its rows are groups, of which nothing but statistics and the keys is known."""


@dataclass(slots=True)
class Analysis:
    """What is known of a plan, operator by operator, inputs first.

    ``program``: what the program may hold of data, which may come back in its constants, rows and functions.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    """What to call columns in texts, by expression id, where it is not by their names."""
    program: MayHold = NOTHING_HELD
    traced: list[Traced] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """What could not be traced of what decides about rows."""
    pivoted: dict[int, tuple[Value, tuple[Expression, ...]]] = field(default_factory=dict)
    """By expression id of a pivot's columns, what it distributes by, and the values for which it does."""
    in_names: dict[int, Value] = field(default_factory=dict)
    """By expression id, what columns are named after."""
    file_names: set[int] = field(default_factory=set)
    """The reads of whose files the names are used."""
    _of: dict[int, Traced] = field(default_factory=dict)
    _origins: dict[int, Origin] = field(default_factory=dict)

    def add(self, relation: Relation, traced: Traced) -> None:
        """Keep what the analysis of a relation gave; its inputs have been added before."""
        self._of[id(relation)] = traced
        self.traced.append(traced)
        for a in relation.outputs:
            self._origins[a.id] = Origin(traced.id, a.id, a.name)

    def resolve(self, origin: Origin) -> Value:
        """What a column of an analysed operator is made of, in columns of reads."""
        if origin in (PROGRAM, ROWS):
            return column(origin)
        traced = self.traced[origin.operator]
        if origin.column == INFLUENCES:
            return Value(edges=traced.influences)
        if origin.column == ROW:
            return whole_rows(traced.columns.values())
        return traced.columns.get(origin.column) or undefined(origin.name)

    def of(self, relation: Relation) -> Traced:
        """What the analysis of a relation gave; it has been analysed."""
        return self._of[id(relation)]

    def subquery(self, e: Subquery) -> tuple[int, tuple[Attribute, ...]]:
        return self._of[id(e.relation)].id, e.relation.outputs

    def outer(self, column_id: int) -> Origin | None:
        return self._origins.get(column_id)


def undefined(name: str) -> Value:
    """A column of an operator that nothing in the operator defines."""
    return untraced(f"column {name} is not defined in the plan")


def whole_rows(values: Collection[Value]) -> Value:
    """All the columns' edges, each from its read's whole row."""
    nowhere: Steps = ()
    return Value(
        edges=distinct(
            Edge(Origin(e.origin.operator, ROW, ""), nowhere, e.how)
            for v in values
            for e in collapse(v).edges
        ),
        missing=collapse(merge(values)).missing,
    )
