"""Spark's data types as closed values, read from Spark's own schema JSON.

``children`` gives the nested fields under the step names of OpenLineage's ``schema`` facet: a struct's member
names, ``_element`` of an array, ``key`` and ``value`` of a map.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

ELEMENT = "_element"
KEY = "key"
VALUE = "value"


@dataclass(frozen=True, slots=True)
class AtomicType:
    """A type without nested paths; ``name`` is Spark's (``long``, ``decimal(10,2)``, ``variant`` …).

    ``collation``: by which rules its strings are compared, if not byte by byte.
    """

    name: str
    collation: str = ""


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of ``element``."""

    element: DataType


@dataclass(frozen=True, slots=True)
class MapType:
    """A map of ``key`` to ``value``."""

    key: DataType
    value: DataType


@dataclass(frozen=True, slots=True)
class StructField:
    """A member of a struct, or a column."""

    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class StructType:
    """Members in order. Names may repeat, as Spark lets them."""

    fields: tuple[StructField, ...] = ()


DataType: TypeAlias = AtomicType | ArrayType | MapType | StructType

_COLLATED = " collate "

UNKNOWN = AtomicType("unknown")
ATOMIC = AtomicType("")
"""An atomic type that a plan does not name."""


def parse_type(spec: Any) -> DataType:
    """Spark's type JSON (a string or an object) as a ``DataType``; what is not understood is ``UNKNOWN``."""
    if isinstance(spec, str):
        name, _, collation = spec.partition(_COLLATED)
        return AtomicType(name, collation)
    match spec:
        case {"type": "struct", "fields": list(fields)}:
            return StructType(tuple(StructField(str(f["name"]), parse_type(f["type"])) for f in fields))
        case {"type": "array", "elementType": element}:
            return ArrayType(parse_type(element))
        case {"type": "map", "keyType": key, "valueType": value}:
            return MapType(parse_type(key), parse_type(value))
        case {"type": "udt", "sqlType": sql_type}:
            return parse_type(sql_type)
        case _:
            return UNKNOWN


def children(data_type: DataType) -> Iterator[tuple[str, DataType]]:
    """The nested fields with their step names, none for an atomic type."""
    match data_type:
        case StructType(fields):
            yield from ((f.name, f.type) for f in fields)
        case ArrayType(element):
            yield ELEMENT, element
        case MapType(key, value):
            yield KEY, key
            yield VALUE, value
        case AtomicType():
            return
