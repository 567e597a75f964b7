"""What can be called: functions and classes of the program, those of libraries by their names, and bound methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from headwater_functions.analysis.values import NOTHING, Value, join
from headwater_functions.code import Class, Code

Renamed: TypeAlias = Callable[[Value], Value]


class Scope(dict[str, Any]):
    """The globals of a module or a pickle: records by name, the same object for all functions of it."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # a dict says that it has none

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


@dataclass(frozen=True)
class Closure:
    """A function of the program, with the values of its cells and its defaults."""

    code: Code
    scope: Scope = field(repr=False)
    cells: tuple[Value, ...] = ()
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[tuple[str, Value], ...] = ()
    kept: bool = False
    """Whether results are kept, and given back for arguments that are equal."""
    holds_data = False

    @property
    def values(self) -> tuple[Value, ...]:
        return (*self.cells, *self.defaults, *(v for _, v in self.keyword_defaults))

    @cached_property
    def depth(self) -> int:
        return 1 + max(map(depth_of, self.values), default=0)

    def renamed(self, renamed: Renamed) -> Closure:
        if all(renamed(value) is value for value in self.values):
            return self
        return replace(
            self,
            cells=tuple(map(renamed, self.cells)),
            defaults=tuple(map(renamed, self.defaults)),
            keyword_defaults=tuple((n, renamed(v)) for n, v in self.keyword_defaults),
        )


def depth_of(value: Value) -> int:
    """How deep what can be called is nested in the value: what it is called on, or bound to, can be called as well."""
    return max((c.depth for c in value.calls if isinstance(c, _DEEP)), default=0)


MOST_NAMES = 8
"""Attributes of attributes of a library that are distinguished."""
UNREAD = "?"
"""How the names begin of what is in no library: nothing is known of it, nor of its attributes."""


@dataclass(frozen=True)
class Library:
    """A module, or something in one, by its dotted name; what is built in has no dots."""

    name: str
    values: tuple[Value, ...] = ()
    holds_data = False

    def attribute(self, name: str) -> Library:
        """What it has under that name."""
        if self.name.startswith(UNREAD):
            return self
        if self.name.count(".") >= MOST_NAMES:
            return Library(f"{UNREAD}an attribute of many others", self.values)
        return Library(f"{self.name}.{name}", self.values)


MOST_METHODS = 4
"""Methods of methods that are distinguished."""


@dataclass(frozen=True)
class Method:
    """A method of a value, or another attribute of it."""

    name: str
    receiver: Value
    holds_data = False

    @cached_property
    def depth(self) -> int:
        return 1 + depth_of(self.receiver)

    @staticmethod
    def of(name: str, receiver: Value) -> Method:
        """The method; of what is a method of methods itself, no more is known than what it is made of."""
        made = Method(name, receiver)
        if made.depth <= MOST_METHODS:
            return made
        known, pending = NOTHING, [receiver]
        while pending:
            each = pending.pop()
            known = join(known, replace(each, calls=frozenset(), other=True))
            pending += [c.receiver for c in each.calls if isinstance(c, Method)]
        others = frozenset(c for c in receiver.calls if not isinstance(c, Method))
        return Method(name, replace(known, calls=others))

    @property
    def values(self) -> tuple[Value, ...]:
        return (self.receiver,)

    def renamed(self, renamed: Renamed) -> Method:
        return Method(self.name, renamed(self.receiver))


@dataclass(frozen=True)
class Partial:
    """Something that can be called with some arguments given before, as a method is with what it is a method of."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()
    holds_data = True
    name = "partial"

    @property
    def values(self) -> tuple[Value, ...]:
        return (self.function, *self.args, *(v for _, v in self.keywords))

    @cached_property
    def depth(self) -> int:
        return 1 + max(map(depth_of, self.values))

    def renamed(self, renamed: Renamed) -> Partial:
        keywords = tuple((n, renamed(v)) for n, v in self.keywords)
        return Partial(renamed(self.function), tuple(map(renamed, self.args)), keywords)


def getters_of(member: Value) -> list[Closure]:
    """The functions that compute an attribute of instances, where a class has a property, also one that is kept."""
    return _of_property(member, 0)


def setters_of(member: Value) -> list[Closure]:
    """The functions that are called where such an attribute is set."""
    return [] if is_kept_property(member) else _of_property(member, 1)


_PROPERTIES = ("property()", "functools.cached_property()")


def _of_property(member: Value, place: int) -> list[Closure]:
    made = [c for c in member.calls if isinstance(c, Library) and c.name in _PROPERTIES]
    given = [p.values[place] for p in made if len(p.values) > place]
    functions = [c for v in given for c in v.calls if isinstance(c, Closure)]
    count = sum(len(v.calls) for v in given)
    return functions if len(made) == len(member.calls) and len(functions) == count == len(made) else []


def is_kept_property(member: Value) -> bool:
    """Whether an instance keeps what the property gave it first, and may be given something else."""
    return any(isinstance(c, Library) and c.name == _PROPERTIES[1] for c in member.calls)


def bound_before(member: Value) -> list[Partial]:
    """The functions of ``functools.partialmethod``, with the arguments that follow the instance."""
    made = [c for c in member.calls if isinstance(c, Library) and c.name == "functools.partialmethod()"]
    found = [c for m in made for v in m.values for c in v.calls if isinstance(c, Partial)]
    plain = all(
        all(isinstance(c, Closure) for c in each.function.calls) and each.function.calls for each in found
    )
    return found if plain and len(made) == len(member.calls) == len(found) else []


def unwrapped(member: Value) -> Value:
    """The function of a static method; any other member of a class as it is."""
    made = [c for c in member.calls if isinstance(c, Library) and c.name == "staticmethod()"]
    return join(*(v for c in made for v in c.values)) if made else member


def of_class(member: Value) -> frozenset[Closure]:
    """The functions of a class method."""
    made = [c for c in member.calls if isinstance(c, Library) and c.name == "classmethod()"]
    found = frozenset(c for m in made for v in m.values for c in v.calls if isinstance(c, Closure))
    return found if len(made) == len(member.calls) == len(found) else frozenset()


@dataclass(frozen=True)
class OwnClass:
    """A class of the program; ``kind``: dataclass, namedtuple, or class."""

    record: Class = field(repr=False)
    scope: Scope = field(repr=False)
    kind: str
    fields: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    holds_data = False


@dataclass(frozen=True)
class Kept:
    """An instance that the program made before: its class, and its attributes as records. Nobody may change it."""

    kind: OwnClass
    record: Any = field(repr=False)
    state: Mapping[str, Any] = field(compare=False, repr=False)
    values: tuple[Value, ...] = ()
    holds_data = True

    @property
    def name(self) -> str:
        return self.kind.record.name


@dataclass(frozen=True)
class Super:
    """An instance as a class sees it that its own class inherits from: what that class has itself does not count."""

    above: Class = field(repr=False)
    kind: OwnClass
    receiver: Value
    holds_data = True

    @property
    def values(self) -> tuple[Value, ...]:
        return (self.receiver,)

    def renamed(self, renamed: Renamed) -> Super:
        return Super(self.above, self.kind, renamed(self.receiver))


def is_own(called: Any) -> bool:
    """Whether it is code of the program that may be called; an instance may be, as far as this knows."""
    return isinstance(called, Closure | Partial | Dispatched | Kept)


@dataclass(frozen=True)
class Dispatched:
    """What ``functools.singledispatch`` made: it calls one of several functions, by the class of what it is given."""

    functions: Value
    holds_data = False
    name = "singledispatch"

    @property
    def values(self) -> tuple[Value, ...]:
        return (self.functions,)

    @cached_property
    def depth(self) -> int:
        return 1 + depth_of(self.functions)

    def renamed(self, renamed: Renamed) -> Dispatched:
        return Dispatched(renamed(self.functions))


@dataclass(frozen=True)
class Pending:
    """The body of a generator, which runs when it is asked for elements."""

    function: Closure
    names: tuple[tuple[str, Value], ...]
    site: tuple[Any, ...]
    holds_data = True

    @property
    def values(self) -> tuple[Value, ...]:
        return (*self.function.values, *(v for _, v in self.names))

    def renamed(self, renamed: Renamed) -> Pending:
        names = tuple((n, renamed(v)) for n, v in self.names)
        function = self.function.renamed(renamed)
        return Pending(function, names, self.site)


@dataclass
class Call:
    """A call of something.

    ``spread``: those of its arguments that come after the first ``fixed`` are elements of a sequence of unknown length.
    """

    name: str
    args: Sequence[Value]
    keywords: Mapping[str, Value] = field(default_factory=dict)
    receiver: Value | None = None
    spread: bool = False
    fixed: int = 0

    def copied(self) -> Call:
        """The same call, whose arguments can be changed."""
        return replace(self, args=list(self.args), keywords=dict(self.keywords))

    def after(self, *given: Value) -> Call:
        """The call with arguments before its own."""
        return Call(
            "", [*given, *self.args], self.keywords, spread=self.spread, fixed=len(given) + self.fixed
        )

    @property
    def all(self) -> list[Value]:
        receiver = [] if self.receiver is None else [self.receiver]
        return [*receiver, *self.args, *self.keywords.values()]

    def argument(self, position: int, name: str = "") -> Value | None:
        if name and name in self.keywords:
            return self.keywords[name]
        return self.args[position] if position < len(self.args) and not self.spread else None


_DEEP = (Closure, Method, Partial, Dispatched)
