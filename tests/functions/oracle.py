"""Runs functions on changed inputs: whatever changes in a result has to be listed as made of what was changed.

An input is taken apart into leaves, and so is a result. Where the analysis says less than all of an argument, each
change of a result that it does not list is a miss; a listed pair that never changed is not exact.
"""

from __future__ import annotations

import copy
import datetime
import functools
import pickle
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, is_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.cloudpickle import dumps, register_pickle_by_value, unregister_pickle_by_value
from pyspark.sql import Row

from headwater_functions.analysis.values import Edge
from headwater_functions.code import Named
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.resolve import Form, Source, sources
from headwater_functions.result import ANY, KEYS, Analysis, Part, analyse
from headwater_functions.shipped.modules import modules_of, named_function
from headwater_functions.unreadable import UnreadableError
from headwater_plan.types import (
    ELEMENT,
    KEY,
    VALUE,
    ArrayType,
    AtomicType,
    DataType,
    MapType,
    StructField,
    StructType,
)

Steps = tuple[str, ...]
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


_ARROW = (pa.Table, pa.RecordBatch)
FEW_CHANGES = 4
"""Other values of each cell of a frame that are tried."""
FEW_VARIANTS = 3
"""Other frames that are started from."""
FEW_OTHERS = 20
"""Other values of each leaf that are tried."""
FEW_STARTS = 8
"""Other values of each argument that are started from."""


def type_of(value: Any) -> DataType:
    """The Spark type that a value would have had."""
    if isinstance(value, _ARROW):
        return type_of(value.to_pandas())
    if isinstance(value, pa.Scalar):
        return type_of(value.as_py())
    if isinstance(value, pd.DataFrame):
        return StructType(tuple(StructField(str(c), type_of(value[c].iloc[0])) for c in value.columns))
    if isinstance(value, pd.Series):
        return type_of(value.iloc[0])
    if isinstance(value, Row):
        return StructType(
            tuple(StructField(n, type_of(v)) for n, v in zip(value.__fields__, value, strict=True))
        )
    if isinstance(value, dict):
        return StructType(tuple(StructField(str(n), type_of(v)) for n, v in value.items()))
    if isinstance(value, list | set):
        items = list(value)
        return ArrayType(type_of(items[0]) if items else AtomicType("string"))
    if isinstance(value, tuple):
        return StructType(tuple(StructField(f"_{i}", type_of(v)) for i, v in enumerate(value)))
    names = {
        str: "string",
        bytes: "binary",
        int: "long",
        float: "double",
        bool: "boolean",
        datetime.date: "date",
    }
    return AtomicType(names.get(type(value), "other"))


def changes(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """(the path that was changed, the value with that change)"""
    if isinstance(value, _ARROW):
        for below, changed in changes(value.to_pandas(), steps):
            yield below, type(value).from_pandas(changed, preserve_index=False)
    elif isinstance(value, pa.Scalar):
        yield from ((steps, pa.scalar(c)) for _, c in changes(value.as_py()) if c is not None)
    elif isinstance(value, pd.DataFrame):
        for column in value.columns:
            for _, changed in changes(value[column]):
                other = value.copy()
                other[column] = changed
                yield (*steps, str(column)), other
    elif isinstance(value, pd.Series):
        for place in range(len(value)):
            held = value.iloc[place]
            for _, item in _some(changes(held.item() if hasattr(held, "item") else held)):
                values = list(value)
                values[place] = item
                yield steps, pd.Series(values, name=value.name, index=value.index)
    elif isinstance(value, Row):
        for place, name in enumerate(value.__fields__):
            for below, item in changes(value[place], (*steps, name)):
                values = list(value)
                values[place] = item
                changed = Row(*value.__fields__)(*values)
                yield below, changed
    elif isinstance(value, dict):
        for name in value:
            for below, item in changes(value[name], (*steps, str(name))):
                yield below, {**value, name: item}
    elif isinstance(value, tuple):
        for place in range(len(value)):
            for below, item in changes(value[place], (*steps, f"_{place}")):
                yield below, (*value[:place], item, *value[place + 1 :])
    elif isinstance(value, list):
        for place in range(len(value)):
            for below, item in changes(value[place], (*steps, ELEMENT)):
                yield below, [*value[:place], item, *value[place + 1 :]]
        yield steps, value[:-1]
        if value:
            yield steps, [*value, copy.copy(value[0])]
    elif isinstance(value, set):
        yield (*steps, ELEMENT), {*list(value)[1:], "changed"}
        yield steps, set()
    else:
        yield from ((steps, changed) for changed in _evenly(list(others(value)), FEW_OTHERS))


def _some(found: Iterator[tuple[Steps, Any]]) -> Iterator[tuple[Steps, Any]]:
    """A few of the changes, evenly: the first are small, and the last is that it is missing."""
    return _evenly(list(found), FEW_CHANGES)


def _evenly(known: list[Any], few: int) -> Iterator[Any]:
    yield from known[:: max(1, len(known) // few)]


def others(value: Any) -> Iterator[Any]:
    """Other values of the same type."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from (
            f"Q{value}",
            f"{value}7",
            value.upper(),
            value.lower(),
            value[::-1],
            value[1:],
            value[:-1],
            "".join(chr(ord(c) + 1) if c.isdigit() and c != "9" else c for c in value),
            "".join(chr(ord(c) + 1) if c.islower() and c != "z" else c for c in value),
            "zed",
            "5",
            "",
            "new" if value != "new" else "paid",
            value + value,
            value.replace("e", "i").replace("a", "o"),
        )
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value * 2, value + 100, 0, -value, value + 37)
    elif isinstance(value, float):
        yield from (value + 1, value / 2, value * 3.5, 0.0, -value, value + 100)
    elif isinstance(value, bytes):
        yield from (value + b"1", b"other")
    elif isinstance(value, datetime.date):
        yield from (value + datetime.timedelta(days=n) for n in (1, 40, -400, 9000, -25000))
    elif isinstance(value, Decimal):
        yield value + 1
    elif value is None:
        yield from ("given", 5)
    if value is not None and not isinstance(value, bytes):
        yield None


def leaves(value: Any, steps: Steps = ()) -> dict[Steps, list[Any]]:
    """A result's leaves: names of members, ``_element`` of sequences."""
    found: dict[Steps, list[Any]] = {}

    def add(parts: dict[Steps, list[Any]]) -> None:
        for path, values in parts.items():
            found.setdefault(path, []).extend(values)

    if isinstance(value, _ARROW):
        return leaves(value.to_pandas(), steps)
    if isinstance(value, pd.DataFrame):
        for place, column in enumerate(value.columns):
            name = f"_{column}" if isinstance(column, int) else str(column)
            found.setdefault((*steps, name), []).extend(repr(v) for v in value.iloc[:, place])
    elif isinstance(value, pd.Series):
        found[steps] = [repr(v) for v in value]
    elif isinstance(value, Row) and hasattr(value, "__fields__"):
        for name, item in zip(value.__fields__, value, strict=True):
            add(leaves(item, (*steps, name)))
    elif isinstance(value, dict):
        for name, item in value.items():
            add(leaves(item, (*steps, str(name))))
    elif is_dataclass(value) and not isinstance(value, type):
        for name, item in vars(value).items():
            add(leaves(item, (*steps, name)))
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            add(leaves(item, (*steps, f"_{place}")))
    elif isinstance(value, set | frozenset):
        found[(*steps, ELEMENT)] = sorted(map(repr, value))
    elif isinstance(value, list | types.GeneratorType | map | filter | zip):
        for item in value:
            add(leaves(item, (*steps, ELEMENT)))
        found.setdefault((*steps, ELEMENT), []).append("")
    else:
        found[steps] = [repr(value)]
    return found


@dataclass
class Verdict:
    """What was found of a function."""

    name: str
    opaque: str = ""
    misses: list[str] = field(default_factory=list)
    weakened: list[str] = field(default_factory=list)
    exact: bool = False
    narrowed: bool = False


def analysis_of(function: Callable[..., Any], count: int) -> Analysis:
    """By way of a pickle, as Spark has it."""
    return analyse(read_function(pickled(function), VERSION), count)


def pickled(function: Callable[..., Any]) -> bytes:
    """The function as Spark sends it, with the code of its module."""
    module = sys.modules[_plain(function).__module__]
    register_pickle_by_value(module)
    try:
        return bytes(dumps((function, None)))
    finally:
        unregister_pickle_by_value(module)


Reads = Callable[[Callable[..., Any], int], Analysis]
"""What reads a function that is called with so many arguments."""


def _plain(function: Any) -> Any:
    """The function in a partial one, or the class of an object that is called."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if hasattr(function, "__name__") else type(function)


def form_of(arguments: tuple[Any, ...]) -> Form:
    if any(
        isinstance(a, list) and a and isinstance(a[0], (pd.DataFrame, pd.Series, *_ARROW)) for a in arguments
    ):
        return Form.BATCHES
    if any(isinstance(a, (pd.DataFrame, *_ARROW)) for a in arguments):
        return Form.FRAMES
    return Form.COLUMNS if any(isinstance(a, pd.Series) for a in arguments) else Form.VALUES


def in_file(source: str, name: str) -> Reads:
    """The way by the source of a module, as it is shipped to the workers."""

    def read(function: Callable[..., Any], count: int) -> Analysis:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.py"
            file.write_text(source, "utf-8")
            named = Named(name, function.__name__)
            modules = modules_of(named, [str(file)])
            return analyse(named_function(named, modules), count, modules)

    return read


def examined(
    function: Callable[..., Any], arguments: tuple[Any, ...], reads: Reads | None = None
) -> tuple[Verdict, Listed | None]:
    """What is stated of a function, with the verdict begun; None if it is opaque."""
    verdict = Verdict(_plain(function).__name__)
    try:
        analysis = (reads or analysis_of)(function, len(arguments))
    except UnreadableError as e:
        verdict.opaque = f"{e.code}: {e.reason} (line {e.line})"
        return verdict, None
    if analysis.unread:
        verdict.opaque = "; ".join(sorted(analysis.unread))
        return verdict, None
    kinds = tuple(map(type_of, arguments))
    return verdict, Listed(analysis.result, kinds, form_of(arguments))


def judge(function: Callable[..., Any], arguments: tuple[Any, ...], reads: Reads | None = None) -> Verdict:
    """Compare what is stated of a function with what it does; ``reads`` if it is not by way of a pickle."""
    verdict, listed = examined(function, arguments, reads)
    if listed is None:
        return verdict
    changed = _changed_pairs(function, arguments)
    for (argument, source, target), shown in sorted(changed.items(), key=repr):
        ways = listed.ways(argument, source, target)
        if not ways:
            verdict.misses.append(f"{argument}.{'.'.join(source)} -> {'.'.join(target)}")
        elif shown and not any(
            w.how.decides or w.how.retains.readable or w.how.retains.value == "PART" for w in ways
        ):
            verdict.weakened.append(f"{argument}.{'.'.join(source)} -> {'.'.join(target)}")
    verdict.exact = listed.pairs(changed) <= {(a, s, t) for a, s, t in changed}
    verdict.narrowed = True
    return verdict


def _changed_pairs(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> dict[tuple[int, Steps, Steps], bool]:
    """Pairs of an input and an output that changed with it, and whether the input could be read in it."""
    found: dict[tuple[int, Steps, Steps], bool] = {}
    if _run(function, arguments) != _run(function, arguments):
        return found  # it is made of chance
    variants = [arguments, *_variants(arguments)]
    for variant in variants:
        before = _run(function, variant)
        if before is None:
            continue
        for place, argument in enumerate(variant):
            for steps, changed in changes(argument):
                after = _run(function, (*variant[:place], changed, *variant[place + 1 :]))
                if after is None:
                    continue
                for target in before.keys() | after.keys():
                    if before.get(target) != after.get(target):
                        key = place, steps, target
                        found[key] = found.get(key, False) or _shown(changed, after.get(target, []))
    return found


def _variants(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Other starting points: each argument changed, so that other branches are seen."""
    for place, argument in enumerate(arguments):
        frames = form_of((argument,)) is not Form.VALUES
        for number, (_, changed) in enumerate(changes(argument)):
            if number < (FEW_VARIANTS if frames else FEW_STARTS):
                yield (*arguments[:place], changed, *arguments[place + 1 :])


def _shown(changed: Any, outputs: list[Any]) -> bool:
    """Whether a text of some length stands in the output."""
    return isinstance(changed, str) and len(changed) > 6 and any(changed in o for o in outputs)


def _run(function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[Steps, list[Any]] | None:
    try:
        return leaves(function(*map(_copied, arguments)))
    except Exception:  # noqa: BLE001 - a job that fails writes nothing
        return None


def _copied(argument: Any) -> Any:
    """The argument again; of what has many parts, pickling is the quicker way."""
    if isinstance(argument, _ARROW):
        return argument
    is_value = form_of((argument,)) is Form.VALUES
    return pickle.loads(pickle.dumps(argument)) if is_value else copy.deepcopy(argument)


class Listed:
    """What the analysis lists, by leaves."""

    def __init__(self, result: Part, kinds: tuple[DataType, ...], form: Form) -> None:
        self._result, self._kinds, self._form = result, kinds, form

    def ways(self, argument: int, source: Steps, target: Steps) -> list[Source]:
        return [
            s
            for s in sources(edges_at(self._result, target), self._kinds, self._form)
            if s.argument == argument and _related(s.steps, source, s)
        ]

    def pairs(self, changed: dict[tuple[int, Steps, Steps], bool]) -> set[tuple[int, Steps, Steps]]:
        """Every pair that is listed, of inputs that were changed and outputs that were seen."""
        inputs = {(a, s) for a, k in enumerate(self._kinds) for s in _leaf_paths(k)}
        targets = {t for _, _, t in changed}
        return {(a, s, t) for t in targets for a, s in inputs if self.ways(a, s, t)}


def _related(listed: Steps, changed: Steps, source: Source) -> bool:
    shorter = min(len(listed), len(changed))
    if source.how.extent:
        return len(changed) <= len(listed) and listed[:shorter] == changed[:shorter]
    return listed[:shorter] == changed[:shorter]


def _leaf_paths(kind: DataType) -> Iterator[Steps]:
    match kind:
        case StructType():
            for each in kind.fields:
                yield from ((each.name, *below) for below in _leaf_paths(each.type))
        case ArrayType():
            yield from ((ELEMENT, *below) for below in _leaf_paths(kind.element))
        case MapType():
            yield from ((KEY,), (VALUE,))
        case _:
            yield ()


def edges_at(part: Part, target: Steps) -> frozenset[Edge]:
    """All that leads to a leaf of the result: to what it is in, and to it; below what moves, to the same part."""
    edges: set[Edge] = set()
    carried: set[Edge] = set()
    parts = [part]
    for step in target:
        carried = {
            Edge((*e.path, _step(step)), e.how)
            for e in carried | {e for p in parts for e in p.edges if e.how.moves}
        }
        edges |= {e for p in parts for e in p.edges if not e.how.moves}
        parts = [m for p in parts for m in _below(p, step)]
        if not parts and not carried:
            break
    edges |= carried
    for each in parts:
        edges |= set(each.all_edges())
    return frozenset(edges)


def _step(step: str) -> tuple[str, Any]:
    if step == ELEMENT:
        return ("each", None)
    return ("item", int(step[1:])) if step[:1] == "_" and step[1:].isdigit() else ("item", step)


def _below(part: Part, step: str) -> Iterator[Part]:
    place = int(step[1:]) if step[:1] == "_" and step[1:].isdigit() else None
    for name, member in part.members.items():
        at_place = isinstance(name, int) and (name == place or step == ELEMENT)
        if name in (step, ANY, KEYS) or at_place:
            yield member
    if not part.members:
        return
