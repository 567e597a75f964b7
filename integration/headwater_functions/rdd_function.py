"""What a chain of functions makes of the rows of an RDD, as PySpark hands it to its workers, up to the rows of a frame.

PySpark binds the steps of a chain (``map``, ``filter``, ``flatMap``, ``mapPartitions``) to each other: each is a
function of a partition's number and its rows. Here they are one function that calls them in turn, which is read like
any other. PySpark's own layers between the program's functions are known by their names, and replaced by what they do:
they check rows, or bring them into the form that the JVM takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater_functions.code import Built, Cell, Function, Named, of_source
from headwater_functions.unreadable import UnreadableError

_TYPES = "pyspark.sql.types"
_OWN = frozenset({"pyspark.rdd", "pyspark.core.rdd", "pyspark.sql.session", _TYPES})
"""The modules that have PySpark's own layers."""
_SAME = "lambda row: row"
_VALID = "lambda row: True"
_MOST_STEPS = 100


@dataclass(frozen=True)
class RowsFunction:
    """The function of a partition's number and its rows, which was put together of so many of the program.

    ``renames`` if names of dictionaries may become others.
    """

    function: Function
    renames: bool
    parts: int


def rows_function(chain: Sequence[Function]) -> RowsFunction:
    """The functions of RDDs that follow each other, the first one first, as one. Raises ``UnreadableError``."""
    steps = [step for function in chain for step in _steps(function)]
    layers = _Layers()
    for step in steps:
        layers.replace(step)
    lines = "".join(f"    given = step{i}(number, given)\n" for i in range(len(steps)))
    code = of_source(f"def rows(number, given):\n{lines}    return given")
    own = layers.programs or steps[:1]
    name = ", ".join(dict.fromkeys(f.code.name for f in own))
    code = replace(code, name=name, file=own[0].code.file, first_line=own[0].code.first_line)
    named = {f"step{i}": step for i, step in enumerate(steps)}
    return RowsFunction(Function(code, named), layers.renames, len(own))


def _steps(function: Function) -> list[Function]:
    """The steps that PySpark has bound to each other, the first one first."""
    found: list[Function] = []
    while function.code.name == "pipeline_func" and function.module in _OWN:
        bound = dict(_bound(function))
        if bound.keys() != {"func", "prev_func"} or len(found) > _MOST_STEPS:
            raise UnreadableError("TOO_LARGE", "its chain of functions is too long", "divide it")
        found.append(bound["func"])
        function = bound["prev_func"]
    return [function, *reversed(found)]


def _bound(function: Function) -> Iterator[tuple[str, Function]]:
    """The functions in the variables around it."""
    for name, cell in zip(function.code.free, function.closure, strict=False):
        if isinstance(cell, Cell) and isinstance(cell.content, Function):
            yield name, cell.content


class _Layers:
    """Replaces PySpark's own layers; keeps the program's functions in their order, and how columns are called."""

    def __init__(self) -> None:
        self.programs: list[Function] = []
        self._names = set[tuple[str, ...]]()
        self._seen = set[int]()

    @property
    def renames(self) -> bool:
        return len(self._names) > 1

    def replace(self, function: Function) -> None:
        """Replace the layers that the function calls, unless it is the program's own."""
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        if function.module not in _OWN:
            self.programs.append(function)
            return
        function.globals = {name: self._replaced(value) for name, value in function.globals.items()}
        for cell in function.closure:
            if isinstance(cell, Cell):
                cell.content = self._replaced(cell.content)
        for _, each in _bound(function):
            self.replace(each)

    def _replaced(self, value: Any) -> Any:
        match value:
            case Named(module="pyspark.util", name="fail_on_stopiteration"):
                return _layer(_SAME)
            case Function() if value.module == _TYPES and value.code.name == "verify":
                return _layer(_VALID)
            case Function() if value.module == _TYPES and value.code.name == "convert_struct":
                self._names.add(_names_of(value))
                return _layer(_SAME)
            case Built(arguments=(Named() as method, Built() as row)) if method == _TO_INTERNAL:
                self._names.add(_columns(row))
                return _layer(_SAME)
            case _:
                return value


_TO_INTERNAL = Named(_TYPES, "StructType.toInternal")


def _names_of(converter: Function) -> tuple[str, ...]:
    """The names by which a converter of PySpark's takes values out of dictionaries."""
    cells = dict(zip(converter.code.free, converter.closure, strict=False))
    cell = cells.get("names")
    if not isinstance(cell, Cell) or not isinstance(cell.content, list):
        raise _odd()
    return tuple(map(str, cell.content))


def _columns(row: Built) -> tuple[str, ...]:
    """The names of a row's type. Raises ``UnreadableError`` if there is a type in it that the program defines."""
    pending: list[Any] = [row]
    seen = set[int]()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case Built(maker=Named(module=module)) if module == _TYPES:
                pending += [each.arguments, each.state]
            case Built():
                raise UnreadableError(
                    "SORT", "its rows have a type that the program defines", "give it plain rows"
                )
            case dict():
                pending += each.values()
            case list() | tuple():
                pending += each
            case _:
                continue
    names = row.state.get("names") if isinstance(row.state, dict) else None
    if not isinstance(names, list):
        raise _odd()
    return tuple(map(str, names))


def _odd() -> UnreadableError:
    return UnreadableError("BYTECODE", "the form of its rows is not as PySpark writes it")


def _layer(source: str) -> Function:
    return Function(of_source(source), module=_TYPES)
