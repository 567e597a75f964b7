"""What a call gives, by what is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import Call, Closure, Library, Method, OwnClass, Pending
from headwater_functions.analysis.constants import value_of_record
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.values import COMPUTED, NOTHING, Edge, Value, join, with_edges
from headwater_functions.code import Function, Named

Rule = Callable[[Frame, Call], Value]
"""What the result of a call is made of."""


def call_value(f: Frame, callee: Value, call: Call) -> Value:
    """The result of calling a value."""
    f.touch(callee, *call.all)
    results = []
    for each in sorted(callee.calls, key=_order) if len(callee.calls) > 1 else callee.calls:
        copied = Call(call.name, list(call.args), dict(call.keywords), call.receiver, call.spread)
        results.append(_call(f, each, copied))
    getters = [m for _, m in f.objects(callee) if m.kind == "getter"]
    if getters and len(callee.refs) == 1 and call.args:
        named = getters[0].made == "attrgetter"
        get = _attribute if named else Frame.item
        parts = {i: get(f, call.args[0], k) for i, k in getters[0].members.items()}
        return parts[0] if len(parts) == 1 else f.new(Object("tuple", members=parts), "got")
    if not callee.calls or (callee.other and not any(isinstance(c, Method) for c in callee.calls)):
        results.append(f.touched([callee, *call.all], "it calls a value that is not known"))
    deciding = frozenset(e for e in callee.edges if e.how.decides)
    return with_edges(join(*results), deciding, callee.opaque)


def _order(called: Any) -> tuple[str, str, list[str]]:
    """Where it comes among others that a value may be: by what it is, and what it is bound to at first hand.

    What that is bound to in turn would be too much to be looked at each time: it may stand in it again and again.
    """
    made = called.function if isinstance(called, Pending) else called
    name = repr(made.code) if isinstance(made, Closure) else str(getattr(made, "name", made))
    parts = [str(part) for value in called.values for part in (*value.edges, *value.refs)]
    return type(called).__name__, name, sorted(parts)


def _attribute(f: Frame, value: Value, name: Value) -> Value:
    """The attribute that ``attrgetter`` takes, which may be one of another."""
    known = name.single
    if known is None or not isinstance(known.value, str):
        return f.touched([value, name], "it asks for an attribute whose name is not constant")
    for part in known.value.split("."):
        value = f.attribute(value, part)
    return value


def _call(f: Frame, called: Any, call: Call) -> Value:
    if isinstance(called, Closure):
        return f.reader.call(called, call, f)
    if isinstance(called, OwnClass):
        return _instance(f, called, call)
    if isinstance(called, Method):
        own = [c for c in called.receiver.calls if isinstance(c, Closure) and c.code.name == called.name]
        if own:
            receiver = Value(called.receiver.edges, called.receiver.refs)
            return join(*(f.reader.call(c, Call("", [receiver, *call.args], call.keywords), f) for c in own))
        call.name, call.receiver = called.name, called.receiver
        return f.reader.method(f, call)
    call.name = called.name
    return f.reader.library(f, called, call)


def _instance(f: Frame, kind: OwnClass, call: Call) -> Value:
    if _is_enumeration(kind):
        return f.compute(call.all)
    _refuse_unusual(f, kind)
    members: dict[Any, Value] = {}
    if kind.kind in ("dataclass", "namedtuple"):
        for place, name in enumerate(kind.fields):
            given = call.argument(place, name)
            value = (
                given
                if given is not None
                else f.compute(call.all)
                if call.spread or "**" in call.keywords
                else _default(f, kind, name)
            )
            members[name] = value
            if kind.kind == "namedtuple":
                members[place] = value
        made = f.new(
            Object("record" if kind.kind == "namedtuple" else "object", members=members, made=kind),
            "instance",
        )
        _run_method(f, kind, "__post_init__", Call("", [made]))
        return made
    made = f.new(Object("object", members={}, made=kind), "instance")
    call.args = [made, *call.args]
    _run_method(f, kind, "__init__", call)
    return made


_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum"})


def _is_enumeration(kind: OwnClass) -> bool:
    """Whether it is an enumeration without methods: calling it gives the member of a value, or raises."""
    bases, members = kind.record.bases, kind.record.members
    plain = bool(bases) and all(_names(base) & _ENUMERATIONS for base in bases)
    return plain and not any(_functions(m) for m in members.values())


def _default(f: Frame, kind: OwnClass, name: str) -> Value:
    """What a field is if it is not given: a new container, where the class says so."""
    fields = kind.record.members.get("__dataclass_fields__")
    state = getattr(fields.get(name), "state", None) if isinstance(fields, dict) else None
    slots = state[1] if isinstance(state, tuple) and len(state) == 2 else state
    factory = slots.get("default_factory") if isinstance(slots, dict) else None
    made = factory.name if isinstance(factory, Named) and factory.module == "builtins" else ""
    return f.new(Object(made), name) if made in ("list", "dict", "set") else COMPUTED


_READ = frozenset(
    [
        "__init__",
        "__post_init__",
        "__repr__",
        "__str__",
        "__eq__",
        "__hash__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
    ]
)
"""The special methods that a class may define: they are called by name, or tell no more than all of the instance."""
_PLAIN_BASES = {"namedtuple": ("object", "tuple", "NamedTuple")}
_GENERATED = "<string>"
"""The file of methods that ``dataclass`` and ``namedtuple`` write."""


def _refuse_unusual(f: Frame, kind: OwnClass) -> None:
    """Instances are read as holders of attributes; what a class does beyond that is not known."""
    name, members = kind.record.name, kind.record.members
    plain = _PLAIN_BASES.get(kind.kind, ("object",))
    if not all(_names(base) & set(plain) for base in kind.record.bases):
        raise f.unreadable("CONSTRUCT", f"its class {name} is made of others", "use a class without bases")
    written = {n: m for n, m in members.items() if not _is_generated(m)}
    unusual = sorted(n for n in written if n.startswith("__") and n.endswith("__") and _functions(written[n]))
    initial = {"__init__"} if kind.kind != "class" else set()
    if found := [n for n in unusual if n not in _READ - initial]:
        raise f.unreadable("CONSTRUCT", f"its class {name} defines {found[0]}", "call a method by its name")
    if any(
        isinstance(m, Value) and (m.refs or any(c.cells for c in _functions(m))) for m in members.values()
    ):
        raise f.unreadable(
            "CONSTRUCT", f"its class {name} refers to what is around it", "give it as arguments"
        )


def _names(base: Any) -> set[str]:
    called = [c.name for c in base.calls if isinstance(c, Library)] if isinstance(base, Value) else []
    return {str(getattr(base, "name", "")), *(n.rpartition(".")[2] for n in called)}


def _functions(member: Any) -> list[Closure]:
    found = value_of_record(member, None) if isinstance(member, Value | Function) else NOTHING
    return [c for c in found.calls if isinstance(c, Closure)]


def _is_generated(member: Any) -> bool:
    return isinstance(member, Function) and member.code.file == _GENERATED


def _run_method(f: Frame, kind: OwnClass, name: str, call: Call) -> None:
    member = kind.record.members.get(name)
    if member is None:
        return
    for each in value_of_record(member, kind.scope).calls:
        if isinstance(each, Closure):
            f.reader.call(each, call, f)


def apart(f: Frame, rule: Rule, call: Call, *, arguments: bool) -> Value:
    """The result of a rule that is given what values are without what decided about them, which decides about it.

    ``arguments``: also of the arguments by position and by name; else of the receiver alone.
    """
    decisions: set[Edge] = set()

    def plain(value: Value) -> Value:
        found = frozenset(e for e in value.edges if e.how.decides)
        decisions.update(found)
        return replace(value, edges=value.edges - found) if found else value

    if call.receiver is not None:
        call.receiver = plain(call.receiver)
    if arguments:
        call.args = [plain(v) for v in call.args]
        call.keywords = {n: plain(v) for n, v in call.keywords.items()}
    return with_edges(rule(f, call), decisions)


def refuse_callbacks(f: Frame, call: Call) -> None:
    """A function of the program that is handed to what does not say what it does with it."""
    for value in (*call.args, *call.keywords.values()):
        if any(isinstance(c, Closure) for c in value.calls):
            raise f.unreadable(
                "CALLBACK", f"it hands a function to {call.name}", "call the function itself, in a loop"
            )
