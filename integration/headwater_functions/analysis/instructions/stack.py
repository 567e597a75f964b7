"""What stands on the stack, and what exceptions and ``with`` put there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater_functions.analysis.callables import Library, Method
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.values import COMPUTED, Value, constant

Operation = Callable[[Frame, Any], None]

NULL = Value(calls=frozenset((Library("\0null"),)))
"""What Python pushes below a function that is no method."""
NULL_MARK = next(iter(NULL.calls))


def at_depth(f: Frame, depth: int) -> Value:
    if depth > len(f.state.stack):
        raise IndexError
    return f.state.stack[-depth]


def _swap(f: Frame, depth: Any) -> None:
    stack = f.state.stack
    if not 0 < depth <= len(stack):
        raise IndexError
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


def _rotate(f: Frame, depth: Any) -> None:
    top = f.pop()
    place = len(f.state.stack) - depth + 1
    if place < 0:
        raise IndexError
    f.state.stack.insert(place, top)


def _copy(f: Frame, depth: Any) -> None:
    if not 0 < depth <= len(f.state.stack):
        raise IndexError
    f.state.stack.append(f.state.stack[-depth])


def _pop(f: Frame, _: Any) -> None:
    f.pop()


def _pop_second(f: Frame, _: Any) -> None:
    top = f.pop()
    f.pop()
    f.state.stack.append(top)


def _exception(f: Frame, _: Any) -> None:
    top = f.pop()
    f.state.stack.append(COMPUTED)
    f.state.stack.append(top)


def _matched_exception(f: Frame, _: Any) -> None:
    f.pop()
    f.push(f.compute([at_depth(f, 1)]))


def _before_with(f: Frame, _: Any) -> None:
    manager = f.pop()
    f.push(Value(calls=frozenset((Method.of("__exit__", manager),))))
    f.push(f.entered(manager))


OPERATIONS: Mapping[str, Operation] = {
    "NOP": lambda f, a: None,
    "POP": _pop,
    "POP_SECOND": _pop_second,
    "POP_BLOCK": lambda f, a: None,
    "PUSH_NULL": lambda f, a: f.state.stack.append(NULL),
    "LOAD_NOTHING": lambda f, a: f.push(COMPUTED),
    "SWAP": _swap,
    "ROTATE": _rotate,
    "COPY": _copy,
    "LOAD_CONST": lambda f, a: f.push(constant(a)),
    "GET_ITER": lambda f, a: None,
    "PUSH_EXC_INFO": _exception,
    "CHECK_EXC_MATCH": _matched_exception,
    "BEFORE_WITH": _before_with,
}
