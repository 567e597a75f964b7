"""Records of a function, and of what the program gives it, as data that has one text in every process."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, Final

from headwater_functions.bytecode.program import program_of
from headwater_functions.code import Built, Cell, Class, Code, Function, Module, Named
from headwater_functions.digest.own import Own, UncertainError, library
from headwater_functions.unreadable import UnreadableError

MOST_PARTS: Final = 20_000
_BUILTIN: Final = frozenset(dir(builtins))
_SAME_EVERYWHERE: Final = frozenset({"__name__", "__debug__", "__builtins__"})
_DESCRIBING: Final = frozenset(
    [
        *("__module__", "__doc__", "__qualname__", "__firstlineno__", "__static_attributes__", "__dict__"),
        *("__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__", "__weakref__"),
        *("__match_args__", "__abstractmethods__", "__parameters__", "_abc_impl", "__orig_bases__"),
        "__classdictcell__",
    ]
)
"""Members of classes that say nothing of what instances do."""
_GENERATED: Final = frozenset(
    [
        *("__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
        *("__setattr__", "__delattr__", "__replace__"),
    ]
)
"""What ``dataclass`` writes: the fields and its own arguments say all of it."""
NO_FILE: Final = "<string>"
"""The file of code that was written while the program was executed."""
FIELD: Final = ("default_factory", "init", "repr", "compare", "kw_only", "_field_type")
PARAMETERS: Final = ("init", "repr", "eq", "order", "unsafe_hash", "frozen")


class Unknown:
    """In place of a record: something that only executing the program would tell."""


UNKNOWN: Final = Unknown()


class Canonical:
    """Describes one function, with all that it uses."""

    def __init__(self, own: Own) -> None:
        self._own = own
        self._seen: dict[int, int] = {}
        self._parts = 0
        self._has_file = True

    def of_function(self, function: Function) -> object:
        """Raises ``UncertainError``."""
        self._has_file = function.code.file != NO_FILE
        try:
            return self._of(function)
        except (UnreadableError, RecursionError) as e:
            raise UncertainError("it uses code that is not read") from e

    def _of(self, record: Any) -> object:  # noqa: PLR0911 - one for each record
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise UncertainError("it uses too much")
        match record:
            case None | bool() | int() | float() | complex() | str() | bytes() | bytearray() | slice():
                return (type(record).__name__, repr(record))
            case list() | tuple():
                return (type(record).__name__, [self._of(each) for each in record])
            case set() | frozenset():
                return (type(record).__name__, sorted(repr(self._of(each)) for each in record))
            case dict():
                return ("dict", [(self._of(k), self._of(v)) for k, v in record.items()])
            case Function() | Class():
                return self._once(record)
            case Code():
                return self._code(record)
            case Named():
                return self._named(record.dotted if record.module != "builtins" else record.name)
            case Module():
                return self._named(record.name)
            case Cell():
                return ("cell", self._of(record.content) if record.filled else None)
            case Built():
                return self._built(record)
            case _:
                raise UncertainError("it uses what only executing the program would tell")

    def _once(self, record: Function | Class) -> object:
        """What may refer to itself is described where it comes first."""
        if id(record) in self._seen:
            return ("before", self._seen[id(record)])
        self._seen[id(record)] = len(self._seen)
        return self._function(record) if isinstance(record, Function) else self._class(record)

    def _named(self, dotted: str) -> object:
        if self._own.has(dotted):
            return ("own", dotted)
        return ("builtin", dotted) if "." not in dotted and dotted in _BUILTIN else library(dotted)

    def _built(self, record: Built) -> object:
        arguments = record.arguments
        if isinstance(record.maker, Named) and record.maker.dotted == "builtins.property":
            arguments = tuple(arguments[:3])
        parts = (record.maker, arguments, record.state, record.items)
        return ("built", *map(self._of, parts))

    def _function(self, function: Function) -> object:
        code = function.code
        cells = [
            (name, self._of(cell))
            for name, cell in zip(code.free, function.closure, strict=False)
            if name != "__class__"
        ]
        given = (self._of(function.defaults), self._of(dict(sorted(function.keyword_defaults.items()))))
        used = [(name, self._global(function.globals, name)) for name in sorted(globals_of(code))]
        return ("function", self._code(code), cells, given, [each for each in used if each[1] is not None])

    def _global(self, scope: Mapping[str, Any], name: str) -> object:
        if name in _SAME_EVERYWHERE:
            return None
        if name in scope:
            if scope[name] is UNKNOWN:
                raise UncertainError(f"it uses {name}, and only executing the file would tell what that is")
            return self._of(scope[name])
        return None if name in _BUILTIN else ("missing",)

    def _class(self, record: Class) -> object:
        bases = [b for b in map(self._of, record.bases) if b != ("builtin", "object")]
        maker = self._of(record.metaclass) if record.metaclass is not None else ("builtin", "type")
        fields = record.members.get("__dataclass_fields__")
        skipped = _DESCRIBING | ({"__dataclass_fields__", "__dataclass_params__"} if fields else set())
        members = [
            (name, self._of(member))
            for name, member in sorted(record.members.items())
            if name not in skipped and not (fields and _is_generated(name, member))
        ]
        described = ("class", record.name, bases, maker, members)
        if not isinstance(fields, dict):
            return described
        if not self._has_file:
            raise UncertainError("its code is in no file, and nobody knows what of its dataclasses it wrote")
        of_fields = [(name, self._slots(each, FIELD)) for name, each in fields.items()]
        return (*described, of_fields, self._slots(record.members.get("__dataclass_params__"), PARAMETERS))

    def _slots(self, record: Any, names: tuple[str, ...]) -> object:
        state = record.state if isinstance(record, Built) else None
        slots = state[1] if isinstance(state, tuple) and len(state) == 2 else state
        if not isinstance(slots, dict):
            raise UncertainError("it uses a dataclass that is not pickled as others are")
        return [(name, _sentinel(slots[name]) or self._of(slots[name])) for name in names if name in slots]

    def _code(self, code: Code) -> object:
        return (
            code.name,
            code.flags,
            (code.argument_count, code.positional_only_count, code.keyword_only_count),
            code.instructions,
            [self._constant(each) for each in code.constants],
            (code.names, code.variables, code.free, code.cells),
            code.exceptions,
            sorted(top for top in _imported(code) if self._named(top)),
        )

    def _constant(self, value: Any) -> object:
        return (type(value).__name__, repr(value)) if value is Ellipsis else self._of(value)


def _is_generated(name: str, member: Any) -> bool:
    if name == "__hash__" and member is None:
        return True
    if name not in _GENERATED or not isinstance(member, Function):
        return False
    repeats = member.code.name == "wrapper" and member.code.file.endswith("dataclasses.py")
    return member.code.file == NO_FILE or (name == "__repr__" and repeats)


def _sentinel(value: Any) -> object:
    """What dataclasses have in place of a value, or for a sort of field."""
    if isinstance(value, Named) and value.dotted == "dataclasses.MISSING":
        return ("missing",)
    if isinstance(value, Built) and isinstance(value.arguments, tuple) and value.arguments:
        first = value.arguments[0]
        return ("sort", first) if isinstance(first, str) and first.startswith("_FIELD") else None
    return ("missing",) if isinstance(value, Built) and _names_missing(value) else None


def _names_missing(value: Built) -> bool:
    return isinstance(value.maker, Named) and value.maker.dotted == "dataclasses._MISSING_TYPE"


def globals_of(code: Code) -> set[str]:
    """The names outside itself that the code, and functions in it, read, bind or delete."""
    found = {
        each.arg
        for each in program_of(code).instructions
        if each.op in ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME")
    }
    for each in code.constants:
        if isinstance(each, Code):
            found |= globals_of(each)
    return {name for name in found if isinstance(name, str)}


def _imported(code: Code) -> set[str]:
    """Modules that the function imports when it runs."""
    program = program_of(code).instructions
    return {str(each.arg).partition(".")[0] for each in program if each.op == "IMPORT_NAME"} - {""}
