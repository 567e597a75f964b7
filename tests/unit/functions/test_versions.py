"""Code of each Python version reads as the same flows."""

from __future__ import annotations

import base64
import json
import opcode
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from functions import oracle
from functions.oracle import analysis_of
from headwater_functions.bytecode.opcodes import OPCODES
from headwater_functions.code import Code, Function
from headwater_functions.pickles.cloudpickled import read_function
from headwater_functions.result import Analysis, Part, analyse
from headwater_functions.source import checked
from headwater_functions.unreadable import UnreadableError

FOLDER = Path(__file__).parents[2] / "functions" / "versions"

MORE_EXACT = {"3.10": {"area", "passes_through"}, "3.14": {"any_expensive", "member_of_an_enumeration"}}
"""Functions whose code that compiler wrote in another way, of which more, or less, is known."""


def _plain(value: Any, version: str) -> Any:
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()))
    if kind == "code":
        return _code(content, version)
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "slice":
        return slice(*content)
    return tuple(_plain(v, version) for v in content) if kind == "tuple" else content


def _code(record: dict[str, Any], version: str) -> Code:
    r = {name.removeprefix("co_"): _plain(value, version) for name, value in record.items()}
    return Code(
        version, r["name"], "corpus.py", r["firstlineno"], r["flags"], r["argcount"], r["posonlyargcount"],
        r["kwonlyargcount"], r["code"], r["consts"], r["names"], r["varnames"], r["freevars"], r["cellvars"],
        r["linetable"], r["exceptiontable"],
    )  # fmt: skip


def _read(version: str) -> dict[str, Any]:
    records = json.loads((FOLDER / f"{version}.json").read_text("utf-8"))
    found: dict[str, Any] = {}
    for code in (_code(r, version) for r in records):
        found[code.name] = _of(code)
    return found


def _of(code: Code) -> Any:
    try:
        return _ways(analyse(Function(code)).result, ())
    except UnreadableError as e:
        return e.code


def _ways(part: Part, place: tuple[Any, ...]) -> set[Any]:
    """What leads where, and whether it only decides."""
    own = {(place, e.path, bool(e.how.decides), e.how.retains) for e in part.edges}
    return own.union(*(_ways(m, (*place, n)) for n, m in part.members.items()))


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13", "3.14"])
def test_each_version_reads_as_python_311_does(version: str) -> None:
    expected, found = _read("3.11"), _read(version)
    assert found.keys() == expected.keys()
    assert len(found) > 120
    assert {n: v for n, v in found.items() if isinstance(v, str) and not isinstance(expected[n], str)} == {}
    assert {n for n in found if found[n] != expected[n]} <= MORE_EXACT.get(version, set())


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13", "3.14"])
def test_functions_with_objects_that_another_version_pickled_read_as_those_of_this_one(version: str) -> None:
    records = json.loads((FOLDER / f"objects-{version}.json").read_text("utf-8"))
    assert len(records) > 60
    examples = {
        f"{file} {number}": each.function
        for file in ("held", "made")
        for number, each in enumerate(import_module(f"functions.corpus_objects.{file}").EXAMPLES)
    }
    for name, (count, text) in records.items():
        own = examples[name.rpartition(" ")[0]]
        pickled = zlib.decompress(base64.b64decode(text))
        found = _ended(partial(_of_pickle, pickled, version, count))
        if name.rpartition(" ")[2] not in MORE_EXACT.get(version, set()):
            assert found == _ended(partial(analysis_of, own, count)), name


def _of_pickle(pickled: bytes, version: str, count: int) -> Analysis:
    return analyse(read_function(pickled, version), count)


def _ended(read: Callable[[], Analysis]) -> Any:
    try:
        analysis = read()
    except UnreadableError as e:
        return e.code
    return _ways(analysis.result, ()), analysis.unread


def test_the_instructions_of_this_python_have_the_numbers_that_it_says() -> None:
    names, caches = OPCODES[oracle.VERSION]
    known = {name: number for number, name in names.items()}
    assert {name: opcode.opmap[name] for name in known} == known
    entries = getattr(opcode, "_inline_cache_entries", {})
    if not isinstance(entries, dict):
        entries = {opcode.opname[number]: count for number, count in enumerate(entries)}
    assert {name: count for name, count in entries.items() if count and name in known} == caches


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_the_fields_of_classes_are_known_in_each_version(version: str) -> None:
    (module,) = json.loads((FOLDER / f"classes-{version}.json").read_text("utf-8"))
    found = {f.name: f for f in checked(Function(_code(module, version)))}
    of_person = found["of_person"].analysis
    assert of_person is not None
    parts = of_person.result.members
    assert {n: {e.path for e in p.edges} for n, p in parts.items() if n != "up"} == {
        "who": {(0,)},
        "age": {(2,)},
    }
    assert {e.path for e in parts["up"].edges} >= {(0,)}
    assert found["of_point"].unreadable is not None
