"""Functions of a source file, which is compiled and never imported: what each of them does to its arguments."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from headwater_functions.analysis.callables import Closure
from headwater_functions.analysis.constants import NO_MODULES, Modules
from headwater_functions.code import Function
from headwater_functions.digest import UncertainError, digest_of
from headwater_functions.digest.written import Written
from headwater_functions.module_names import compiled, names_of_module, python_version
from headwater_functions.result import Analysis, analyse
from headwater_functions.shipped.changing import rebound, registers_later
from headwater_functions.shipped.files import Text
from headwater_functions.shipped.modules import modules_among, registers_in_others
from headwater_functions.unreadable import UnreadableError


@dataclass(frozen=True)
class Checked:
    """A function of a file, and what was read of it, or why nothing was.

    ``digest`` is that of all that the program gives it (``digest``); ``undigested`` says why it counts for no code.
    """

    name: str
    line: int
    analysis: Analysis | None
    unreadable: UnreadableError | None
    digest: str = ""
    undigested: str = ""


def check(source: str, file: str, texts: Mapping[str, Text] = MappingProxyType({})) -> list[Checked]:
    """What the functions of a file do, in the order of their lines. Raises ``SyntaxError`` and ``UnreadableError``.

    ``texts`` are the modules by name that the program brings: they are read with it, and digests are of them, too.
    """
    module = Function(compiled(source, file))
    written = Written(source, module.code)
    sources = {name: text.source for name, text in texts.items()}
    tree = ast.parse(source)
    registers = registers_later(tree) or any(map(registers_in_others, texts.values()))
    found = checked(module, texts, rebound(tree), registers=registers)
    return [_digested(each, written, sources) for each in found]


def checked(
    module: Function,
    texts: Mapping[str, Text] = MappingProxyType({}),
    others: Collection[str] = (),
    *,
    registers: bool = False,
) -> list[Checked]:
    """What the functions of a module's code do, in the order of their lines. Raises ``UnreadableError``.

    ``others`` are names of the module that may be something else later; ``registers``: whether functions may be
    registered for classes that are not in it (``names_of_module``).
    """
    functions = sorted(_functions_of(module, others, registers), key=lambda f: f.code.first_line)
    modules = modules_among(module, texts) if texts else NO_MODULES
    return [_checked(f, modules) for f in functions]


def _functions_of(module: Function, others: Collection[str], registers: bool) -> list[Function]:
    """The functions that the module binds to names, with all of its names as their globals."""
    scope, names = names_of_module(module, others, registers=registers)
    found: dict[Any, Function] = {}
    for value in names.values():
        for called in value.calls:
            if isinstance(called, Closure) and called.code.name != "<lambda>":
                found[called.code] = Function(
                    called.code, scope, called.defaults, dict(called.keyword_defaults)
                )
    return list(found.values())


def _digested(found: Checked, written: Written, texts: Mapping[str, bytes]) -> Checked:
    """With the digest, or why none counts."""
    known = written.function(found.name, found.line)
    try:
        if known is None:
            raise UncertainError("it does not stand at the outermost level of its file")
        return replace(found, digest=digest_of(known, texts))
    except UncertainError as e:
        return replace(found, digest=f"{python_version()}:", undigested=str(e))


def _checked(function: Function, modules: Modules) -> Checked:
    code = function.code
    try:
        return Checked(code.name, code.first_line, analyse(function, None, modules), None)
    except UnreadableError as e:
        return Checked(code.name, code.first_line, None, e)
