"""Typed functions in Java and Scala (``filter``, ``map``) over what Spark makes of rows: rows themselves, or one value.

A row has the columns by position only where the dataset's type has them as its plan does. Objects of a class are made
and asked by methods of that class, which are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater_functions.jvm.values import DATA, PARAMETER
from headwater_plan.nodes import (
    Attribute,
    Column,
    Definition,
    Expression,
    Filter,
    OpaqueCall,
    OpaqueRelation,
    Project,
    ReadCall,
    Relation,
)
from headwater_plan.readings import Reading, Why
from headwater_plan.types import UNKNOWN, AtomicType, DataType
from headwater_spark.decode.code.frames import frame_of
from headwater_spark.decode.code.jvm import ROW, reading_of_jvm
from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.decode.values import mapping

_REASON = "TYPED_OPERATION"
_OBJECTS = Why(
    "SORT", "it is given objects of a class, which are not read", "take rows, or one column of them"
)
_TO_OBJECTS = "DeserializeToObject"
_BOOLEAN = AtomicType("boolean")


def typed_filter(node: Node, context: Context, child: Relation) -> Relation:
    """Rows that a function chooses."""
    call = _call(node, context, child.outputs, _BOOLEAN)
    if isinstance(call, ReadCall):
        return Filter(child.outputs, child, call)
    return _opaque(node, child.outputs, child, call)


def map_elements(node: Node, context: Context, objects: Relation) -> Relation:
    """What a function makes of each row: an object, whose parts are columns of what stands above."""
    outputs = context.outputs(node) or context.attributes(node.get("outputObjAttr"))
    rows = objects.inputs[0] if isinstance(objects, OpaqueRelation) and objects.text == _TO_OBJECTS else None
    call = _call(node, context, () if rows is None else rows.outputs, outputs[0].type if outputs else UNKNOWN)
    if isinstance(call, ReadCall) and rows is not None and len(outputs) == 1:
        return Project(outputs, rows, (Definition(outputs[0], call),))
    return replace(_opaque(node, outputs, objects, call), row_by_row=True)


def user_class(name: object) -> str | None:
    """The class of a compiled function, a lambda's by where it stands; None for what Spark wraps around it.

    ``shop.Job$$$Lambda$12/0x00007f`` stands in ``shop.Job``; the rest differs from run to run.
    """
    where = str(name or "").partition("$$Lambda")[0].rstrip("$")
    return None if not where or where.startswith("org.apache.spark.") else where


def _opaque(
    node: Node, outputs: tuple[Attribute, ...], child: Relation, call: OpaqueCall | ReadCall
) -> OpaqueRelation:
    """A function that is not read: any input may be in each new column, or decide about the rows."""
    name = user_class(mapping(node.get("func")).get("o"))
    function = replace(call, name=name) if name and isinstance(call, OpaqueCall) else None
    text = f"{node.name}({name})" if name else node.name
    return OpaqueRelation(outputs, (child,), name or node.name, _REASON, text, function=function)


def _call(
    node: Node, context: Context, columns: Sequence[Attribute], result: DataType
) -> OpaqueCall | ReadCall:
    """The call of the function for each row with those columns."""
    function = node.get("func")
    argument = _argument(function, context.document.type(node.get("argumentSchema")), columns)
    if argument is None or argument.type is None:
        return OpaqueCall("", _REASON, (), why=(_OBJECTS,))
    found = reading_of_jvm(function, (argument.type,), result)
    if isinstance(found, Reading):
        return ReadCall(found, found.name, _REASON, (argument,), result)
    return OpaqueCall("", _REASON, (), why=found)


def _argument(function: Any, schema: DataType | None, columns: Sequence[Attribute]) -> Expression | None:
    """The row as a struct, or its one value; None where it is neither."""
    given = [Column(a.id, a.name, a.type) for a in columns]
    kind = _parameter(mapping(function))
    if kind in DATA and len(given) == 1:
        return given[0]
    row = frame_of(given) if kind == ROW else None
    return row if row is not None and row.type == schema else None


def _parameter(function: Mapping[str, Any]) -> str:
    """The type of the function's own parameter, as class files write it; empty where that is not known."""
    entry, captured = function.get("entry"), function.get("captured")
    if not isinstance(entry, str) or not isinstance(captured, int):
        return ""
    kinds = PARAMETER.findall(entry[entry.find("(") : entry.find(")")])
    return kinds[captured] if 0 <= captured == len(kinds) - 1 else ""
