"""A function in the middle of being read: its state, what decides that it is here, and what values do when used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

from headwater_functions.analysis.callables import (
    Call,
    Closure,
    Kept,
    Library,
    Method,
    OwnClass,
    Partial,
    Pending,
    Super,
    getters_of,
    is_own,
    of_class,
    unwrapped,
)
from headwater_functions.analysis.classes import is_descriptor
from headwater_functions.analysis.constants import Modules, member_of, value_of_record
from headwater_functions.analysis.heap import BY_KEYS, GROUPS, ORDERED, SEQUENCES, Object, State, is_index
from headwater_functions.analysis.values import (
    COMPUTE,
    COMPUTED,
    CONDITION,
    EXTENT,
    NONE,
    NOTHING,
    NULL_TEST,
    Edge,
    How,
    Ref,
    Value,
    changed,
    computed,
    constant,
    extracted,
    join,
    with_edges,
)
from headwater_functions.code import GENERATOR
from headwater_functions.unreadable import UnreadableError

FEW_CHARACTERS = 4
MOST_BOUND = 12
"""How deep a function may be bound to others that are bound in turn."""
MOST_ELEMENTS = 200
"""Elements of a constant that are told apart."""
WHOLE_ATTRIBUTES = frozenset(
    [
        "values",
        "T",
        "index",
        "columns",
        "shape",
        "size",
        "empty",
        "dtypes",
        "dtype",
        "iat",
        "at",
        "iloc",
        "loc",
        "str",
        "dt",
        "cat",
        "array",
        "axes",
        "ndim",
        "plot",
        "style",
        "is_unique",
        "hasnans",
        "sparse",
        "list",
        "struct",
    ]
)
"""Attributes of frames and series that are no columns, whatever columns there are."""
ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "str", "dt", "cat", "values", "array", "list", "struct"})


_ABOUT = frozenset({"index", "shape", "size", "empty", "ndim"})
"""Those that tell nothing of the values, but how many rows there are, and under which labels."""
LAZY = frozenset({"iterator", "generator"})
_COUNTED = GROUPS | {"iterator"}
"""What has as many elements as what it is made of, but for what decides about it."""


class Reader(Protocol):
    """What reads functions that are called, and notes what is not read, changed in place, and taken of objects."""

    unread: set[str]
    written: list[tuple[Value, Value]]
    taken: set[tuple[Ref, Any]]
    modules: Modules

    def call(self, function: Closure, call: Call, frame: Frame) -> Value: ...
    def elements(self, pending: Pending, frame: Frame) -> Value: ...
    def method(self, frame: Frame, call: Call) -> Value: ...
    def library(self, frame: Frame, called: Library, call: Call) -> Value: ...
    def names_of(self, function: Closure, frame: Frame) -> dict[str, Value]: ...


class Frame:
    """What instructions work on."""

    def __init__(
        self, reader: Reader, function: Closure, state: State, site: tuple[Any, ...], pc: Value
    ) -> None:
        self.reader, self.function, self.state, self.site, self.pc = reader, function, state, site, pc
        self.index = 0
        self.line: int | None = None
        self.touches = NOTHING
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

    # What a value is made of

    def touch(self, *values: Value) -> None:
        """Note what an instruction looks at that may raise."""
        for value in values:
            edges, opaque = self.state.reached(value, whole=True)
            self.touches = with_edges(self.touches, changed(edges, CONDITION), opaque)

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
        return computed(edges, opaque)

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

    def objects(self, value: Value) -> list[tuple[Ref, Object]]:
        return [(r, self.state.heap[r]) for r in sorted(value.refs, key=repr) if r in self.state.heap]

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

    def extent(self, value: Value, seen: frozenset[Ref] = frozenset()) -> Value:
        """What decides how many elements the value has."""
        counted = [(r, m) for r, m in self.objects(value) if m.kind in _COUNTED and r not in seen]
        lazy = {r for r, m in self.objects(value) if m.kind == "generator"}
        rest = replace(value, refs=value.refs - {r for r, _ in counted} - lazy)
        edges, opaque = self.tested(rest).edges, self._marks(value)
        for ref in lazy - seen:
            decides = self._yields(ref)
            edges, opaque = edges | decides.edges, opaque | decides.opaque
        edges |= frozenset(e for _, m in counted for e in changed(m.own.edges, CONDITION))
        for _, made in self.objects(rest):
            if isinstance(made.made, Value):
                reached, marks = self.state.reached(made.made)
                edges |= changed(reached, CONDITION)
                opaque |= marks
        for _, made in counted:
            if isinstance(made.made, Value):
                source = self.extent(made.made, seen | {r for r, _ in counted})
                edges, opaque = edges | source.edges, opaque | source.opaque
        return Value(edges, opaque=opaque)

    def advance(self, value: Value, by: Iterable[Value] = ()) -> None:
        """Take elements of iterators, as others decide: so what is left of them is up to these as well."""
        pending = [(value, self.decided(NOTHING, by).edges | self.pc.edges)]
        seen: set[Ref] = set()
        while pending:
            each, edges = pending.pop()
            for ref, made in self.objects(each):
                if made.kind in LAZY and ref not in seen:
                    seen.add(ref)
                    if not edges <= made.own.edges:
                        self.state.change(ref, replace(made, own=with_edges(made.own, edges, self.pc.opaque)))
                    pending += self._drawn_from(made, edges)

    def _drawn_from(self, made: Object, edges: frozenset[Edge]) -> list[tuple[Value, frozenset[Edge]]]:
        """The iterators that one takes its elements of, and what decides how many it takes."""
        if not isinstance(made.made, Value):
            return []
        if made.kind == "iterator":
            return [(made.made, edges | changed(made.own.edges, CONDITION))]
        refs = frozenset(r for r in self._reachable([made.made]) if self.state.heap[r].kind in LAZY)
        reached = self.state.reached(made.made, whole=True)[0] if refs else frozenset()
        return [(Value(refs=refs), edges | changed(reached, CONDITION))] if refs else []

    def _yields(self, ref: Ref) -> Value:
        """What decides whether a generator, which may not have run yet, yields something."""
        if self.function.code.flags & GENERATOR:
            reached, marks = self.state.reached(Value(refs=frozenset((ref,))), whole=True)
            return Value(changed(reached, CONDITION), opaque=marks)
        heap = dict(self.state.heap)
        yielded = self.element(Value(refs=frozenset((ref,))))
        self.state.heap = heap
        decides = frozenset(e for e in yielded.edges if e.how.decides)
        return Value(decides | changed(heap[ref].own.edges, CONDITION), opaque=yielded.opaque)

    # Parts

    def element(self, value: Value) -> Value:
        """Any element of what is iterated over."""
        parts = [self._element_of(ref, made) for ref, made in self.objects(value)]
        moving = frozenset(e for e in value.edges if e.how.moves)
        if moving:
            own = Value(extracted(moving, ("each", None)), other=True)
            parts.append(self.new(Object("argument", own), "each"))
        rest = frozenset(e for e in value.edges if not e.how.moves)
        for each in value.constants:
            parts += constant_elements(each.value)
        if rest or value.other or not parts:
            parts.append(computed(rest, value.opaque))
        return with_edges(join(*parts), rest, value.opaque)

    def _element_of(self, ref: Ref, made: Object) -> Value:
        if made.kind in GROUPS and isinstance(made.made, Value):
            keys = self.compute(made.members.values())
            part = self.filtered(made.made, [*made.members.values(), made.own], "rows")
            return self.new(Object("tuple", members={0: keys, 1: part}), "group")
        if made.kind == "generator" and isinstance(made.made, Value):
            return join(*(self.reader.elements(c, self) for c in made.made.calls if isinstance(c, Pending)))
        if made.kind == "dict":
            names = join(*(constant(n) for n in made.members), made.keys)
            base = extracted((e for e in made.own.edges if e.how.moves), ("keys", None))
            return with_edges(
                join(names, Value(base, other=bool(base))), (e for e in made.own.edges if not e.how.moves)
            )
        if made.kind == "argument":
            own = Value(made.each().edges, other=True, opaque=made.own.opaque)
            element = self.new(Object("argument", own), "each")
            return join(element, *made.members.values(), made.elements)
        stale = self._stale(made)
        return join(made.each(), stale) if stale is not NOTHING else made.each()

    def _stale(self, made: Object) -> Value:
        """An iterator over an object that changed since: anything of it may come."""
        source = made.made
        if made.kind != "iterator" or not isinstance(source, Value):
            return NOTHING
        now, marks = self.state.reached(source)
        later = now - made.keys.edges
        if all(e.how.decides for e in later):
            return computed(later, marks) if later else NOTHING
        return computed(changed(now, COMPUTE), marks)

    def iterator(self, elements: Value, sources: Sequence[Value]) -> Value:
        """A lazy iterator over elements that were made of the sources."""
        source = join(*(Value(s.edges, s.refs) for s in sources))
        decides = join(*(self.extent(s) for s in sources))
        seen = Value(self.state.reached(source)[0])
        own = with_edges(NOTHING, decides.edges, decides.opaque)
        return self.new(Object("iterator", own, elements=elements, keys=seen, made=source), "iterator")

    def item(self, value: Value, key: Value) -> Value:
        """The part of a value under a key."""
        self.touch(value, key)
        if any(m.kind in GROUPS for _, m in self.objects(value)):
            return self.part_of_group(value, key)
        key = self._called(key, value)
        accessor = next((c for c in value.calls if isinstance(c, Method) and c.name in ACCESSORS), None)
        if accessor is not None:
            return self._located(accessor, key)
        single = key.single
        if single is not None and (single.value is None or isinstance(single.value, str | int | bool)):
            found = self.named(value, single.value)
            return self.decided(found, [key])
        if single is not None and isinstance(single.value, slice):
            return self.decided(self._sliced(value, single.value), [key])
        columns = self.columns(key)
        if columns is not None:
            return self.selected(value, columns)
        return self._unknown_item(value, key)

    def _called(self, key: Value, value: Value) -> Value:
        """The key, or what a function of the program that is one gives for what is taken of."""
        functions = [c for c in key.calls if isinstance(c, Closure)]
        if any(isinstance(c, Partial) for c in key.calls):
            raise self.unreadable("CALLBACK", "its key is a function", "call the function itself")
        given = Value(value.edges, value.refs, value.constants, other=value.other, opaque=value.opaque)
        return join(*(self.reader.call(c, Call("", [given]), self) for c in functions)) if functions else key

    def part_of_group(self, value: Value, key: Value) -> Value:
        """A column, or some columns, in the same groups."""
        objects = self.objects(value)
        made, single, columns = objects[0][1], key.single, self.columns(key)
        if len(objects) != 1 or value.edges or made.kind != "group" or not isinstance(made.made, Value):
            return self.compute([value, key])
        if single is not None and isinstance(single.value, str):
            column = self.named(made.made, single.value)
            group = replace(made, kind="column group", made=column, keys=constant(single.value))
        elif columns is not None:
            group = replace(made, made=self.selected(made.made, columns))
        else:
            return self.compute([value, key])
        return self.new(group, "part of group")

    def in_place(self, before: Value, value: Value) -> None:
        """Note that what may be held elsewhere was changed: whatever has it may have the value since."""
        self.reader.written.append((Value(self.state.reached(before)[0]), self.compute([value, self.pc])))

    def named(self, value: Value, key: Any) -> Value:
        self.reader.taken |= {(r, key) for r in value.refs}
        parts = [self._named(ref, made, key) for ref, made in self.objects(value)]
        if value.edges or value.other:
            parts.append(Value(extracted(value.edges, ("item", key)), other=True, opaque=value.opaque))
        parts += [_constant_item(c.value, key) for c in value.constants]
        return with_edges(join(*parts), (e for e in value.edges if not e.how.moves), value.opaque)

    def _named(self, ref: Ref, made: Object, key: Any) -> Value:
        if made.kind == BY_KEYS or made.kind in GROUPS:
            return self.compute([Value(refs=frozenset((ref,)))])
        if isinstance(key, int) and made.kind in ("frame", "argument") and any(map(_is_text, made.members)):
            # Tables of Arrow have positions, too.
            return self.compute([Value(refs=frozenset((ref,)))])
        found = made.part(self._place(made, key))
        index = [v for n, v in made.members.items() if is_index(n)]
        return join(found, self.compute(index)) if index else found

    @staticmethod
    def _place(made: Object, key: Any) -> Any:
        from_end = isinstance(key, int) and key < 0 and made.kind in SEQUENCES and made.elements is NOTHING
        return key + len(made.members) if from_end and not made.own.edges else key

    def _unknown_item(self, value: Value, key: Value) -> Value:
        """Rows by a mask, or any part by a key that is computed."""
        masks = any(e.how.moves for e in value.edges) or any(
            m.kind in ("argument", "frame") for _, m in self.objects(value)
        )
        parts = [made.each() for _, made in self.objects(value) if not masks]
        if masks:
            parts = [self.filtered(value, [key])]
        elif value.edges or value.other or not parts:
            parts.append(self.compute([value]))
        if value.constants or value.calls:
            parts += [join(*constant_elements(c.value, values=True)) for c in value.constants]
            # Which of the constants it is tells the key.
            parts.append(self.compute([key], COMPUTE))
            return join(*parts)
        return self.decided(join(*parts), [key])

    def filtered(self, value: Value, by: Iterable[Value], step: str = "any") -> Value:
        """Some of the rows or elements of a value, by what others decide; whichever it is, its parts stay.

        ``step``: ``rows`` if these are a frame or a column again, and not a row, or a value.
        """
        decided = self.decided(NOTHING, by)
        own = Value(extracted(value.edges, (step, None)), other=True)
        members: dict[Any, Value] = {}
        elements = NOTHING
        for _, made in self.objects(value):
            own = join(
                own, Value(extracted(made.own.edges, (step, None)), other=True, opaque=made.own.opaque)
            )
            known = made.members if step == "rows" else {n: _of_rows(v) for n, v in made.members.items()}
            members = {n: join(v, members.get(n, NOTHING)) for n, v in known.items()} | {
                n: v for n, v in members.items() if n not in made.members
            }
            elements = join(elements, made.elements)
        own = with_edges(own, decided.edges, decided.opaque | value.opaque)
        return self.new(Object("frame", own, members, elements), "filtered")

    def columns(self, key: Value) -> list[str] | None:
        """The names in a list of constant names."""
        found: list[str] = []
        for _, made in self.objects(key):
            if made.kind not in ("list", "tuple") or made.elements is not NOTHING or len(key.refs) != 1:
                return None
            for part in made.members.values():
                if part.single is None or not isinstance(part.single.value, str):
                    return None
                found.append(part.single.value)
        single = key.single
        if single is not None and isinstance(single.value, list | tuple):
            found = [c for c in single.value if isinstance(c, str)]
            return found if len(found) == len(single.value) else None
        return found if key.refs and not key.other else None

    def column_names(self, key: Value) -> list[str] | None:
        """A constant name of a column, or those in a list of constant names."""
        if key.single is not None and isinstance(key.single.value, str):
            return [key.single.value]
        return self.columns(key)

    def selected(self, value: Value, columns: Sequence[str]) -> Value:
        """A frame of some columns of another."""
        members = {c: Value(self.named(value, c).edges, other=True, opaque=value.opaque) for c in columns}
        parts = {c: join(self.named(value, c), v) for c, v in members.items()}
        for _, made in self.objects(value):
            parts |= {n: v for n, v in made.members.items() if is_index(n)}
        own = Value(frozenset(e for e in self._outside(value) if not e.how.moves), opaque=self._marks(value))
        return self.new(Object("frame", own, parts, made=ORDERED), "selected")

    def _located(self, accessor: Method, key: Value) -> Value:
        """``loc``: rows, and perhaps columns; of others anything."""
        value = accessor.receiver
        pair = self.pair(key)
        if accessor.name == "iloc" and pair is None and self.objects(value):
            return self.filtered(value, [self._called(key, value)])
        if accessor.name != "loc":
            return self.compute([value, key])
        if pair is None:
            key = self._called(key, value)
        if pair is None:
            return self.filtered(value, [key])
        rows, columns = self._called(pair[0], value), pair[1]
        names = self.columns(columns)
        all_rows = rows.single is not None and isinstance(rows.single.value, slice)
        if not all_rows:
            value = self.filtered(value, [rows])
        if names is not None:
            return self.selected(value, names)
        single = columns.single
        if single is not None and isinstance(single.value, str):
            return self.named(value, single.value)
        if single is not None and isinstance(single.value, slice):
            return value
        return self.compute([value, key])

    def pair(self, key: Value) -> tuple[Value, Value] | None:
        """The two parts of a pair that was written down."""
        single = key.single
        if single is not None and isinstance(single.value, tuple) and len(single.value) == 2:
            return _as_value(single.value[0]), _as_value(single.value[1])
        for _, made in self.objects(key):
            if made.kind == "tuple" and set(made.members) == {0, 1} and len(key.refs) == 1:
                return made.members[0], made.members[1]
        return None

    def _sliced(self, value: Value, key: slice) -> Value:
        few = None
        if not isinstance(key.start, int | None):
            pass
        elif isinstance(key.stop, int) and (key.start or 0) >= 0 and key.stop >= 0:
            few = key.stop - (key.start or 0)
        elif isinstance(key.start, int) and key.start < 0 and key.stop is None:
            few = -key.start
        most = few if few is not None and few <= FEW_CHARACTERS else None
        parts = (
            [Value(extracted(value.edges, ("slice", most)), other=True, opaque=value.opaque)]
            if (value.edges or value.other)
            else []
        )
        for _, made in self.objects(value):
            if made.kind == "argument" and not made.members and made.elements is NOTHING:
                parts.append(
                    Value(extracted(made.own.edges, ("slice", most)), other=True, opaque=made.own.opaque)
                )
            else:
                parts.append(
                    self.new(
                        replace(made.collapsed(), kind="list" if made.kind == "tuple" else made.kind), "slice"
                    )
                )
        if value.constants:
            parts.append(COMPUTED)
        return join(*parts)

    def attribute(self, value: Value, name: str) -> Value:  # noqa: PLR0912 - a kind of holder each
        """An attribute of a value, which may be one of its members, or a method."""
        self.touch(value)
        parts: list[Value] = []
        if any(m.kind in GROUPS for _, m in self.objects(value)):
            parts.append(self.part_of_group(value, constant(name)))
        elif name in _ABOUT:
            parts.append(self._about(value, name))
        elif name in WHOLE_ATTRIBUTES:
            parts.append(self.compute([value]))
        else:
            for _, made in self.objects(value):
                if self._has_method(made, name) or self._is_of_class(made, name):
                    continue
                if name != "__dict__" and made.kind in ("argument", "frame", "object", "tuple"):
                    parts.append(made.part(name, how="attr"))
                else:
                    parts.append(self.compute([Value(refs=value.refs)]))
            if any(not e.how.decides for e in value.edges):
                parts.append(Value(extracted(value.edges, ("attr", name)), other=True, opaque=value.opaque))
            else:
                parts.append(Value(value.edges, opaque=value.opaque))
        plain: set[Any] = set()
        for called in value.calls:
            if isinstance(called, Library):
                plain.add(called.attribute(name))
            elif (found := self._of_own(called, name)) is not None:
                parts.append(found)
        for _, made in self.objects(value):
            if isinstance(made.made, OwnClass) and name not in made.members:
                member = member_of(made.made, name)
                if member is not None:
                    instance = Value(value.edges, value.refs)
                    parts.append(self._of_class(made.made, name, member, instance))
        objects = self.objects(value)
        own = bool(objects) and all(
            self._has_method(m, name) or self.is_computed(m, name) for _, m in objects
        )
        own = own or any(isinstance(c, OwnClass) and member_of(c, name) is not None for c in value.calls)
        own = own or any(isinstance(c, Kept | Super) for c in value.calls)
        is_kept = any(isinstance(c, Kept) for c in value.calls)
        plain_data = any(c.value is not None or not own for c in value.constants) and not is_kept
        data = (value.refs and not own) or plain_data or value.other
        if data or any(not e.how.decides for e in value.edges) or not (plain or own):
            plain.add(Method.of(name, value))
        return join(*parts, Value(calls=frozenset(plain)))

    def _about(self, value: Value, name: str) -> Value:
        """What is asked of a frame as such: of what came into its columns since, nothing; of other values all."""
        objects = self.objects(value)
        if any(m.kind not in ("frame", "argument") for _, m in objects):
            return self.compute([value])
        keys = [v for _, m in objects for n, v in m.members.items() if is_index(n)]
        named = [m.keys for _, m in objects]
        edges = value.edges.union(*(m.own.edges for _, m in objects))
        moving = frozenset(e for e in edges if e.how.moves)
        asked = Value(extracted(moving, ("about", name)), other=True)
        return join(asked, self.compute([Value(edges - moving, opaque=self._marks(value)), *keys, *named]))

    @staticmethod
    def _has_method(made: Object, name: str) -> bool:
        """Whether it is an instance, certainly of a class of the program that has a function of that name."""
        if not isinstance(made.made, OwnClass) or name in made.members or made.elements is not NOTHING:
            return False
        found = member_of(made.made, name)
        return (
            found is not None
            and bool(found.calls)
            and all(isinstance(c, Closure) for c in found.calls)
            and found.refs == frozenset()
        )

    @classmethod
    def _is_of_class(cls, made: Object, name: str) -> bool:
        """Whether it is an instance that certainly has no attribute of that name but its class's own."""
        if cls.is_computed(made, name):
            return True
        plain = made.elements is NOTHING and not any(e.how.moves for e in made.own.edges)
        kind = made.made if made.kind == "object" and plain and name not in made.members else None
        return isinstance(kind, OwnClass) and member_of(kind, name) is not None

    @staticmethod
    def is_computed(made: Object, name: str) -> bool:
        """Whether it is an instance of a class of the program that says by a property what that attribute is."""
        if not isinstance(made.made, OwnClass) or name in made.members:
            return False
        found = member_of(made.made, name)
        return found is not None and is_descriptor(found)

    def _of_own(self, called: Any, name: str) -> Value | None:
        """What a class of the program, or an instance that was made before, has under the name."""
        if isinstance(called, OwnClass):
            found = member_of(called, name)
            if found is None:
                return NONE
            functions = of_class(found)
            return (
                self._bound(functions, Value(calls=frozenset((called,)))) if functions else unwrapped(found)
            )
        if not isinstance(called, Kept | Super):
            return None
        found = member_of(called.kind, name, called.above if isinstance(called, Super) else None)
        instance = called.receiver if isinstance(called, Super) else Value(calls=frozenset((called,)))
        if isinstance(called, Kept) and name in called.state and not (found and getters_of(found)):
            return value_of_record(called.state[name], called.kind.scope)
        if found is not None:
            return self._of_class(called.kind, name, found, instance)
        if isinstance(called, Super) and name == "__init__":
            return Value(calls=frozenset((Library("\0nothing"),)))
        return self.touched([instance], f"{called.kind.record.name}.{name} is not read")

    def _of_class(self, kind: OwnClass, name: str, found: Value, instance: Value) -> Value:
        """What an instance has of its class: a method, what a property gives, or a constant."""
        if getters := getters_of(found):
            return join(*(self.reader.call(g, Call("", [instance]), self) for g in getters))
        if functions := of_class(found):
            return self._bound(functions, Value(calls=frozenset((kind,))))
        if functions := frozenset(c for c in found.calls if isinstance(c, Closure)):
            return self._bound(functions, instance)
        plain = unwrapped(found)
        if plain is found and found.calls and not all(isinstance(c, Kept) for c in found.calls):
            return self.touched([instance, found], f"{kind.record.name}.{name} is not read")
        return plain

    def _bound(self, functions: frozenset[Closure], first: Value) -> Value:
        return self.partial(Value(calls=functions), (first,))

    def partial(
        self, function: Value, args: tuple[Value, ...], keywords: tuple[tuple[str, Value], ...] = ()
    ) -> Value:
        """Something that can be called with arguments that are given before."""
        made = Partial(function, args, keywords)
        if made.depth > MOST_BOUND:
            raise self.unreadable("TOO_DEEP", "it binds functions to functions again and again", "use a loop")
        return Value(calls=frozenset((made,)))

    def calls_own(self, value: Value) -> bool:
        """Whether calling the value may run code of the program."""
        return any(isinstance(c, Closure | Partial) for c in value.calls) or any(
            member_of(kind, "__call__") is not None for kind in self._kinds(value)
        )

    def can_call(self, value: Value) -> bool:
        """Whether it is something that is called, and no plain value."""
        return bool(value.calls) or self.calls_own(value)

    def _kinds(self, value: Value) -> list[OwnClass]:
        made = [m.made for _, m in self.objects(value) if isinstance(m.made, OwnClass)]
        return [*made, *(c.kind for c in value.calls if isinstance(c, Kept))]

    # Changes

    def set_item(self, target: Value, key: Value, value: Value) -> None:
        self.touch(target, key, value)
        value = with_edges(value, self.pc.edges, self.pc.opaque)
        accessor = next((c for c in target.calls if isinstance(c, Method) and c.name == "loc"), None)
        if accessor is not None:
            pair = self.pair(key)
            rows, key = pair if pair is not None else (key, COMPUTED)
            value = self.decided(value, [self._called(rows, accessor.receiver)])
            self._written(accessor.receiver, key, value)
            self.put(accessor.receiver, key, value, certain=False)
            return
        self.put(target, key, value)

    def _written(self, target: Value, key: Value, value: Value) -> None:
        """Some rows of columns are written, which may have been taken before."""
        single = key.single
        names = [single.value] if single is not None and isinstance(single.value, str) else self.columns(key)
        if names is None:
            self.in_place(target, value)
            return
        for name in names:
            taken = any((r, name) in self.reader.taken for r in target.refs)
            before = self.named(target, name)
            if taken or before.edges:
                self.in_place(before if before.edges else target, value)

    def put(self, target: Value, key: Value, value: Value, certain: bool = True) -> None:
        """Put a value under a key of what can be changed."""
        self.changeable(target)
        columns = self.columns(key) if key.refs else None
        if columns is not None and all(m.kind in ("frame", "argument") for _, m in self.objects(target)):
            parts = self._in_order(value, len(columns))
            for place, column in enumerate(columns):
                part = parts[place] if parts is not None else self.compute([value])
                self.put(target, constant(column), part, certain)
            return
        certain = certain and len(target.refs) == 1
        for ref, made in self.objects(target):
            single = key.single
            if single is not None and isinstance(single.value, str | int | None):
                name = self._place(made, single.value)
                before = NOTHING if certain and not ref.older else made.part(name, False)
                members = {**made.members, name: self.decided(join(before, value), [key])}
                own = with_edges(made.own, self.pc.edges, self.pc.opaque)
                self.state.change(ref, replace(made, members=members, own=own))
            else:
                value = self.decided(value, [key])
                own = with_edges(made.own, self.decided(NOTHING, [key]).edges | self.pc.edges)
                keys = join(made.keys, key)
                elements = join(made.elements, value)
                self.state.change(ref, replace(made, elements=elements, keys=keys, own=own))

    def _in_order(self, value: Value, count: int) -> list[Value] | None:
        """The columns of a frame that has so many, if their order is known."""
        objects = self.objects(value)
        made = objects[0][1] if len(objects) == 1 and not value.other else None
        if made is None or made.made != ORDERED or len(made.members) != count or made.elements is not NOTHING:
            return None
        if any(map(is_index, made.members)) or any(e.how.moves for e in value.edges | made.own.edges):
            return None
        return [with_edges(v, value.edges | made.own.edges, made.own.opaque) for v in made.members.values()]

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

    def shorten(self, target: Value, by: Iterable[Value]) -> None:
        """Take elements out of something, as others decide: what is left stands at other places."""
        self.changeable(target)
        decided = self.decided(NOTHING, by)
        for ref, made in self.objects(target):
            gone = made.collapsed()
            own = with_edges(gone.own, decided.edges | self.pc.edges, decided.opaque)
            self.state.change(ref, replace(gone, own=own))

    def add(self, target: Value, value: Value, *, keyed: Value | None = None, ordered: bool = False) -> None:
        """Add an element somewhere."""
        self.changeable(target)
        value = with_edges(value, self.pc.edges, self.pc.opaque)
        for ref, made in self.objects(target):
            own = with_edges(made.own, self.pc.edges, self.pc.opaque)
            changed_object = replace(made, own=own, elements=join(made.elements, value))
            if keyed is not None:
                changed_object = replace(changed_object, keys=join(made.keys, keyed))
            if ordered:
                changed_object = changed_object.collapsed()
            self.state.change(ref, changed_object)

    def entered(self, manager: Value) -> Value:
        """What ``with`` gives."""
        return self.compute([manager]) if not manager.refs else manager


def _of_rows(column: Value) -> Value:
    """A column of rows that may be a single one, where it is a value."""
    moving = frozenset(e for e in column.edges if e.how.moves)
    if not moving:
        return column
    return replace(column, edges=(column.edges - moving) | extracted(moving, ("any", None)))


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def constant_elements(value: Any, values: bool = False) -> list[Value]:
    if isinstance(value, dict):
        items: list[Any] = list(islice(value.values() if values else value, MOST_ELEMENTS))
    elif isinstance(value, str | bytes | list | tuple | set | frozenset | range):
        items = list(value[:50]) if isinstance(value, str | bytes) else list(islice(value, MOST_ELEMENTS))
    else:
        return [COMPUTED]
    rest = [COMPUTED] if len(items) < len(value) else []
    return [*map(_as_value, items), *rest] or [NOTHING]


def _constant_item(value: Any, key: Any) -> Value:
    try:
        return _as_value(value[key])
    except (KeyError, IndexError, TypeError):
        return COMPUTED


def _as_value(item: Any) -> Value:
    return value_of_record(item, None)
