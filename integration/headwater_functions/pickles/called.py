"""Objects that are called as functions: partial functions, methods of an instance, and instances themselves.

The call of such an object is written here as a function, which is read like any other: compiled, and never called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from headwater_functions.code import Built, Class, Function, Named, of_source

_CALL: Final = of_source("def called(*given):\n    return target(*given)")
_MOST_DEEP: Final = 8


def function_calling(record: Any) -> Function | None:
    """A function that hands its arguments to the object; None if no code of the program was found in that."""
    inner = _inner(record, _MOST_DEEP)
    if inner is None:
        return None
    stands = inner.code
    code = replace(_CALL, name=stands.name, file=stands.file, first_line=stands.first_line)
    return Function(code, {"target": record}, module=inner.module)


def _inner(record: Any, deep: int) -> Function | None:
    """The function of the program that is called at last."""
    match record:
        case Function():
            return record
        case Built(maker=Named("functools", "partial") | Named("types", "MethodType"), arguments=(first, *_)):
            return _inner(first, deep - 1) if deep else None
        case Built(maker=Class() as maker):
            return _inner(maker.inherited().get("__call__"), 0)
        case _:
            return None
