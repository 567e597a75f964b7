"""Records of what a file binds to its names, as a pickle would have them if the file had been executed.

That is certain of what is written down: functions, classes, imports and plain data that stand at the file's outermost
level, each under a name that is bound once. In place of anything else stands ``UNKNOWN``. A mistake here does no harm:
the digest of what was pickled then differs, and nothing that was declared of the file counts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named
from headwater_functions.digest.canonical import FIELD, PARAMETERS, UNKNOWN

_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_WRAPPERS: Final = frozenset({"property", "staticmethod", "classmethod"})
_ENUMERATIONS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


class Written:
    """The names of one file: ``scope`` has them as records; its functions have them as their globals."""

    def __init__(self, source: str | bytes, module: Code) -> None:
        self.scope: dict[str, Any] = {}
        self._functions: dict[tuple[str, int], Function] = {}
        tree = ast.parse(source)
        bound = Counter(_bound_in(tree))
        for statement in tree.body:
            for name, record in self._bind(statement, module):
                again = isinstance(record, Module | Named) and self.scope.get(name, record) == record
                self.scope[name] = record if bound[name] == 1 or again else UNKNOWN
        self.scope.update({name: UNKNOWN for name in bound if name not in self.scope})

    def function(self, name: str, line: int) -> Function | None:
        """The function of that name whose code begins there, at the outermost level."""
        return self._functions.get((name, line))

    def _bind(self, statement: ast.stmt, module: Code) -> Iterator[tuple[str, Any]]:
        match statement:
            case ast.Import():
                for each in statement.names:
                    top = each.name.partition(".")[0]
                    yield each.asname or top, Module(each.name if each.asname else top)
            case ast.ImportFrom(module=str() as source, level=0):
                for each in statement.names:
                    yield each.asname or each.name, Named(source, each.name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                made = self._function(statement, module)
                if isinstance(made, Function):
                    self._functions[statement.name, made.code.first_line] = made
                yield statement.name, made if not statement.decorator_list else UNKNOWN
            case ast.ClassDef():
                yield statement.name, self._class(statement, module)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, self._data(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, self._data(value)
            case _:
                return

    def _function(self, node: _Definition, outer: Code) -> Any:
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        codes = [
            c for c in outer.constants if isinstance(c, Code) and (c.name, c.first_line) == (node.name, first)
        ]
        if len(codes) != 1:
            return UNKNOWN
        names = [a.arg for a in node.args.kwonlyargs]
        given = zip(names, node.args.kw_defaults, strict=True)
        keywords = {name: self._data(value) for name, value in given if value is not None}
        defaults = tuple(map(self._data, node.args.defaults))
        cells = tuple(Cell() for _ in codes[0].free)
        return Function(codes[0], self.scope, defaults, keywords, cells)

    def _class(self, node: ast.ClassDef, module: Code) -> Any:
        bodies = [c for c in module.constants if isinstance(c, Code) and c.name == node.name]
        bases = tuple(map(self._reference, node.bases))
        if len(bodies) != 1 or node.keywords or UNKNOWN in bases:
            return UNKNOWN
        members: dict[str, Any] = {}
        for statement in node.body:
            bound = dict(self._member(statement, bodies[0]))
            if bound.keys() & members.keys():
                return UNKNOWN
            members |= bound
        if any(isinstance(b, Named) and b.name in _ENUMERATIONS | {"NamedTuple"} for b in bases):
            return UNKNOWN
        above = [b.metaclass for b in bases if isinstance(b, Class)]
        abstract = Named("abc", "ABC") in bases or _ABSTRACT in above
        meta = _ABSTRACT if abstract else Named("builtins", "type")
        made = Class(node.name, bases, members, meta)
        if not node.decorator_list:
            return made
        return self._dataclass(node, made) if len(node.decorator_list) == 1 else UNKNOWN

    def _member(self, statement: ast.stmt, body: Code) -> Iterator[tuple[str, Any]]:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                made = self._function(statement, body)
                for each in reversed(statement.decorator_list):
                    made = _wrapped(each, made)
                yield statement.name, made
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, self._data(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                yield name, _NO_VALUE if value is None else self._data(value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case _:
                yield "\0", UNKNOWN

    def _dataclass(self, node: ast.ClassDef, made: Class) -> Any:
        decorator = node.decorator_list[0]
        call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
        known = self._reference(call.func) == Named("dataclasses", "dataclass")
        given = {each.arg: self._data(each.value) for each in call.keywords}
        parameters = dict.fromkeys(PARAMETERS, False) | dict.fromkeys(PARAMETERS[:3], True)
        inherits = any(isinstance(b, Class) for b in made.bases)
        if not known or call.args or inherits or not given.keys() <= parameters.keys():
            return UNKNOWN
        fields: dict[str, Any] = {}
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                name = each.target.id
                if _mentions(each.annotation, {"ClassVar", "InitVar", "KW_ONLY"}):
                    return UNKNOWN
                fields[name] = self._field(each.value)
                if _calls(each.value, "field"):
                    given_value = next((k.value for k in each.value.keywords if k.arg == "default"), None)  # type: ignore[union-attr]
                    made.members[name] = _NO_VALUE if given_value is None else self._data(given_value)
        members = {n: m for n, m in made.members.items() if m is not _NO_VALUE}
        slots = {"__dataclass_params__": Built(None, (), (None, parameters | given))}
        return Class(
            made.name, made.bases, members | {"__dataclass_fields__": fields} | slots, made.metaclass
        )

    def _field(self, value: ast.expr | None) -> Any:
        """A field of a dataclass as it is pickled."""
        state: dict[str, Any] = dict.fromkeys(FIELD, True) | {
            "default_factory": Named("dataclasses", "MISSING"),
            "kw_only": False,
            "_field_type": Built(None, ("_FIELD",)),
        }
        if isinstance(value, ast.Call) and _calls(value, "field"):
            for each in value.keywords:
                state[str(each.arg)] = (
                    self._reference(each.value)
                    if each.arg == "default_factory"
                    else self._data(each.value)
                    if each.arg in FIELD or each.arg == "default"
                    else UNKNOWN
                )
        return Built(None, (), (None, state))

    def _reference(self, node: ast.expr) -> Any:
        """What a name, or a name of a module, was bound to."""
        match node:
            case ast.Name(id=name):
                return self.scope.get(name, Named("builtins", name))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                holder = self.scope.get(name)
                return Named(holder.name, attribute) if isinstance(holder, Module) else UNKNOWN
            case _:
                return UNKNOWN

    def _data(self, node: ast.expr) -> Any:
        """Plain data that is written down, a pattern, or something that has a name."""
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
        match node:
            case ast.List(elts=elements):
                return list(map(self._data, elements))
            case ast.Tuple(elts=elements):
                return tuple(map(self._data, elements))
            case ast.Dict(keys=keys, values=values) if None not in keys:
                return dict(zip(map(self._key, keys), map(self._data, values), strict=True))  # type: ignore[arg-type]
            case ast.Call(func=function, args=arguments, keywords=[]) if arguments:
                return self._made(self._reference(function), arguments)
            case ast.Name() | ast.Attribute():
                return self._reference(node)
            case _:
                return UNKNOWN

    def _key(self, node: ast.expr) -> Any:
        found = self._data(node)
        return found if isinstance(found, str | bytes | int | float | tuple | None) else UNKNOWN

    def _made(self, maker: Any, arguments: list[ast.expr]) -> Any:
        """A set or a pattern that is made of what is written down."""
        try:
            given = [ast.literal_eval(each) for each in arguments[:1]]
            if maker == Named("builtins", "frozenset") and len(arguments) == 1:
                return frozenset(*given)
            if maker == Named("builtins", "set") and len(arguments) == 1:
                return set(*given)
            if maker == Named("re", "compile"):
                flags = [self._flags(each) for each in arguments[1:2]]
                return Built(Named("re", "_compile"), (*given, re.compile(*given, *flags).flags))
        except (ValueError, TypeError, SyntaxError, re.error, RecursionError, MemoryError, OverflowError):
            pass
        return UNKNOWN

    def _flags(self, node: ast.expr) -> int:
        match node:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._flags(left) | self._flags(right)
            case ast.Attribute() | ast.Name():
                found = self._reference(node)
                if isinstance(found, Named) and found.module == "re" and found.name.isupper():
                    return int(getattr(re, found.name, 0))
            case _:
                pass
        raise ValueError


_NO_VALUE: Final = object()
_ABSTRACT: Final = Named("abc", "ABCMeta")


def _wrapped(decorator: ast.expr, made: Any) -> Any:
    if not isinstance(decorator, ast.Name) or decorator.id not in _WRAPPERS:
        return UNKNOWN
    given = (made, None, None) if decorator.id == "property" else (made,)
    return Built(Named("builtins", decorator.id), given)


def _calls(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _mentions(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return any(name in node.value for name in names)
    return any(
        (isinstance(each, ast.Name) and each.id in names)
        or (isinstance(each, ast.Attribute) and each.attr in names)
        for each in ast.walk(node)
    )


def _bound_in(tree: ast.Module) -> Iterator[str]:
    """All names that statements at the outermost level bind, and those that any function may bind anew."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        each = pending.pop()
        match each:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                continue
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                continue
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.alias(name=name, asname=given):
                yield given or name.partition(".")[0]
            case ast.ExceptHandler(name=str() as name):
                yield name
            case _:
                pass
        pending += ast.iter_child_nodes(each)
    for each in ast.walk(tree):
        if isinstance(each, ast.Global):
            yield from (*each.names, *each.names)
