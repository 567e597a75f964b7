"""What a function of the JVM does to its arguments, by the description that the agent sends of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.values import Edge, How
from headwater_functions.confined import confined
from headwater_functions.held import UNKNOWN
from headwater_functions.jvm.machine import Machine
from headwater_functions.jvm.values import DATA, PLAIN_DATA, Held, Method, parameters_of, unreadable
from headwater_functions.result import Analysis, Part

_DAMAGE = (IndexError, KeyError, TypeError, ValueError, AttributeError)


@confined
def analyse(function: Mapping[str, Any], count: int) -> Analysis:
    """Read a function, which is called with so many arguments. Raises ``UnreadableError``."""
    try:
        entry, captured = function["entry"], function["captured"]
        methods = {name: _method(each) for name, each in function["methods"].items()}
        machine = Machine(function["class"], methods)
        if "aggregator" in function:
            found = _folded(machine, function["aggregator"], count)
        else:
            found = _called(machine, entry, captured, count)
        name = function["class"].replace("/", ".")
        line = methods[entry].line
    except _DAMAGE as e:
        raise unreadable("BYTECODE", f"its description is damaged ({type(e).__name__})") from e
    part = Part(found, kinds=frozenset({"other"}))
    held = frozenset({UNKNOWN} if captured or not methods[entry].is_static else ())
    parameters = tuple(f"_{i}" for i in range(count))
    return Analysis(name, str(function.get("file") or ""), line, parameters, part, held=held)


def _called(machine: Machine, entry: str, captured: int, count: int) -> frozenset[Edge]:
    kinds = parameters_of(entry)
    if len(kinds) - captured != count or captured < 0:
        raise unreadable("ARGUMENTS", "it takes other arguments than it is given")
    values = [] if machine.methods[entry].is_static else [Held(program=True)]
    for place, kind in enumerate(kinds):
        bound = PLAIN_DATA if kind in DATA else Held(program=True)
        value = bound if place < captured else Held(frozenset((Edge((place - captured,), How()),)))
        values += [value, PLAIN_DATA] if kind in "JD" else [value]
    return machine.result(entry, values)


def _folded(machine: Machine, steps: Mapping[str, str], count: int) -> frozenset[Edge]:
    """An aggregator: the rows that it is given are one argument, whichever of them it is."""
    kinds = {name: parameters_of(key) for name, key in steps.items()}
    buffer = kinds["finish"][:1]
    fit = kinds["merge"] == buffer * 2 and kinds["reduce"][:1] == buffer and not kinds["zero"]
    if not fit or len(kinds["reduce"]) != 2 or count != 1:
        raise unreadable("ARGUMENTS", "it takes other arguments than it is given")
    value = Held(frozenset((Edge((0,), How()),)))
    return machine.folded(steps, [value, PLAIN_DATA] if kinds["reduce"][1] in "JD" else [value])


def _method(described: Mapping[str, Any]) -> Method:
    code = tuple((int(op), *operands) for op, *operands in described["code"])
    return Method(bool(described["static"]), int(described["line"]), bool(described["handlers"]), code)
