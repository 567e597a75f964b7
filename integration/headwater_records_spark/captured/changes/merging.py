"""What a table is after a change of it: a plan over what it was before, in the command's own expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.jvm import LOGICAL, Jvm, output
from headwater_records_spark.operators.joins import joined_by

KEPT = -1
"""The number of the clause of a row that stays as it is."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What is done with rows for which ``condition`` is true: they are deleted, or get ``values``, by column."""

    condition: Column
    deletes: bool
    values: dict[str, Column]


@dataclass(frozen=True, slots=True)
class Merge:
    """A MERGE: its clauses for rows that match, that are ``missing`` in the target, and that are ``alone`` in it.

    ``columns`` are those that the table has afterwards, with their types.
    """

    target: Any
    source: Any
    condition: Column
    columns: Mapping[str, Any]
    matched: list[Clause]
    missing: list[Clause]
    alone: list[Clause]


def true(jvm: Jvm, condition: Any) -> Column:
    """Whether a condition is true; none is."""
    return F.lit(True) if condition is None else F.coalesce(jvm.column(condition), F.lit(False))


def appended(before: DataFrame, given: DataFrame, *, by_name: bool) -> DataFrame:
    """The rows that were there, and those that came."""
    return before.unionByName(given, allowMissingColumns=True) if by_name else before.union(given)


def deleted(jvm: Jvm, target: Any, condition: Any) -> Any:
    """The rows that are left."""
    return jvm.over(target, lambda frame: frame.where(~true(jvm, condition)))


def updated(jvm: Jvm, target: Any, condition: Any, values: Sequence[Any]) -> Any:
    """All rows, some with other values; there is one for each column."""
    changed = true(jvm, condition)
    columns = [
        F.when(changed, jvm.column(value)).otherwise(jvm.column(each)).alias(each.name())
        for each, value in zip(output(target), values, strict=True)
    ]
    return jvm.over(target, lambda frame: frame.select(*columns))


def merged(jvm: Jvm, merge: Merge) -> Any:
    """The rows of the target with those of the source that match them, and the rows that are inserted."""
    parts = [_of_matching(jvm, merge), *_of_alone(jvm, merge)]
    if merge.missing:
        left = joined_by(jvm, merge.source, merge.target, "LeftAnti", merge.condition)
        parts.append(inserted(jvm, left, merge.columns, merge.missing))
    return jvm.type(LOGICAL + "Union")(jvm.seq(parts), False, False) if len(parts) > 1 else parts[0]


def inserted(jvm: Jvm, source: Any, columns: Mapping[str, Any], clauses: list[Clause]) -> Any:
    """The rows that come of those of the source that no row of the target matches."""
    nothing = {name: F.lit(None).cast(each.catalogString()) for name, each in columns.items()}
    return jvm.over(source, lambda frame: _applied(frame, nothing, clauses, keep=False))


def _of_matching(jvm: Jvm, merge: Merge) -> Any:
    """The rows of the target, each with that of the source that does something to it.

    Where those that none matches are another part, they are not among these.
    """
    there = "__headwater_there"
    source = jvm.select(merge.source, output(merge.source), F.lit(True).alias(there))
    condition, target = merge.condition, merge.target
    if merge.alone:
        target = joined_by(jvm, target, merge.source, "LeftSemi", condition)
    applies = reduce(lambda one, other: one | other, [each.condition for each in merge.matched], F.lit(False))
    both = joined_by(jvm, target, source, "LeftOuter", condition & applies)
    found = jvm.column(output(source)[-1]).isNotNull()
    clauses = [Clause(found & each.condition, each.deletes, each.values) for each in merge.matched]
    return jvm.over(both, lambda frame: _applied(frame, _staying(jvm, merge), clauses, keep=True))


def _of_alone(jvm: Jvm, merge: Merge) -> list[Any]:
    """The rows of the target that no row of the source matches, where something is done to them."""
    if not merge.alone:
        return []
    left = joined_by(jvm, merge.target, merge.source, "LeftAnti", merge.condition)
    return [jvm.over(left, lambda frame: _applied(frame, _staying(jvm, merge), merge.alone, keep=True))]


def _staying(jvm: Jvm, merge: Merge) -> dict[str, Column]:
    """Of each column what is in a row that stays as it is."""
    there = {each.name(): jvm.column(each) for each in output(merge.target)}
    return {
        name: there[name] if name in there else F.lit(None).cast(each.catalogString())
        for name, each in merge.columns.items()
    }


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
