"""What modules do to their functions and classes as they are read, and what gives nothing of its arguments."""

from __future__ import annotations

from headwater_functions.analysis.callables import Call, Closure, Library, OwnClass
from headwater_functions.analysis.constants import class_above
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.values import COMPUTED, NONE, Value
from headwater_functions.code import Class


def decorated(f: Frame, call: Call) -> Value:
    """A decorator that leaves a function as it is, as far as its result is concerned."""
    functions = [a for a in call.args if any(isinstance(c, Closure) for c in a.calls)]
    if "cache" in call.name and any(c.cells for a in functions for c in a.calls if isinstance(c, Closure)):
        raise f.unreadable(
            "GLOBAL", "it keeps results of a function that sees others' variables", "do not cache it"
        )
    if not functions and call.name == "\0decorator":
        return f.touched(call.all, "it calls a function that is not read")
    return functions[0] if functions else Value(calls=frozenset((Library("\0decorator"),)))


def descriptor(f: Frame, call: Call) -> Value:
    """``property``, ``staticmethod``: what a class does with the function is told where an instance is asked for it."""
    functions = [c for v in call.args for c in v.calls]
    plain = all(isinstance(c, Closure) and not any(v.calls or v.refs for v in c.values) for c in functions)
    if call.spread or call.keywords or not plain:
        return f.touched(call.all, f"{call.name} is not read as it is called")
    return Value(calls=frozenset((Library(f"{call.name}()", tuple(call.args)),)))


_PLAIN_OPTIONS = frozenset(
    {"repr", "eq", "order", "frozen", "unsafe_hash", "slots", "weakref_slot", "match_args"}
)
"""Of ``dataclass``: what changes nothing of the parameters."""


def data_class(f: Frame, call: Call) -> Value:
    classes = [c for a in call.args for c in a.calls if isinstance(c, OwnClass)]
    odd = any("\0odd" in c.record.members for c in classes) or not call.keywords.keys() <= _PLAIN_OPTIONS
    if odd or (not classes and call.args):
        return f.touched(call.all, "it calls a class that is not read")
    if not classes:
        return Value(calls=frozenset((Library("dataclasses.dataclass"),)))
    made = classes[0]
    fields = made.record.members.get("\0fields")
    annotated = fields.single.value if isinstance(fields, Value) and fields.single is not None else ()
    above = class_above(made.record, made.scope)
    inherited = above.fields if above is not None and above.kind == "dataclass" else ()
    names = (*inherited, *(n for n in annotated if n not in inherited))
    return Value(calls=frozenset((OwnClass(made.record, made.scope, "dataclass", names),)))


def named_tuple(f: Frame, call: Call) -> Value:
    fields = call.argument(1, "field_names")
    single = fields.single if fields is not None else None
    names = f.columns(fields) if fields is not None and single is None else None
    if single is not None and isinstance(single.value, str):
        names = single.value.replace(",", " ").split()
    if names is None:
        return COMPUTED
    record = Class("namedtuple", (), {})
    return Value(calls=frozenset((OwnClass(record, f.function.scope, "namedtuple", tuple(names)),)))


def nothing(f: Frame, call: Call) -> Value:
    """What only tells people something."""
    return NONE


def generated(f: Frame, call: Call) -> Value:
    return COMPUTED
