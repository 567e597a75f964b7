"""What modules do to their functions and classes as they are read, and what gives nothing of its arguments."""

from __future__ import annotations

from dataclasses import replace

from headwater_functions.analysis.callables import Call, Closure, Library, OwnClass
from headwater_functions.analysis.constants import classes_above
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.values import COMPUTED, NONE, NOTHING, Value
from headwater_functions.code import Class


def decorated(f: Frame, call: Call) -> Value:
    """A decorator that leaves a function as it is, as far as its result is concerned."""
    if call.name == "functools.wraps":
        return _DECORATOR
    if call.name in _OF_CLASSES and any(isinstance(c, OwnClass) for a in call.args for c in a.calls):
        return call.args[0]
    functions = [a for a in call.args if f.calls_own(a)]
    if functions:
        return functions[0]
    if call.name == "\0decorator":
        return f.touched(call.all, "it calls a function that is not read")
    return _DECORATOR


_DECORATOR = Value(calls=frozenset((Library("\0decorator"),)))


def keeping(f: Frame, call: Call) -> Value:
    """``cache`` and ``lru_cache``: the function, whose results are kept."""
    given = [a for a in call.args if a.calls or a.refs]
    if not given:
        return Value(calls=frozenset((Library("functools.cache"),)))
    functions = [c for c in given[0].calls if isinstance(c, Closure)]
    if len(functions) != 1 or given[0] != Value(calls=frozenset(functions)):
        return f.touched(call.all, "it keeps results of what is no function of the program")
    if _sees_variables(f, functions[0]):
        raise f.unreadable(
            "GLOBAL", "it keeps results of a function that sees others' variables", "do not cache it"
        )
    return Value(calls=frozenset((replace(functions[0], kept=True),)))


def _sees_variables(f: Frame, function: Closure) -> bool:
    """Whether variables around the function may be others later; those of a module's decorators are functions."""
    held = [made.part("content") for each in function.cells for _, made in f.objects(each)]
    fixed = all(v.calls and not (v.edges or v.refs or v.other or v.constants) for v in held)
    return bool(function.cells) and not (f.reader.module and fixed and held)


_OF_CLASSES = frozenset({"typing.final", "functools.total_ordering"})
"""Decorators that leave a class as it is, as far as its attributes and its functions are concerned."""


def logger(f: Frame, call: Call) -> Value:
    """``logging.getLogger``: something that only tells people what it is given."""
    return Value(calls=frozenset((Library("logging.getLogger()"),)))


def descriptor(f: Frame, call: Call) -> Value:
    """``property``, ``staticmethod``: what a class does with the function shows where an instance is asked for it."""
    functions = [c for v in call.args for c in v.calls]
    plain = bool(functions) and all(isinstance(c, Closure) for c in functions)
    if call.spread or call.keywords or not plain:
        return f.touched(call.all, f"{call.name} is not read as it is called")
    return Value(calls=frozenset((Library(f"{call.name}()", tuple(call.args)),)))


def changed_property(f: Frame, called: Library, call: Call) -> Value:
    """``setter`` and its like: a property as another one, with one function in place of that which it had."""
    place = ("getter", "setter", "deleter").index(called.name.rpartition(".")[2])
    given = call.args[0] if len(call.args) == 1 and not call.keywords and not call.spread else NOTHING
    if not given.calls or not all(isinstance(c, Closure) for c in given.calls):
        return f.touched([*called.values, *call.all], f"{called.name} is not read as it is called")
    values = [*called.values, *[NONE] * (3 - len(called.values))]
    values[place] = given
    return Value(calls=frozenset((Library("property()", tuple(values)),)))


def bound_later(f: Frame, call: Call) -> Value:
    """``functools.partialmethod``."""
    functions = call.args[0].calls if call.args and not call.spread and "**" not in call.keywords else ()
    if not functions or not all(isinstance(c, Closure) for c in functions):
        return f.touched(call.all, "functools.partialmethod is not read as it is called")
    bound = f.partial(call.args[0], tuple(call.args[1:]), tuple(call.keywords.items()))
    return Value(calls=frozenset((Library("functools.partialmethod()", (bound,)),)))


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
    above = [each for each in classes_above(made.record, made.scope) if each.kind == "dataclass"]
    names = dict.fromkeys(name for each in reversed(above) for name in each.fields)
    names |= dict.fromkeys(annotated)
    return Value(calls=frozenset((OwnClass(made.record, made.scope, "dataclass", tuple(names)),)))


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
    """What is drawn from chance or the clock, in the form that is asked for."""
    return f.compute(call.all)
