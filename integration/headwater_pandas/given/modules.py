"""Constants by the text of modules and of notebooks: names that a literal is assigned to once, and nothing else ever.

What was computed, read from a file or taken from the environment is no literal, and no constant.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import resolve_name
from typing import Any, Final, NamedTuple

_MOST_DEPTH: Final = 4
_REBINDING: Final = frozenset({"globals", "exec", "eval", "vars", "setattr", "locals"})
"""Functions by which a text may set a name that it does not show."""


class Text(NamedTuple):
    """What a text of a module says: literals by name, how often each name is bound, and imports.

    ``imports`` are the module and the name there of what a name is bound to, or None for a module itself.
    """

    literals: Mapping[str, Any]
    bound: Mapping[str, int]
    imports: Mapping[str, tuple[str, str | None]]


def named_constants(space: Mapping[str, Any], names: frozenset[str]) -> Iterator[Any]:
    """The constants that these names stand for in the space of a running program, also those of other modules."""
    text = _of_space(space)
    if text is None:
        return
    package = str(space.get("__package__") or "")
    for name in names & {*text.literals, *text.imports}:
        if name in text.literals:
            yield text.literals[name]
        elif text.bound[name] == 1:
            yield from _imported(*text.imports[name], package, names, 0)


def _imported(module: str, name: str | None, package: str, used: frozenset[str], depth: int) -> Iterator[Any]:
    """The constants of another module: that of a name, or those that are used of a module that was imported."""
    found = sys.modules.get(_absolute(module, package))
    text = _of_module(found.__name__) if found is not None else None
    if found is None or text is None or depth > _MOST_DEPTH:
        return
    for each in used & text.literals.keys() if name is None else [name]:
        if each in text.literals:
            yield text.literals[each]
        elif text.bound.get(each) == 1 and each in text.imports:
            yield from _imported(*text.imports[each], str(found.__package__ or ""), used, depth + 1)


def _absolute(module: str, package: str) -> str:
    try:
        return resolve_name(module, package)
    except ImportError:
        return module


def _of_space(space: Mapping[str, Any]) -> Text | None:
    """The text that a space was filled by: that of its module, or the cells of a notebook that have run."""
    cells = space.get("_ih")
    if isinstance(cells, list) and "get_ipython" in space:
        return _together(dict.fromkeys(each for each in cells if isinstance(each, str)))
    return _of_module(str(space.get("__name__")))


def _together(texts: Mapping[str, None]) -> Text | None:
    """Several texts of one space; None where one of them cannot be read, and may bind anything."""
    bound: Counter[str] = Counter()
    literals: dict[str, Any] = {}
    imports: dict[str, tuple[str, str | None]] = {}
    for each in map(text_of, texts):
        if each is None:
            return None
        bound.update(each.bound)
        literals |= each.literals
        imports |= each.imports
    return Text({name: value for name, value in literals.items() if bound[name] == 1}, bound, imports)


@lru_cache(maxsize=1024)
def _of_module(name: str) -> Text | None:
    try:
        return text_of(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError):
        return None


@lru_cache(maxsize=4096)
def text_of(source: str) -> Text | None:
    """What a text says; None if it cannot be read, or may bind names that it does not show."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    bound, imports = Counter(_bound(tree)), dict(_imports(tree))
    if "*" in bound or any(isinstance(each, ast.Name) and each.id in _REBINDING for each in ast.walk(tree)):
        return None
    literals = {name: value for name, value in _literals(tree) if bound[name] == 1}
    return Text(literals, bound, imports)


def _literals(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """The names that a literal is assigned to, at the level of the module."""
    for each in tree.body:
        targets = (
            each.targets
            if isinstance(each, ast.Assign)
            else [each.target]
            if isinstance(each, ast.AnnAssign)
            else []
        )
        value = getattr(each, "value", None)
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and value is not None:
            try:
                yield targets[0].id, ast.literal_eval(value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _imports(tree: ast.Module) -> Iterator[tuple[str, tuple[str, str | None]]]:
    """The names that imports bind, at the level of the module."""
    for each in tree.body:
        if isinstance(each, ast.Import):
            yield from ((name.asname or name.name, (name.name, None)) for name in each.names)
        elif isinstance(each, ast.ImportFrom):
            module = "." * each.level + (each.module or "")
            yield from ((name.asname or name.name, (module, name.name)) for name in each.names)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Each name as often as something in the text may bind or change it, in functions as well."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
        elif isinstance(each, ast.alias):
            yield each.asname or each.name
        elif isinstance(each, ast.Global):
            yield from (name for name in each.names for _ in range(2))
        elif isinstance(each, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and each.name:
            yield each.name
        elif isinstance(each, ast.MatchMapping) and each.rest:
            yield each.rest
        elif isinstance(each, ast.Subscript | ast.Attribute) and not isinstance(each.ctx, ast.Load):
            yield from _changed(each.value)
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            yield from _changed(each.func.value)


def _changed(thing: ast.expr) -> Iterator[str]:
    """The name of what a text may change in place: `TABLE[key] = …`, `TABLE.update(…)`."""
    while isinstance(thing, ast.Subscript | ast.Attribute):
        thing = thing.value
    if isinstance(thing, ast.Name):
        yield thing.id
