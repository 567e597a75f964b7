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
from headwater_plan.types import AtomicType, DataType, StructField, StructType
from headwater_spark.decode.code.jvm import reading_of_jvm

TEXT = AtomicType("string")
ROW = StructType((StructField("city", TEXT), StructField("zip", TEXT)))
SAMPLES = {
    each["name"]: each["function"]
    for each in map(json.loads, RECORDED.read_text("utf-8").strip().split("\n"))
}
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
    assert set(SAMPLES) == set(READ) | set(OPAQUE)


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
        function = _damaged(chance, chance.choice(list(SAMPLES.values())))
        try:
            analyse(function, chance.choice([1, 2]))
        except UnreadableError:
            continue
