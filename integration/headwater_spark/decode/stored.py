"""Columns of data that no operator of the plan names: those that its place states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_plan.nodes import ROW, Attribute
from headwater_plan.types import StructType, parse_type
from headwater_spark.decode.context import Context


def columns_of(source: Mapping[str, Any], context: Context) -> tuple[Attribute, ...]:
    """The columns that a source states, as attributes of their own; its rows where they are not known."""
    known = parse_type(source.get("columns"))
    if not isinstance(known, StructType) or not known.fields:
        return (Attribute(ROW, "", StructType()),)
    return tuple(Attribute(next(context.own_ids), f.name, f.type) for f in known.fields)
