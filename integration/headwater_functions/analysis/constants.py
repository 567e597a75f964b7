"""Values of what a function finds outside itself: records of its module, of its closure, and plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headwater_functions.analysis.callables import (
    MOST_NAMES,
    UNREAD,
    Closure,
    Kept,
    Library,
    OwnClass,
    Partial,
    Scope,
)
from headwater_functions.analysis.classes import chain, find, is_enumeration, unusual
from headwater_functions.analysis.values import HELD, NOTHING, Value, constant, join
from headwater_functions.code import Built, Cell, Class, Function, Module, Named
from headwater_functions.unreadable import UnreadableError

MOST_DEPTH = 6

_PLAIN = (str, bytes, int, float, complex, bool, type(None), slice, range)
_BUILTIN_MODULES = ("builtins", "_operator")
_ITERATORS = frozenset({"iter", "map", "filter", "zip", "enumerate", "reversed"})
"""What makes objects from which each use takes something."""


def value_of_record(record: Any, scope: Scope | None, depth: int = 0) -> Value:  # noqa: PLR0911 - one for each record
    """The value of a record. Data of the program is a constant, whatever it is."""
    if isinstance(record, Value):
        return record
    if depth > MOST_DEPTH:
        return HELD
    if isinstance(record, Function):
        return Value(calls=frozenset((closure_of(record, depth),)))
    if isinstance(record, Class):
        return Value(calls=frozenset((own_class(record, scope or Scope()),)))
    if isinstance(record, Module):
        return Value(calls=frozenset((Library(record.name),)))
    if isinstance(record, Named):
        return Value(calls=frozenset((Library(_name(record)),)))
    if isinstance(record, Built):
        return _built_once(record, scope, depth)
    if isinstance(record, Cell):
        return value_of_record(record.content, scope, depth + 1) if record.filled else NOTHING
    if isinstance(record, (_PLAIN, dict | list | tuple | set | frozenset)):
        return constant(record)
    return HELD


def _built_once(record: Built, scope: Scope | None, depth: int) -> Value:
    """Objects may hold each other in many ways: each is looked into once; within itself it is something unknown."""
    if record.known is None:
        record.known = HELD
        try:
            record.known = _built(record, scope, depth)
        except UnreadableError:
            record.known = None
            raise
    return record.known if isinstance(record.known, Value) else HELD


def _name(record: Named) -> str:
    return record.name if record.module in _BUILTIN_MODULES else record.dotted


def _built(record: Built, scope: Scope | None, depth: int) -> Value:
    """An object of a library that the program made before: its attributes are the library's."""
    maker = record.maker
    if isinstance(maker, Named):
        name = _name(maker)
        arguments = record.arguments if isinstance(record.arguments, tuple) else ()
        if name in _BINDING:
            return _BINDING[name](record, scope, depth)
        if name in _ITERATORS or name.startswith("itertools."):
            raise UnreadableError(
                "GLOBAL",
                "it has an iterator that was made outside of it",
                "make the iterator in the function",
            )
        if name.endswith("getattr"):
            owner, attribute = (*record.arguments, None, None)[:2]
            if isinstance(owner, Named) and isinstance(attribute, str):
                return Value(calls=frozenset((Library(_name(owner)).attribute(attribute),)))
            return Value(calls=frozenset((Library(f"{UNREAD}{name}"),)))
        made = tuple(value_of_record(a, scope, depth + 1) for a in arguments)
        return Value(calls=frozenset((Library(f"{name}()", made),)), other=False)
    if isinstance(maker, Class):
        return _instance(record, own_class(maker, scope or Scope()))
    return HELD


def _partial(record: Built, scope: Scope | None, depth: int) -> Value:
    """What ``functools.partial`` made."""
    state = record.state
    known = isinstance(state, tuple) and len(state) == 4
    if not known or not isinstance(state[1], tuple) or not isinstance(state[2], dict):
        return Value(calls=frozenset((Library(f"{UNREAD}functools.partial"),)))
    function, *given = (value_of_record(each, scope, depth + 1) for each in (state[0], *state[1]))
    named = tuple((str(n), value_of_record(v, scope, depth + 1)) for n, v in state[2].items())
    return Value(calls=frozenset((Partial(function, tuple(given), named),)))


def _method(record: Built, scope: Scope | None, depth: int) -> Value:
    """A method that was taken of an instance, or of a class."""
    known = isinstance(record.arguments, tuple) and len(record.arguments) == 2
    if not known or not isinstance(record.arguments[0], Function):
        return Value(calls=frozenset((Library(f"{UNREAD}a method"),)))
    function, instance = (value_of_record(each, scope, depth + 1) for each in record.arguments)
    return Value(calls=frozenset((Partial(function, (instance,)),)))


def _partial_method(record: Built, scope: Scope | None, depth: int) -> Value:
    """What ``functools.partialmethod`` made: it is bound to an instance that is asked for it."""
    state = slots_of(record)
    args, keywords = state.get("args"), state.get("keywords")
    if not isinstance(args, tuple) or not isinstance(keywords, dict):
        return Value(calls=frozenset((Library(f"{UNREAD}functools.partialmethod"),)))
    function, *given = (value_of_record(each, scope, depth + 1) for each in (state.get("func"), *args))
    named = tuple((str(n), value_of_record(v, scope, depth + 1)) for n, v in keywords.items())
    bound = Value(calls=frozenset((Partial(function, tuple(given), named),)))
    return Value(calls=frozenset((Library("functools.partialmethod()", (bound,)),)))


def _cached_property(record: Built, scope: Scope | None, depth: int) -> Value:
    """What ``functools.cached_property`` made."""
    function = value_of_record(slots_of(record).get("func"), scope, depth + 1)
    return Value(calls=frozenset((Library("functools.cached_property()", (function,)),)))


_BINDING = {
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "functools.cached_property": _cached_property,
    "types.MethodType": _method,
}


def _instance(record: Built, kind: OwnClass) -> Value:
    """An instance that the program made before. Raises ``UnreadableError`` where its class does more than hold it."""
    name = kind.record.name
    if is_enumeration(kind, plain=False):
        return Value(calls=frozenset((Library(f"{UNREAD}an object of {name}"),)))
    reason = unusual(kind, kept=True)
    attributes = _attributes(record, kind)
    if reason or attributes is None:
        reason = reason or f"an object of {name} is pickled in a way of its own"
        raise UnreadableError("CONSTRUCT", reason, "call a function with what it holds")
    kept = Value(calls=frozenset((Kept(kind, record, attributes),)))
    return join(kept, constant(record.arguments)) if kind.kind == "namedtuple" else kept


def _attributes(record: Built, kind: OwnClass) -> Mapping[str, Any] | None:
    """The attributes by name; None where they are not simply those that were set."""
    if record.items or not record.is_new or not isinstance(record.arguments, tuple):
        return None
    if kind.kind == "namedtuple":
        fits = record.state is None and len(record.arguments) == len(kind.fields)
        return dict(zip(kind.fields, record.arguments, strict=True)) if fits else None
    state = record.state
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
        # What lies in slots comes second.
        state = state[1] if state[0] is None else None
    elif state is None:
        state = {}
    plain = not record.arguments and isinstance(state, dict) and all(isinstance(n, str) for n in state)
    return state if plain else None


def member_of(kind: OwnClass, name: str, above: Class | None = None) -> Value | None:
    """What the class has under the name, itself or from what it inherits from; None if it has nothing."""
    found = find(kind.record, name, above)
    if found is None:
        return None
    member, owner = found
    return value_of_record(member, kind.scope if owner is kind.record else own_class(owner, kind.scope).scope)


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
    if isinstance(fields, dict) and _takes(record, tuple(fields)):
        return OwnClass(record, scope, "dataclass", record.members["__init__"].code.parameters[1:])
    names = record.members.get("_fields")
    if isinstance(names, tuple):
        return OwnClass(record, scope, "namedtuple", tuple(map(str, names)))
    above = None if "__init__" in record.members else class_above(record, scope)
    if above is not None and above.kind == "dataclass":
        return OwnClass(record, scope, "dataclass", above.fields)
    return OwnClass(record, scope, "class")


def _takes(record: Class, fields: tuple[Any, ...]) -> bool:
    """Whether ``__init__`` has all of the fields as its parameters, in their order, and hands none of them on."""
    initial, later = record.members.get("__init__"), find(record, "__post_init__")
    known = record.members["__dataclass_fields__"]
    fields = tuple(name for name in fields if not _is_of_class(known[name]))
    hands_on = later is not None and (not isinstance(later[0], Function) or len(later[0].code.parameters) > 1)
    return isinstance(initial, Function) and initial.code.parameters[1:] == fields and not hands_on


def slots_of(record: Any) -> Mapping[Any, Any]:
    """The slots of a pickled object that has them."""
    state = getattr(record, "state", None)
    slots = state[1] if isinstance(state, tuple) and len(state) == 2 else state
    return slots if isinstance(slots, dict) else {}


def _is_of_class(field: Any) -> bool:
    """Whether a field of a dataclass is a variable of the class."""
    return getattr(slots_of(field).get("_field_type"), "arguments", None) == ("_FIELD_CLASSVAR",)


def class_above(record: Class, scope: Scope) -> OwnClass | None:
    """The class of the program from which it has how instances are made, or the nearest that it inherits from."""
    above = classes_above(record, scope)
    making = (c for c in above if c.kind != "class" or "__init__" in c.record.members)
    return next(making, above[0] if above else None)


def classes_above(record: Class, scope: Scope) -> list[OwnClass]:
    """The classes of the program that it inherits from, in the order in which Python looks into them."""
    classes = chain(record)
    known = {
        c.record: c
        for each in classes
        for base in each.bases
        if isinstance(base, Value)
        for c in base.calls
        if isinstance(c, OwnClass)
    }
    return [known.get(each) or own_class(each, scope) for each in classes[1:]]


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
