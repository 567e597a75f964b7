"""What the function of a PythonUDF does, read from the command that Spark sends to its workers.

The command is read without being executed, and nothing of it but names goes further than here. Functions are read once
for each command and the types that they are called with.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from headwater_functions.analysis.constants import Modules
from headwater_functions.code import VARARGS, Class, Function, Named
from headwater_functions.digest import digest_of
from headwater_functions.flows import reading_of, reading_of_elements
from headwater_functions.pickles.cloudpickled import read_class, read_function_or_name
from headwater_functions.resolve import Form
from headwater_functions.result import analyse
from headwater_functions.shipped.files import Text, texts_in
from headwater_functions.shipped.modules import linked_modules, named_class, named_function
from headwater_functions.source import check
from headwater_functions.table_function import driven
from headwater_functions.unreadable import ANY_HINT, UnreadableError
from headwater_plan.readings import Reading, Why
from headwater_plan.types import ArrayType, DataType, StructField, StructType

MOST_KEPT = 256

GROUPED_AGGREGATE = 202
_FORMS: Mapping[int, Form] = {
    100: Form.VALUES,
    101: Form.VALUES,
    **dict.fromkeys((200, GROUPED_AGGREGATE, 203), Form.COLUMNS),
    **dict.fromkeys((250, 252, 253), Form.COLUMNS),
}
"""Spark's numbers of evaluation types: by value, by value over Arrow, and by columns: series of pandas or arrays of
Arrow, whose result is a column, or an aggregate of a group or of a window."""
ITERATORS = frozenset({204, 251})
"""Those of functions over an iterator of columns, or of tuples of columns if it has several arguments."""
AGGREGATES_OF_ITERATORS = frozenset({217, 254})
"""Those of aggregates over such iterators, which give one value."""
ROWS = frozenset({300, 301})
"""Those of table functions that are given values, and give rows; how these pass to Python makes no difference."""

NOT_READ = Why("SORT", "functions of this sort are not read", ANY_HINT)
NOT_SENT = Why(
    "NOT_SENT", "its code is too large to be sent to the agent", "divide it, or declare what it does"
)
OTHER_CODE = Why(
    "OTHER_CODE",
    "what a steward accepted of it is about other code, or another Python",
    "propose and accept it again",
)
ODD_CALL = Why("UNKNOWN", "the plan does not say how it is called", ANY_HINT)


def reading(
    function: Any, evaluation: Any, arguments: Sequence[DataType], result: DataType | None
) -> Reading | tuple[Why, ...]:
    """What was read of the function, or why it stays opaque."""
    form = _FORMS.get(evaluation) if isinstance(evaluation, int) else None
    if form is None and evaluation not in ITERATORS | AGGREGATES_OF_ITERATORS:
        return (NOT_READ,)
    if result is None:
        return (ODD_CALL,)
    types = tuple(arguments)
    if form is not None:
        return read(function, types, result, form)
    return _read_batches(function, types, result, of_all=evaluation in AGGREGATES_OF_ITERATORS)


def _read_batches(
    function: Any, types: tuple[DataType, ...], result: DataType, *, of_all: bool
) -> Reading | tuple[Why, ...]:
    """A function over an iterator, whose flows are those of its arguments one by one."""
    if len(types) == 1:
        return read(function, (ArrayType(types[0]),), result, Form.BATCHES, of_all=of_all)
    names = [f"_{i}" for i in range(len(types))]
    row = StructType(tuple(StructField(n, t) for n, t in zip(names, types, strict=True)))
    found = read(function, (ArrayType(row),), result, Form.BATCHES, of_all=of_all)
    if not isinstance(found, Reading):
        return found
    flows = [
        replace(flow, argument=i, source=flow.source[1:])
        for flow in found.flows
        for i, name in enumerate(names)
        if flow.source[:1] in ((), (name,))
    ]
    return replace(found, flows=tuple(dict.fromkeys(flows)))


def read(
    function: Any,
    arguments: tuple[DataType, ...],
    result: DataType,
    form: Form,
    *,
    named: bool = True,
    of_all: bool = False,
) -> Reading | tuple[Why, ...]:
    """What was read of the function as it is called with arguments of these types, or why it stays opaque.

    ``named``: whether columns of its frames may go by their names, if the session says so; ``of_all``: whether it gives
    one value of all batches.
    """
    if not isinstance(function, Mapping):
        return (ODD_CALL,)
    by_name = named and function.get("columnsByName") is True
    shipped = _shipped(function)
    given = partial(_read, arguments=arguments, result=result, form=form)
    return _sent(function, partial(given, by_name=by_name, of_all=of_all, shipped=shipped))


def reading_of_rows(
    function: Any, evaluation: Any, arguments: Sequence[DataType], result: DataType | None
) -> Reading | tuple[Why, ...]:
    """What was read of the class of a table function, whose rows are of the result's type; or why it stays opaque."""
    if evaluation not in ROWS:
        return (NOT_READ,)
    if not isinstance(result, StructType) or not isinstance(function, Mapping):
        return (ODD_CALL,)
    return _sent(
        function, partial(_read_rows, arguments=tuple(arguments), result=result, shipped=_shipped(function))
    )


def _sent(
    function: Mapping[str, Any], reader: Callable[[str, str], Reading | Why]
) -> Reading | tuple[Why, ...]:
    command, version = function.get("command"), function.get("version")
    if not isinstance(command, str) or not isinstance(version, str):
        return (NOT_SENT,)
    return known_or_why(reader(command, version))


def _shipped(function: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that go to the workers with the function."""
    return tuple(map(str, function.get("shipped") or ()))


def _sent_function(command: str, version: str, shipped: tuple[str, ...]) -> tuple[Function, Modules]:
    """The function, and what it may use of the modules in those files. Raises ``UnreadableError``."""
    found = read_function_or_name(base64.b64decode(command), version)
    modules = linked_modules(found, shipped)
    return found if isinstance(found, Function) else named_function(found, modules), modules


def parameters(function: Any) -> int | None:
    """How many arguments the function takes by position; None if that cannot be read, or is any number."""
    try:
        found, _ = _sent_function(function["command"], function["version"], _shipped(function))
        return None if found.code.flags & VARARGS else found.code.argument_count
    except Exception:  # noqa: BLE001 - reading it tells why
        return None


def digest(function: Any) -> str | None:
    """The digest of the function with all that the program gives it; None if that cannot be read."""
    try:
        texts = texts_in(_shipped(function))
        found = read_function_or_name(base64.b64decode(function["command"]), function["version"])
        if isinstance(found, Named):
            return _digest_in_file(found, texts)
        return digest_of(found, {name: text.source for name, text in texts.items()})
    except Exception:  # noqa: BLE001 - reading it tells why
        return None


def _digest_in_file(named: Named, texts: Mapping[str, Text]) -> str | None:
    """The same of a function of a module that was shipped."""
    text = texts[named.module]
    others = {name: each for name, each in texts.items() if name != named.module}
    (found,) = (c for c in check(text.source.decode(), text.file, others) if c.name == named.name)
    return None if found.undigested else found.digest


def known_or_why(found: Reading | Why) -> Reading | tuple[Why, ...]:
    """A reading of the whole function, or all that keeps it from being one."""
    if isinstance(found, Reading):
        return found.unread or found
    return (found,)


@lru_cache(maxsize=MOST_KEPT)
def _read(
    command: str,
    version: str,
    arguments: tuple[DataType, ...],
    result: DataType,
    form: Form,
    *,
    by_name: bool,
    of_all: bool,
    shipped: tuple[str, ...],
) -> Reading | Why:
    def read_it() -> Reading:
        function, modules = _sent_function(command, version, shipped)
        analysis = analyse(function, len(arguments), modules)
        return reading_of(analysis, arguments, result, form, by_name=by_name, of_all=of_all)

    return attempted(read_it)


@lru_cache(maxsize=MOST_KEPT)
def _read_rows(
    command: str,
    version: str,
    arguments: tuple[DataType, ...],
    result: StructType,
    *,
    shipped: tuple[str, ...],
) -> Reading | Why:
    def read_it() -> Reading:
        found = read_class(base64.b64decode(command), version)
        modules = linked_modules(found, shipped)
        handler = driven(found if isinstance(found, Class) else named_class(found, modules), len(arguments))
        analysis = analyse(handler, len(arguments), modules)
        whole = reading_of_elements(analysis, arguments, result)
        given = tuple(map(_without_partitions, arguments))
        if given == arguments:
            return whole
        without = reading_of_elements(analysis, given, result)
        return replace(whole, flows=tuple(dict.fromkeys((*whole.flows, *without.flows))))

    return attempted(read_it)


def _without_partitions(argument: DataType) -> DataType:
    """A row of a table without what it is partitioned by, which Spark puts behind it and the function is not given.

    Their names may be those of columns as well.
    """
    if not isinstance(argument, StructType):
        return argument
    fields = argument.fields
    while fields and _PARTITION.fullmatch(fields[-1].name):
        fields = fields[:-1]
    return StructType(fields)


_PARTITION = re.compile(r"partition_by_\d+")


def attempted(read_it: Callable[[], Reading]) -> Reading | Why:
    """What was read, or why nothing was."""
    try:
        return read_it()
    except UnreadableError as e:
        return Why(e.code, e.reason, e.hint or ANY_HINT, e.line)
    except Exception as e:  # noqa: BLE001 - whatever a command does to its reader, the rest of the plan is read
        return Why("DAMAGED", f"its code is damaged ({type(e).__name__})", ANY_HINT)
