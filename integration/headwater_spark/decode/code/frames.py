"""What a function over frames does, which Spark calls with the rows of a relation: all of them, or group by group.

Its arguments are frames with the columns that the plan hands to it, after the key of a group if it takes that: a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from headwater_functions.resolve import Form
from headwater_plan.nodes import Call, Column, Construct, DeclaredCall, Expression, OpaqueCall, ReadCall
from headwater_plan.readings import Reading, Why
from headwater_plan.types import ArrayType, DataType, StructField, StructType
from headwater_spark.decode.code.python import ODD_CALL, OTHER_CODE, parameters, read
from headwater_spark.decode.document import Node

ARROW_BATCHES = 207
BATCHES = frozenset({205, ARROW_BATCHES})
GROUPS = frozenset({201, 209})
GROUP_BATCHES = frozenset({215, 216})
TWO_GROUPS = frozenset({206, 210})
SORTS = BATCHES | GROUPS | GROUP_BATCHES | TWO_GROUPS
"""Spark's numbers of evaluation types, each of pandas and of Arrow: ``mapInPandas`` and ``mapInArrow``,
``applyInPandas`` and ``applyInArrow``, the same with an iterator of a group's frames, and of two relations' groups."""

_ANY_NUMBER = Why("ARGUMENTS", "it takes any number of arguments", "name the arguments")
_NAMES = Why("ARGUMENTS", "two of its columns have the same name", "give each column a name of its own")

Called = OpaqueCall | DeclaredCall


def frame_call(
    call: Called,
    node: Node,
    result: DataType | None,
    keys: Sequence[Sequence[Expression]],
    left: int,
) -> OpaqueCall | DeclaredCall | ReadCall:
    """The call with what was read of the function's code.

    ``node`` is Spark's expression; ``keys`` are those of each side, and ``left`` is how many of the call's arguments
    are columns of the first.
    """
    evaluation = node.get("evalType")
    sides = (call.args[:left], call.args[left:]) if evaluation in TWO_GROUPS else (call.args,)
    found: Reading | tuple[Why, ...] = (ODD_CALL,)
    arguments: tuple[Construct, ...] = ()
    frames = [frame_of(side) for side in sides]
    if any(frame is None for frame in frames):
        found = (_NAMES,)
    elif isinstance(result, StructType) and len({f.name for f in result.fields}) == len(result.fields):
        arguments = tuple(f for f in frames if f is not None)
        count = 0 if evaluation in BATCHES else parameters(node.get("func"))
        takes_key = count == len(frames) + 1
        if takes_key:
            arguments = (_key(keys), *arguments)
        found = _reading(node.get("func"), arguments, result, evaluation, takes_key=takes_key)
        if isinstance(found, Reading) and count is None:
            found = (_ANY_NUMBER,)
    match call, found:
        case DeclaredCall(), Reading():
            return replace(call, reading=found)
        case OpaqueCall(), Reading():
            return ReadCall(found, call.name, call.reason, arguments, result)
        case OpaqueCall(), tuple():
            return replace(call, why=(*found, *(w for w in call.why if w == OTHER_CODE)))
        case _:
            return call


def _reading(
    function: Any, arguments: tuple[Construct, ...], result: DataType, evaluation: Any, *, takes_key: bool
) -> Reading | tuple[Why, ...]:
    types = [a.type for a in arguments if a.type is not None]
    if len(types) != len(arguments):
        return (ODD_CALL,)
    form = Form.BATCHES if evaluation in BATCHES | GROUP_BATCHES else Form.FRAMES
    frames = types[takes_key:]
    given = (*types[:takes_key], *(ArrayType(t) if form is Form.BATCHES else t for t in frames))
    return read(function, given, result, form, named=evaluation != ARROW_BATCHES)


def frame_of(columns: Sequence[Expression]) -> Construct | None:
    """A frame of the columns; None if two have one name, without a type if that is not known."""
    named = [c for c in columns if isinstance(c, Column)]
    if len(named) != len(columns) or len({c.name for c in named}) != len(named):
        return None
    return _struct([(c.name, c) for c in named])


def _key(keys: Sequence[Sequence[Expression]]) -> Construct:
    """The key of a group: of two relations that of the first, or of the other where that has no row."""
    sides = [
        each[0] if len(each) == 1 else Call("coalesce", tuple(each), each[0].type)
        for each in zip(*keys, strict=False)
    ]
    return _struct([(f"_{place}", key) for place, key in enumerate(sides)])


def _struct(parts: Sequence[tuple[str, Expression]]) -> Construct:
    types = [(name, part.type) for name, part in parts]
    fields = tuple(StructField(name, kind) for name, kind in types if kind is not None)
    return Construct(tuple(parts), StructType(fields) if len(fields) == len(parts) else None)
