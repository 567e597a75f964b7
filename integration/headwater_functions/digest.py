"""A digest of a function's code, by which what was said of it holds for this code alone."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from headwater_functions.analysis.callables import Closure
from headwater_functions.analysis.values import Value
from headwater_functions.code import Cell, Code, Function

MOST_CODES: Final = 1_000
"""Code objects of one function that are compared; a function with more has no digest that another has."""


def digest_of(function: Function, module: Code | None = None) -> str:
    """``3.12:…``: the Python that compiled it, and a digest of its code and of the program's functions that it names.

    ``module`` is the code of its module, if it was not executed: functions that it defines are found there. Comments
    and lines of the file do not count. What it uses of classes, data and libraries is not part of it.
    """
    names: list[object] = []
    pending: list[tuple[str, Code, Any]] = [("", function.code, function.globals)]
    pending += [("", f.code, _scope_of(f)) for cell in function.closure for f in _functions_in(cell)]
    seen: set[int] = set()
    while pending:
        name, code, scope = pending.pop()
        names.append((name, _constant(code)))
        if id(code) in seen:
            continue
        seen.add(id(code))
        if len(seen) > MOST_CODES:
            return f"{function.code.version}:"
        for used in sorted(_names_in(code), reverse=True):
            found = [(used, f.code, _scope_of(f)) for f in _functions_in(scope.get(used))]
            pending += found or [(used, each, scope) for each in _defined(module, used)]
    return f"{function.code.version}:{sha256(repr(names).encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _constant(value: Any) -> object:
    """A constant as what has one text in every process: sets have no order."""
    match value:
        case Code():
            return (
                value.name,
                value.flags,
                (value.argument_count, value.positional_only_count, value.keyword_only_count),
                value.instructions,
                tuple(map(_constant, value.constants)),
                (value.names, value.variables, value.free, value.cells),
                value.exceptions,
            )
        case frozenset() | set():
            return ("set", sorted(repr(_constant(each)) for each in value))
        case tuple():
            return tuple(map(_constant, value))
        case None | bool() | int() | float() | complex() | str() | bytes():
            return (type(value).__name__, repr(value))
        case _:
            return type(value).__name__


def _names_in(code: Code) -> set[str]:
    found = set(code.names)
    for each in code.constants:
        if isinstance(each, Code):
            found |= _names_in(each)
    return found


def _defined(module: Code | None, name: str) -> list[Code]:
    constants = () if module is None else module.constants
    return [each for each in constants if isinstance(each, Code) and each.name == name]


def _functions_in(held: Any) -> Iterator[Function | Closure]:
    """The functions of the program that a name is bound to."""
    match held:
        case Function() | Closure():
            yield held
        case Cell():
            yield from _functions_in(held.content)
        case Value():
            yield from sorted((c for c in held.calls if isinstance(c, Closure)), key=lambda c: repr(c.code))
        case _:
            return


def _scope_of(function: Function | Closure) -> Any:
    return function.globals if isinstance(function, Function) else function.scope
