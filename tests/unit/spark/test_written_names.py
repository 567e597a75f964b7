"""Which names of columns, and of what is written, a program may have made of data."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from golden.captures import captures_of
from golden.cases import DECLARED, PROGRAMS, Program
from headwater_plan.nodes import Write
from headwater_plan.types import ArrayType, AtomicType, MapType, StructField, StructType
from headwater_spark.activation import own_reads
from headwater_spark.capture.program_reads import ARGUMENT, CELL, SOURCE, OwnRead
from headwater_spark.capture.program_text import ProgramText
from headwater_spark.decode import decode
from headwater_spark.tracing import trace
from headwater_spark.tracing.collected import MayHold
from headwater_spark.tracing.result import COLLECTED
from headwater_spark.tracing.written_names import Names, is_counted, names_in, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("maxAge_of[2]", ["max", "age", "of", "2"]),
        ("HTTPServer", ["http", "server"]),
        ("Zoë Müller", ["zo", "ë", "m", "ü", "ller"]),
        ("of_111-11-1111", ["of", "111-11-1111"]),
        ("李 雷", ["李", "雷"]),
    ],
)
def test_names_are_taken_apart_into_words(name: str, expected: list[str]) -> None:
    assert list(words(name)) == expected


@pytest.mark.parametrize(
    "number", ["0", "1234", "2026", "2026-11-28", "20261128", "2026_11", "2026-11-28_23:59:59"]
)
def test_short_numbers_and_times_are_counted(number: str) -> None:
    assert is_counted(number)


@pytest.mark.parametrize("number", ["12345", "111-11-1111", "20269999", "0049 30 1234", "1764370829", "x"])
def test_other_numbers_are_not(number: str) -> None:
    assert not is_counted(number)


def test_what_is_noted_of_a_command_line_is_taken_apart_like_a_name() -> None:
    text = "outFolder=/data/Lake_2/111-11-1111 Müller"
    assert [each.casefold() for each in own_reads._WORD.findall(text)] == list(words(text))


def test_a_type_has_the_names_of_all_members() -> None:
    name = AtomicType("string")
    inner = StructType((StructField("b", name),))
    outer = StructType((StructField("a", ArrayType(inner)), StructField("c", MapType(inner, inner))))
    assert list(names_in(outer)) == ["a", "b", "c", "b", "b"]


def text_of(folder: Path, *modules: str) -> ProgramText:
    text = ProgramText()
    for number, module in enumerate(modules):
        (folder / f"job{number}.py").write_text(module, "utf-8")
        text.add(OwnRead(0, SOURCE, str(folder / f"job{number}.py")))
    text.add(OwnRead(0, ARGUMENT, hashlib.sha256(b"north").hexdigest()))
    text.add_words(["/data/lake"])
    return text


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("total", True),
        ("Total Of 2026", True),
        ("total_north", True),
        ("/data/lake/total", True),
        ("total_paul", False),
        ("total_12345", False),
        ("given", False),
    ],
)
def test_names_are_written_if_all_their_words_are(tmp_path: Path, name: str, written: bool) -> None:
    names = text_of(tmp_path, "x = f'total of {place}'").names
    assert names.has(name) is written
    assert names.beside(frozenset(["given"])).has("given")


def test_without_a_module_names_that_code_can_have_count_as_written(tmp_path: Path) -> None:
    names = text_of(tmp_path).names
    assert all(map(names.has, ("total", "Müller", "lake/north")))
    assert not any(map(names.has, ("lpaul@example.org", "Lisa Paul", "lake/paul")))


def words_of(text: str) -> Names:
    """The names that are made of the words of a program's text."""
    written = ProgramText()
    written.add(OwnRead(0, CELL, ""))
    written.add_words([text])
    return written.names


def listed(program: Program, text: str | None) -> list[tuple[str, ...]]:
    """The paths that may hold what was collected, of a program in whose text these words are, if it is known."""
    captures = captures_of(program.line)
    plan = decode(captures.plans[program.key].plan, captures.version, declared=DECLARED.get)
    assert plan.relation is not None
    columns = StructType(tuple(StructField(a.name, a.type) for a in plan.relation.outputs))
    query = replace(plan, write=Write(plan.relation, {}, "", columns))
    held = MayHold(collected=True, names=None if text is None else words_of(text))
    return [
        each.path
        for each in trace(query, program=held).fields
        if any(i.read == COLLECTED for i in each.inputs)
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_names_in_a_programs_own_text_and_those_that_spark_gives_add_nothing(program: Program) -> None:
    assert listed(program, program.text) == listed(program, None)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if str(p.case) == "select_rename"], ids=str)
def test_names_that_are_not_in_the_programs_text_may_hold_data(program: Program) -> None:
    assert listed(program, program.text) == []
    assert listed(program, "") != []
