"""Values of what a function finds outside itself: records of its module, of its closure, and plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headwater_functions.analysis.callables import MOST_NAMES, UNREAD, Closure, Library, OwnClass, Scope
from headwater_functions.analysis.values import COMPUTED, NOTHING, Value, constant, join
from headwater_functions.code import Built, Cell, Class, Function, Module, Named

MOST_DEPTH = 6

_PLAIN = (str, bytes, int, float, complex, bool, type(None), slice, range)
_BUILTIN_MODULES = ("builtins", "_operator")


def value_of_record(record: Any, scope: Scope | None, depth: int = 0) -> Value:  # noqa: PLR0911 - one for each record
    """The value of a record. Data of the program is a constant, whatever it is."""
    if isinstance(record, Value):
        return record
    if depth > MOST_DEPTH:
        return COMPUTED
    if isinstance(record, Function):
        return Value(calls=frozenset((closure_of(record, depth),)))
    if isinstance(record, Class):
        return Value(calls=frozenset((own_class(record, scope or Scope()),)))
    if isinstance(record, Module):
        return Value(calls=frozenset((Library(record.name),)))
    if isinstance(record, Named):
        return Value(calls=frozenset((Library(_name(record)),)))
    if isinstance(record, Built):
        return _built(record, scope, depth)
    if isinstance(record, Cell):
        return value_of_record(record.content, scope, depth + 1) if record.filled else NOTHING
    if isinstance(record, (_PLAIN, dict | list | tuple | set | frozenset)):
        return constant(record)
    return COMPUTED


def _name(record: Named) -> str:
    return record.name if record.module in _BUILTIN_MODULES else record.dotted


def _built(record: Built, scope: Scope | None, depth: int) -> Value:
    """An object of a library that the program made before: its attributes are the library's."""
    maker = record.maker
    if isinstance(maker, Named):
        name = _name(maker)
        arguments = record.arguments if isinstance(record.arguments, tuple) else ()
        if name == "functools.partial" or name.endswith("getattr"):
            return Value(calls=frozenset((Library(f"{UNREAD}{name}"),)))
        made = tuple(value_of_record(a, scope, depth + 1) for a in arguments)
        return Value(calls=frozenset((Library(f"{name}()", made),)), other=False)
    if isinstance(maker, Class):
        return Value(calls=frozenset((Library(f"{UNREAD}an object of {maker.name}"),)))
    return COMPUTED


def closure_of(function: Function, depth: int = 0) -> Closure:
    """A function's record with values in place of records."""
    scope = function.globals if isinstance(function.globals, Scope) else Scope(function.globals)
    function.globals = scope
    cells = tuple(
        Value(constants=frozenset()) if c is None else value_of_cell(c, scope, depth + 1)
        for c in function.closure
    )
    defaults = tuple(value_of_record(d, scope, depth + 1) for d in function.defaults)
    keywords = tuple((n, value_of_record(d, scope, depth + 1)) for n, d in function.keyword_defaults.items())
    return Closure(function.code, scope, cells, defaults, keywords)


def value_of_cell(cell: Any, scope: Scope, depth: int) -> Value:
    return value_of_record(cell, scope, depth)


def own_class(record: Class, scope: Scope) -> OwnClass:
    """A class with the names of its fields, if it is made to hold data."""
    for member in record.members.values():
        if isinstance(member, Function) and isinstance(member.globals, Scope):
            scope = member.globals
    fields = record.members.get("__dataclass_fields__")
    annotated = record.members.get("__annotations__")
    if isinstance(fields, dict):
        return OwnClass(record, scope, "dataclass", tuple(map(str, fields)))
    names = record.members.get("_fields")
    if isinstance(names, tuple):
        return OwnClass(record, scope, "namedtuple", tuple(map(str, names)))
    if record.members.get("__dataclass__") and isinstance(annotated, dict):
        return OwnClass(record, scope, "dataclass", tuple(map(str, annotated)))
    return OwnClass(record, scope, "class")


@dataclass(frozen=True)
class Modules:
    """Modules whose code was read: what each binds to its names."""

    scopes: Mapping[str, Scope] = field(default_factory=dict)

    def resolved(self, value: Value) -> Value:
        """The value with what a module has under a name in place of that name."""
        found = {each: self.find(each.name) for each in value.calls if isinstance(each, Library)}
        known = {each: named for each, named in found.items() if named is not None}
        if not known:
            return value
        return join(replace(value, calls=value.calls - known.keys()), *known.values())

    def find(self, dotted: str) -> Value | None:
        """What a module binds to the last part of the name; None if no module that was read has it."""
        found = None
        for _ in range(MOST_NAMES):
            module, _, name = dotted.rpartition(".")
            scope = self.scopes.get(module)
            if scope is None or name not in scope or dotted in self.scopes:
                return found
            found = value_of_record(scope[name], scope)
            imported = [c.name for c in found.calls if isinstance(c, Library)]
            if len(found.calls) != 1 or not imported:
                return found
            (dotted,) = imported
        return found


NO_MODULES = Modules()
