"""The flows of classes of table functions, against the rows that they give when one argument of one row changes."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pyspark.cloudpickle import dumps, register_pickle_by_value, unregister_pickle_by_value

from functions.examples import TableExample
from functions.oracle import changes, type_of
from headwater_functions.analysis.constants import Modules
from headwater_functions.code import Class, Function, Named
from headwater_functions.flows import reading_of_elements
from headwater_functions.pickles.cloudpickled import read_class
from headwater_functions.result import analyse
from headwater_functions.shipped.modules import linked_modules, modules_of, named_class
from headwater_functions.table_function import driven
from headwater_functions.unreadable import UnreadableError
from headwater_plan.readings import Reading
from headwater_plan.types import AtomicType, StructField, StructType
from headwater_spark.decode.code.python import reading_of_rows

EXAMPLES: list[TableExample] = [
    *import_module("functions.corpus_tables.rows").EXAMPLES,
    *import_module("functions.corpus_domains.classes").TABLES,
]
LEAST_EXACT = 20
OPAQUE = {"Most"}
"""Those that change what a library has made for them."""
Pair = tuple[int, tuple[str, ...], str]


def test_no_change_of_a_row_is_missed_and_columns_are_kept_apart() -> None:
    found = {each.handler.__name__: _judged(each) for each in EXAMPLES if each.handler.__name__ not in OPAQUE}
    assert {name: missed for name, (missed, _) in found.items() if missed} == {}
    assert sum(exact for _, exact in found.values()) >= LEAST_EXACT


def _judged(example: TableExample) -> tuple[list[str], bool]:
    """What was missed, and whether nothing more computes a column than what changes it."""
    reading = _reading(example)
    assert not reading.unread
    changed = set(_changed(example))
    missed = [str(pair) for pair in changed if not _listed(reading, pair)]
    inputs = {(a, steps) for a, given in enumerate(example.rows[0]) for steps, _ in changes(given)}
    columns = [f"c{i}" for i in range(example.width)]
    direct = {(a, s, c) for a, s in inputs for c in columns if _listed(reading, (a, s, c), direct=True)}
    return missed, direct <= changed


def _reading(example: TableExample) -> Reading:
    count = len(example.rows[0])
    row = StructType(tuple(StructField(f"c{i}", AtomicType("string")) for i in range(example.width)))
    analysis = analyse(driven(_sent(example.handler), count), count)
    return reading_of_elements(analysis, tuple(map(type_of, example.rows[0])), row)


def _sent(handler: type) -> Class:
    record = read_class(_pickled(handler), "3.11")
    assert isinstance(record, Class)
    return record


def _pickled(handler: type) -> bytes:
    module = sys.modules[handler.__module__]
    register_pickle_by_value(module)
    try:
        return bytes(dumps((handler, None)))
    finally:
        unregister_pickle_by_value(module)


def _changed(example: TableExample) -> Iterator[Pair]:
    """Paths of arguments, and columns that changed with one of them in one row."""
    for base in (example.rows, tuple(reversed(example.rows)), (*example.rows, *example.rows)):
        before = _columns(example, base)
        for number, row in enumerate(base):
            for place, given in enumerate(row):
                for steps, other in changes(given):
                    changed = (*row[:place], other, *row[place + 1 :])
                    after = _columns(example, (*base[:number], changed, *base[number + 1 :]))
                    for column, values in after.items():
                        if before and values != before[column]:
                            yield place, steps, column


def _columns(example: TableExample, rows: tuple[tuple[Any, ...], ...]) -> dict[str, list[str]]:
    """The values of each column; none where the class fails, so that nothing is written."""
    handler: Any = example.handler()
    given: list[Any] = []
    try:
        for row in rows:
            given += handler.eval(*row) or ()
        given += handler.terminate() if hasattr(handler, "terminate") else ()
    except Exception:  # noqa: BLE001 - a job that fails writes nothing
        return {}
    return {f"c{i}": [repr(row[i]) for row in given] for i in range(example.width)}


def _listed(reading: Reading, pair: Pair, *, direct: bool = False) -> bool:
    argument, steps, column = pair
    return any(
        flow.argument == argument
        and flow.target in ((), (column,))
        and all(a == b for a, b in zip(flow.source, steps, strict=False))
        and not (direct and flow.decides)
        for flow in reading.flows
    )


def test_what_is_changed_in_place_of_a_library_s_object_makes_a_class_opaque() -> None:
    opaque = [each for each in EXAMPLES if each.handler.__name__ in OPAQUE]
    for each in opaque:
        with pytest.raises(UnreadableError, match="in place"):
            _reading(each)
    assert len(opaque) == len(OPAQUE)


class _Analysing:
    def __init__(self, analysed: Any) -> None:
        self.analysed = analysed

    @staticmethod
    def analyze(mail: Any) -> None:
        pass

    def eval(self, mail: str) -> Iterator[tuple[str]]:
        yield (mail,)


class _Silent:
    pass


@pytest.mark.parametrize(
    ("handler", "reason"), [(_Analysing, "what it analysed"), (_Silent, "no method eval")]
)
def test_a_class_that_is_not_known_by_its_rows_is_refused(handler: type, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        driven(_sent(handler), 1)


class _OfTables:
    @staticmethod
    def analyze(row: Any) -> None:
        pass

    def eval(self, row: Any) -> Iterator[tuple[str, str]]:
        yield row["mail"], row[-1]


def test_a_row_of_a_table_does_not_end_with_what_it_is_partitioned_by() -> None:
    text = AtomicType("string")
    row = StructType(tuple(StructField(name, text) for name in ("mail", "name", "town", "partition_by_0")))
    made = StructType(tuple(StructField(name, text) for name in ("one", "other")))
    function = {"command": base64.b64encode(_pickled(_OfTables)).decode(), "version": "3.11"}
    found = reading_of_rows(function, 300, [row], made)
    assert isinstance(found, Reading)
    direct = {(*flow.target, *flow.source) for flow in found.flows if not flow.decides}
    assert direct == {("one", "mail"), ("other", "town"), ("other", "partition_by_0")}


MODULE = """
class Rows:
    end = ""
    def eval(self, one, other):
        yield one, self.of(other)
    def of(self, other):
        return other[:1]
    def terminate(self):
        yield self.end, ""
class Below(Rows):
    def of(self, other):
        return other
Rows2 = Below
"""


@pytest.mark.parametrize("name", ["Rows", "Below", "Rows2"])
def test_a_class_of_a_module_that_was_shipped_is_read_as_one_that_was_sent(name: str, tmp_path: Path) -> None:
    (tmp_path / "rows_of_test.py").write_text(MODULE, "utf-8")
    named = Named("rows_of_test", name)
    modules = modules_of(named, [str(tmp_path / "rows_of_test.py")])
    reading = _flows(driven(named_class(named, modules), 2), modules)
    assert not reading.unread
    direct = {(f.target, f.argument) for f in reading.flows if not f.decides}
    assert direct == {(("c0",), 0), (("c1",), 1)}


def test_a_class_that_was_sent_inherits_from_one_of_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows_of_test.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    base: Any = import_module("rows_of_test").Rows

    class Crossed(base):  # type: ignore[misc]  # the module of the base is written by this test
        def eval(self, one: str, other: str) -> Iterator[tuple[str, str]]:
            yield from super().eval(other, one)

    record = _sent(Crossed)
    with pytest.raises(UnreadableError, match="made of others"):
        analyse(driven(record, 2), 2)
    record = _sent(Crossed)
    modules = linked_modules(record, [str(tmp_path / "rows_of_test.py")])
    reading = _flows(driven(record, 2), modules)
    assert not reading.unread
    assert {(f.target, f.argument) for f in reading.flows if not f.decides} == {(("c0",), 1), (("c1",), 0)}


def _flows(handler: Function, modules: Modules) -> Reading:
    row = StructType(tuple(StructField(f"c{i}", AtomicType("string")) for i in range(2)))
    return reading_of_elements(analyse(handler, 2, modules), (AtomicType("string"),) * 2, row)
