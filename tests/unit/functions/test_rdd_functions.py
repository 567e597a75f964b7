"""Chains of functions of RDDs, as PySpark binds them to each other, are read as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import StringType, StructType, UserDefinedType, _create_converter, _make_type_verifier

from functions.rdds import PYTHON, rows, sent
from headwater_functions.flows import reading_of_elements
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.rdd_function import RowsFunction, rows_function
from headwater_functions.result import analyse
from headwater_functions.unreadable import UnreadableError
from headwater_plan import types

ROW = StructType().add("who", StringType()).add("place", StringType())
TEXT = types.AtomicType("string")
MADE = types.StructType((types.StructField("who", TEXT), types.StructField("place", TEXT)))
GIVEN = types.StructType(tuple(types.StructField(name, TEXT) for name in ("name", "city", "ssn")))


class Point(UserDefinedType):  # type: ignore[misc]  # PySpark's classes have no types
    @classmethod
    def sqlType(cls) -> Any:  # noqa: N802 - PySpark's name of it
        return StringType()

    def serialize(self, obj: Any) -> Any:
        return obj


def chained(*chains: Any) -> RowsFunction:
    """What is read of RDDs that are computed one after the other."""
    return rows_function([read_function(sent(c), PYTHON) for c in chains])


def flows(*chains: Any) -> set[tuple[str, str]]:
    """(path of the result, path of a row), where values of the one are in the other."""
    analysis = analyse(chained(*chains).function, 2)
    assert not analysis.unread
    found = reading_of_elements(analysis, (TEXT, types.ArrayType(GIVEN)), MADE).flows
    assert all(flow.source[:1] == (types.ELEMENT,) for flow in found if flow.argument == 1 and flow.source)
    return {(".".join(f.target), ".".join(f.source[1:])) for f in found if f.argument == 1 and not f.decides}


MOVED = {("who", "name"), ("place", "city")}
CHAINS: dict[str, Callable[[Any], Any]] = {
    "map": lambda r: r.map(lambda row: (row.name, row.city)),
    "filter": lambda r: r.filter(lambda row: row.ssn).map(lambda row: (row.name, row.city)),
    "flatMap": lambda r: r.flatMap(lambda row: [(row.name, row.city)]),
    "mapPartitions": lambda r: r.mapPartitions(lambda part: ((row.name, row.city) for row in part)),
    "mapPartitionsWithIndex": lambda r: r.mapPartitionsWithIndex(
        lambda _, part: ((row.name, row.city) for row in part)
    ),
    "mapValues": lambda r: r.keyBy(lambda row: row.name).mapValues(lambda row: row.city),
    "many": lambda r: (
        r.map(lambda row: [row.ssn, row.name, row.city])
        .map(lambda row: [row[1], row[2]])
        .map(lambda row: (row[0], row[1]))
    ),
    "by_name": lambda r: r.map(lambda row: {"place": row.city, "who": row.name}),
}


@pytest.mark.parametrize("name", CHAINS)
def test_each_step_of_a_chain_is_followed(name: str) -> None:
    made = CHAINS[name](rows())
    checked = made.map(_make_type_verifier_of(ROW)).map(ROW.toInternal)
    converted = made.map(_create_converter(ROW)).map(ROW.toInternal)
    assert flows(made) == flows(checked) == flows(converted) == MOVED


def _make_type_verifier_of(row: StructType) -> Callable[[Any], Any]:
    """What ``createDataFrame`` does with each row where its types are checked."""
    verify = _make_type_verifier(row)

    def prepare(given: Any) -> Any:
        verify(given)
        return given

    prepare.__module__ = "pyspark.sql.session"
    return prepare


def test_chains_of_two_rdds_are_one() -> None:
    assert flows(rows().map(lambda r: (r.city, r.name)), rows().map(lambda r: (r[1], r[0]))) == MOVED


def test_names_that_become_others_are_reported() -> None:
    inferred = StructType().add("a", StringType()).add("b", StringType())
    made = rows().map(lambda row: {"a": row.name, "b": row.city}).map(_create_converter(inferred))
    assert chained(made.map(ROW.toInternal)).renames
    assert not chained(made.map(inferred.toInternal)).renames


def test_the_functions_of_the_program_give_the_name_and_the_line() -> None:
    def first(row: Any) -> Any:
        return row

    def second(row: Any) -> Any:
        return row

    code = chained(
        rows().map(first).map(second).map(_create_converter(ROW)).map(ROW.toInternal)
    ).function.code
    assert (code.name, code.file, code.first_line) == (
        "first, second",
        __file__,
        first.__code__.co_firstlineno,
    )


def test_types_of_the_program_are_not_read() -> None:
    drawn = StructType().add("who", StringType()).add("place", Point())
    with pytest.raises(UnreadableError, match="a type that the program defines"):
        chained(rows().map(lambda row: (row.name, row.city)).map(drawn.toInternal))


def test_chains_without_end_are_not_read() -> None:
    made = rows()
    for _ in range(120):
        made = made.map(lambda row: row)
    with pytest.raises(UnreadableError, match="too long"):
        chained(made)
