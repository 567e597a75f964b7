"""Functions as cloudpickle writes them, with PySpark's copy of it or the package: records of functions and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named
from headwater_functions.confined import confined
from headwater_functions.pickles.called import function_calling
from headwater_functions.pickles.machine import PickleMachine, refused
from headwater_functions.unreadable import UnreadableError

_MAKERS_OF = ("pyspark.cloudpickle", "cloudpickle")


def read_function(pickle: bytes, version: str) -> Function:
    """The function that a command of PySpark has, which is pickled alone or first in a tuple.

    ``version`` is the Python that wrote it, as ``3.11``. Raises ``UnreadableError``.
    """
    found = read_function_or_name(pickle, version)
    if isinstance(found, Named):
        raise _only_named(found)
    return found


def read_function_or_name(pickle: bytes, version: str) -> Function | Named:
    """The same of a command that may have no more than the function's name."""
    found = confined(_first)(pickle, version)
    if isinstance(found, Function | Named):
        return found
    called = function_calling(found)
    if called is None:
        raise refused("no function")
    return called


@confined
def read_class(pickle: bytes, version: str) -> Class | Named:
    """The class that a command of PySpark has, as of a table function, or its name. Raises ``UnreadableError``."""
    found = _first(pickle, version)
    if isinstance(found, Class | Named):
        return found
    raise refused("no class")


def _first(pickle: bytes, version: str) -> Any:
    found = PickleMachine(_Maker(version).make).read(pickle)
    while isinstance(found, tuple) and found:
        found = found[0]
    return found


def _only_named(found: Named) -> UnreadableError:
    return refused(f"only the name of {found.dotted}, whose code is in a module that was not sent")


class _Maker:
    """What stands for the result of each call that a pickle of cloudpickle asks for."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._makers: dict[str, Callable[[tuple[Any, ...]], Any]] = {
            "_builtin_type": self._builtin_type,
            "_make_function": self._function,
            "_make_cell": lambda a: Cell(a[0] if a else None, bool(a)),
            "_make_empty_cell": lambda _: Cell(),
            "_cell_set": self._set_cell,
            "cell_set": self._set_cell,
            "_function_setstate": self._set_function,
            "_class_setstate": self._set_class,
            "_make_skeleton_class": self._skeleton_class,
            "_make_skeleton_enum": self._skeleton_enumeration,
            "subimport": lambda a: Module(_text(a[0])),
        }

    def make(self, maker: Any, arguments: tuple[Any, ...]) -> Any:
        if isinstance(maker, Named):
            if maker.module.startswith(_MAKERS_OF) and maker.name in self._makers:
                return self._makers[maker.name](arguments)
            if maker.dotted == "_codecs.encode":
                return _encoded(arguments)
            if maker.dotted == "builtins.slice" and all(isinstance(a, int | None) for a in arguments):
                return slice(*arguments)
            if maker.dotted in ("__builtin__.bytes", "builtins.bytes") and not arguments:
                return b""
            if maker.name == "CodeType" and maker.module == "types":
                return self._code(arguments)
        return Built(maker, arguments)

    def _builtin_type(self, arguments: tuple[Any, ...]) -> Named:
        return Named("types", _text(arguments[0]))

    def _code(self, a: tuple[Any, ...]) -> Code:
        """The layouts of 3.10, and of 3.11 and later, which have a qualified name and a table of exceptions."""
        if len(a) == 16:
            (count, positional, keyword, _, _, flags, code, constants, names, variables) = a[:10]
            file, name, line, lines, free, cells = a[10:]
            exceptions = b""
        elif len(a) == 18:
            (count, positional, keyword, _, _, flags, code, constants, names, variables) = a[:10]
            file, name, _, line, lines, exceptions, free, cells = a[10:]
        else:
            raise refused("code of an unknown layout")
        parameters = _number(count) + _number(keyword) + bool(_number(flags) & 4) + bool(_number(flags) & 8)
        if not 0 <= parameters <= len(_texts(variables)):
            raise refused("more parameters than variables")
        return Code(
            self._version,
            _text(name),
            _text(file),
            _number(line),
            _number(flags),
            _number(count),
            _number(positional),
            _number(keyword),
            _bytes(code),
            _tuple(constants),
            _texts(names),
            _texts(variables),
            _texts(free),
            _texts(cells),
            _bytes(lines),
            _bytes(exceptions),
        )

    def _function(self, a: tuple[Any, ...]) -> Function:
        code, scope, _, defaults, closure = (*a, None, None, None)[:5]
        if not isinstance(code, Code):
            raise refused("a function without code")
        scope = dict(scope) if isinstance(scope, dict) else {}
        return Function(code, scope, _tuple(defaults or ()), {}, _tuple(closure or ()))

    def _set_function(self, a: tuple[Any, ...]) -> None:
        function, state = a
        slots = state[1] if isinstance(state, tuple) else state
        if not isinstance(function, Function) or not isinstance(slots, dict):
            raise refused("a state of no function")
        function.globals.update(slots.get("__globals__") or {})
        function.defaults = _tuple(slots.get("__defaults__") or function.defaults)
        function.keyword_defaults = dict(slots.get("__kwdefaults__") or {})
        function.module = str(slots.get("__module__") or "")
        closure = slots.get("__closure__")
        if closure:
            self._fill(function, _tuple(closure))

    @staticmethod
    def _fill(function: Function, closure: tuple[Any, ...]) -> None:
        """The cells that were made empty get their contents when the function's state is set."""
        if len(function.closure) != len(closure):
            function.closure = closure
            return
        for cell, content in zip(function.closure, closure, strict=True):
            if isinstance(cell, Cell) and isinstance(content, Cell) and cell is not content:
                cell.content, cell.filled = content.content, content.filled

    @staticmethod
    def _set_cell(a: tuple[Any, ...]) -> None:
        cell, content = a
        if not isinstance(cell, Cell):
            raise refused("the content of no cell")
        cell.content, cell.filled = content, True

    @staticmethod
    def _skeleton_class(a: tuple[Any, ...]) -> Class:
        return Class(_text(a[1]), _tuple(a[2]), dict(a[3]) if isinstance(a[3], dict) else {}, a[0])

    @staticmethod
    def _skeleton_enumeration(a: tuple[Any, ...]) -> Class:
        return Class(_text(a[1]), _tuple(a[0]), dict(a[3]) if isinstance(a[3], dict) else {})

    @staticmethod
    def _set_class(a: tuple[Any, ...]) -> Any:
        made, state = a[:2]
        members = state[0] if isinstance(state, tuple) else state
        if not isinstance(made, Class) or not isinstance(members, dict):
            raise refused("a state of no class")
        made.members.update({k: v for k, v in members.items() if isinstance(k, str)})
        if "_fields" in made.members:
            made.members = {k: v for k, v in made.members.items() if not _is_of_collections(v)}
        return made


_COLLECTIONS = ("<string>", "collections/__init__.py", "collections\\__init__.py")


def _is_of_collections(member: Any) -> bool:
    """Whether ``namedtuple`` wrote it for every one of its classes: what it does is known by its name."""
    function = member
    if isinstance(member, Built) and isinstance(member.maker, Named):
        if member.maker.dotted == "_collections._tuplegetter":
            return True
        wraps = member.maker.dotted in ("builtins.staticmethod", "builtins.classmethod")
        function = member.arguments[0] if wraps and member.arguments else None
    return isinstance(function, Function) and function.code.file.endswith(_COLLECTIONS)


def _encoded(arguments: tuple[Any, ...]) -> bytes:
    """Bytes as protocol 2 writes them."""
    text, encoding = arguments
    if encoding != "latin1":
        raise refused("bytes in an unknown encoding")
    return _text(text).encode("latin1")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise refused("something else in place of a name")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(item) for item in _tuple(value))


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise refused("something else in place of a number")
    return value


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise refused("something else in place of bytes")
    return value


def _tuple(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise refused("something else in place of a tuple")
    return value
