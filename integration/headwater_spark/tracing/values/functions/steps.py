"""What the rules of functions are put together from: steps of a value, what decides about it, and plain rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from headwater_facets.kinds import MOVES, Access, LineageType, Manipulation, Retains, Subtype
from headwater_plan.nodes import Call
from headwater_plan.types import (
    ELEMENT,
    KEY,
    VALUE,
    ArrayType,
    AtomicType,
    DataType,
    MapType,
    StructType,
    children,
)
from headwater_spark.tracing.values.function_names import name_of
from headwater_spark.tracing.values.ids import only
from headwater_spark.tracing.values.readback import RESTORING, UNPACKED, retains_of
from headwater_spark.tracing.values.value import (
    How,
    Value,
    apply,
    collapse,
    constant,
    construct,
    decision,
    extract,
    merge,
    untraced,
)

Rule: TypeAlias = Callable[[Call, Sequence[Value], int], Value]
"""(call, values of its arguments, id of the operator) → value of the result."""


def direct(
    operator: int,
    *manipulation: Manipulation,
    subtype: Subtype = Subtype.IDENTITY,
    masking: bool = False,
    at: tuple[str, ...] = (),
    function: str = "",
    retains: Retains | None = None,
) -> How:
    """A direct step at this operator, by the function of that name if it changes the value.

    What only moves a value retains it; any other step is taken to contain it, unless ``retains`` says less.
    """
    moves = MOVES.issuperset(manipulation)
    return How(
        subtype=subtype,
        masking=masking,
        manipulation=manipulation,
        at=at,
        functions=(function,) if function else (),
        operators=only(operator),
        retains=retains or (Retains.VALUE if moves else Retains.CONTAINS),
        wraps=not moves,
    )


def called(
    call: Call,
    operator: int,
    manipulation: Manipulation,
    *,
    subtype: Subtype = Subtype.TRANSFORMATION,
    position: int = 0,
    at: tuple[str, ...] = (),
) -> How:
    """What a call does to its argument at a position. What can be read back is not masked."""
    retains = retains_of(call, position)
    hides = manipulation in (Manipulation.MASK, Manipulation.COUNT)
    if manipulation is Manipulation.MASK and retains.readable:
        manipulation = Manipulation.COMPUTE
    how = direct(
        operator,
        manipulation,
        subtype=subtype,
        masking=hides and not retains.readable,
        at=at,
        function=name_of(call),
        retains=retains,
    )
    return replace(how, restores=call.function in RESTORING, wraps=call.function not in UNPACKED)


def conditional(value: Value, operator: int, access: Access = Access.CONDITION) -> Value:
    """The value as one that only decides about the result."""
    return decision(value, Subtype.CONDITIONAL, access, operator)


def extent(collections: Iterable[Value], operator: int) -> Value:
    """What decides how many elements the collections have, and so how many are made of theirs."""
    how = How(
        LineageType.INDIRECT,
        Subtype.CONDITIONAL,
        access=Access.CONDITION,
        operators=only(operator),
        extent=True,
    )
    return merge(apply(collection, how) for collection in collections)


def named_as(value: Value, source: DataType | None, target: DataType | None, operator: int) -> Value:
    """A value of one type in the place of another that differs in the names of members alone: they go by position."""
    if source == target or _names_of(source) == _names_of(target):
        return value
    match source, target:
        case StructType(), StructType() if len(source.fields) == len(target.fields):
            renamed = direct(operator, Manipulation.RENAME)
            pairs = list(zip(source.fields, target.fields, strict=True))
            parts = [(s, t, named_as(extract(value, s.name), s.type, t.type, operator)) for s, t in pairs]
            return construct((t.name, v if s.name == t.name else apply(v, renamed)) for s, t, v in parts)
        case ArrayType(), ArrayType():
            element = named_as(extract(value, ELEMENT), source.element, target.element, operator)
            return merge((construct([(ELEMENT, element)]), extent([value], operator)))
        case MapType(), MapType():
            key = named_as(extract(value, KEY), source.key, target.key, operator)
            values = named_as(extract(value, VALUE), source.value, target.value, operator)
            return merge((construct([(KEY, key), (VALUE, values)]), extent([value], operator)))
        case _:
            return value


def _names_of(data_type: DataType | None) -> tuple[object, ...]:
    if data_type is None:
        return ()
    return tuple((step, _names_of(part)) for step, part in children(data_type))


def transformation(manipulation: Manipulation) -> Rule:
    """Everything in the arguments may be in the result."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        if not args:
            return unknown(call)
        return merge(
            apply(collapse(argument), called(call, operator, manipulation, position=position))
            for position, argument in enumerate(args)
        )

    return rule


def unknown(call: Call) -> Value:
    """An expression without arguments that is none of the known generators."""
    return untraced(f"the expression {call.pretty.lower()} is not known")


compute = transformation(Manipulation.COMPUTE)


def generated(call: Call, args: Sequence[Value], operator: int) -> Value:
    """A value that comes from no argument (a rank, a row number, the time, a random number)."""
    return constant(f"{call.pretty.lower()}()")


def by_value(value: Value, data_type: DataType | None, operator: int) -> Value:
    """Values that decide which of them stay: members of structs about each other, other values about themselves."""
    itself = not has_parts(data_type)
    return decision(value, Subtype.CONDITIONAL, Access.CONDITION, operator, itself=itself)


def has_parts(data_type: DataType | None) -> bool:
    return data_type is not None and not isinstance(data_type, AtomicType)


def failure(call: Call, args: Sequence[Value], operator: int) -> Value:
    """It raises, so no value of it is ever seen; its arguments are accessed."""
    return merge((constant(f"{call.pretty.lower()}()"), *(conditional(a, operator) for a in args)))


serialize = transformation(Manipulation.SERIALIZE)

mask = transformation(Manipulation.MASK)
