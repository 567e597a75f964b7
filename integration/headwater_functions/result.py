"""What a function does to its arguments: for each part of its result, the paths it is made of, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headwater_functions.analysis.callables import Closure, Pending
from headwater_functions.analysis.constants import NO_MODULES, Modules, closure_of
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import (
    BY_KEYS,
    CHANGED,
    GROUPS,
    MOST_WORK,
    ORDERED,
    SEQUENCES,
    Budget,
    Object,
    State,
    is_index,
)
from headwater_functions.analysis.reader import Reader
from headwater_functions.analysis.values import COMPUTE, NOTHING, Edge, How, Path, Ref, Value, after, changed
from headwater_functions.code import GENERATOR, Function
from headwater_functions.confined import confined
from headwater_functions.held import held_in
from headwater_functions.unreadable import UnreadableError

ANY = "\0any"
"""In place of a name or position: any element, or any value of a dictionary."""
KEYS = "\0keys"
"""In place of a name: the names themselves."""
MOST_NESTING = 8


@dataclass(frozen=True)
class Part:
    """A part of a result: what leads to it as a whole, and its own parts by name or position.

    ``replaces``: edges that move are of no name that ``members`` has.
    """

    edges: frozenset[Edge] = frozenset()
    members: Mapping[Any, Part] = field(default_factory=dict)
    opaque: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    replaces: bool = False

    def all_edges(self) -> Iterator[Edge]:
        yield from self.edges
        for member in self.members.values():
            yield from member.all_edges()


@dataclass(frozen=True)
class Analysis:
    """A function that was read."""

    name: str
    file: str
    line: int
    parameters: tuple[str, ...]
    result: Part
    calls: frozenset[str] = frozenset()
    """Why calls in it were not read, whoever uses their results."""
    held: frozenset[str] = frozenset()
    """The data that it carries (``held.held_in``)."""

    @property
    def unread(self) -> frozenset[str]:
        """Why parts of the result may hold more than is known."""
        return self.calls | _marks(self.result)


def _marks(part: Part) -> frozenset[str]:
    return part.opaque.union(*(_marks(m) for m in part.members.values()))


_DAMAGE = (IndexError, KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError)
"""What code that no compiler wrote may lead to."""


MOST_PARTS = 4
"""How many times the work of one function what was put together of several may take."""


@confined
def analyse(
    function: Function, arguments: int | None = None, modules: Modules = NO_MODULES, *, parts: int = 1
) -> Analysis:
    """Read a function, which is called with so many arguments by position, and may use those modules.

    It was put together of so many ``parts``, up to `MOST_PARTS` of which are given as much work as a function. Raises
    ``UnreadableError``.
    """
    reader = Reader(modules=modules)
    code = function.code
    state = State({}, [], {}, Budget(MOST_WORK * min(parts, MOST_PARTS)))
    try:
        closure = closure_of(function)
        frame = Frame(reader, closure, state, (), NOTHING)
        names = _arguments(closure, arguments, state)
        if code.flags & GENERATOR:
            pending = Pending(closure, tuple(sorted(names.items())), ("root",))
            value = state.allocate(
                ("root", "generator"), Object("generator", made=Value(calls=frozenset((pending,))))
            )
        else:
            value, _ = reader.run(closure, names, frame, ("root",))
        part = _written(_part(frame, value, 0, frozenset()), reader)
        held = held_in(function, *modules.scopes.values())
    except RecursionError as e:
        raise UnreadableError("TOO_DEEP", "it is nested too deeply", "divide it") from e
    except _DAMAGE as e:
        raise UnreadableError("BYTECODE", f"its code is not as Python writes it ({type(e).__name__})") from e
    return Analysis(
        code.name, code.file, code.first_line, code.parameters, part, frozenset(reader.unread), held
    )


def _arguments(closure: Closure, count: int | None, state: State) -> dict[str, Value]:
    code = closure.code
    names: dict[str, Value] = {}
    positional = code.variables[: code.argument_count]
    given = len(positional) if count is None else count
    defaults = dict(
        zip(positional[len(positional) - len(closure.defaults) :], closure.defaults, strict=False)
    )
    defaults.update(dict(closure.keyword_defaults))
    for place, name in enumerate(positional):
        argument = Object("argument", Value(frozenset((Edge((place,), _MOVED),)), other=True))
        if place < given:
            names[name] = state.allocate(("argument", place), argument)
    for name in code.variables[: code.argument_count + code.keyword_only_count]:
        names.setdefault(name, defaults.get(name, NOTHING))
    place = code.argument_count + code.keyword_only_count
    if code.flags & 4:
        rest = range(len(positional), max(given, len(positional)))
        if count is None:
            raise UnreadableError("ARGUMENTS", "it takes any number of arguments", "name the arguments")
        members = {
            i: state.allocate(
                ("argument", p), Object("argument", Value(frozenset((Edge((p,), _MOVED),)), other=True))
            )
            for i, p in enumerate(rest)
        }
        names[code.variables[place]] = state.allocate(("rest",), Object("tuple", members=members))
        place += 1
    if code.flags & 8:
        names[code.variables[place]] = state.allocate(("keywords",), Object("dict"))
    names.update((f"\0{n}", c) for n, c in zip(code.free, closure.cells, strict=False))
    for name in code.cells:
        cell = Object("cell", members={"content": names.get(name, NOTHING)})
        names[f"\0{name}"] = state.allocate(("cell", name), cell)
    return names


_MOVED = How()


def _part(frame: Frame, value: Value, depth: int, seen: frozenset[Ref]) -> Part:
    if depth > MOST_NESTING or value.refs & seen:
        reached, marks = frame.state.reached(value)
        edges, opaque = {Edge(e.path, _whole(e)) for e in reached}, set(marks)
        _add_changes(frame, frozenset(), {}, edges, opaque)
        return Part(frozenset(edges), {}, frozenset(opaque))
    edges, opaque = set(value.edges), set(value.opaque)
    is_one = len(value.refs) == 1 and not any(e.how.moves for e in value.edges)
    members: dict[Any, list[Value]] = {}
    kinds: set[str] = {"other"} if value.other or value.constants else set()
    for ref in sorted(value.refs, key=repr):
        made = frame.state.heap.get(ref)
        if made is None:
            continue
        kinds.add(made.kind)
        if made.made == ORDERED and is_one:
            kinds.add(ORDERED)
        edges |= made.own.edges
        opaque |= made.own.opaque
        for name, part in _members(frame, ref, made):
            members.setdefault(name, []).append(part)
    _add_changes(frame, value.refs, members, edges, opaque)
    inner = seen | value.refs
    parts = {
        name: _merged([_part(frame, v, depth + 1, inner) for v in values]) for name, values in members.items()
    }
    return Part(frozenset(edges), parts, frozenset(opaque), frozenset(kinds), is_one)


def _add_changes(
    frame: Frame, refs: frozenset[Ref], members: Mapping[Any, Any], edges: set[Edge], opaque: set[str]
) -> None:
    """What parts of arguments were changed to is in all that is taken of these, too.

    The object that was changed has it as a member.
    """
    known = frame.state.heap.get(CHANGED, Object("changed")).members
    pending = {
        place: value
        for place, value in known.items()
        if not (refs and {r.site for r in refs} == {place[0]} and _last(place[1]) in members)
    }
    while True:
        met = [p for p in pending if any(_meets(edge, Edge(p[1], _MOVED)) for edge in edges)]
        if not met:
            return
        for place in met:
            reached, marks = frame.state.reached(pending.pop(place))
            edges |= changed(reached, COMPUTE)
            opaque |= marks


def _last(path: Path) -> Any:
    return path[-1][1] if path[-1][0] == "item" else ANY


def _written(part: Part, reader: Reader) -> Part:
    """The part, where what was changed in place may be held by another name."""
    more: set[Edge] = set()
    marks: set[str] = set()
    for before, value in reader.written:
        if any(_meets(edge, each) for edge in part.edges for each in before.edges):
            more |= value.edges
            marks |= value.opaque
    members = {name: _written(member, reader) for name, member in part.members.items()}
    return replace(part, edges=part.edges | more, members=members, opaque=part.opaque | marks)


def _meets(one: Edge, other: Edge) -> bool:
    """Whether two paths may be of the same value: of one argument, and of no two members."""
    names = [_first_name(e.path) for e in (one, other)]
    return one.path[0] == other.path[0] and (None in names or names[0] == names[1])


def _first_name(path: Path) -> Any:
    """The first member that a path has; None if that may be any."""
    kind, key = next((step for step in path[1:] if step[0] not in _THROUGH), ("any", None))
    return key if kind in ("item", "attr") and isinstance(key, str) else None


_THROUGH = frozenset({"each", "rows", "slice"})
"""Steps to what has the same members, or to what is in between."""


def _whole(edge: Edge) -> Any:
    return after(edge.how, COMPUTE)


def _members(frame: Frame, ref: Ref, made: Object) -> Iterator[tuple[Any, Value]]:
    if made.kind in ("generator", "iterator"):
        yield ANY, frame.element(Value(refs=frozenset((ref,))))
    elif made.kind in ("cell", "getter", BY_KEYS) or made.kind in GROUPS:
        reached, marks = frame.state.reached(Value(refs=frozenset((ref,))))
        yield ANY, Value(reached, opaque=marks)
    else:
        named = made.members.items()
        yield from ((n, v) for n, v in named if not is_index(n))
        if made.elements is not NOTHING:
            yield ANY, made.elements
        if made.keys is not NOTHING:
            yield KEYS, made.keys
    if made.kind in SEQUENCES and made.kind == "set":
        yield ANY, made.each()


def _merged(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    names = {n for p in parts for n in p.members}
    return Part(
        frozenset().union(*(p.edges for p in parts)),
        {n: _merged([p.members[n] for p in parts if n in p.members]) for n in names},
        frozenset().union(*(p.opaque for p in parts)),
        frozenset().union(*(p.kinds for p in parts)),
    )
