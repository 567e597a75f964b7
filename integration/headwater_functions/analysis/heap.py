"""Objects that a function makes or is given, and the state of a function between two instructions.

An object is named by the place where it is made. The newest one of a place can be changed for certain; the older ones
of it are one object, to which changes are only added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from headwater_functions.analysis.values import NOTHING, Edge, Ref, Value, extracted, join, with_edges

_HELD = Ref(("held",))
"""What is about to be made, while what was made before gets older."""

SEQUENCES = frozenset({"list", "tuple", "set"})
GROUPS = frozenset({"group", "column group"})
"""A frame, or a column, in groups: ``members`` are the keys by name, ``made`` is what is grouped."""
BY_KEYS = "by keys"
"""A column with keys of groups in its index: ``members`` are the keys, ``elements`` the values, ``keys`` its name."""
INDEX = "\0index "
"""Before the name of a frame's member that is in its index."""
ORDERED = "ordered"
"""What a frame is ``made`` of whose columns have the order of its members."""


def is_index(name: object) -> TypeGuard[str]:
    """Whether a member of a frame with that name is in its index."""
    return isinstance(name, str) and name.startswith(INDEX)


@dataclass(frozen=True)
class Object:
    """A container, an instance or an argument.

    ``own``: what leads to it as a whole; edges that move make up its parts where ``members`` has none of a name.
    ``elements`` are parts under names that are not known, ``keys`` those names. ``made`` is what else it is of.
    """

    kind: str
    own: Value = NOTHING
    members: Mapping[Any, Value] = field(default_factory=dict)
    elements: Value = NOTHING
    keys: Value = NOTHING
    made: Any = None

    def merged(self, other: Object) -> Object:
        """Any of two objects."""
        if self == other:
            return self
        names = dict.fromkeys((*self.members, *other.members))
        same_made = self.made == other.made and (self.made != ORDERED or [*self.members] == [*other.members])
        return Object(
            self.kind if self.kind == other.kind else "object",
            join(self.own, other.own),
            {n: join(self.part(n, False), other.part(n, False)) for n in names},
            join(self.elements, other.elements),
            join(self.keys, other.keys),
            self.made if same_made else None,
        )

    def part(self, name: Any, with_own: bool = True, how: str = "item") -> Value:
        """The part of a name; ``with_own`` with what leads to the object as a whole."""
        known = self.members.get(name)
        if known is None:
            known = Value(
                extracted((e for e in self.own.edges if e.how.moves), (how, name)),
                other=self.own.other or bool(self.own.edges),
            )
            if known == NOTHING:
                unsure = self.kind in ("tuple", "record", "object", "list") and self.elements is NOTHING
                known = join(*self.members.values()) if unsure else self.elements
        known = join(known, self.elements)
        if with_own:
            known = with_edges(known, (e for e in self.own.edges if not e.how.moves), self.own.opaque)
        return known

    def each(self) -> Value:
        """Any part of it."""
        base = extracted((e for e in self.own.edges if e.how.moves), ("each", None))
        parts = join(*self.members.values(), self.elements, Value(base, other=bool(base)))
        return with_edges(parts, (e for e in self.own.edges if not e.how.moves), self.own.opaque)

    def collapsed(self) -> Object:
        """The same without places: its parts are elements."""
        if not self.members:
            return self
        return replace(self, members={}, elements=join(*self.members.values(), self.elements))


@dataclass
class State:
    """Locals, stack and objects at one place of a program."""

    names: dict[str, Value]
    stack: list[Value]
    heap: dict[Ref, Object]

    def copy(self) -> State:
        return State(dict(self.names), list(self.stack), dict(self.heap))

    def join_into(self, other: State) -> bool:
        """Join this state into another one; whether that changed."""
        changed = False
        for name, value in self.names.items():
            before = other.names.get(name)
            joined = value if before is None else join(before, value)
            if joined != before:
                other.names[name] = joined
                changed = True
        depth = min(len(self.stack), len(other.stack))
        for i in range(depth):
            joined = join(other.stack[i], self.stack[i])
            if joined != other.stack[i]:
                other.stack[i] = joined
                changed = True
        return self._join_heap(other) or changed

    def _join_heap(self, other: State) -> bool:
        changed = False
        for ref, made in self.heap.items():
            before = other.heap.get(ref)
            joined = made if before is None else before.merged(made)
            if joined != before:
                other.heap[ref] = joined
                changed = True
        return changed

    def allocate(self, site: tuple[Any, ...], made: Object) -> Value:
        """The newest object of a site; what was the newest is an older one from now on."""
        ref = Ref(site)
        if ref in self.heap:
            self.heap[_HELD] = made
            self.age(lambda r: r == ref)
            made = self.heap.pop(_HELD)
        self.heap[ref] = made
        return Value(refs=frozenset((ref,)))

    def age(self, matches: Any, values: Sequence[Value] = ()) -> list[Value]:
        """Make the newest objects that match older ones, wherever they are referred to; also in the values."""
        aged = {r for r in self.heap if not r.older and matches(r) and r != _HELD}
        if not aged:
            return list(values)
        for ref in aged:
            old, made = Ref(ref.site, True), self.heap.pop(ref)
            before = self.heap.get(old)
            self.heap[old] = made if before is None else before.merged(made)

        def renamed(value: Value) -> Value:
            calls = frozenset(c.renamed(renamed) if hasattr(c, "renamed") else c for c in value.calls)
            if not value.refs & aged and calls == value.calls:
                return value
            refs = frozenset(Ref(r.site, True) if r in aged else r for r in value.refs)
            return replace(value, refs=refs, calls=calls)

        for name, value in self.names.items():
            self.names[name] = renamed(value)
        self.stack[:] = [renamed(v) for v in self.stack]
        for ref, made in self.heap.items():
            self.heap[ref] = _renamed(made, renamed)
        return [renamed(v) for v in values]

    def change(self, ref: Ref, made: Object) -> None:
        """Replace an object; one that stands for several keeps what it was as well."""
        self.heap[ref] = made if not ref.older else self.heap[ref].merged(made)

    def reached(self, value: Value, whole: bool = False) -> tuple[frozenset[Edge], frozenset[str]]:
        """Everything in a value, however deep, and why parts of it are opaque.

        ``whole``: also what can be reached by calling it.
        """
        edges: set[Edge] = set()
        opaque: set[str] = set()
        pending, seen = [value], set()
        while pending:
            each = pending.pop()
            edges |= each.edges
            opaque |= each.opaque
            for called in each.calls:
                if whole or called.holds_data:
                    pending.extend(v for v in called.values if v not in seen)
                    seen.update(called.values)
            for ref in each.refs:
                if ref not in seen and ref in self.heap:
                    seen.add(ref)
                    made = self.heap[ref]
                    pending += [made.own, made.elements, made.keys, *made.members.values()]
                    if isinstance(made.made, Value):
                        pending.append(made.made)
        return frozenset(edges), frozenset(opaque)


def _renamed(made: Object, renamed: Any) -> Object:
    return replace(
        made,
        own=renamed(made.own),
        members={n: renamed(v) for n, v in made.members.items()},
        elements=renamed(made.elements),
        keys=renamed(made.keys),
        made=renamed(made.made) if isinstance(made.made, Value) else made.made,
    )
