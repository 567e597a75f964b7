"""Functions of a source file, which is compiled and never imported: what each of them does to its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater_functions.analysis.callables import Closure
from headwater_functions.code import Code, Function
from headwater_functions.digest import digest_of
from headwater_functions.module_names import compiled, names_of_module
from headwater_functions.result import Analysis, analyse
from headwater_functions.unreadable import UnreadableError


@dataclass(frozen=True)
class Checked:
    """A function of a file, a digest of its code, and what was read of it, or why nothing was."""

    name: str
    line: int
    analysis: Analysis | None
    unreadable: UnreadableError | None
    digest: str = ""


def check(source: str, file: str) -> list[Checked]:
    """What the functions of a file do, in the order of their lines. Raises ``SyntaxError`` and ``UnreadableError``."""
    return checked(Function(compiled(source, file)))


def checked(module: Function) -> list[Checked]:
    """What the functions of a module's code do, in the order of their lines. Raises ``UnreadableError``."""
    functions = _functions_of(module)
    return [_checked(f, module.code) for f in sorted(functions, key=lambda f: f.code.first_line)]


def _functions_of(module: Function) -> list[Function]:
    """The functions that the module binds to names, with all of its names as their globals."""
    scope, names = names_of_module(module)
    found: dict[Any, Function] = {}
    for value in names.values():
        for called in value.calls:
            if isinstance(called, Closure) and called.code.name != "<lambda>":
                found[called.code] = Function(
                    called.code, scope, called.defaults, dict(called.keyword_defaults)
                )
    return list(found.values())


def _checked(function: Function, module: Code) -> Checked:
    code, digest = function.code, digest_of(function, module)
    try:
        return Checked(code.name, code.first_line, analyse(function), None, digest)
    except UnreadableError as e:
        return Checked(code.name, code.first_line, None, e, digest)
