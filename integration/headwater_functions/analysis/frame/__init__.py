"""A function in the middle of being read: what instructions do to values, as layers that end with changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater_functions.analysis.callables import Method
from headwater_functions.analysis.frame.attributes import Attributes
from headwater_functions.analysis.heap import CHANGED, ORDERED, Object, is_index
from headwater_functions.analysis.values import COMPUTED, NOTHING, Value, constant, join, with_edges


class Frame(Attributes):
    """What instructions work on, with what they change."""

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
        kinds = {made.kind for _, made in self.objects(target)}
        if kinds == {"list"} and key.single is not None and isinstance(key.single.value, slice):
            decides = self.decided(self.extent(value), [key])
            self.add(target, self.decided(self.element(value), [key]), decides=decides, ordered=True)
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
        self.note(target, value, key)
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

    def note(self, target: Value, value: Value, key: Value | None = None) -> None:
        """Keep what a part of an argument is changed to, under a key: what it is a part of has it, too."""
        parts = [(r, m) for r, m in self.objects(target) if m.kind == "argument"]
        places = [(r.site, e.path) for r, m in parts for e in m.own.edges if e.how.moves and len(e.path) > 1]
        if not places:
            return
        single = key.single if key is not None else None
        last = (("item", single.value),) if single is not None and isinstance(single.value, str) else ()
        value = self.decided(with_edges(value, self.pc.edges, self.pc.opaque), [] if key is None else [key])
        known = self.state.heap.get(CHANGED, Object("changed"))
        members = dict(known.members)
        for site, path in places:
            place = site, (*path, *last)
            members[place] = join(value, members.get(place, NOTHING))
        self.state.heap[CHANGED] = replace(known, members=members)

    def _in_order(self, value: Value, count: int) -> list[Value] | None:
        """The columns of a frame that has so many, if their order is known."""
        objects = self.objects(value)
        made = objects[0][1] if len(objects) == 1 and not value.other else None
        if made is None or made.made != ORDERED or len(made.members) != count or made.elements is not NOTHING:
            return None
        if any(map(is_index, made.members)) or any(e.how.moves for e in value.edges | made.own.edges):
            return None
        return [with_edges(v, value.edges | made.own.edges, made.own.opaque) for v in made.members.values()]

    def shorten(self, target: Value, by: Iterable[Value]) -> None:
        """Take elements out of something, as others decide: what is left stands at other places."""
        self.changeable(target)
        decided = self.decided(NOTHING, by)
        self.note(target, decided)
        for ref, made in self.objects(target):
            gone = made.collapsed()
            own = with_edges(gone.own, decided.edges | self.pc.edges, decided.opaque)
            self.state.change(ref, replace(gone, own=own))

    def add(
        self,
        target: Value,
        value: Value,
        *,
        decides: Value = NOTHING,
        keyed: Value | None = None,
        ordered: bool = False,
    ) -> None:
        """Add elements somewhere; ``decides``: what how many they are is up to, besides that a set has each once."""
        self.changeable(target)
        value = with_edges(value, self.pc.edges, self.pc.opaque)
        self.note(target, join(value, decides))
        for ref, made in self.objects(target):
            own = with_edges(made.own, self.pc.edges | decides.edges, self.pc.opaque | decides.opaque)
            if made.kind == "set":
                own = self.decided(own, [value])
            changed_object = replace(made, own=own, elements=join(made.elements, value))
            if keyed is not None:
                changed_object = replace(changed_object, keys=join(made.keys, keyed))
            if ordered:
                changed_object = changed_object.collapsed()
            self.state.change(ref, changed_object)

    def entered(self, manager: Value) -> Value:
        """What ``with`` gives."""
        return self.compute([manager]) if not manager.refs else manager
