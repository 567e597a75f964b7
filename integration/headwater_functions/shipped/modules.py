"""The modules that a function uses of those that were shipped with it, with what each binds to its names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from headwater_functions.analysis.callables import Closure, OwnClass, Scope
from headwater_functions.analysis.constants import Modules
from headwater_functions.analysis.values import Value
from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named
from headwater_functions.confined import confined
from headwater_functions.module_names import compiled, names_of_module
from headwater_functions.shipped.changing import (
    changing,
    reaches_names,
    rebound,
    registers_elsewhere,
    registers_later,
    replaces_names,
)
from headwater_functions.shipped.files import Text, texts_in
from headwater_functions.unreadable import UnreadableError

MOST_READ = 40
"""Modules that are read for one function: of more, none is."""
_KEPT = 256
_MOST_RECORDS = 20_000
_FAULTS = (
    SyntaxError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
    MemoryError,
)
"""What a text that is no module, or code that is too deep, leads to."""


def modules_of(record: Any, paths: Sequence[str]) -> Modules:
    """The modules of those files that the record of a function, or of its name, may use.

    There are none where one of the files replaces names of another: a worker may have imported it for another function.
    """
    texts = texts_in(paths)
    shipped = frozenset(name.partition(".")[0] for name in texts)
    if any(_replaces_names_of(shipped, text) for text in texts.values()):
        return Modules()
    return modules_among(record, texts)


def modules_among(record: Any, texts: Mapping[str, Text]) -> Modules:
    """The modules that the record may use. One that cannot be read is left out."""
    scopes: dict[str, Scope] = {}
    mentioned = frozenset(_mentioned(record))
    pending = _named_by(mentioned, texts)
    registering = {name for name, text in texts.items() if registers_in_others(text)}
    while pending:
        if len(scopes) + len(pending) > MOST_READ:
            return Modules()
        name = pending.pop()
        scope, more = _read(name, texts[name], registers=bool(registering - {name}))
        if scope is None:
            return Modules()
        mentioned |= more
        scopes[name] = scope
        pending = _named_by(mentioned, texts) - scopes.keys()
    return Modules({name: scope for name, scope in scopes.items() if scope})


def _named_by(mentioned: frozenset[str], texts: Mapping[str, Text]) -> set[str]:
    """The modules of which each part of the name is mentioned."""
    return {name for name in texts if all(part in mentioned for part in name.split("."))}


def named_function(named: Named, modules: Modules) -> Function:
    """The function that a pickle has by its name alone. Raises ``UnreadableError``."""
    called = _called(named, modules)
    if not isinstance(called, Closure):
        raise _not_sent(named)
    defaults = dict(called.keyword_defaults)
    return Function(called.code, called.scope, called.defaults, defaults, called.cells, named.module)


def named_class(named: Named, modules: Modules) -> Class:
    """The class that a pickle has by its name alone. Raises ``UnreadableError``."""
    called = _called(named, modules)
    if not isinstance(called, OwnClass):
        raise _not_sent(named)
    return called.record


def _called(named: Named, modules: Modules) -> Any:
    """The one thing that a module has under the name, if it can be called."""
    found = modules.find(named.dotted)
    is_one = found is not None and len(found.calls) == 1 and not (found.other or found.constants)
    return next(iter(found.calls)) if found is not None and is_one else None


def _not_sent(named: Named) -> UnreadableError:
    return UnreadableError(
        "NOT_SENT",
        f"only its name was sent, {named.dotted}, and no module that was shipped has its code",
        "ship the module with --py-files or addPyFile, or declare what the function does",
    )


def linked_modules(record: Any, paths: Sequence[str]) -> Modules:
    """The modules that the record may use; its classes get their bases of these, of which the pickle has the names."""
    modules = modules_of(record, paths)
    for each in _records(record):
        if isinstance(each, Class):
            each.bases = tuple(_base(base, modules) for base in each.bases)
    return modules


def _base(base: Any, modules: Modules) -> Any:
    called = _called(base, modules) if isinstance(base, Named) else None
    return Value(calls=frozenset((called,))) if isinstance(called, OwnClass) else base


@lru_cache(maxsize=_KEPT)
def registers_in_others(text: Text) -> bool:
    """Whether the module may register functions with what another one chooses by."""
    try:
        return b"register" in text.source and registers_elsewhere(ast.parse(text.source))
    except _FAULTS:
        return True


@lru_cache(maxsize=_KEPT)
def _replaces_names_of(shipped: frozenset[str], text: Text) -> bool:
    try:
        return replaces_names(ast.parse(text.source), shipped)
    except _FAULTS:
        return False  # what is no module replaces nothing


@lru_cache(maxsize=_KEPT)
def _read(name: str, text: Text, *, registers: bool) -> tuple[Scope | None, frozenset[str]]:
    """What the module binds, and the names that its code has: nothing if that is not certain, and None if what others
    bind is not, either.
    """
    try:
        tree = ast.parse(text.source)
        if replaces_names(tree):
            return None, frozenset()
        if reaches_names(tree):
            return Scope(), frozenset()
        code = compiled(text.source, text.file)
        known = {"__name__": name, "__package__": text.package}
        scope = _bound(Function(code, dict(known)), tree, registers=registers or registers_later(tree))
        return scope, frozenset(_mentioned(code))
    except (*_FAULTS, UnreadableError):
        return Scope(), frozenset()


@confined
def _bound(module: Function, tree: ast.Module, *, registers: bool) -> Scope:
    return names_of_module(module, rebound(tree), changing(tree), registers=registers)[0]


def _mentioned(record: Any) -> Iterator[str]:
    """Parts of names of modules, and all names that code uses."""
    for each in _records(record):
        match each:
            case Named():
                yield from each.dotted.split(".")
            case Module():
                yield from each.name.split(".")
            case Code():
                yield from (part for name in each.names for part in name.split("."))
            case _:
                pass


def _records(record: Any) -> Iterator[Any]:
    """The record and all that it is made of."""
    seen: set[int] = set()
    pending = [record]
    while pending and len(seen) < _MOST_RECORDS:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        match each:
            case Code():
                pending += each.constants
            case Function() | Class() | Built() | Cell():
                pending += vars(each).values()
            case dict():
                pending += each.values()
            case list() | tuple() | set() | frozenset():
                pending += each
            case _:
                pass
