"""``functools.singledispatch``: functions that are registered for classes."""

from __future__ import annotations

from headwater_functions.analysis.callables import Call, Library
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import DISPATCHER, Object
from headwater_functions.analysis.values import Value


def dispatching(f: Frame, call: Call) -> Value:
    """The function that chooses, of the one that is called for all other classes."""
    if len(call.args) != 1 or call.spread or call.keywords or not f.calls_own(call.args[0]):
        return f.touched(call.all, "functools.singledispatch is not read as it is called")
    return f.new(Object(DISPATCHER, elements=call.args[0]), DISPATCHER)


def registered(f: Frame, call: Call) -> Value:
    """``register``: with a function it gives that back, and with a class alone what is called with the function."""
    if not 2 <= len(call.args) <= 3 or call.spread or call.keywords:
        return f.touched(call.all, "it registers functions in a way that is not read")
    dispatcher, function = call.args[0], call.args[-1]
    if len(call.args) == 2 and not f.calls_own(function):
        return f.partial(Value(calls=frozenset((Library("\0register"),))), (dispatcher, function))
    f.add(dispatcher, function)
    return function
