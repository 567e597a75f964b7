"""What functions of Python do to the rows of a frame that a program takes as an RDD, and hands back as a frame."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from headwater_facets.kinds import Retains
from headwater_functions.flows import reading_of_elements
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.rdd_function import RowsFunction, rows_function
from headwater_functions.result import ANY, Analysis, analyse
from headwater_functions.shipped.modules import linked_modules
from headwater_functions.unreadable import UnreadableError
from headwater_plan.nodes import Attribute, Column, OpaqueCall, ReadCall
from headwater_plan.readings import ReadFlow, Reading, Why
from headwater_plan.types import ELEMENT, ArrayType, AtomicType, StructType
from headwater_spark.decode.code.frames import frame_of
from headwater_spark.decode.code.python import MOST_KEPT, NOT_SENT, attempted, known_or_why

_BY_POSITION = frozenset({"tuple", "list", "record"})
"""What PySpark makes rows of by position, whatever its parts are called."""
_NUMBER = AtomicType("integer")
_SAME_NAMES = Why("ARGUMENTS", "two columns have the same name", "give each column a name of its own")

Commands = tuple[tuple[str, str], ...]
"""Each function as it was sent, with the Python that wrote it."""


def rows_call(
    functions: Sequence[Any], given: Sequence[Attribute], made: Sequence[Attribute]
) -> OpaqueCall | ReadCall:
    """The functions as one call, the last one first: it gets the rows of a frame, and gives those of another."""
    frame = frame_of([Column(a.id, a.name, a.type) for a in given])
    result = frame_of([Column(a.id, a.name, a.type) for a in made])
    if frame is None or result is None:
        return OpaqueCall("RDD", "RDD", (), why=(_SAME_NAMES,))
    found = _reading(functions, frame.type, result.type)
    if isinstance(found, Reading):
        return ReadCall(found, found.name, "RDD", (frame,), result.type)
    return OpaqueCall("RDD", "RDD", (), why=found)


def _reading(functions: Sequence[Any], frame: Any, result: Any) -> Reading | tuple[Why, ...]:
    commands, shipped = [], dict[str, None]()
    for each in reversed(functions):
        sent = each if isinstance(each, Mapping) else {}
        command, version = sent.get("command"), sent.get("version")
        if not isinstance(command, str) or not isinstance(version, str):
            return (NOT_SENT,)
        commands.append((command, version))
        shipped.update(dict.fromkeys(map(str, sent.get("shipped") or ())))
    return known_or_why(_read(tuple(commands), tuple(shipped), frame, result))


@lru_cache(maxsize=MOST_KEPT)
def _read(
    commands: Commands, shipped: tuple[str, ...], frame: StructType, result: StructType
) -> Reading | Why:
    def read_it() -> Reading:
        chain = [read_function(base64.b64decode(command), version) for command, version in commands]
        rows = rows_function(chain)
        modules = linked_modules(rows.function, shipped)
        analysis = analyse(rows.function, 2, modules, parts=rows.parts)
        _check_names(rows, analysis)
        found = reading_of_elements(analysis, (_NUMBER, ArrayType(frame)), result)
        flows = (_of_rows(flow) for flow in found.flows if flow.argument == 1)
        columns = (each for flow in flows for each in _by_columns(flow, frame, result))
        return replace(found, flows=tuple(dict.fromkeys(columns)))

    return attempted(read_it)


def _check_names(rows: RowsFunction, analysis: Analysis) -> None:
    """Refuse rows that are made by names, if their columns have others."""
    kinds = analysis.result.members[ANY].kinds if ANY in analysis.result.members else frozenset[str]()
    if rows.renames and not (kinds and kinds <= _BY_POSITION):
        raise UnreadableError(
            "ARGUMENTS", "its rows have names, and their columns others", "name columns as in its rows"
        )


def _of_rows(flow: ReadFlow) -> ReadFlow:
    """The flow from a row, and not from a list of rows. What depends on a partition's number holds nothing of them."""
    source = flow.source[1:] if flow.source[:1] == (ELEMENT,) else flow.source
    return replace(flow, argument=0, source=source)


def _by_columns(flow: ReadFlow, frame: StructType, result: StructType) -> Iterator[ReadFlow]:
    """The flow of each column, where rows pass as they are."""
    is_whole = not flow.source and not flow.target and not flow.decides
    if is_whole and flow.retains is Retains.VALUE and frame == result:
        yield from (replace(flow, source=(f.name,), target=(f.name,)) for f in frame.fields)
    else:
        yield flow
