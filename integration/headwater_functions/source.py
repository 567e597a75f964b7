"""Functions of a source file, which is compiled and never imported: what each of them does to its arguments."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from headwater_functions.analysis.callables import Closure, Scope
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object, State
from headwater_functions.analysis.reader import Reader
from headwater_functions.analysis.values import NOTHING, Value
from headwater_functions.bytecode.opcodes import OPCODES
from headwater_functions.code import Function, of_code_object
from headwater_functions.result import Analysis, analyse
from headwater_functions.unreadable import UnreadableError


@dataclass(frozen=True)
class Checked:
    """A function of a file, and what was read of it, or why nothing was."""

    name: str
    line: int
    analysis: Analysis | None
    unreadable: UnreadableError | None


def check(source: str, file: str) -> list[Checked]:
    """What the functions of a file do, in the order of their lines. Raises ``SyntaxError`` and ``UnreadableError``."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version not in OPCODES:
        raise UnreadableError("VERSION", f"Python {version} compiled it", f"use one of {', '.join(OPCODES)}")
    return checked(Function(of_code_object(compile(source, file, "exec", dont_inherit=True), version)))


def checked(module: Function) -> list[Checked]:
    """What the functions of a module's code do, in the order of their lines. Raises ``UnreadableError``."""
    functions = _functions_of(module)
    return [_checked(f) for f in sorted(functions, key=lambda f: f.code.first_line)]


def _functions_of(module: Function) -> list[Function]:
    """The functions that the module binds to names, with all of its names as their globals."""
    scope = Scope()
    reader = Reader(module=True)
    closure = Closure(module.code, scope)
    frame = Frame(reader, closure, State({}, [], {}), (), NOTHING)
    names = reader.names_of(closure, frame)
    found: dict[Any, Function] = {}
    for name, value in names.items():
        scope[name] = _frozen(frame, value)
        for called in value.calls:
            if isinstance(called, Closure) and called.code.name != "<lambda>":
                found[called.code] = Function(
                    called.code, scope, called.defaults, dict(called.keyword_defaults)
                )
    return list(found.values())


def _frozen(frame: Frame, value: Value) -> Any:
    """A value of the module as functions see it: constant, or to be called; objects are not looked into."""
    if not value.refs:
        return value
    made = [m for _, m in frame.objects(value)]
    plain = [_plain(frame, m) for m in made]
    if len(plain) == 1 and plain[0] is not None and not value.edges:
        return plain[0]
    return Value(other=True)


def _plain(frame: Frame, made: Object) -> Any:
    """A container of constants, as a constant."""
    if made.elements is not NOTHING or made.own.edges or made.kind not in ("dict", "list", "tuple", "set"):
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


def _checked(function: Function) -> Checked:
    code = function.code
    try:
        return Checked(code.name, code.first_line, analyse(function), None)
    except UnreadableError as e:
        return Checked(code.name, code.first_line, None, e)
