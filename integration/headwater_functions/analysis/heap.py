"""Objects that a function makes or is given, and the state of a function between two instructions.

An object is named by the place where it is made. The newest one of a place can be changed for certain; the older ones
of it are one object, to which changes are only added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from headwater_functions.analysis.values import NOTHING, Edge, Ref, Value, extracted, join, with_edges
from headwater_functions.unreadable import UnreadableError

MOST_WORK = 20_000
_TOGETHER = 8
"""Edges, or parts of objects, that cost as much as one value."""
_HELD = Ref(("held",))
"""What is about to be made, while what was made before gets older."""

SEQUENCES = frozenset({"list", "tuple", "set"})
GROUPS = frozenset({"group", "column group"})
"""A frame, or a column, in groups: ``members`` are the keys by name, ``made`` is what is grouped."""
BY_KEYS = "by keys"
"""A column with keys of groups in its index: ``members`` are the keys, ``elements`` the values, ``keys`` its name."""
DISPATCHER = "dispatcher"
"""What chooses among functions by the class of an argument: ``elements`` are the functions."""
INDEX = "\0index "
"""Before the name of a frame's member that is in its index."""
ORDERED = "ordered"
"""What a frame is ``made`` of whose columns have the order of its members."""
UNORDERED = "unordered"
"""What a frame or a dictionary is ``made`` of whose parts may have another order than its members."""
MAKES = "makes"
"""What a dictionary is ``made`` of that makes what it has not, in any order."""
CHANGED = Ref(("changed",))
"""The object of what parts of arguments were changed to: ``members`` are by where a part was taken, and its path."""


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

    @property
    def disordered(self) -> str:
        """What it is ``made`` of once its parts may have another order than its members."""
        return MAKES if self.made == MAKES else UNORDERED

    def merged(self, other: Object) -> Object:
        """Any of two objects."""
        in_order = [*self.members] == [*other.members] or self.kind not in ("dict", "frame")
        if self == other and in_order:
            return self
        names = dict.fromkeys((*self.members, *other.members))
        made = (self.made if self.made == other.made else None) if in_order else self.disordered
        return Object(
            self.kind if self.kind == other.kind else "object",
            join(self.own, other.own),
            {n: join(self.part(n, False), other.part(n, False)) for n in names},
            join(self.elements, other.elements),
            join(self.keys, other.keys),
            made,
        )

    def part(self, name: Any, with_own: bool = True, how: str = "item") -> Value:
        """The part of a name; ``with_own`` with what leads to the object as a whole."""
        known = self.members.get(name)
        if known is None:
            taken = extracted((e for e in self.own.edges if e.how.moves), (how, name))
            known = Value(taken, other=self.own.other or bool(self.own.edges))
            if not taken and self.kind in ("tuple", "record", "object", "list"):
                known = join(known, *self.members.values())
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


class Budget:
    """How much may still be done for one function: values looked at, and objects compared or renamed."""

    def __init__(self, left: int = MOST_WORK) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        """Raises ``UnreadableError`` when nothing is left."""
        self.left -= work
        if self.left < 0:
            raise UnreadableError(
                "TOO_LONG", "reading it takes too long", "divide it, or declare what it does"
            )


@dataclass
class State:
    """Locals, stack and objects at one place of a program; the budget is that of all places together."""

    names: dict[str, Value]
    stack: list[Value]
    heap: dict[Ref, Object]
    budget: Budget = field(default_factory=Budget)

    def copy(self) -> State:
        self.budget.spend(len(self.names) + len(self.stack) + len(self.heap))
        return State(dict(self.names), list(self.stack), dict(self.heap), self.budget)

    def restore(self, before: State) -> None:
        """Be as an earlier state was, of which this one keeps no part."""
        earlier = before.copy()
        self.names.clear()
        self.names.update(earlier.names)
        self.stack[:], self.heap = earlier.stack, earlier.heap

    def join_into(self, other: State) -> bool:
        """Join this state into another one; whether that changed."""
        changed = False
        for name, value in self.names.items():
            before = other.names.get(name)
            if before is value:
                continue
            joined = value if before is None else join(before, value)
            if joined != before:
                other.names[name] = joined
                changed = True
        depth = min(len(self.stack), len(other.stack))
        for i in range(depth):
            if other.stack[i] is self.stack[i]:
                continue
            joined = join(other.stack[i], self.stack[i])
            if joined != other.stack[i]:
                other.stack[i] = joined
                changed = True
        return self._join_heap(other) or changed

    def _join_heap(self, other: State) -> bool:
        changed = False
        self.budget.spend(len(self.heap))
        for ref, made in self.heap.items():
            before = other.heap.get(ref)
            if before is made:
                continue
            joined = made if before is None else self._merged(before, made)
            if joined != before:
                other.heap[ref] = joined
                changed = True
        return changed

    def _merged(self, one: Object, other: Object) -> Object:
        """Any of two objects, of which every few parts are work."""
        self.budget.spend((len(one.members) + len(other.members)) // _TOGETHER)
        return one.merged(other)

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
            self.heap[old] = made if before is None else self._merged(before, made)

        self.budget.spend(len(self.heap) + len(self.names))
        renamed = _Aging(aged, self.budget)
        for name, value in self.names.items():
            self.names[name] = renamed(value)
        self.stack[:] = [renamed(v) for v in self.stack]
        for ref, made in self.heap.items():
            self.heap[ref] = _renamed(made, renamed)
        return [renamed(v) for v in values]

    def disorder(self, value: Value) -> None:
        """Note that parts were taken out of it, or put in between: a part that is put back is the last one."""
        for ref in value.refs & self.heap.keys():
            if self.heap[ref].kind in ("dict", "frame"):
                self.heap[ref] = replace(self.heap[ref], made=self.heap[ref].disordered)

    def change(self, ref: Ref, made: Object) -> None:
        """Replace an object; one that stands for several keeps what it was as well."""
        self.heap[ref] = made if not ref.older else self.heap[ref].merged(made)

    def reached(self, value: Value, whole: bool = False) -> tuple[frozenset[Edge], frozenset[str]]:
        """Everything in a value, however deep, and why parts of it are opaque.

        ``whole``: also what can be reached by calling it.
        """
        if not value.refs and not value.calls:
            self.budget.spend(1 + len(value.edges) // _TOGETHER)
            return value.edges, value.opaque
        edges: set[Edge] = set()
        opaque: set[str] = set()
        pending: list[Value] = [value]
        seen: set[Any] = set()
        while pending:
            each = pending.pop()
            self.budget.spend(1 + len(each.edges) // _TOGETHER)
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


class _Aging:
    """Gives a value with older objects in place of the newest ones, also where what can be called is bound to them."""

    def __init__(self, aged: set[Ref], budget: Budget) -> None:
        self._aged, self._budget = aged, budget
        self._known: dict[Value, Value] = {}

    def __call__(self, value: Value) -> Value:
        if not value.calls:
            return (
                value if value.refs.isdisjoint(self._aged) else replace(value, refs=self._older(value.refs))
            )
        found = self._known.get(value)
        if found is None:
            self._budget.spend(1)
            calls = frozenset(c.renamed(self) if hasattr(c, "renamed") else c for c in value.calls)
            same = calls == value.calls and value.refs.isdisjoint(self._aged)
            found = value if same else replace(value, refs=self._older(value.refs), calls=calls)
            self._known[value] = found
        return found

    def _older(self, refs: frozenset[Ref]) -> frozenset[Ref]:
        return frozenset(Ref(r.site, True) if r in self._aged else r for r in refs)


def _renamed(made: Object, renamed: Any) -> Object:
    members = {n: renamed(v) for n, v in made.members.items()}
    own, elements, keys = renamed(made.own), renamed(made.elements), renamed(made.keys)
    of = renamed(made.made) if isinstance(made.made, Value) else made.made
    same = own is made.own and elements is made.elements and keys is made.keys and of is made.made
    if same and all(members[n] is v for n, v in made.members.items()):
        return made
    return Object(made.kind, own, members, elements, keys, of)
