"""Names of a module whose values functions may change while it is in use."""

from __future__ import annotations

import ast

_REACHES = frozenset({"globals", "vars", "exec", "eval", "setattr", "delattr", "__import__", "reload"})
_READS = frozenset(
    {"get", "items", "keys", "values", "index", "count", "copy", "union", "intersection", "difference"}
)
_ASKS = frozenset(
    {
        "len",
        "sorted",
        "min",
        "max",
        "sum",
        "set",
        "list",
        "dict",
        "tuple",
        "frozenset",
        "any",
        "all",
        "enumerate",
    }
    | {"zip", "isinstance", "range", "reversed"}
)


def reaches_names(tree: ast.Module) -> bool:
    """Whether code of the module may change any name of any module."""
    return any(
        (isinstance(each, ast.Name) and each.id in _REACHES)
        or (isinstance(each, ast.Attribute) and (each.attr == "__dict__" or _is_modules(each)))
        for each in ast.walk(tree)
    )


def _is_modules(each: ast.Attribute) -> bool:
    return each.attr == "modules" and isinstance(each.value, ast.Name) and each.value.id == "sys"


def replaces_names(tree: ast.Module) -> bool:
    """Whether code of the module binds or deletes names of what it has imported."""
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    imported = {(name.asname or name.name).partition(".")[0] for each in imports for name in each.names}
    return any(
        isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load) and _base(each) in imported
        for each in ast.walk(tree)
    )


def _base(each: ast.expr) -> str:
    while isinstance(each, ast.Attribute):
        each = each.value
    return each.id if isinstance(each, ast.Name) else ""


def rebound(tree: ast.Module) -> frozenset[str]:
    """Names that a function binds anew."""
    return frozenset(name for each in ast.walk(tree) if isinstance(each, ast.Global) for name in each.names)


def changing(tree: ast.Module) -> frozenset[str]:
    """Names that a function uses in another way than to read what is in them."""
    found: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            read = _only_read(function)
            for each in ast.walk(function):
                if isinstance(each, ast.Name) and id(each) not in read:
                    found.add(each.id)
    return frozenset(found)


def _only_read(function: ast.AST) -> set[int]:
    """The uses of names that cannot change what they are of."""
    found: set[int] = set()
    for each in ast.walk(function):
        match each:
            case ast.Subscript(value=ast.Name() as name, ctx=ast.Load()):
                found.add(id(name))
            case ast.Compare():
                found.update(id(part) for part in (each.left, *each.comparators))
            case ast.For(iter=ast.Name() as name) | ast.comprehension(iter=ast.Name() as name):
                found.add(id(name))
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr=attr)) if attr in _READS:
                found.add(id(name))
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Name() as name]):
                found.add(id(name))
            case ast.Call(func=ast.Name(id=called)) if called in _ASKS:
                found.update(id(argument) for argument in each.args)
    return found
