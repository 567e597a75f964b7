"""Aggregators in Java and Scala, as untyped functions (``udaf``) and as typed columns: they fold values, or rows.

Objects of a class are made and asked by methods of that class, which are not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater_functions.jvm.values import DATA, PARAMETER
from headwater_plan.nodes import Column, DeclaredCall, Expression, OpaqueCall, ReadCall
from headwater_plan.readings import Reading, Why
from headwater_plan.traversal import within
from headwater_plan.types import UNKNOWN, DataType, StructField, StructType
from headwater_spark.decode.code.jvm import NOT_SENT, ROW, reading_of_jvm
from headwater_spark.decode.code.typed import user_class
from headwater_spark.decode.context import Context
from headwater_spark.decode.document import Node
from headwater_spark.decode.values import class_of

_REASON = "SCALA_UDAF"
_OBJECTS = Why(
    "SORT", "it folds objects of a class, which are not read", "fold rows, or one column of texts or numbers"
)


def reading_of_aggregator(
    function: Any, arguments: Sequence[DataType], result: DataType, columns: Sequence[str] = ()
) -> Reading | tuple[Why, ...]:
    """What was read of an aggregator that is given those arguments: as its one value, or as a row of them.

    ``columns`` are the names that a row has, if these are known.
    """
    if not isinstance(function, Mapping) or "aggregator" not in function:
        return (NOT_SENT,)
    kind = _parameter(function)
    if kind in DATA and len(arguments) == 1:
        return reading_of_jvm(function, arguments, result)
    if kind != ROW:
        return (_OBJECTS,)
    # Names that are not known are none of which a function asks for one.
    names = columns or [f"\0{i}" for i in range(len(arguments))]
    row = StructType(tuple(StructField(n, t) for n, t in zip(names, arguments, strict=True)))
    found = reading_of_jvm(function, (row,), result)
    if not isinstance(found, Reading):
        return found
    flows = [
        replace(flow, argument=i, source=flow.source[1:])
        for flow in found.flows
        for i, name in enumerate(names)
        if flow.source[:1] in ((), (name,))
    ]
    return replace(found, flows=tuple(dict.fromkeys(flows)))


def _parameter(function: Mapping[str, Any]) -> str:
    """The type of what an aggregator is given for each row, as class files write it; empty if that is not known."""
    steps = function.get("aggregator")
    reduce = steps.get("reduce") if isinstance(steps, Mapping) else None
    if not isinstance(reduce, str):
        return ""
    kinds = PARAMETER.findall(reduce[reduce.find("(") : reduce.find(")")])
    return kinds[1] if len(kinds) == 2 else ""


def typed_aggregate(node: Node, context: Context) -> OpaqueCall | DeclaredCall | ReadCall:
    """A typed column: what it folds is made of columns by Spark's own code, which is known for values and rows."""
    function = node.get("aggregator")
    result = context.document.type(node.get("dataType")) or context.type(node) or UNKNOWN
    name = user_class(class_of(function)) or node.name
    parts = context.nodes(node.get("inputDeserializer"))
    given = parts[0] if len(parts) == 1 else None
    args = _columns(given)
    declaration = context.declared(name)
    if declaration is not None and not declaration.code:
        return DeclaredCall(declaration, _REASON, args, result)
    schema = context.document.type(node.get("inputSchema"))
    names = [f.name for f in schema.fields] if isinstance(schema, StructType) else []
    rows = [_columns(each) for each in getattr(given, "args", ())]
    if _parameter(function) == ROW and len(rows) == len(names) and all(len(each) == 1 for each in rows):
        args = tuple(each for row in rows for each in row)
    elif _parameter(function) == ROW:
        return OpaqueCall(name, _REASON, args, result, (_OBJECTS,))
    found = reading_of_aggregator(function, [a.type or UNKNOWN for a in args], result, names)
    if isinstance(found, Reading):
        return ReadCall(found, name, _REASON, args, result)
    return OpaqueCall(name, _REASON, args, result, found)


def _columns(given: Expression | None) -> tuple[Column, ...]:
    """The columns that something is made of, each once."""
    found = () if given is None else (each for each in within(given) if isinstance(each, Column))
    return tuple({each.id: each for each in found}.values())
