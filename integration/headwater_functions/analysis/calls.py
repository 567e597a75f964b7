"""What a call gives, by what is called."""

from __future__ import annotations

from typing import Any

from headwater_functions.analysis.callables import Call, Closure, Library, Method, OwnClass
from headwater_functions.analysis.constants import value_of_record
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.values import COMPUTED, Value, join, with_edges


def call_value(f: Frame, callee: Value, call: Call) -> Value:
    """The result of calling a value."""
    f.touch(callee, *call.all)
    results = []
    for each in sorted(callee.calls, key=repr) if len(callee.calls) > 1 else callee.calls:
        copied = Call(call.name, list(call.args), dict(call.keywords), call.receiver, call.spread)
        results.append(_call(f, each, copied))
    getters = [m for _, m in f.objects(callee) if m.kind == "getter"]
    if getters and len(callee.refs) == 1 and call.args:
        parts = {i: f.item(call.args[0], k) for i, k in getters[0].members.items()}
        return parts[0] if len(parts) == 1 else f.new(Object("tuple", members=parts), "got")
    if not callee.calls or (callee.other and not any(isinstance(c, Method) for c in callee.calls)):
        results.append(f.touched([callee, *call.all], "it calls a value that is not known"))
    deciding = frozenset(e for e in callee.edges if e.how.decides)
    return with_edges(join(*results), deciding, callee.opaque)


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
    members: dict[Any, Value] = {}
    if kind.kind in ("dataclass", "namedtuple"):
        for place, name in enumerate(kind.fields):
            given = call.argument(place, name)
            value = (
                given
                if given is not None
                else f.compute(call.all)
                if call.spread or "**" in call.keywords
                else COMPUTED
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
    if any(not _is_object(b) for b in kind.record.bases):
        return f.touched(call.all, f"its class {kind.record.name} is made of others")
    if "__new__" in kind.record.members:
        return f.touched(call.all, f"its class {kind.record.name} makes its own instances")
    made = f.new(Object("object", members={}, made=kind), "instance")
    call.args = [made, *call.args]
    _run_method(f, kind, "__init__", call)
    return made


def _is_object(base: Any) -> bool:
    return getattr(base, "name", "") == "object" or (
        isinstance(base, Value) and any(isinstance(c, Library) and c.name == "object" for c in base.calls)
    )


def _run_method(f: Frame, kind: OwnClass, name: str, call: Call) -> None:
    member = kind.record.members.get(name)
    if member is None:
        return
    for each in value_of_record(member, kind.scope).calls:
        if isinstance(each, Closure):
            f.reader.call(each, call, f)
