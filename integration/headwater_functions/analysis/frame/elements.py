"""The elements of what is iterated over, and what decides how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from headwater_functions.analysis.callables import Pending
from headwater_functions.analysis.constants import value_of_record
from headwater_functions.analysis.frame.work import Work
from headwater_functions.analysis.heap import GROUPS, Object
from headwater_functions.analysis.values import (
    COMPUTE,
    COMPUTED,
    CONDITION,
    HELD,
    NOTHING,
    Edge,
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

MOST_ELEMENTS = 200
"""Elements of a constant that are distinguished."""
LAZY = frozenset({"iterator", "generator"})
_COUNTED = GROUPS | {"iterator"}
"""What has as many elements as what it is made of, but for what decides about it."""


class Elements(Work):
    """Iterating over values."""

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
        parts.append(self.held([Value(calls=value.calls)]))
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
        if made.kind == "iterator" and isinstance(made.made, Value):
            # What it takes its elements of goes on only now.
            self.element(Value(refs=frozenset(r for r, m in self.objects(made.made) if m.kind in LAZY)))
        stale = self._stale(made)
        return join(made.each(), stale) if stale is not NOTHING else made.each()

    def _stale(self, made: Object) -> Value:
        """An iterator over an object that changed since, or what its function uses: anything of it may come."""
        source = made.made
        if made.kind != "iterator" or not isinstance(source, Value):
            return NOTHING
        now, marks = self.state.reached(source, whole=True)
        later = now - made.keys.edges
        if all(e.how.decides for e in later):
            return computed(later, marks) if later else NOTHING
        return computed(changed(now, COMPUTE), marks)

    def iterator(self, elements: Value, sources: Sequence[Value], by: Value = NOTHING) -> Value:
        """A lazy iterator over elements that were made of the sources, by a function if there is one."""
        source = join(*(Value(s.edges, s.refs) for s in sources), Value(calls=by.calls))
        decides = join(*(self.extent(s) for s in sources))
        seen = Value(self.state.reached(source, whole=True)[0])
        own = with_edges(NOTHING, decides.edges, decides.opaque)
        return self.new(Object("iterator", own, elements=elements, keys=seen, made=source), "iterator")

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


def _of_rows(column: Value) -> Value:
    """A column of rows that may be a single one, where it is a value."""
    moving = frozenset(e for e in column.edges if e.how.moves)
    if not moving:
        return column
    return replace(column, edges=(column.edges - moving) | extracted(moving, ("any", None)))


def constant_elements(value: Any, values: bool = False) -> list[Value]:
    if isinstance(value, dict):
        items: list[Any] = list(islice(value.values() if values else value, MOST_ELEMENTS))
    elif isinstance(value, str | bytes | list | tuple | set | frozenset | range):
        items = list(value[:50]) if isinstance(value, str | bytes) else list(islice(value, MOST_ELEMENTS))
    else:
        return [COMPUTED]
    rest = [HELD] if len(items) < len(value) else []
    return [*map(as_value, items), *rest] or [NOTHING]


def as_value(item: Any) -> Value:
    """The value of an element of a constant."""
    return value_of_record(item, None)
