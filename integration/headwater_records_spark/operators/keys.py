"""Which values of rows are keys: what is equal by them is equal in a group, or in a semi join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql.types import DataType, DecimalType, StructType

from headwater_records_spark.context import Built, Context, Key, Members, conjuncts, keys, nodes
from headwater_records_spark.expressions import PLANS
from headwater_records_spark.jvm import key, kind, listed

HASHED = {
    "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "date", "timestamp",
    "timestamp_ntz",
}  # fmt: skip
"""Types whose values are equal if their hashes are: not texts with a collation, nor lists, which may have NULL."""


def key_of(context: Context, members: Members, built: Built, expressions: Sequence[Any]) -> Key | None:
    """The key that these expressions over a plan are; None if a value may be another one when it is computed again."""
    parts: list[Column] = []
    for each in expressions:
        if not each.deterministic() or any(_is_opaque(node) for node in nodes(each)):
            return None
        column = context.column(each)
        named = context.jvm.expression(built.plan, column.alias("x"))
        own = parts_of(column, context.jvm.type_of(named.toAttribute()))
        if own is None:
            return None
        parts += own
    return members.keyed(built, parts)


def _is_opaque(node: Any) -> bool:
    return "UDF" in kind(node) or kind(node) in PLANS


def parts_of(value: Column, kind_of: DataType) -> list[Column] | None:
    """What is hashed of a value: a hash leaves out what is NULL, so that it comes with whether it is."""
    if isinstance(kind_of, StructType):
        found = [value.isNull()]
        for each in kind_of.fields:
            own = parts_of(value.getField(each.name), each.dataType)
            if own is None:
                return None
            found += own
        return found
    known = kind_of.simpleString() in HASHED or isinstance(kind_of, DecimalType)
    return [value.isNull(), value] if known else None


def sides_of(condition: Any, left: Built, right: Built) -> tuple[list[Any], list[Any]] | None:
    """What has to be equal on the left and on the right, if a condition is just that."""
    if condition is None:
        return None
    pairs: tuple[list[Any], list[Any]] = ([], [])
    mine, theirs = keys(list(left.columns)), keys(list(right.columns))
    for each in conjuncts(condition):
        if kind(each) not in {"EqualTo", "EqualNullSafe"}:
            return None
        sides = sorted(listed(each.children()), key=lambda side: not _is_of(side, mine))
        one, other = sides
        if not (_is_of(one, mine) and _is_of(other, theirs)) or not one.dataType().equals(other.dataType()):
            return None
        pairs[0].append(one)
        pairs[1].append(other)
    return pairs


def _is_of(expression: Any, columns: Sequence[str]) -> bool:
    used = [key(each) for each in nodes(expression) if kind(each) == "AttributeReference"]
    return bool(used) and set(used) <= set(columns)
