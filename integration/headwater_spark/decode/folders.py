"""Reads of stored data: the columns whose values are in the names of its folders, and folders that are read alone.

    spark.read.parquet("x/city=Bern")      Filter(city = 'Bern') over a read of x

The values of several folders are not the program's: Spark has listed what a pattern fits, and gives the folders alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from headwater_plan.nodes import Attribute, Call, Column, Expression, Filter, Read, Relation
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.constants import Constants, Setting
from headwater_spark.decode.context import Context, constant, text_of
from headwater_spark.decode.values import CORRUPT_RECORD, Source
from headwater_spark.naming.datasets import folder_values

FILE_NAMES: Final = "_metadata"
"""The name of the hidden column in which Spark has the names of files."""
FILE_PATH: Final = "file_path"
_STRING: Final = AtomicType("string")
_FILE_NAME: Final = StructType((StructField(FILE_PATH, _STRING),))
_OF_FILES: Final = ("files", "table")
_HIDDEN: Final = Constants(Setting.HIDE)


def stored(outputs: tuple[Attribute, ...], source: Source, context: Context) -> Relation:
    """The read of what is stored there: of single folders, those rows that have their values. A column that has whole
    records is called as Spark calls it.
    """
    whole = source.get("whole", ())
    outputs = tuple(replace(a, name=CORRUPT_RECORD) if a.name in whole else a for a in outputs)
    if source.get("kind") not in _OF_FILES:
        return Read(outputs, source, context.reads_at(source))
    values = _values(source)
    added = tuple(
        Attribute(next(context.own_ids), name, _STRING) for name in values if _named(outputs, name) is None
    )
    columns = (*outputs, *added)
    listed = source.get("partitionColumns")
    names = [*(listed or ()), *values]
    folders = tuple(dict.fromkeys(a for name in names if (a := _named(columns, name)) is not None))
    described = {**source, "partitionColumns": [a.name for a in folders]} if values else source
    known = listed is not None or bool(values)
    read = Read(
        columns,
        described,
        context.reads_at(source),
        _file_names(outputs, context),
        folders if known else None,
    )
    if not values:
        return read
    conditions = (_condition(_column(columns, name), found, context) for name, found in values.items())
    return Filter(outputs, read, reduce(lambda one, other: Call("and", (one, other)), conditions))


def _values(source: Source) -> dict[str, list[str | None]]:
    """By column, the values of the folders that are read."""
    found: dict[str, list[str | None]] = {}
    for place in _places(source):
        for name, value in folder_values(place).items():
            found.setdefault(name, []).append(value)
    return found


def _places(source: Mapping[str, Any]) -> Iterator[str]:
    yield from map(str, source.get("roots") or filter(None, [source.get("location")]))


def _named(columns: Sequence[Attribute], name: str) -> Attribute | None:
    return next((a for a in columns if a.name.casefold() == name.casefold()), None)


def _column(columns: Sequence[Attribute], name: str) -> Expression:
    found = _named(columns, name)
    assert found is not None  # noqa: S101 - the caller has added it
    return Column(found.id, found.name, found.type)


def _condition(column: Expression, values: Sequence[str | None], context: Context) -> Expression:
    """The condition that a column has the folder's value."""
    constants = context.constants if len(values) == 1 else _HIDDEN
    if values[0] is None and len(values) == 1:
        return Call("isnull", (column,))
    value = constant(values[0], _STRING, text_of(values[0]), constants)
    return Call("=" if len(values) == 1 else "in", (column, value))


def _file_names(outputs: Sequence[Attribute], context: Context) -> Attribute:
    """Spark's hidden column, which is among the outputs where the program names it."""
    hidden = next((a for a in outputs if a.name == FILE_NAMES and _has_path(a)), None)
    return hidden or Attribute(next(context.own_ids), FILE_NAMES, _FILE_NAME)


def _has_path(a: Attribute) -> bool:
    return isinstance(a.type, StructType) and any(f.name == FILE_PATH for f in a.type.fields)
