"""Types that are called: what the values that they make are made of."""

from __future__ import annotations

from typing import Any

from headwater_functions.analysis.callables import Call, Closure
from headwater_functions.analysis.calls import Rule, called_often
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frames import computing
from headwater_functions.analysis.heap import MAKES, Object
from headwater_functions.analysis.instructions.building import fill, update
from headwater_functions.analysis.values import COMPUTED, NONE, NOTHING, How, Value, constant


def convert(how: How) -> Rule:
    return computing(how)


def made_of(kind: str) -> Rule:
    """``list``, ``tuple``, ``set``: the elements of what is given."""

    def rule(f: Frame, call: Call) -> Value:
        if not call.args:
            return f.new(Object(kind), kind)
        source = call.args[0]
        objects = f.objects(source)
        decides = f.extent(source)
        if (
            kind != "set"
            and len(objects) == 1
            and not source.edges
            and objects[0][1].kind in ("list", "tuple")
        ):
            made = objects[0][1]
            return f.new(Object(kind, made.own, made.members, made.elements), kind)
        elements = f.element(source)
        own = Value(decides.edges, opaque=decides.opaque)
        if kind == "set":
            own = f.decided(own, [elements])
        return f.new(Object(kind, own, elements=elements), kind)

    return rule


def queue(f: Frame, call: Call) -> Value:
    """``deque``: the elements; one of limited length drops some, so that nobody knows where the others stand."""
    source, most = call.argument(0, "iterable"), call.argument(1, "maxlen")
    if call.spread:
        return f.touched(call.all)
    if most is None:
        return made_of("list")(f, Call(call.name, [] if source is None else [source]))
    given = NOTHING if source is None else source
    decides, elements = f.extent(given), f.element(given)
    own = Value(decides.edges, opaque=decides.opaque)
    return f.new(Object("list", f.decided(own, [most]), elements=f.decided(elements, [most])), "queue")


def dictionary(f: Frame, call: Call) -> Value:
    made = f.new(Object("dict"), "dict")
    if call.args:
        fill(f, made, call.args[0])
    for name, value in call.keywords.items():
        if name == "**":
            update(f, made, value)
        else:
            f.put(made, constant(name), value)
    return made


def from_keys(f: Frame, call: Call) -> Value:
    """``dict.fromkeys``: the same value under each of the names."""
    if not call.args or call.spread or call.keywords:
        return f.touched(call.all)
    made, key = f.new(Object("dict"), "dict"), f.element(call.args[0])
    value = f.decided(call.argument(1) or NONE, [Value(f.extent(call.args[0]).edges)])
    plain = not (key.edges or key.refs or key.calls or key.other)
    for name in [Value(constants=frozenset((c,))) for c in key.constants] if plain else [key]:
        f.put(made, name, value, certain=False)
    return made


def with_default(f: Frame, call: Call) -> Value:
    """A dictionary that makes what it has not."""
    maker = call.args[0] if call.args else COMPUTED
    if any(isinstance(c, Closure) and c.cells for c in maker.calls):
        raise f.unreadable("CALLBACK", "its defaultdict makes values of variables", "use setdefault")
    elements = called_often(f, maker, [], [], later=True) if f.can_call(maker) else COMPUTED
    return f.new(Object("dict", elements=elements, made=MAKES), "default")


def row(f: Frame, call: Call) -> Value:
    """A ``Row`` by names, or by positions."""
    if call.spread or "**" in call.keywords:
        return f.compute(call.all)
    members: dict[Any, Value] = {**dict(enumerate(call.args)), **call.keywords}
    members.update(dict(enumerate(call.keywords.values(), len(call.args))))
    return f.new(Object("record", members=members), "row")
