"""A small machine for pickles of the protocols 2 to 5. It imports nothing, calls nothing and builds plain data only.

Where a pickle asks for a global, there is a ``Named`` record; where it asks for a call, ``make`` decides what record
stands for its result. Whatever else it asks for is refused. Steps and sizes are bounded.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Any

from headwater_functions.code import Built, Module, Named
from headwater_functions.unreadable import UnreadableError

MOST_BYTES = 1 << 20
MOST_STEPS = 200_000
MOST_DEPTH = 64

Make = Callable[[Any, Any], Any]

_MARK = object()
_PLAIN = frozenset(
    [
        "INT",
        "BININT",
        "BININT1",
        "BININT2",
        "LONG",
        "LONG1",
        "LONG4",
        "FLOAT",
        "BINFLOAT",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    ]
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_IGNORED = frozenset({"PROTO", "FRAME"})


def refused(what: str) -> UnreadableError:
    """The error for a pickle that asks for something that is not read."""
    return UnreadableError("PICKLE", f"the pickled function has {what}", "declare what the function does")


class PickleMachine:
    """Reads one pickle. ``make`` gets the maker and the arguments of what unpickling would call."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def read(self, pickle: bytes) -> Any:
        """The record that the pickle describes. Raises ``UnreadableError``."""
        if len(pickle) > MOST_BYTES:
            raise refused(f"more than {MOST_BYTES} bytes")
        try:
            return self._run(pickle)
        except (ValueError, IndexError, KeyError, TypeError, OverflowError, AttributeError, MemoryError) as e:
            raise refused("an invalid structure") from e

    def _run(self, pickle: bytes) -> Any:
        for step, (opcode, argument, _) in enumerate(pickletools.genops(pickle)):
            if step > MOST_STEPS:
                raise refused(f"more than {MOST_STEPS} steps")
            if opcode.name == "STOP":
                return self._stack.pop()
            self._step(opcode.name, argument)
        raise refused("no end")

    def _step(self, name: str, argument: Any) -> None:
        if name in _PLAIN:
            self._stack.append(argument)
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name])
        elif name not in _IGNORED:
            operation = _OPERATIONS.get(name)
            if operation is None:
                raise refused(f"the instruction {name}")
            operation(self, argument)

    def mark(self, _: Any) -> None:
        self._stack.append(_MARK)

    def _to_mark(self) -> list[Any]:
        place = len(self._stack) - 1
        while self._stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise refused("no mark")
        items = self._stack[place + 1 :]
        del self._stack[place:]
        return items

    def pop(self, _: Any) -> None:
        self._stack.pop()

    def pop_mark(self, _: Any) -> None:
        self._to_mark()

    def dup(self, _: Any) -> None:
        self._stack.append(self._stack[-1])

    def tuple_to_mark(self, _: Any) -> None:
        self._stack.append(tuple(self._to_mark()))

    def tuple_of(self, count: int) -> None:
        items = tuple(self._stack[len(self._stack) - count :]) if count else ()
        if len(items) < count:
            raise refused("too few values")
        del self._stack[len(self._stack) - count :]
        self._stack.append(items)

    def empty_list(self, _: Any) -> None:
        self._stack.append([])

    def empty_dict(self, _: Any) -> None:
        self._stack.append({})

    def empty_set(self, _: Any) -> None:
        self._stack.append(set())

    def list_to_mark(self, _: Any) -> None:
        self._stack.append(self._to_mark())

    def frozen_set(self, _: Any) -> None:
        self._stack.append(frozenset(_hashable(i) for i in self._to_mark()))

    def dict_to_mark(self, _: Any) -> None:
        items = self._to_mark()
        self._stack.append(_pairs(items))

    def append(self, _: Any) -> None:
        item = self._stack.pop()
        self._extend([item])

    def appends(self, _: Any) -> None:
        self._extend(self._to_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if isinstance(target, list):
            target.extend(items)
        elif isinstance(target, Built):
            target.items.extend(items)
        else:
            raise refused("elements of what is no list")

    def add_items(self, _: Any) -> None:
        items = self._to_mark()
        target = self._stack[-1]
        if not isinstance(target, set):
            raise refused("elements of what is no set")
        target.update(_hashable(i) for i in items)

    def set_item(self, _: Any) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self._update([key, value])

    def set_items(self, _: Any) -> None:
        self._update(self._to_mark())

    def _update(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if isinstance(target, dict):
            target.update(_pairs(items))
        elif isinstance(target, Built):
            target.items.extend(items)
        else:
            raise refused("items of what is no dictionary")

    def put(self, place: int) -> None:
        self._memo[int(place)] = self._stack[-1]

    def memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def get(self, place: int) -> None:
        self._stack.append(self._memo[int(place)])

    def global_(self, name: str) -> None:
        module, _, attribute = name.partition(" ")
        self._stack.append(Named(module, attribute))

    def stack_global(self, _: Any) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise refused("a global without a name")
        self._stack.append(Named(module, name))

    def reduce(self, _: Any) -> None:
        arguments, maker = self._stack.pop(), self._stack.pop()
        if not isinstance(arguments, tuple):
            raise refused("a call without arguments")
        self._stack.append(self._make(maker, arguments))

    def new_object_keywords(self, _: Any) -> None:
        keywords, arguments, maker = self._stack.pop(), self._stack.pop(), self._stack.pop()
        self._stack.append(Built(maker, arguments, state=keywords))

    def build(self, _: Any) -> None:
        state = self._stack.pop()
        target = self._stack[-1]
        if isinstance(target, Built):
            target.state = state
        elif not isinstance(target, Named | Module):
            raise refused("a state of what has none")


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2:
        raise refused("a key without a value")
    return {_hashable(items[i]): items[i + 1] for i in range(0, len(items), 2)}


def _hashable(value: Any, depth: int = 0) -> Any:
    """The value if hashing it is quick and safe: plain data, or a record by its identity."""
    if depth > MOST_DEPTH:
        raise refused("a key that is nested too deeply")
    if isinstance(value, tuple | frozenset):
        for item in value:
            _hashable(item, depth + 1)
    elif isinstance(value, list | dict | set | bytearray):
        raise refused("a key that can change")
    return value


_OPERATIONS: dict[str, Callable[[PickleMachine, Any], None]] = {
    "MARK": PickleMachine.mark,
    "POP": PickleMachine.pop,
    "POP_MARK": PickleMachine.pop_mark,
    "DUP": PickleMachine.dup,
    "TUPLE": PickleMachine.tuple_to_mark,
    "EMPTY_TUPLE": lambda m, _: m.tuple_of(0),
    "TUPLE1": lambda m, _: m.tuple_of(1),
    "TUPLE2": lambda m, _: m.tuple_of(2),
    "TUPLE3": lambda m, _: m.tuple_of(3),
    "EMPTY_LIST": PickleMachine.empty_list,
    "EMPTY_DICT": PickleMachine.empty_dict,
    "EMPTY_SET": PickleMachine.empty_set,
    "LIST": PickleMachine.list_to_mark,
    "DICT": PickleMachine.dict_to_mark,
    "FROZENSET": PickleMachine.frozen_set,
    "APPEND": PickleMachine.append,
    "APPENDS": PickleMachine.appends,
    "ADDITEMS": PickleMachine.add_items,
    "SETITEM": PickleMachine.set_item,
    "SETITEMS": PickleMachine.set_items,
    "PUT": PickleMachine.put,
    "BINPUT": PickleMachine.put,
    "LONG_BINPUT": PickleMachine.put,
    "MEMOIZE": PickleMachine.memoize,
    "GET": PickleMachine.get,
    "BINGET": PickleMachine.get,
    "LONG_BINGET": PickleMachine.get,
    "GLOBAL": PickleMachine.global_,
    "STACK_GLOBAL": PickleMachine.stack_global,
    "REDUCE": PickleMachine.reduce,
    "NEWOBJ": PickleMachine.reduce,
    "NEWOBJ_EX": PickleMachine.new_object_keywords,
    "BUILD": PickleMachine.build,
}
