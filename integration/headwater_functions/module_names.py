"""What a module binds to its names, as functions that use these find it. Modules are compiled, and never imported."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import (
    Closure,
    Dispatched,
    Library,
    Method,
    OwnClass,
    Partial,
    Scope,
    Super,
)
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.attributes import MOST_BOUND
from headwater_functions.analysis.frame.elements import LAZY
from headwater_functions.analysis.heap import DISPATCHER, Object, State
from headwater_functions.analysis.reader import Reader
from headwater_functions.analysis.values import HELD, NOTHING, Value, computed, constant, join
from headwater_functions.bytecode.opcodes import OPCODES
from headwater_functions.code import Code, Function, of_code_object
from headwater_functions.unreadable import UnreadableError


def python_version() -> str:
    """The version of this Python, as code objects have it."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def compiled(source: str | bytes, file: str) -> Code:
    """The code of a module. Raises ``SyntaxError``, and ``UnreadableError`` for a Python that is not known."""
    version = python_version()
    if version not in OPCODES:
        raise UnreadableError("VERSION", f"Python {version} compiled it", f"use one of {', '.join(OPCODES)}")
    return of_code_object(compile(source, file, "exec", dont_inherit=True), version)


def names_of_module(
    module: Function,
    rebound: Collection[str] = (),
    changing: Collection[str] | None = None,
    *,
    registers: bool = False,
) -> tuple[Scope, Mapping[str, Value]]:
    """The names as functions of the module see them, and as they are when it ends. Raises ``UnreadableError``.

    ``rebound`` may be others later; what containers of the names in ``changing`` hold may be, too. If that is given,
    then what is in containers in containers is not certain either. ``registers``: whether functions that are chosen by
    classes may be more than the module itself registers.
    """
    scope = Scope(module.globals)
    reader = Reader(module=True)
    closure = Closure(module.code, scope)
    frame = Frame(reader, closure, State({}, [], {}), (), NOTHING)
    bound = reader.names_of(closure, frame)
    _fix_choices(frame, registers)
    names = {name: _settled(frame, value) for name, value in bound.items()}
    if reader.broken:
        raise UnreadableError("MODULE", f"its module is not read: {reader.broken}")
    if changing is not None:
        for value in names.values():
            _forget_changing(value, changing)
    for name, value in names.items():
        frozen = _frozen(frame, value)
        may_change = (
            changing is not None and _is_container(frozen) and (name in changing or _is_nested(frozen))
        )
        scope[name] = _changing(name) if may_change else frozen
    scope.update({name: _changing(name) for name in rebound})
    return scope, names


def _forget_changing(value: Value, changing: Collection[str]) -> None:
    """Take what functions may put into containers of a class for something unknown."""
    for kind in (c for c in value.calls if isinstance(c, OwnClass)):
        for name, member in kind.record.members.items():
            held = member.single if isinstance(member, Value) else None
            if held is not None and _is_container(held.value) and f".{name}" in changing:
                kind.record.members[name] = _changing(name)


def _fix_choices(frame: Frame, registers: bool) -> None:
    """Note what chooses among functions that are not all known."""
    for ref, made in frame.state.heap.items():
        if made.kind == DISPATCHER and (registers or made.own != NOTHING or ref.older):
            unknown = computed((), ("it chooses among functions that may be registered elsewhere",))
            frame.state.heap[ref] = replace(made, elements=unknown)


def _chosen(frame: Frame, value: Value, deep: int) -> Value:
    """The value with what chooses among the functions that were registered by now."""
    found = {r: m for r, m in frame.objects(value) if m.kind == DISPATCHER}
    if not found:
        return value
    opaque = frozenset().union(value.opaque, *(m.elements.opaque for m in found.values()))
    calls = frozenset(Dispatched(_settled(frame, m.elements, deep + 1)) for m in found.values())
    return replace(value, refs=value.refs - frozenset(found), calls=value.calls | calls, opaque=opaque)


def _settled(frame: Frame, value: Value, deep: int = 0) -> Value:
    """The value, whose functions have what is in the variables around them, and not the variables."""
    value = _chosen(frame, value, deep) if deep <= MOST_BOUND else value
    if not value.calls or deep > MOST_BOUND:
        return value
    return replace(value, calls=frozenset(_settled_call(frame, each, deep + 1) for each in value.calls))


def _settled_call(frame: Frame, called: Any, deep: int) -> Any:
    match called:
        case Closure():
            return replace(called, cells=tuple(_in_cell(frame, each, deep) for each in called.cells))
        case Partial():
            function = _settled(frame, called.function, deep)
            return replace(
                called, function=function, args=tuple(_settled(frame, a, deep) for a in called.args)
            )
        case Library() if called.values:
            return replace(called, values=tuple(_settled(frame, each, deep) for each in called.values))
        case OwnClass():
            for name, member in called.record.members.items():
                if isinstance(member, Value) and (member.refs or member.calls):
                    called.record.members[name] = NOTHING  # what refers to its class is settled once
                    settled = _settled(frame, member, deep)
                    called.record.members[name] = _member(frame, settled, name) if settled.refs else settled
        case _:
            pass
    return called


def _member(frame: Frame, value: Value, name: str) -> Value:
    """A member of a class that the module made: constant, or nothing that is known."""
    plain = _frozen(frame, value)
    if isinstance(plain, Value):
        return computed((), (f"{name} of its class is not known",))
    return constant(plain)


def _in_cell(frame: Frame, cell: Value, deep: int) -> Value:
    """What a variable around a function holds, if it holds nothing that the module made."""
    cells = [made for _, made in frame.objects(cell) if made.kind == "cell"]
    if not cells or len(cells) != len(cell.refs):
        return cell
    held = _chosen(frame, join(*(made.part("content") for made in cells)), deep)
    if any(made.elements is not NOTHING for made in cells) or held.refs or held.edges:
        return cell
    return _settled(frame, held, deep)


def _changing(name: str) -> Value:
    return computed((), (f"it uses {name} of its module, which may change",))


def _is_container(data: Any) -> bool:
    return isinstance(data, dict | list)


def _is_nested(data: Any) -> bool:
    """Whether it is a container with others in it that can change."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list | tuple) else ()
    return any(_is_container(p) or (isinstance(p, tuple) and _is_nested(p)) for p in parts)


def _frozen(frame: Frame, value: Value) -> Any:
    """A value of the module as functions see it: constant, or to be called; objects are not looked into."""
    if not value.refs:
        known = join(value, HELD) if value.other and not value.calls else value
        return known if not _holds_objects(value) else HELD
    made = [m for _, m in frame.objects(value)]
    if any(m.kind in LAZY for m in made):
        return computed((), ("it uses an iterator that its module made",))
    plain = [_plain(frame, m) for m in made]
    if len(plain) == 1 and plain[0] is not None and not value.edges:
        return plain[0]
    if any(isinstance(each.made, OwnClass) for each in frame.within([value])):
        return computed((), ("it uses an object of a class that its module made",))
    return HELD


def _holds_objects(value: Value) -> bool:
    """Whether something that can be called holds objects that the module made."""
    inside = [v for c in value.calls if isinstance(c, Closure | Method | Partial | Super) for v in c.values]
    return any(v.refs or _holds_objects(v) for v in inside)


def _plain(frame: Frame, made: Object) -> Any:
    """A container of constants, as a constant."""
    if (
        made.elements is not NOTHING
        or made.own != NOTHING
        or made.kind not in ("dict", "list", "tuple", "set")
    ):
        return None
    items = {}
    for name, value in made.members.items():
        held = value.single.value if value.single is not None else None
        if value.single is None and value.calls and not value.refs:
            held = value
        elif value.single is None:
            inner = [_plain(frame, m) for _, m in frame.objects(value)]
            held = inner[0] if len(inner) == 1 else None
            if held is None:
                return None
        items[name] = held
    if made.kind == "dict":
        return items
    return tuple(items.values()) if made.kind == "tuple" else list(items.values())
