"""Columns that a table format gives beside those that are stored: what its log says of a row, and where that lies.

Delta's change feed says how and when a row changed. Iceberg names a row's file, its place in that and its partition;
the file's name and the partition hold the values of the columns that the table is partitioned by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater_plan.nodes import (
    Attribute,
    Call,
    Column,
    Construct,
    Definition,
    Expression,
    Project,
    Read,
    Relation,
)
from headwater_plan.types import AtomicType, StructType
from headwater_spark.decode.context import Context
from headwater_spark.decode.folders import stored
from headwater_spark.decode.values import Source

_OF_ICEBERG: Final = frozenset({"_pos", "_spec_id", "_deleted", "_row_id", "_last_updated_sequence_number"})
_FILE: Final = "_file"
_PARTITION: Final = "_partition"
_STRING: Final = AtomicType("string")
_AS_IT_IS: Final = "identity"


def with_table_columns(outputs: tuple[Attribute, ...], source: Source, context: Context) -> Relation:
    """The read of a table, with the columns that its format makes of others or of its log."""
    fields = source.get("partitioning")
    made = set(source.get("made") or ())
    if fields is not None:
        source = {**source, "partitionColumns": [f["column"] for f in fields if f.get("column")]}
        made |= {*_OF_ICEBERG, _FILE, _PARTITION}
    if not any(a.name in made for a in outputs):
        return stored(outputs, source, context)
    read = stored(tuple(a for a in outputs if a.name not in made), source, context)
    assert isinstance(read, Read)  # noqa: S101 - no folder of a table is read alone
    return Project(outputs, read, tuple(Definition(a, _value(a, fields, made, read)) for a in outputs))


def _value(a: Attribute, fields: Any, made: set[str], read: Read) -> Expression:
    if a.name not in made:
        return Column(a.id, a.name, a.type)
    if a.name == _FILE and fields:
        return Call("concat", tuple(value for _, value in _parts(fields, read)), _STRING)
    if a.name == _PARTITION and isinstance(a.type, StructType):
        parts = dict(_parts(fields, read))
        return Construct(
            tuple((f.name, parts.get(f.name) or _unknown(f.name)) for f in a.type.fields), a.type
        )
    return Call("input_file_block_start", (), a.type, pretty=a.name)


def _parts(fields: list[Mapping[str, Any]], read: Read) -> Iterator[tuple[str, Expression]]:
    """What each field of the partition is made of; of a column that was dropped nobody knows."""
    for field in fields:
        name = str(field["name"])
        column = next((a for a in read.outputs if a.name == field.get("column")), None)
        if column is None:
            yield name, _unknown(name)
            continue
        value = Column(column.id, column.name, column.type)
        yield name, value if field.get("transform") == _AS_IT_IS else Call("concat", (value,), _STRING)


def _unknown(name: str) -> Call:
    return Call("partition_field", (), pretty=f"_partition.{name}")
