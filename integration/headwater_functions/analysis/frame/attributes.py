"""Attributes of values: members, methods, and what the program's classes say of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from headwater_functions.analysis.callables import (
    Call,
    Closure,
    Dispatched,
    Kept,
    Library,
    Method,
    OwnClass,
    Partial,
    Super,
    bound_before,
    getters_of,
    is_kept_property,
    of_class,
    unwrapped,
)
from headwater_functions.analysis.classes import chain, is_descriptor
from headwater_functions.analysis.constants import member_of, value_of_record
from headwater_functions.analysis.frame.parts import Parts
from headwater_functions.analysis.frame.work import is_data
from headwater_functions.analysis.heap import DISPATCHER, GROUPS, Object, is_index
from headwater_functions.analysis.values import NONE, NOTHING, Value, constant, extracted, join

MOST_BOUND = 12
"""How deep a function may be bound to others that are bound in turn."""
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
_BEFORE = frozenset({"__cause__", "__context__", "__traceback__", "tb_frame", "f_locals"})
_ABOUT = frozenset({"index", "shape", "size", "empty", "ndim"})
"""Those that tell nothing of the values, but how many rows there are, and under which labels."""


class Attributes(Parts):
    """Asking values for attributes."""

    def attribute(self, value: Value, name: str) -> Value:  # noqa: PLR0912 - a kind of holder each
        """An attribute of a value, which may be one of its members, or a method."""
        self.touch_for(value, constant(name))
        if name in _BEFORE:
            raise self.unreadable(
                "CONSTRUCT",
                f"it asks an exception for {name}, which is of what came before",
                "keep it yourself",
            )
        if name == "register" and any(m.kind == DISPATCHER for _, m in self.objects(value)):
            return self.partial(Value(calls=frozenset((Library("\0register"),))), (value,))
        parts: list[Value] = []
        if any(m.kind in GROUPS for _, m in self.objects(value)):
            parts.append(self.part_of_group(value, constant(name)))
        elif name in _ABOUT:
            parts.append(self._about(value, name))
        elif name in WHOLE_ATTRIBUTES:
            parts += [self.compute([value]), self.held([value])]
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
                plain.add(_changing_property(called, name) or called.attribute(name))
            elif (found := self._of_own(called, name)) is not None:
                parts.append(found)
        for _, made in self.objects(value):
            member = member_of(made.made, name) if isinstance(made.made, OwnClass) else None
            if member is not None and (name not in made.members or is_kept_property(member)):
                parts.append(self._of_class(made.made, name, member, Value(value.edges, value.refs)))
                if is_kept_property(member):
                    self._keep(value, name, parts[-1])
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

    def _keep(self, instance: Value, name: str, found: Value) -> None:
        """Keep what a property gave in the instance, where it is found from then on."""
        for ref, made in self.objects(instance):
            members = {**made.members, name: join(made.members.get(name, NOTHING), found)}
            self.state.change(ref, replace(made, members=members))

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
        return found is not None and (is_descriptor(found) or bool(Attributes._getters(found)))

    def _of_own(self, called: Any, name: str) -> Value | None:
        """What a class of the program, or an instance that was made before, has under the name."""
        if isinstance(called, OwnClass):
            return self._of_class_itself(called, name)
        if isinstance(called, Dispatched):
            if name == "register":
                raise self.unreadable("GLOBAL", "it registers a function", "register it in its module")
            return self.touched([Value(calls=frozenset((called,)))], f"it uses {name} of a function")
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

    def _of_class_itself(self, kind: OwnClass, name: str) -> Value:
        """What a class has under the name where it is asked for it, and no instance is."""
        asked = Value(calls=frozenset((kind,)))
        odd = next((each for each in chain(kind.record) if each.odd), None)
        if odd is not None:
            return self.touched([asked], f"its class {odd.name} {odd.odd}")
        found = member_of(kind, name)
        if found is None:
            return NONE
        if found.opaque or self._getters(found):
            return self.touched([found], f"{kind.record.name}.{name} is not read")
        functions = of_class(found)
        return self._bound(functions, asked) if functions else unwrapped(found)

    def _of_class(self, kind: OwnClass, name: str, found: Value, instance: Value) -> Value:
        """What an instance has of its class: a method, what a property gives, or a constant."""
        if getters := getters_of(found):
            return self.one_of(
                [partial(self.reader.call, g, Call("", [instance]), self) for g in getters], NOTHING
            )
        if found.opaque or (found.other and found.calls):
            return self.touched([instance, found], f"{kind.record.name}.{name} is not read")
        if bound := bound_before(found):
            return join(*(self.partial(p.function, (instance, *p.args), p.keywords) for p in bound))
        if called := self._getters(found):
            owner = Value(calls=frozenset((kind,)))
            given = [
                (g, Call("", [Value(calls=frozenset((holder,))), instance, owner])) for holder, g in called
            ]
            return self.one_of([partial(self.reader.call, g, call, self) for g, call in given], NOTHING)
        if functions := of_class(found):
            return self._bound(functions, Value(calls=frozenset((kind,))))
        if functions := frozenset(c for c in found.calls if isinstance(c, Closure)):
            return self._bound(functions, instance)
        plain = unwrapped(found)
        if plain is found and not all(isinstance(c, Kept) or is_data(c) for c in found.calls):
            return self.touched([instance, found], f"{kind.record.name}.{name} is not read")
        return plain

    @staticmethod
    def _getters(found: Value) -> list[tuple[Kept, Closure]]:
        """Objects of the program that say themselves what an instance is given in their place, and how they do."""
        kept = [(c, member_of(c.kind, "__get__")) for c in found.calls if isinstance(c, Kept)]
        return [(k, c) for k, m in kept if m is not None for c in m.calls if isinstance(c, Closure)]

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
        return any(isinstance(c, Closure | Partial | Dispatched) for c in value.calls) or any(
            member_of(kind, "__call__") is not None for kind in self._kinds(value)
        )

    def can_call(self, value: Value) -> bool:
        """Whether it is something that is called, and no plain value."""
        return bool(value.calls) or self.calls_own(value)

    def _kinds(self, value: Value) -> list[OwnClass]:
        made = [m.made for _, m in self.objects(value) if isinstance(m.made, OwnClass)]
        return [*made, *(c.kind for c in value.calls if isinstance(c, Kept))]


def _changing_property(called: Library, name: str) -> Library | None:
    """``setter`` and its like, of a property."""
    changes = called.name == "property()" and name in ("getter", "setter", "deleter")
    return Library(f"{called.name}.{name}", called.values) if changes else None
