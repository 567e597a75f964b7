"""Derivations as columns of numbers, which take less to be written than structs in structs, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StructType

from headwater_records_spark.context import NAME
from headwater_records_spark.jvm import Jvm

BETWEEN = "_"
"""In the names of columns between the derivation's own name and those of fields, which have none themselves."""


def flattened(jvm: Jvm, made_of: Any) -> Iterator[tuple[str, Column]]:
    """What is in no struct of a derivation, by its way there from the derivation's name."""
    yield from _parts(made_of.name(), jvm.column(made_of), jvm.type_of(made_of))


def _parts(name: str, value: Column, kind: DataType) -> Iterator[tuple[str, Column]]:
    if not isinstance(kind, StructType):
        yield name, value
        return
    for each in kind.fields:
        yield from _parts(f"{name}{BETWEEN}{each.name}", value.getField(each.name), each.dataType)


def derivation(names: Sequence[str]) -> Column:
    """The derivation out of such columns: what has no part is NULL, as every derivation has one that is not."""
    own = NAME.count(BETWEEN) + 1
    return _whole([(name.split(BETWEEN)[own:], F.col(f"`{name}`")) for name in names])


def _whole(parts: list[tuple[list[str], Column]]) -> Column:
    if not parts[0][0]:
        return parts[0][1]
    below: dict[str, list[tuple[list[str], Column]]] = {}
    for (first, *rest), column in parts:
        below.setdefault(first, []).append((rest, column))
    nothing = reduce(and_, (column.isNull() for _, column in parts))
    return F.when(~nothing, F.struct(*[_whole(each).alias(name) for name, each in below.items()]))
