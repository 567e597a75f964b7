"""Functions of the program that get records: their code is read, and what cannot be read may use all of a record."""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from headwater_functions.bytecode.opcodes import OPCODES
from headwater_functions.code import Cell, Code, Function, Module, Named, of_code_object
from headwater_functions.flows import reading_of
from headwater_functions.frame_names import FRAME_NAMES
from headwater_functions.resolve import Form
from headwater_functions.result import Part, analyse
from headwater_functions.unreadable import UnreadableError
from headwater_pandas.functions.around import is_filled
from headwater_plan.types import AtomicType, StructField, StructType

_PLAIN: Final = (str, bytes, int, float, complex, bool, type(None))
_VERSION: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"
_VALUE: Final = AtomicType("other")
MOST_DEPTH: Final = 5


class Read(NamedTuple):
    """The columns that are in a result, and those that decide about it, by name; all of the record if None."""

    values: frozenset[str] | None
    decide: frozenset[str] | None


def read(function: Any, columns: tuple[Any, ...]) -> Read | None:
    """What a function makes one value of that is given a record with these columns; None if it cannot be read."""
    if not isinstance(function, types.FunctionType) or not all(isinstance(each, str) for each in columns):
        return None
    try:
        return _read(_record(function, function.__module__, 0), columns)
    except UnreadableError:
        return None


def _read(function: Function, columns: tuple[str, ...]) -> Read | None:
    record = StructType(tuple(StructField(name, _VALUE) for name in columns))
    analysis = analyse(function, 1)
    if analysis.unread or len(set(columns)) < len(columns) or _asks_the_record(analysis.result):
        return None
    of_columns = replace(analysis, result=_without_length(analysis.result))
    flows = reading_of(of_columns, (record,), _VALUE, Form.VALUES).flows
    return Read(
        _named(each.source for each in flows if not each.decides),
        _named(each.source for each in flows if each.decides),
    )


def _without_length(part: Part) -> Part:
    """What is made of a record but for how long it is: all records of a frame have its columns."""
    edges = frozenset(
        each for each in part.edges if not (each.path == (0,) and each.how.extent and each.how.decides)
    )
    return replace(
        part, edges=edges, members={key: _without_length(each) for key, each in part.members.items()}
    )


def _named(sources: Iterator[tuple[str, ...]] | Any) -> frozenset[str] | None:
    found = set(sources)
    return None if () in found else frozenset(each[0] for each in found)


def _asks_the_record(part: Part) -> bool:
    """Whether an attribute is taken that records of pandas have themselves, whatever their columns are called."""
    return any(
        kind == "attr" and key in FRAME_NAMES for edge in part.all_edges() for kind, key in edge.path[1:2]
    )


def _record(function: types.FunctionType, module: str, depth: int) -> Function:
    """The function as a record, with those of its module and around it that it uses. Raises ``UnreadableError``."""
    if _VERSION not in OPCODES or depth > MOST_DEPTH:
        raise UnreadableError("VERSION", "it is of another Python, or too deep", "divide it")
    code = _code(function.__code__)
    scope = {
        name: _value(function.__globals__[name], module, depth + 1)
        for name in _names(code)
        if name in function.__globals__
    }
    closure = tuple(
        Cell(_value(cell.cell_contents, module, depth + 1), filled=True) if is_filled(cell) else Cell()
        for cell in function.__closure__ or ()
    )
    defaults = tuple(_value(each, module, depth + 1) for each in function.__defaults__ or ())
    keywords = {
        name: _value(each, module, depth + 1) for name, each in (function.__kwdefaults__ or {}).items()
    }
    return Function(code, scope, defaults, keywords, closure, module)


@lru_cache(maxsize=256)
def _code(code: types.CodeType) -> Code:
    return of_code_object(code, _VERSION)


def _names(code: Code) -> Iterator[str]:
    yield from code.names
    for each in code.constants:
        if isinstance(each, Code):
            yield from _names(each)


def _value(value: Any, module: str, depth: int) -> Any:
    """Something that a function finds outside itself, as a record. Raises ``UnreadableError``."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple | set | frozenset | dict) and _is_plain(value, 0):
        return value
    if isinstance(value, types.ModuleType):
        return Module(value.__name__)
    if isinstance(value, types.FunctionType) and value.__module__ == module:
        return _record(value, module, depth)
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str) and getattr(value, "__module__", None) not in {None, module}:
        return Named(str(value.__module__), name)
    if getattr(builtins, str(name), None) is value:
        return Named("builtins", str(name))
    raise UnreadableError("OBJECT", f"it uses an object ({type(value).__name__})", "give it what it needs")


def _is_plain(value: Any, depth: int) -> bool:
    if isinstance(value, _PLAIN):
        return True
    if depth > MOST_DEPTH or not isinstance(value, list | tuple | set | frozenset | dict):
        return False
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    return all(_is_plain(each, depth + 1) for each in inner)
