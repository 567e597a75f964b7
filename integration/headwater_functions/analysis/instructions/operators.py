"""Operators and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.elements import LAZY
from headwater_functions.analysis.frame.work import may_be_held
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.instructions.stack import Operation
from headwater_functions.analysis.values import (
    COMPUTE,
    FACT,
    HELD,
    NOTHING,
    SERIALIZE,
    Value,
    constant,
    join,
    with_edges,
)


def _binary(f: Frame, operator: Any) -> None:
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    f.push(_added(f, left, right) if operator == "+" else _combined(f, operator, left, right))


def _combined(f: Frame, operator: str, left: Value, right: Value) -> Value:
    single, made = left.single, f.objects(right)
    if operator == "%" and single is not None and isinstance(single.value, str):
        return f.compute([left, right], SERIALIZE)
    if operator == "|" and made and all(m.kind == "dict" for _, m in [*made, *f.objects(left)]):
        return join(left, right)
    return _made(f, left, right)


def _added(f: Frame, left: Value, right: Value) -> Value:
    objects = [*f.objects(left), *f.objects(right)]
    if objects and all(m.kind in ("list", "tuple") for _, m in objects) and len(objects) == 2:
        (_, first), (_, second) = objects
        if not left.edges and not right.edges:
            elements = join(first.each(), second.each())
            own = join(Value(first.own.edges, opaque=first.own.opaque), Value(second.own.edges))
            if first.elements is NOTHING and second.elements is NOTHING and not own.edges:
                parts = [*first.members.values(), *second.members.values()]
                return f.new(Object(first.kind, members=dict(enumerate(parts))))
            return f.new(Object(first.kind, own, elements=elements))
    return _made(f, left, right)


def _made(f: Frame, left: Value, right: Value) -> Value:
    """Something new, which is changed in place later if it is a container, an array or a column."""
    found = f.compute([left, right])
    containers = [m for _, m in (*f.objects(left), *f.objects(right)) if m.kind in ("list", "set", "dict")]
    return join(found, HELD if containers and not found.edges else f.held([left, right]))


def _inplace(f: Frame, operator: Any) -> None:
    """As the operator, which may change the left side instead of making something new."""
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    if may_be_held(left):
        raise f.unreadable(
            "GLOBAL", "it changes an object of its module, or a default", "keep state out of functions"
        )
    kinds = {m.kind for _, m in f.objects(left)}
    if kinds and kinds <= {"list", "set", "dict"}:
        if operator == "+":
            f.add(left, f.element(right), decides=f.extent(right))
        else:
            f.touched([left, right])
        f.push(left)
        return
    result = _added(f, left, right) if operator == "+" else _combined(f, operator, left, right)
    if kinds or any(not e.how.decides for e in left.edges):
        # Columns and arrays that were computed are changed in place, too.
        f.in_place(left, right)
    if kinds - {"tuple", "argument", "iterator"}:
        f.touched([left, right])
        result = join(left, result)
    f.push(result)


def _compare(f: Frame, operator: Any) -> None:
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    sides = [s for s in (left, right) if s.single is None]
    constants = [s.single.value for s in (left, right) if s.single is not None]
    plain = bool(constants) and all(_tells_little(c) for c in constants)
    if operator == "is":
        f.push(f.compute(sides, FACT if plain or None in constants else COMPUTE))
    elif operator == "in":
        if any(made.kind in LAZY for _, made in f.objects(right)):
            f.advance(right, [left, f.element(right)])
        f.push(f.compute(sides, FACT if plain else COMPUTE))
    else:
        f.push(f.compute(sides, FACT if plain else COMPUTE))


def _tells_little(value: Any) -> bool:
    """Whether being equal to it is a fact about another value, and not that value: unlike of truth values."""
    if isinstance(value, list | tuple | set | frozenset | dict):
        return all(_tells_little(v) for v in value) and len(value) < 1000
    return (isinstance(value, str | bytes) and bool(value)) or (
        isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1)
    )


def _unary(f: Frame, _: Any) -> None:
    value = f.pop()
    f.touch(value)
    f.push(f.compute([value]) if value.single is None else value if _ == "POSITIVE" else _negative(value, _))


def _negative(value: Value, operator: str) -> Value:
    single = value.single
    if single is not None and operator == "NEGATIVE" and isinstance(single.value, int | float):
        return with_edges(constant(-single.value), value.edges)
    return Value(value.edges, other=True)


OPERATIONS: Mapping[str, Operation] = {
    "BINARY": _binary,
    "INPLACE": _inplace,
    "COMPARE": _compare,
    "UNARY": _unary,
}
