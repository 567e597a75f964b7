"""Attributes and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.callables import (
    Call,
    Closure,
    Library,
    Method,
    is_kept_property,
    setters_of,
)
from headwater_functions.analysis.calls import super_of
from headwater_functions.analysis.constants import member_of
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.instructions.stack import NULL, Operation
from headwater_functions.analysis.values import NOTHING, Value, constant


def _load_attr(f: Frame, name: Any) -> None:
    f.push(f.attribute(f.pop(), name))


def _load_method(f: Frame, name: Any) -> None:
    value = f.pop()
    f.state.stack.append(NULL)
    f.push(f.attribute(value, name))


def _load_builtin(f: Frame, name: Any) -> None:
    f.push(Value(calls=frozenset((Library(name),))))


def _load_special(f: Frame, name: Any) -> None:
    """A method of a context manager, which ``with`` calls."""
    value = f.pop()
    f.state.stack.append(NULL)
    f.push(Value(calls=frozenset((Method.of(name, value),))))


def _super_attribute(f: Frame, arg: Any) -> None:
    """An attribute of ``super()``, which is called in the same instruction."""
    name, is_method = arg
    given = f.pops(2)
    called = f.pop()
    if called.calls != {Library("super")}:
        raise f.unreadable("CONSTRUCT", "its super is not Python's", "call the class by its name")
    if is_method:
        f.state.stack.append(NULL)
    f.push(f.attribute(super_of(f, given), name))


def _store_attr(f: Frame, name: Any) -> None:
    target, value = f.pop(), f.pop()
    if f.reader.module and any(isinstance(c, Closure) for c in target.calls) and name in _OF_FUNCTIONS:
        f.reader.broken = f"it changes {name} of a function"
    if f.reader.module:
        f.spoil([Value(calls=target.calls)], f"{name} is set")
    f.changeable(target)
    if any(made.kind != "object" for _, made in f.objects(target)):
        raise f.unreadable("IN_PLACE", f"it sets {name} of what is no instance", "build a new value instead")
    if any(f.is_computed(made, name) and not _keeps(made, name) for _, made in f.objects(target)):
        if setters := _setters(f, target, name):
            for each in setters:
                f.reader.call(each, Call("", [target, value]), f)
            return
        raise f.unreadable(
            "IN_PLACE", f"it sets {name}, which its class computes", "set what it computes it of"
        )
    f.set_item(target, constant(name), value)


_OF_FUNCTIONS = frozenset({"__code__", "__defaults__", "__kwdefaults__", "__closure__", "__wrapped__"})
"""Attributes of functions that change what these do, or what they are taken for."""


def _keeps(made: Object, name: str) -> bool:
    found = member_of(made.made, name)
    return found is not None and is_kept_property(found)


def _setters(f: Frame, target: Value, name: str) -> list[Closure]:
    """The functions that set an attribute of the one instance, where a property has some."""
    objects = f.objects(target)
    member = member_of(objects[0][1].made, name) if len(objects) == 1 and len(target.refs) == 1 else None
    return setters_of(member) if member is not None else []


def _delete_attr(f: Frame, name: Any) -> None:
    f.put(f.pop(), constant(name), NOTHING)


def _subscript(f: Frame, _: Any) -> None:
    key, value = f.pop(), f.pop()
    f.push(f.item(value, key))


def _store_subscript(f: Frame, _: Any) -> None:
    key, target, value = f.pop(), f.pop(), f.pop()
    f.set_item(target, key, value)


def _delete_subscript(f: Frame, _: Any) -> None:
    key, target = f.pop(), f.pop()
    f.touch(target, key)
    if all(made.kind in ("dict", "frame") for _, made in f.objects(target)):
        f.put(target, key, Value(f.pc.edges, other=True))
        f.state.disorder(target)
    else:
        f.shorten(target, [key])


OPERATIONS: Mapping[str, Operation] = {
    "LOAD_ATTR": _load_attr,
    "LOAD_METHOD": _load_method,
    "LOAD_BUILTIN": _load_builtin,
    "LOAD_SPECIAL": _load_special,
    "SUPER_ATTR": _super_attribute,
    "STORE_ATTR": _store_attr,
    "DELETE_ATTR": _delete_attr,
    "SUBSCR": _subscript,
    "STORE_SUBSCR": _store_subscript,
    "DELETE_SUBSCR": _delete_subscript,
}
