"""Names of a module whose values functions may change while it is in use."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from typing import TypeGuard

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


def replaces_names(tree: ast.Module, of: Collection[str] | None = None) -> bool:
    """Whether code of the module binds or deletes names of what it has imported: of all, or of these packages."""
    imported = _imported(tree, of)
    return any(
        (_is_set(each) and _base(each) in imported)
        or (_is_reached(each) and _base(_reached(each)) in imported)
        for each in ast.walk(tree)
    )


def _imported(tree: ast.Module, of: Collection[str] | None) -> set[str]:
    """Names that were imported, and those that parts of these are bound to."""
    found: set[str] = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            names = [name for name in each.names if of is None or name.name.partition(".")[0] in of]
        elif isinstance(each, ast.ImportFrom):
            own = each.level > 0 or of is None or (each.module or "").partition(".")[0] in of
            names = each.names if own else []
        else:
            continue
        found.update((name.asname or name.name).partition(".")[0] for name in names)
    for each in ast.walk(tree):
        if isinstance(each, ast.Assign) and _base(each.value) in found:
            found.update(target.id for target in each.targets if isinstance(target, ast.Name))
    return found


def _is_reached(each: ast.AST) -> TypeGuard[ast.Call | ast.Attribute]:
    """Whether names of something are reached by their texts."""
    if isinstance(each, ast.Call):
        return isinstance(each.func, ast.Name) and each.func.id in {"setattr", "delattr", "vars"}
    return isinstance(each, ast.Attribute) and each.attr == "__dict__"


def _reached(each: ast.Call | ast.Attribute) -> ast.expr:
    """That of which names are reached."""
    return each if isinstance(each, ast.Attribute) or not each.args else each.args[0]


def _base(each: ast.expr) -> str:
    while isinstance(each, ast.Attribute):
        each = each.value
    return each.id if isinstance(each, ast.Name) else ""


def registers_later(tree: ast.Module) -> bool:
    """Whether the module may register a function for a class at another time than while it is imported."""
    now = [n for each in ast.walk(tree) for n in _registering(each)]
    found = [each for each in ast.walk(tree) if _is_register(each)]
    later = (part for each in ast.walk(tree) if isinstance(each, _FUNCTIONS) for part in _inside(each))
    return any(each not in now for each in found) or any(map(_is_register, later))


def registers_elsewhere(tree: ast.Module) -> bool:
    """Whether it may register functions with what it does not define itself, nor Python."""
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    imports = [name for each in ast.walk(tree) if isinstance(each, ast.Import) for name in each.names]
    own |= {name.asname or name.name for name in imports if name.name in sys.stdlib_module_names}
    return any(
        not (isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in own)
        for each in ast.walk(tree)
        if _is_register(each)
    )


def _is_register(each: ast.AST) -> bool:
    named = isinstance(each, ast.Attribute) and each.attr == "register"
    return named or (isinstance(each, ast.Constant) and each.value == "register")


def _registering(each: ast.AST) -> list[ast.expr]:
    """What is called, or decorates."""
    if isinstance(each, ast.Call):
        return [each.func]
    return each.decorator_list if isinstance(each, ast.FunctionDef) else []


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    body = getattr(function, "body", [])
    for part in body if isinstance(body, list) else [body]:
        yield from ast.walk(part)


def rebound(tree: ast.Module) -> frozenset[str]:
    """Names that a function binds anew, or whose attributes it sets: classes may do something else since."""
    found = {name for each in ast.walk(tree) if isinstance(each, ast.Global) for name in each.names}
    for function in ast.walk(tree):
        if isinstance(function, _FUNCTIONS):
            found.update(_base(each) for each in ast.walk(function) if _is_set(each))
    for kind in ast.walk(tree):
        if isinstance(kind, ast.ClassDef) and any(_is_set_of_class(each) for each in ast.walk(kind)):
            found.add(kind.name)
    return frozenset(found - {""})


_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _is_set(each: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load)


def _is_set_of_class(each: ast.AST) -> bool:
    """Whether it sets something of the class of an instance, or of the class that a class method is given."""
    if not _is_set(each):
        return False
    match each.value:
        case ast.Name(id="cls") | ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type")):
            return True
        case _:
            return False


def changing(tree: ast.Module) -> frozenset[str]:
    """Names that a function uses in another way than to read what is in them; attributes with a dot before."""
    found: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            read = _only_read(function)
            for each in ast.walk(function):
                if isinstance(each, ast.Name) and id(each) not in read:
                    found.add(each.id)
                if isinstance(each, ast.Attribute) and id(each) not in read:
                    found.add(f".{each.attr}")
    return frozenset(found)


def _only_read(function: ast.AST) -> set[int]:
    """The uses of names that cannot change what they are of."""
    found: set[int] = set()
    for each in ast.walk(function):
        match each:
            case ast.Subscript(value=ast.Name() | ast.Attribute() as name, ctx=ast.Load()):
                found.add(id(name))
            case ast.Compare():
                found.update(id(part) for part in (each.left, *each.comparators))
            case ast.For(iter=ast.Name() | ast.Attribute() as name):
                found.add(id(name))
            case ast.comprehension(iter=ast.Name() | ast.Attribute() as name):
                found.add(id(name))
            case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute() as name, attr=attr)) if (
                attr in _READS
            ):
                found.add(id(name))
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Name() | ast.Attribute() as name]):
                found.add(id(name))
            case ast.Call(func=ast.Name(id=called)) if called in _ASKS:
                found.update(id(argument) for argument in each.args)
    return found
