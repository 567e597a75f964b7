"""Rows, schemas and patterns between Spark and the neutral core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from headwater_records.nested.patterns import DESCENDANT, Node, Pattern


def plain(value: Any) -> Any:
    """A row as dicts, with maps as lists of keys and values."""
    if isinstance(value, Row):
        return {name: plain(each) for name, each in zip(value.__fields__, value, strict=True)}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return [{"key": plain(key), "value": plain(each)} for key, each in value.items()]
    return value


def comparable(value: Column, kind: DataType) -> Column:
    """A value of which equal ones can be found: maps become sorted lists of their entries."""
    if isinstance(kind, StructType) and _has_map(kind):
        fields = [
            comparable(value.getField(each.name), each.dataType).alias(each.name) for each in kind.fields
        ]
        return F.when(value.isNotNull(), F.struct(*fields))
    if isinstance(kind, ArrayType) and _has_map(kind):
        return F.transform(value, lambda each: comparable(each, kind.elementType))
    if isinstance(kind, MapType):
        entries = F.transform(
            F.map_entries(value),
            lambda each: F.struct(
                comparable(each.getField("key"), kind.keyType).alias("key"),
                comparable(each.getField("value"), kind.valueType).alias("value"),
            ),
        )
        return F.array_sort(entries)
    return value


def _has_map(kind: DataType) -> bool:
    match kind:
        case MapType():
            return True
        case ArrayType():
            return _has_map(kind.elementType)
        case StructType():
            return any(_has_map(each.dataType) for each in kind.fields)
        case _:
            return False


def same_rows(one: DataFrame, other: DataFrame) -> bool:
    """Whether two frames of the same types have the same rows, each as often, in any order."""
    names = [f"c{number}" for number in range(len(one.columns))]

    def counted(frame: DataFrame, number: int) -> DataFrame:
        values = [
            comparable(F.col(name), each.dataType) for name, each in zip(names, one.schema, strict=True)
        ]
        return frame.toDF(*names).select(
            F.struct(F.lit(0).alias("none"), *values).alias("row"), F.lit(number).alias("n")
        )

    together = counted(one, 1).unionAll(counted(other, -1))
    return not together.groupBy("row").agg(F.sum("n").alias("n")).where("n != 0").take(1)


def fields(kind: DataType) -> dict[str, Any] | None:
    """The names below a type; arrays are looked through."""
    match kind:
        case StructType():
            return {each.name: fields(each.dataType) for each in kind.fields}
        case ArrayType():
            return fields(kind.elementType)
        case MapType():
            return {"key": fields(kind.keyType), "value": fields(kind.valueType)}
        case _:
            return None


def condition(pattern: Pattern, schema: StructType) -> Column:
    """Which rows match, for Spark: it pushes this down as far as it goes."""
    found = F.lit(True)
    for node in pattern.nodes:
        found &= _bounded(node, _counts(node, schema, F.col))
    return found


def _bounded(node: Node, counts: list[Column]) -> Column:
    total = counts[0]
    for each in counts[1:]:
        total = total + each
    enough = total >= node.least
    return enough if node.most is None else enough & (total <= node.most)


def _counts(node: Node, schema: DataType, get: Any) -> list[Column]:
    """How often the node matches below a struct, in every place where its name is."""
    found = [F.lit(0)]
    for each in schema.fields if isinstance(schema, StructType) else []:
        value = get(f"`{each.name}`" if get is F.col else each.name)
        if each.name == node.name:
            found.append(_count(node, each.dataType, value, lambda kind, at: _matches(node, kind, at)))
        if node.edge == DESCENDANT:
            found.append(_count(node, each.dataType, value, lambda kind, at: _deeper(node, kind, at)))
    return found


def _count(node: Node, kind: DataType, value: Column, of: Any) -> Column:
    if isinstance(kind, ArrayType):
        inner = kind.elementType
        counted = F.aggregate(value, F.lit(0), lambda sofar, each: sofar + _count(node, inner, each, of))
        return F.coalesce(counted, F.lit(0))
    if isinstance(kind, MapType):
        pairs = StructType().add("key", kind.keyType).add("value", kind.valueType)
        return _count(node, ArrayType(pairs), F.map_entries(value), of)
    return F.coalesce(of(kind, value), F.lit(0))


def _deeper(node: Node, kind: DataType, value: Column) -> Column:
    counts = _counts(node, kind, value.getField)
    return sum(counts[1:], counts[0])


def _matches(node: Node, kind: DataType, value: Column) -> Column:
    met = value.isNotNull()
    if node.test is not None:
        met &= _test(node.test.operator, node.test.value, kind, value)
    for child in node.children:
        met &= _bounded(child, _counts(child, kind, value.getField))
    if node.children and not isinstance(kind, StructType):
        met = F.lit(False)
    return F.when(met, 1).otherwise(0)


def _test(operator: str, wanted: Any, kind: DataType, value: Column) -> Column:
    if isinstance(kind, StructType):
        return F.lit(False)
    tests = {
        "=": lambda: value == F.lit(wanted),
        ">": lambda: value > F.lit(wanted),
        "<": lambda: value < F.lit(wanted),
        "contains": lambda: value.contains(wanted),
        "!contains": lambda: ~value.contains(wanted),
        "length": lambda: F.length(value) == F.lit(wanted),
    }
    return tests[operator]()


def simple_paths(pattern: Pattern) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Leaves with a condition that are reached through children alone."""
    for node in pattern.nodes:
        yield from _leaves((), node)


def _leaves(above: tuple[str, ...], node: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    if node.edge == DESCENDANT:
        return
    if node.test is not None and node.least >= 1:
        yield (*above, node.name), node
    for child in node.children:
        yield from _leaves((*above, node.name), child)


def pushed(pattern: Pattern, schema: StructType) -> Column:
    """What can be pushed down below groups and joins: equalities of fields that are in no array."""
    found = F.lit(True)
    for path, node in simple_paths(pattern):
        kind: DataType | None = schema
        value: Any = None
        for name in path:
            if not isinstance(kind, StructType):
                kind = None
                break
            kind = kind[name].dataType
            value = F.col(f"`{name}`") if value is None else value.getField(name)
        if kind is not None and node.test and not isinstance(kind, ArrayType | MapType):
            found &= _test(node.test.operator, node.test.value, kind, value)
    return found
