"""A small machine for pickles of the protocols 2 to 5. It imports nothing, calls nothing and builds plain data only.

Where a pickle asks for a global, there is a ``Named`` record; where it asks for a call, ``make`` decides what record
stands for its result. Whatever else it asks for is refused. Steps and sizes are bounded.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from io import BytesIO
from typing import Any

from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named
from headwater_functions.unreadable import UnreadableError

MOST_BYTES = 1 << 20
MOST_STEPS = 200_000
MOST_DEPTH = 64
MOST_PARTS = 300_000
"""Parts of data, each counted wherever it stands: data that holds itself has no end."""
MOST_OF_KEY = 1_000
MOST_DIGITS = 4_096
"""Bits of a number."""

Make = Callable[[Any, Any], Any]

_MARK = object()
_CODES = {opcode.code.encode("latin1"): opcode for opcode in pickletools.opcodes}
_PLAIN = frozenset(
    [
        "BININT",
        "BININT1",
        "BININT2",
        "LONG1",
        "LONG4",
        "BINFLOAT",
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
            found = self._run(pickle)
            _refuse_endless(found)
            return found
        except (ValueError, IndexError, KeyError, TypeError, OverflowError, AttributeError, MemoryError) as e:
            raise refused("an invalid structure") from e

    def _run(self, pickle: bytes) -> Any:
        text = BytesIO(pickle)
        for _ in range(MOST_STEPS):
            opcode = _CODES.get(text.read(1))
            if opcode is None:
                raise refused("no end, or an unknown instruction")
            if opcode.name == "STOP":
                return self._stack.pop()
            self._step(opcode.name, self._argument(opcode, text))
        raise refused(f"more than {MOST_STEPS} steps")

    @staticmethod
    def _argument(opcode: pickletools.OpcodeInfo, text: BytesIO) -> Any:
        """What stands behind an instruction that is read; texts with escapes of protocol 0 are not."""
        if opcode.name == "GLOBAL":
            return " ".join(text.readline().decode().rstrip("\n") for _ in range(2))
        if opcode.name not in _READ:
            raise refused(f"the instruction {opcode.name}")
        return None if opcode.arg is None else opcode.arg.reader(text)

    def _step(self, name: str, argument: Any) -> None:
        if name in _PLAIN:
            if isinstance(argument, int) and argument.bit_length() > MOST_DIGITS:
                raise refused("a number of too many digits")
            self._stack.append(argument)
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name])
        elif name not in _IGNORED:
            _OPERATIONS[name](self, argument)

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

    def frozen_set(self, _: Any) -> None:
        self._stack.append(frozenset(_hashable(i) for i in self._to_mark()))

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

    def new_object(self, _: Any) -> None:
        self.reduce(_)
        if isinstance(self._stack[-1], Built):
            self._stack[-1].is_new = True

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


def _hashable(value: Any) -> Any:
    """The value if hashing it is quick and safe: plain data, or a record by its identity."""
    pending, seen = [(value, 0)], 0
    while pending:
        each, depth = pending.pop()
        seen += 1
        if depth > MOST_DEPTH or seen > MOST_OF_KEY:
            raise refused("a key that is nested too deeply")
        if isinstance(each, list | dict | set | bytearray):
            raise refused("a key that can change")
        if isinstance(each, tuple | frozenset):
            pending += [(item, depth + 1) for item in each]
    return value


def _refuse_endless(found: Any) -> None:
    """Refuse data that is too deep, or that is small only because its parts stand in it again and again."""
    pending, seen, parts = [(found, 0)], set[int](), 0
    while pending:
        each, depth = pending.pop()
        parts += 1
        if depth > MOST_DEPTH or parts > MOST_PARTS:
            raise refused("data that is nested too deeply")
        match each:
            case dict():
                pending += [(item, depth + 1) for pair in each.items() for item in pair]
            case list() | tuple() | set() | frozenset():
                pending += [(item, depth + 1) for item in each]
            case Function() | Class() | Built() | Cell() | Code() if id(each) not in seen:
                # What a record refers to may refer to the record.
                seen.add(id(each))
                pending += [(item, 0) for item in vars(each).values()]


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
    "FROZENSET": PickleMachine.frozen_set,
    "APPEND": PickleMachine.append,
    "APPENDS": PickleMachine.appends,
    "ADDITEMS": PickleMachine.add_items,
    "SETITEM": PickleMachine.set_item,
    "SETITEMS": PickleMachine.set_items,
    "BINPUT": PickleMachine.put,
    "LONG_BINPUT": PickleMachine.put,
    "MEMOIZE": PickleMachine.memoize,
    "BINGET": PickleMachine.get,
    "LONG_BINGET": PickleMachine.get,
    "GLOBAL": PickleMachine.global_,
    "STACK_GLOBAL": PickleMachine.stack_global,
    "REDUCE": PickleMachine.reduce,
    "NEWOBJ": PickleMachine.new_object,
    "NEWOBJ_EX": PickleMachine.new_object_keywords,
    "BUILD": PickleMachine.build,
}

_READ = _PLAIN | _CONSTANTS.keys() | _IGNORED | _OPERATIONS.keys()
