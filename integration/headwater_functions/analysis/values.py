"""What is known of a value while a function is read: which paths of the arguments it is made of, and how.

A ``Value`` is any of several things at once: parts of the arguments (``edges``), objects that the function made
(``refs``), constants, and what can be called. Two values joined are any of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from headwater_facets.kinds import MOVES, Manipulation, Retains, retained

MOST_STEPS = 10
MOST_CONSTANTS = 24

Step = tuple[str, Any]
"""How a part is taken: ``("attr", name)``, ``("item", key)``, ``("any", None)`` for an unknown key,
``("each", None)``, ``("keys", None)``, ``("values", None)``, ``("slice", most characters)``, ``("rows", None)`` for
some rows of a frame or elements of a column, ``("about", name)`` for what is asked of it as such. What it means is up
to the type that is met."""

Path = tuple[Any, ...]
"""The number of an argument, and steps from it."""


class How(NamedTuple):
    """What happened to a part of an argument on its way.

    ``decides``: it only decides, ``CONDITION`` or ``NULL_TEST``; ``extent``: only how many elements it has does.
    """

    manipulation: frozenset[Manipulation] = frozenset()
    retains: Retains = Retains.VALUE
    decides: str = ""
    extent: bool = False
    wraps: bool = False

    @property
    def moves(self) -> bool:
        """Whether each part of the source is the same part of the result."""
        return not self.decides and not self.extent and MOVES.issuperset(self.manipulation)


class Edge(NamedTuple):
    """A path of an argument, and what happened to it."""

    path: Path
    how: How


@dataclass(frozen=True)
class Constant:
    """A constant of the program; equal if it is of the same type and the same text, or the same object."""

    key: Any
    value: Any = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Ref(NamedTuple):
    """An object by where it was made; ``older`` stands for all that were made there before the newest."""

    site: tuple[Any, ...]
    older: bool = False


@dataclass(frozen=True)
class Value:
    """See the module's text. ``other``: it may be something else that was computed; ``opaque``: why parts of it are."""

    edges: frozenset[Edge] = frozenset()
    refs: frozenset[Ref] = frozenset()
    constants: frozenset[Constant] = frozenset()
    calls: frozenset[Any] = frozenset()
    other: bool = False
    opaque: frozenset[str] = frozenset()

    @property
    def single(self) -> Constant | None:
        """The constant that it is, whatever decided about it."""
        if self.refs or self.calls or self.other or len(self.constants) != 1:
            return None
        return next(iter(self.constants))


NOTHING = Value()
COMPUTED = Value(other=True)
MUTABLE = (list, dict, set)
"""Types of constants that may be changed in place."""


def constant(value: Any) -> Value:
    """The value of a constant."""
    if isinstance(value, str | bytes | int | type(None)):
        key: tuple[str, Any] = (type(value).__name__, value)
    else:
        # Zeros with a sign and what is no number are distinguished by their text.
        key = (type(value).__name__, repr(value) if isinstance(value, float | complex) else id(value))
    return Value(constants=frozenset((Constant(key, value),)))


NONE = constant(None)


class _Anything(list[Any]):
    """A list of which every part is the list itself."""

    def __getitem__(self, _: Any) -> Any:
        return self


_ANYTHING = _Anything()
_ANYTHING.append(_ANYTHING)
HELD = Value(constants=constant(_ANYTHING).constants, other=True)
"""Something that the program holds outside the function, or a part of that, which may be changed in place."""


def join(*values: Value) -> Value:
    """Any of the values: the first one itself, if it is all of them."""
    first = found = NOTHING
    for value in values:
        if first is NOTHING:
            first = found = value
        elif value is not first and value is not NOTHING:
            found = _either(found, value)
    if found is first or len(found.constants) <= MOST_CONSTANTS:
        return found
    rest = HELD.constants if any(isinstance(c.value, MUTABLE) for c in found.constants) else frozenset()
    return Value(found.edges, found.refs, rest, found.calls, True, found.opaque)


def _either(one: Value, two: Value) -> Value:
    edges = one.edges if two.edges <= one.edges else one.edges | two.edges
    refs = one.refs if two.refs <= one.refs else one.refs | two.refs
    constants = one.constants if two.constants <= one.constants else one.constants | two.constants
    calls = one.calls if two.calls <= one.calls else one.calls | two.calls
    opaque = one.opaque if two.opaque <= one.opaque else one.opaque | two.opaque
    is_one = (
        edges is one.edges
        and refs is one.refs
        and constants is one.constants
        and calls is one.calls
        and opaque is one.opaque
        and (one.other or not two.other)
    )
    return one if is_one else Value(edges, refs, constants, calls, one.other or two.other, opaque)


def with_edges(value: Value, edges: Iterable[Edge], opaque: Iterable[str] = ()) -> Value:
    """The value, to which further edges lead."""
    more, marks = frozenset(edges), frozenset(opaque)
    if more <= value.edges and marks <= value.opaque:
        return value
    return Value(
        value.edges | more, value.refs, value.constants, value.calls, value.other, value.opaque | marks
    )


def computed(edges: Iterable[Edge], opaque: Iterable[str] = ()) -> Value:
    """Something new that the edges lead to."""
    return Value(edges=frozenset(edges), other=True, opaque=frozenset(opaque))


@lru_cache(maxsize=4096)
def after(how: How, step: How) -> How:
    """A step done to the result of an earlier one; what decides stays what it is."""
    if how.decides:
        return how
    if step.decides:
        decides = step.decides if how.moves else "CONDITION"
        return How(decides=decides, extent=(step.extent and how.moves) or how.extent)
    return How(
        how.manipulation | step.manipulation,
        retained(how.retains, step.retains, packed=how.wraps),
        extent=how.extent or (step.extent and how.moves),
        wraps=how.wraps or step.wraps,
    )


def changed(edges: Iterable[Edge], step: How) -> frozenset[Edge]:
    """The edges after a step was done to what they lead to."""
    return frozenset(Edge(e.path, after(e.how, step)) for e in edges)


COMPUTE = How(frozenset({Manipulation.COMPUTE}), Retains.CONTAINS, wraps=True)
PLAIN = COMPUTE._replace(wraps=False)
CAST = How(frozenset({Manipulation.CAST}), Retains.CONTAINS)
PARSE = How(frozenset({Manipulation.PARSE}), Retains.CONTAINS, wraps=True)
SERIALIZE = How(frozenset({Manipulation.SERIALIZE}), Retains.CONTAINS, wraps=True)
FACT = COMPUTE._replace(retains=Retains.FACT)
PART = COMPUTE._replace(retains=Retains.PART)
TOKEN = How(frozenset({Manipulation.MASK}), Retains.TOKEN)
KEYED = How(frozenset({Manipulation.MASK}), Retains.KEYED_TOKEN)
SIZE = How(frozenset({Manipulation.COUNT}), Retains.FACT, extent=True)
OF_FEW = How(frozenset({Manipulation.AGGREGATE}), Retains.OF_FEW, wraps=True)
AGGREGATE = How(frozenset({Manipulation.AGGREGATE}), Retains.CONTAINS, wraps=True)
CONDITION = How(decides="CONDITION")
NULL_TEST = How(decides="NULL_TEST")
EXTENT = How(decides="CONDITION", extent=True)
_EXTRACT = How(frozenset({Manipulation.EXTRACT}))


def extracted(edges: Iterable[Edge], step: Step) -> frozenset[Edge]:
    """The part of what the edges lead to; of what was computed, anything may be in it."""
    short = step[0] == "slice" and step[1] is not None
    return frozenset(_extracted(e, step, short) for e in edges)


def _extracted(edge: Edge, step: Step, short: bool) -> Edge:
    if not edge.how.moves:
        return Edge(edge.path, after(edge.how, PART if short else PLAIN)) if not edge.how.decides else edge
    if len(edge.path) > MOST_STEPS:
        return Edge(edge.path, after(edge.how, COMPUTE))
    return Edge((*edge.path, step), after(edge.how, _EXTRACT))
