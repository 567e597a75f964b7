"""Functions in Java, by the instructions of their class files."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from functions.jvm.record import RECORDED
from headwater_facets.kinds import Retains
from headwater_functions.flows import reading_of
from headwater_functions.jvm.function import analyse
from headwater_functions.resolve import Form
from headwater_functions.unreadable import UnreadableError
from headwater_plan.readings import Reading
from headwater_plan.types import AtomicType, DataType, StructField, StructType
from headwater_spark.decode.code.aggregators import reading_of_aggregator
from headwater_spark.decode.code.jvm import reading_of_jvm

TEXT = AtomicType("string")
ROW = StructType((StructField("city", TEXT), StructField("zip", TEXT)))
SAMPLES = {
    each["name"]: each["function"]
    for each in map(json.loads, RECORDED.read_text("utf-8").strip().split("\n"))
}
AGGREGATORS: dict[str, tuple[int, set[tuple[int, str]]]] = {
    "mean": (1, {(0, "FACT")}),
    "longest": (1, {(0, "VALUE"), (0, "decides")}),
    "of rows": (2, {(1, "FACT")}),
    "merged": (1, {(0, "CONTAINS")}),
}
"""How many columns they are given, and what of each is in what they give."""
ODD_AGGREGATORS = {"inherits": "NOT_SENT", "folded": "SORT"}
Way = tuple[int, tuple[str, ...], str]
READ: dict[str, tuple[tuple[DataType, ...], set[Way]]] = {
    "host": ((TEXT,), {(0, (), "CONTAINS"), (0, (), "decides")}),
    "salted": ((TEXT,), {(0, (), "CONTAINS")}),
    "first": ((TEXT, TEXT), {(0, (), "VALUE")}),
    "joined": ((TEXT, TEXT), {(0, (), "CONTAINS")}),
    "chosen": ((TEXT, TEXT), {(0, (), "CONTAINS"), (0, (), "decides"), (1, (), "VALUE")}),
    "decided": ((TEXT, TEXT), {(0, (), "VALUE"), (1, (), "decides")}),
    "length": ((TEXT, TEXT), {(0, (), "FACT")}),
    "city": ((ROW,), {(0, ("city",), "CONTAINS")}),
    "second": ((ROW,), {(0, ("zip",), "VALUE")}),
    "whole": ((ROW,), {(0, (), "CONTAINS")}),
    "helped": ((TEXT, TEXT), {(1, (), "VALUE"), (1, (), "CONTAINS"), (1, (), "decides")}),
    "looped": ((TEXT, TEXT), {(0, (), "CONTAINS"), (0, (), "FACT"), (1, (), "decides")}),
    "switched": ((TEXT, TEXT), {(0, (), "VALUE"), (1, (), "decides")}),
    "number": ((TEXT, TEXT), {(1, (), "CONTAINS")}),
    "day": ((TEXT, TEXT), {(1, (), "CONTAINS")}),
    "digest": ((TEXT,), {(0, (), "CONTAINS")}),
    "formatted": ((TEXT, TEXT), {(1, (), "CONTAINS")}),
    "array": ((TEXT, TEXT), {(0, (), "FACT"), (1, (), "CONTAINS")}),
    "by position in a loop": ((ROW,), {(0, ("city",), "CONTAINS"), (0, (), "CONTAINS")}),
    "kept in two": ((TEXT, TEXT), {(0, (), "CONTAINS"), (1, (), "CONTAINS")}),
}
OPAQUE = {
    "keeps": "GLOBAL",
    "shared": "GLOBAL",
    "array of the program": "GLOBAL",
    "static state": "GLOBAL",
    "caught": "CONSTRUCT",
    "property": "CALL",
    "collection of the program": "CALLBACK",
    "encoded into": "CALL",
    "streamed": "CALLBACK",
}


@pytest.mark.parametrize("name", READ)
def test_what_a_function_makes_its_result_of_is_read(name: str) -> None:
    types, expected = READ[name]
    found = reading_of(analyse(SAMPLES[name], len(types)), types, TEXT, Form.VALUES).flows
    assert {
        (f.argument, f.source, "decides" if f.decides else (f.retains or Retains.VALUE).value) for f in found
    } == expected


@pytest.mark.parametrize("name", OPAQUE)
def test_what_keeps_catches_or_calls_what_is_not_known_is_opaque(name: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        analyse(SAMPLES[name], 1 if name in ("shared", "streamed") else 2)
    assert refused.value.code == OPAQUE[name]


def test_every_sample_is_expected() -> None:
    assert set(SAMPLES) == {*READ, *OPAQUE, *AGGREGATORS, *ODD_AGGREGATORS}


@pytest.mark.parametrize("name", AGGREGATORS)
def test_an_aggregator_is_read_as_what_its_methods_make_of_any_number_of_rows(name: str) -> None:
    columns, expected = AGGREGATORS[name]
    found = reading_of_aggregator(SAMPLES[name], [TEXT] * columns, TEXT)
    assert isinstance(found, Reading)
    ways = {(f.argument, "decides" if f.decides else (f.retains or Retains.VALUE).value) for f in found.flows}
    assert ways == expected


@pytest.mark.parametrize("name", ODD_AGGREGATORS)
def test_an_aggregator_that_inherits_or_folds_objects_is_opaque(name: str) -> None:
    (why,) = reading_of_aggregator(SAMPLES[name], [TEXT], TEXT)  # type: ignore[misc]  # it is no reading
    assert why.code == ODD_AGGREGATORS[name]


def test_a_function_without_a_class_file_is_opaque_and_says_why() -> None:
    (why,) = reading_of_jvm({"o": "Mails"}, [TEXT], TEXT)  # type: ignore[misc]  # it is no reading
    assert why.code == "NOT_SENT"
    (why,) = reading_of_jvm(SAMPLES["first"], [TEXT], TEXT)  # type: ignore[misc]  # it is no reading
    assert why.code == "ARGUMENTS"


def _damaged(chance: random.Random, function: dict[str, Any]) -> dict[str, Any]:
    damaged: dict[str, Any] = json.loads(json.dumps(function))
    for _ in range(chance.randint(1, 5)):
        code = chance.choice(list(damaged["methods"].values()))["code"]
        place = chance.randrange(len(code))
        match chance.randrange(4):
            case 0:
                code[place] = [chance.randrange(210), *code[place][1:]]
            case 1:
                code[place] = [code[place][0], chance.choice([0, 1, 7, -1, "x", None, 1 << 40])]
            case 2:
                code.insert(place, chance.choice(code))
            case _:
                del code[place]
        if not code:
            code.append([177])
    return damaged


@pytest.mark.parametrize("count", [2_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_damaged_instructions_are_read_or_refused_and_nothing_else(count: int) -> None:
    chance = random.Random(count)
    for _ in range(count):
        function = _damaged(chance, chance.choice([s for s in SAMPLES.values() if "methods" in s]))
        try:
            analyse(function, chance.choice([1, 2]))
        except UnreadableError:
            continue
