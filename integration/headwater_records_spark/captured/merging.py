"""What a table is after UPDATE, DELETE or MERGE: a plan over what it was before, in the command's expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.jvm import LOGICAL, Jvm, kind, listed, optional, output
from headwater_records_spark.operators.joins import joined_by

Columns: TypeAlias = dict[str, tuple[Column, Column]]
KEPT = -1
"""The number of the clause of a row that stays as it is."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What is done with rows for which ``condition`` is true: they are deleted, or get ``values``, by column."""

    condition: Column
    deletes: bool
    values: dict[str, Column]


def deleted(jvm: Jvm, target: Any, condition: Any) -> Any:
    """The rows that are left."""
    return jvm.over(target, lambda frame: frame.where(~_true(jvm, condition)))


def updated(jvm: Jvm, target: Any, condition: Any, values: Sequence[Any]) -> Any:
    """All rows, some with other values; there is one for each column."""
    changed = _true(jvm, condition)
    columns = [
        F.when(changed, jvm.column(value)).otherwise(jvm.column(each)).alias(each.name())
        for each, value in zip(output(target), values, strict=True)
    ]
    return jvm.over(target, lambda frame: frame.select(*columns))


def merged(jvm: Jvm, command: Any) -> Any:
    """The rows of the target with those of the source that match them, and the rows that are inserted."""
    columns = _columns(jvm, command)
    matched, missing, alone = (
        [_clause(jvm, each) for each in listed(clauses)]
        for clauses in (
            command.matchedClauses(), command.notMatchedClauses(), command.notMatchedBySourceClauses(),
        )
    )  # fmt: skip
    parts = [_of_target(jvm, command, columns, matched, alone)]
    if missing:
        parts.append(_inserted(jvm, command, columns, missing))
    return jvm.type(LOGICAL + "Union")(jvm.seq(parts), False, False) if len(parts) > 1 else parts[0]


def _columns(jvm: Jvm, command: Any) -> dict[str, tuple[Column, Column]]:
    """Of each column that the table has afterwards what it is in a row that stays, and without a value."""
    there = {each.name(): each for each in output(command.target())}
    types = {name: each.dataType() for name, each in there.items()}
    schema = optional(command.migratedSchema())
    types |= {} if schema is None else {each.name(): each.dataType() for each in schema.fields()}
    nothing = {name: F.lit(None).cast(each.catalogString()) for name, each in types.items()}
    return {
        name: (jvm.column(there[name]) if name in there else none, none) for name, none in nothing.items()
    }


def _of_target(jvm: Jvm, command: Any, columns: Columns, matched: list[Clause], alone: list[Clause]) -> Any:
    target, there = command.target(), "__headwater_there"
    source = jvm.select(command.source(), output(command.source()), F.lit(True).alias(there))
    condition = jvm.column(command.condition())
    if not alone:
        # a row that several of the source match is one row, if one of them alone does something to it
        applies = [each.condition for each in matched]
        condition &= reduce(lambda one, other: one | other, applies, F.lit(False))
    both = joined_by(jvm, target, source, "LeftOuter", condition)
    found = jvm.column(output(source)[-1]).isNotNull()
    clauses = [Clause(found & each.condition, each.deletes, each.values) for each in matched]
    clauses += [Clause(~found & each.condition, each.deletes, each.values) for each in alone]
    kept = {name: value for name, (value, _) in columns.items()}
    return jvm.over(both, lambda frame: _applied(frame, kept, clauses, keep=True))


def _inserted(jvm: Jvm, command: Any, columns: Columns, clauses: list[Clause]) -> Any:
    condition = jvm.column(command.condition())
    left = joined_by(jvm, command.source(), command.target(), "LeftAnti", condition)
    nothing = {name: none for name, (_, none) in columns.items()}
    return jvm.over(left, lambda frame: _applied(frame, nothing, clauses, keep=False))


def _applied(frame: DataFrame, columns: dict[str, Column], clauses: list[Clause], *, keep: bool) -> DataFrame:
    """The rows, each by the first clause that applies to it; without one it stays if they are those to ``keep``."""
    chosen = F.lit(KEPT)
    for number, each in reversed(list(enumerate(clauses))):
        chosen = F.when(each.condition, F.lit(number)).otherwise(chosen)
    gone = [number for number, each in enumerate(clauses) if each.deletes] + ([] if keep else [KEPT])
    values = []
    for name, given in columns.items():
        value = given
        for number, clause in enumerate(clauses):
            if name in clause.values:
                value = F.when(chosen == number, clause.values[name]).otherwise(value)
        values.append(value.alias(name))
    return frame.where(~chosen.isin(gone)).select(*values)


def _clause(jvm: Jvm, clause: Any) -> Clause:
    deletes = kind(clause).endswith("DeleteClause")
    actions = [] if deletes else listed(clause.resolvedActions())
    values = {action.targetColNameParts().apply(0): jvm.column(action.expr()) for action in actions}
    condition = optional(clause.condition())
    return Clause(_true(jvm, condition), deletes, values)


def _true(jvm: Jvm, condition: Any) -> Column:
    return F.lit(True) if condition is None else F.coalesce(jvm.column(condition), F.lit(False))
