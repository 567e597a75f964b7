"""What a call gives, by what is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from headwater_functions.analysis.callables import (
    Call,
    Closure,
    Dispatched,
    Kept,
    Method,
    OwnClass,
    Partial,
    Pending,
    Super,
)
from headwater_functions.analysis.classes import chain, is_enumeration, is_exception, unusual
from headwater_functions.analysis.constants import member_of, slots_of
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import DISPATCHER, Object
from headwater_functions.analysis.values import COMPUTED, FACT, NOTHING, Value, join, with_edges
from headwater_functions.code import Named
from headwater_functions.unreadable import UnreadableError

Rule = Callable[[Frame, Call], Value]
"""What the result of a call is made of."""


def call_value(f: Frame, callee: Value, call: Call) -> Value:
    """The result of calling a value."""
    f.touch(callee, *call.all)
    called = sorted(callee.calls, key=_order) if len(callee.calls) > 1 else callee.calls
    ways: list[Callable[[], Value]] = [partial(_certain, f, each, call) for each in called]
    getters = [m for _, m in f.objects(callee) if m.kind == "getter"]
    if getters and len(callee.refs) == 1 and call.args:
        named = getters[0].made == "attrgetter"
        get = _attribute if named else Frame.item
        parts = {i: get(f, call.args[0], k) for i, k in getters[0].members.items()}
        return parts[0] if len(parts) == 1 else f.new(Object("tuple", members=parts), "got")
    callable_objects = [(r, m.made) for r, m in f.objects(callee) if isinstance(m.made, OwnClass)]
    for ref, kind in callable_objects:
        ways.append(partial(_call_instance, f, kind, Value(refs=frozenset((ref,))), call.copied()))
    choosing = [m for _, m in f.objects(callee) if m.kind == DISPATCHER]
    ways += [partial(_dispatched, f, made.elements, call.copied()) for made in choosing]
    if not (callee.calls or callable_objects or choosing) or (
        callee.other and not any(isinstance(c, Method) for c in callee.calls)
    ):
        ways.append(lambda: f.touched([callee, *call.all], "it calls a value that is not known"))
    deciding = Value(frozenset(e for e in callee.edges if e.how.decides), opaque=callee.opaque)
    return with_edges(f.one_of(ways, deciding), deciding.edges, deciding.opaque)


def called_often(
    f: Frame, function: Value, given: Sequence[Value], sources: Sequence[Value], *, later: bool = False
) -> Value:
    """What a function gives that is called for each element of the sources; ``later``: not before one is asked for."""
    deciding = join(*(f.extent(source) for source in sources))

    def called() -> Value:
        return f.repeated(lambda _: call_value(f, function, Call("", list(given))), Value(deciding.edges))

    return changing_nothing(f, called) if later else called()


def changing_nothing(f: Frame, called: Callable[[], Value]) -> Value:
    """What is given by a function that is called later: it has to change nothing."""
    before = dict(f.state.heap)
    found = called()
    if f.changed_since(before):
        raise f.unreadable("CALLBACK", "what it calls later changes something", "call it in a loop")
    return found


def _certain(f: Frame, called: Any, call: Call) -> Value:
    """What a call gives; a module goes on after a call that is not read, with what that may have changed."""
    try:
        return _call(f, called, call.copied())
    except UnreadableError as e:
        if not f.reader.module:
            raise
        return f.touched([Value(calls=frozenset((called,))), *call.all], e.reason)


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
    if isinstance(called, Partial):
        given = call.after(*called.args)
        given.keywords = {**dict(called.keywords), **call.keywords}
        return call_value(f, called.function, given)
    if isinstance(called, Dispatched):
        return _dispatched(f, called.functions, call)
    if isinstance(called, Kept):
        return _call_instance(f, called.kind, Value(calls=frozenset((called,))), call)
    if isinstance(called, Super):
        return f.touched([*called.values, *call.all], "it calls super() itself")
    if isinstance(called, Method):
        call.name, call.receiver = called.name, called.receiver
        return f.reader.method(f, call)
    call.name = called.name
    return f.reader.library(f, called, call)


def _dispatched(f: Frame, functions: Value, call: Call) -> Value:
    """One of the functions, which the class of the first argument decides."""
    kind = [f.compute(call.args[:1], FACT)] if len(functions.calls) > 1 else []
    return call_value(f, f.decided(functions, kind), call)


def _call_instance(f: Frame, kind: OwnClass, instance: Value, call: Call) -> Value:
    """An instance that is called."""
    found = member_of(kind, "__call__") or NOTHING
    functions = [c for c in found.calls if isinstance(c, Closure)]
    if not functions or len(functions) != len(found.calls):
        return f.touched(
            [instance, *call.all], f"it calls an object of {kind.record.name}, which is not read"
        )
    return f.one_of([partial(f.reader.call, each, call.after(instance), f) for each in functions], NOTHING)


def _instance(f: Frame, kind: OwnClass, call: Call) -> Value:
    if is_enumeration(kind):
        return f.compute(call.all)
    try:
        _refuse_unusual(f, kind)
    except UnreadableError as e:
        if not f.reader.module:
            raise
        return f.touched(call.all, e.reason)
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
    own = f.compute(call.all) if is_exception(kind) else NOTHING
    made = f.new(Object("object", own, members={}, made=kind), "instance")
    _run_method(f, kind, "__init__", call.after(made))
    return made


def _default(f: Frame, kind: OwnClass, name: str) -> Value:
    """What a field is if it is not given: a new container, where the class says so."""
    fields = kind.record.members.get("__dataclass_fields__")
    factory = slots_of(fields.get(name)).get("default_factory") if isinstance(fields, dict) else None
    made = factory.name if isinstance(factory, Named) and factory.module == "builtins" else ""
    return f.new(Object(made), name) if made in ("list", "dict", "set") else COMPUTED


def _refuse_unusual(f: Frame, kind: OwnClass) -> None:
    """Instances are read as holders of attributes; what a class does beyond that is not known."""
    if reason := unusual(kind, kept=False):
        raise f.unreadable("CONSTRUCT", reason, "use a plain class, and call methods by their names")
    members = [m for each in chain(kind.record) for m in each.members.values() if isinstance(m, Value)]
    if any(map(_refers, members)):
        name = kind.record.name
        raise f.unreadable(
            "CONSTRUCT", f"its class {name} refers to what is around it", "give it as arguments"
        )


_FIXED = frozenset({"tuple", "record", "argument"})
"""Kinds of objects that cannot be changed once they are given back."""


def refuse_kept(f: Frame, arguments: Sequence[Value], result: Value, name: str) -> None:
    """Refuse what makes a kept result another one than that of the call: it was changed since, or is of others."""
    if any(m.kind not in _FIXED for m in f.within([result])):
        raise f.unreadable(
            "GLOBAL", f"it keeps a result of {name} that may be changed later", "do not cache it"
        )
    given = [m.made for m in f.within(arguments) if isinstance(m.made, OwnClass)]
    given += [c.kind for v in arguments for c in v.calls if isinstance(c, Kept)]
    if any(kind.kind != "class" or member_of(kind, "__eq__") for kind in given):
        raise f.unreadable(
            "GLOBAL", f"it keeps results of {name} for objects that equal others", "do not cache it"
        )


def _refers(member: Value) -> bool:
    """Whether it is, or is bound to, something that was made where the class was."""
    if member.refs:
        return True
    inside = [
        c.cells if isinstance(c, Closure) else c.values for c in member.calls if not isinstance(c, OwnClass)
    ]
    return any(_refers(v) for values in inside for v in values)


def _run_method(f: Frame, kind: OwnClass, name: str, call: Call) -> None:
    member = member_of(kind, name)
    if member is None:
        return
    functions = [each for each in member.calls if isinstance(each, Closure)]
    f.one_of([partial(f.reader.call, each, call.copied(), f) for each in functions], NOTHING)


def super_of(f: Frame, given: Sequence[Value]) -> Value:
    """An instance as what its class inherits from sees it: ``given`` are a class and the instance."""
    classes = [c for v in given[:1] for c in v.calls if isinstance(c, OwnClass)]
    instance = given[1] if len(given) == 2 else NOTHING
    kinds = [m.made for _, m in f.objects(instance) if isinstance(m.made, OwnClass)]
    kinds += [c.kind for c in instance.calls if isinstance(c, Kept)]
    # Python raises an error for instances of all other classes.
    kinds = [kind for kind in kinds if len(classes) == 1 and classes[0].record in chain(kind.record)]
    if not kinds:
        raise f.unreadable("CONSTRUCT", "it calls super() of what is not known", "call the class by its name")
    made = frozenset(Super(classes[0].record, kind, instance) for kind in kinds)
    return Value(calls=made)


_CALLING = frozenset({"re.sub", "re.subn", "sub", "subn", "replace", "json.dumps", "json.loads"})
"""What calls functions before it gives its result, with parts of what it was given, and puts what they give in it."""


def of_callbacks(f: Frame, call: Call) -> list[Value]:
    """What functions of the program give that are handed to a library; those are refused of which nobody knows."""
    functions = [v for v in (*call.args, *call.keywords.values()) if f.calls_own(v)]
    if not functions:
        return []
    if call.name not in _CALLING:
        refuse_callbacks(f, call)
    given = f.compute([v for v in call.all if v not in functions])
    return [called_often(f, function, [given], [given]) for function in functions]


def refuse_callbacks(f: Frame, call: Call) -> None:
    """A function of the program that is handed to what does not say what it does with it."""
    for value in (*call.args, *call.keywords.values()):
        if f.calls_own(value):
            raise f.unreadable(
                "CALLBACK", f"it hands a function to {call.name}", "call the function itself, in a loop"
            )
