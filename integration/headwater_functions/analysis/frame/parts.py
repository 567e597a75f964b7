"""The part of a value under a key: items, columns, rows, slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from headwater_functions.analysis.callables import Call, Closure, Library, Method, Partial
from headwater_functions.analysis.frame.elements import Elements, as_value, constant_elements
from headwater_functions.analysis.heap import BY_KEYS, GROUPS, MAKES, ORDERED, SEQUENCES, Object, is_index
from headwater_functions.analysis.values import (
    COMPUTE,
    COMPUTED,
    NOTHING,
    Ref,
    Value,
    constant,
    extracted,
    join,
    with_edges,
)

FEW_CHARACTERS = 4
_GENERIC = frozenset({Library("typing.Generic")})
ACCESSORS = frozenset({"loc", "iloc", "at", "iat", "str", "dt", "cat", "values", "array", "list", "struct"})


class Parts(Elements):
    """Taking parts of values."""

    def item(self, value: Value, key: Value) -> Value:
        """The part of a value under a key."""
        self.touch_for(value, key)
        if value.calls == _GENERIC:
            return value
        if any(m.kind in GROUPS for _, m in self.objects(value)):
            return self.part_of_group(value, key)
        key = self._called(key, value)
        accessor = next((c for c in value.calls if isinstance(c, Method) and c.name in ACCESSORS), None)
        if accessor is not None:
            return self._located(accessor, key)
        self._asked(value, key)
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

    def _asked(self, value: Value, key: Value) -> None:
        """A dictionary that makes what it has not has the key since."""
        for ref, made in self.objects(value):
            if made.made == MAKES:
                deciding = self.decided(self.pc, [key])
                own = with_edges(made.own, deciding.edges, deciding.opaque)
                self.state.change(ref, replace(made, own=own, keys=join(made.keys, key)))

    def _called(self, key: Value, value: Value) -> Value:
        """The key, or what a function of the program that is one gives for what is taken of."""
        functions = [c for c in key.calls if isinstance(c, Closure)]
        if any(isinstance(c, Partial) for c in key.calls):
            raise self.unreadable("CALLBACK", "its key is a function", "call the function itself")
        given = Value(value.edges, value.refs, value.constants, other=value.other, opaque=value.opaque)
        ways = [partial(self.reader.call, c, Call("", [given]), self) for c in functions]
        return self.one_of(ways, NOTHING) if functions else key

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
        parts.append(self.held([Value(calls=value.calls)]))
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
            return join(*parts, self.held([Value(calls=value.calls)]))
        return self.decided(join(*parts), [key])

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
            return as_value(single.value[0]), as_value(single.value[1])
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
        if value.constants or value.calls:
            parts += [COMPUTED, self.held([value])]
        return join(*parts)


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def _constant_item(value: Any, key: Any) -> Value:
    try:
        return as_value(value[key])
    except (KeyError, IndexError, TypeError):
        return COMPUTED
