"""A function in the middle of being read: its state, what decides that it is here, and what a value is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from headwater_functions.analysis.callables import Call, Closure, Library, OwnClass, Pending, is_own
from headwater_functions.analysis.constants import Modules
from headwater_functions.analysis.heap import SEQUENCES, Object, State
from headwater_functions.analysis.values import (
    COMPUTE,
    CONDITION,
    EXTENT,
    HELD,
    MUTABLE,
    NOTHING,
    NULL_TEST,
    Edge,
    How,
    Ref,
    Value,
    changed,
    computed,
    join,
    with_edges,
)
from headwater_functions.unreadable import UnreadableError

_DATA = (
    "bytes", "re.", "decimal.", "_decimal.", "datetime.", "fractions.", "uuid.", "zoneinfo.", "logging.getLogger",
    "pathlib.", "ipaddress.",
)  # fmt: skip


def is_data(called: Any) -> bool:
    """Whether it is an object of a library that is the same wherever it is asked for, such as a pattern."""
    return isinstance(called, Library) and called.name.endswith("()") and called.name.startswith(_DATA)


def may_be_held(value: Value) -> bool:
    """Whether it may be something of the program's, or of a library's that the program holds, that can be changed."""
    return any(isinstance(c.value, MUTABLE) for c in value.constants) or any(
        isinstance(c, Library) and "()" in c.name and not is_data(c) for c in value.calls
    )


class Reader(Protocol):
    """What reads functions that are called, and notes what is not read, changed in place, and taken of objects."""

    unread: set[str]
    written: list[tuple[Value, Value]]
    taken: set[tuple[Ref, Any]]
    modules: Modules
    module: bool
    broken: str
    steps: int

    def call(self, function: Closure, call: Call, frame: Any) -> Value: ...
    def elements(self, pending: Pending, frame: Any) -> Value: ...
    def method(self, frame: Any, call: Call) -> Value: ...
    def library(self, frame: Any, called: Library, call: Call) -> Value: ...
    def around(self, name: str) -> Value | None: ...
    def names_of(self, function: Closure, frame: Any) -> dict[str, Value]: ...


class Work:
    """What instructions work on: the state, and what decides that it is reached."""

    def __init__(
        self, reader: Reader, function: Closure, state: State, site: tuple[Any, ...], pc: Value
    ) -> None:
        self.reader, self.function, self.state, self.site, self.pc = reader, function, state, site, pc
        self.index = 0
        self.line: int | None = None
        self.attempted = False
        """Whether this function, or one that called it, may go on after an error of what is done now."""
        self.touches = NOTHING
        """What decides whether something has raised by now."""
        self.carried = NOTHING
        """What an exception may have in its text, and in its arguments."""
        self.sequence = 0

    def place(self, mark: str) -> tuple[Any, ...]:
        """A site of its own for each object that one instruction makes."""
        self.sequence += 1
        return (*self.site, self.index, mark, self.sequence)

    def push(self, value: Value) -> None:
        """Push a value, about which everything decides that decides whether it is pushed."""
        if value.calls and self.reader.modules.scopes:
            value = self.reader.modules.resolved(value)
        self.state.stack.append(with_edges(value, self.pc.edges, self.pc.opaque))

    def pop(self) -> Value:
        return self.state.stack.pop()

    def pops(self, count: int) -> list[Value]:
        if count == 0:
            return []
        if count > len(self.state.stack):
            raise IndexError
        values = self.state.stack[-count:]
        del self.state.stack[-count:]
        return values

    def new(self, made: Object, mark: str = "") -> Value:
        """A new object of this place."""
        made = replace(made, own=with_edges(made.own, self.pc.edges, self.pc.opaque))
        return self.state.allocate(self.place(mark), made)

    def unreadable(self, code: str, reason: str, hint: str = "") -> UnreadableError:
        return UnreadableError(code, reason, hint, self.line)

    def touch(self, *values: Value) -> None:
        """Note what an instruction looks at that may raise."""
        for value in values:
            edges, opaque = self.state.reached(value, whole=True)
            self.touches = with_edges(self.touches, changed(edges, CONDITION), opaque)
            self.carried = with_edges(self.carried, changed(edges, COMPUTE), opaque)

    def touch_for(self, value: Value, key: Value) -> None:
        """Note that a part is taken. Whether an argument has it does not depend on the other parts."""
        single = key.single
        named = single is not None and isinstance(single.value, str | int)
        if not named or any(made.kind != "argument" for _, made in self.objects(value)) or value.calls:
            self.touch(value, key)
            return
        decides = with_edges(self.tested(value), changed(key.edges, CONDITION), key.opaque)
        before = self.touches
        self.touch(value, key)
        self.touches = with_edges(before, decides.edges, decides.opaque)

    def one_of(self, ways: Sequence[Callable[[], Value]], deciding: Value) -> Value:
        """What one of several ways gives, and changes, where others decide which of them it is."""
        around, self.pc = self.pc, with_edges(self.pc, deciding.edges, deciding.opaque)
        before = self.state.copy() if len(ways) > 1 else self.state
        found = [ways[0]()] if ways else []
        for way in ways[1:]:
            after = self.state.copy()
            self.state.restore(before)
            found.append(way())
            after.join_into(self.state)
        self.pc = around
        return join(*found)

    def repeated(self, way: Callable[[Value], Value], deciding: Value, found: Value = NOTHING) -> Value:
        """What a way gives, and changes, that is gone any number of times, as others decide.

        The way is given what was found before, which begins with ``found``.
        """
        around, self.pc = self.pc, with_edges(self.pc, deciding.edges, deciding.opaque)
        start, depth = self.sequence, len(self.state.stack)
        self.state.stack.append(found)
        grows = True
        while grows:
            self.sequence = start
            before = self.state.copy()
            given = way(self.state.stack[depth])
            self.state.stack[depth] = join(self.state.stack[depth], given)
            changes = any(self.state.heap.get(r) != made for r, made in before.heap.items())
            grows = self.state.join_into(before) and (changes or found is not NOTHING)
            self.state.restore(before)
        self.pc = around
        return self.state.stack.pop()

    def changed_since(self, heap: Mapping[Ref, Object]) -> bool:
        """Whether something else changed than what this instruction makes itself."""
        place = (*self.site, self.index)
        earlier = ((r, made) for r, made in heap.items() if r.site[: len(place)] != place)
        return any(self.state.heap.get(r) != made for r, made in earlier)

    def compute(self, values: Iterable[Value], how: How = COMPUTE) -> Value:
        """Something computed of all that is in the values."""
        edges: frozenset[Edge] = frozenset()
        opaque: frozenset[str] = frozenset()
        for value in values:
            reached, marks = self.state.reached(value)
            edges |= changed(reached, how)
            opaque |= marks
        return computed(edges, opaque)

    def decided(self, value: Value, by: Iterable[Value], how: How = CONDITION) -> Value:
        """The value, about which others decide."""
        for each in by:
            edges, opaque = self.state.reached(each)
            value = with_edges(value, changed(edges, how), opaque)
        return value

    def touched(self, values: Sequence[Value], why: str = "") -> Value:
        """The result of code that is not read: it may hold, and change to, whatever it can touch."""
        edges: frozenset[Edge] = frozenset()
        opaque = frozenset({why} if why else ())
        self.reader.unread |= opaque
        for value in values:
            reached, marks = self.state.reached(value, whole=True)
            edges |= changed(reached, COMPUTE)
            opaque |= marks
        for ref in self._reachable(values):
            made = self.state.heap[ref]
            own = with_edges(replace(made.own, other=True), edges | self.pc.edges, opaque)
            self.state.change(ref, replace(made, own=own))
        if self.reader.module:
            self.spoil(values, why)
        return computed(edges, opaque)

    def spoil(self, values: Sequence[Value], why: str) -> None:
        """Note that classes may have been changed by what is not read."""
        for ref in self._reachable(values):
            values = [*values, *self.state.heap[ref].members.values(), self.state.heap[ref].elements]
        for value in values:
            for called in value.calls:
                if isinstance(called, OwnClass):
                    called.record.odd = called.record.odd or f"was changed since it was made: {why}"

    def _reachable(self, values: Sequence[Value]) -> set[Ref]:
        seen: set[Ref] = set()
        pending = list(values)
        done: set[Value] = set()
        while pending:
            value = pending.pop()
            if value in done:
                continue
            self.state.budget.spend(1)
            done.add(value)
            for called in value.calls:
                pending.extend(called.values)
            for ref in value.refs - seen:
                if ref in self.state.heap:
                    seen.add(ref)
                    made = self.state.heap[ref]
                    pending += [made.own, made.elements, made.keys, *made.members.values()]
                    if isinstance(made.made, Value):
                        pending.append(made.made)
        return seen

    def within(self, values: Sequence[Value]) -> list[Object]:
        """The objects that are in the values, and in these; not those that something is perhaps a method of."""
        found: dict[Ref, Object] = {}
        pending = list(values)
        while pending:
            each = pending.pop()
            self.state.budget.spend(1)
            has_parts = each.refs or each.edges or each.constants
            pending += [v for c in each.calls if c.holds_data or not has_parts for v in c.values]
            for ref, made in self.objects(each):
                if ref not in found:
                    found[ref] = made
                    pending += [made.own, made.elements, made.keys, *made.members.values()]
        return list(found.values())

    @staticmethod
    def held(values: Iterable[Value]) -> Value:
        """What the program may hold outside the function of the values and of their parts; nothing if it is data."""
        return HELD if any(map(may_be_held, values)) else NOTHING

    def objects(self, value: Value) -> list[tuple[Ref, Object]]:
        refs = sorted(value.refs, key=repr) if len(value.refs) > 1 else value.refs
        return [(r, self.state.heap[r]) for r in refs if r in self.state.heap]

    def tested(self, value: Value, null: bool = False) -> Value:
        """What decides where the value is tested for truth, or for being null."""
        if null:
            return Value(changed(self._outside(value), NULL_TEST), opaque=value.opaque)
        edges = frozenset(
            e
            for each in self._outside(value)
            for e in changed((each,), EXTENT if each.how.moves else CONDITION)
        )
        for _, made in self.objects(value):
            if made.kind not in SEQUENCES | {"dict", "argument", "frame"}:
                edges |= changed(self.state.reached(value)[0], CONDITION)
        return Value(edges, opaque=self._marks(value))

    def _outside(self, value: Value) -> frozenset[Edge]:
        """What leads to the value, and not to its parts."""
        return value.edges.union(*(made.own.edges for _, made in self.objects(value)))

    def _marks(self, value: Value) -> frozenset[str]:
        return value.opaque.union(*(made.own.opaque for _, made in self.objects(value)))

    def changeable(self, target: Value) -> None:
        """Refuse changes to what others may see: values of the module, parts of an argument, what was computed."""
        if target.constants or any(isinstance(c, Library | OwnClass) or is_own(c) for c in target.calls):
            raise self.unreadable(
                "GLOBAL", "it changes an object of its module, or a default", "keep state out of functions"
            )
        if not target.refs or any(e.how.moves for e in target.edges):
            raise self.unreadable(
                "IN_PLACE", "it changes a part of a value in place", "build a new value instead"
            )
