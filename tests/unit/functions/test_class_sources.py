"""Classes of modules that are read as source: what they inherit, compute, keep and become is read, or is opaque."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from functions import oracle
from headwater_functions.unreadable import UnreadableError
from kit.shared import ROOT

FOLDER = ROOT / "tests" / "functions" / "corpus_classes"
GIVEN = ("Some Text", "other words")
READ = {
    "changed": {"cond", "names", "p1", "p2", "p3", "slot"},
    "kept": {
        *("cp", "cp2", "cp3", "cp4", "cp5", "dd", "dia", "lr", "lr2", "mr", "no", "par", "plain", "pp"),
        *("sub", "sub2", "sub3", "sub4", "two"),
    },
    "objects": set(),
    "raised": {*"abcdefgijklmnoqrstuv"},
    "usual": {"impl", "prop", "fin", "gen", "ord", "conf", "conf2", "err", "kind"},
    "dispatched": {
        *(
            "text",
            "number",
            "many",
            "of_class",
            "fallback",
            "size",
            "alone",
            "impl_by_name",
            "joined",
            "mapped",
        ),
        *("first", "first_swapped", "cached_swapped", "bound", "of_kept", "kept_lambda", "typed"),
    },
    "registered": {"inside"},
    "ordered": {
        *("cl", "cp", "disp", "got", "mixin", "mixin2", "mixin3", "mro", "part", "prop", "st"),
        *("cached", "cached2", "cached3"),
    },
}
"""By module; the others hide what they do, and are opaque."""


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {name[3:]: each for name, each in vars(module).items() if name.startswith("do_")}


@pytest.mark.parametrize("name", READ)
def test_what_classes_of_a_module_do_is_read_or_opaque_and_never_missed(name: str) -> None:
    module = importlib.import_module(f"functions.corpus_classes.{name}")
    source = (FOLDER / f"{name}.py").read_text("utf-8")
    read = set()
    for each, function in functions_of(module).items():
        verdict = oracle.judge(function, GIVEN, oracle.in_file(source, "shipped_of_test"))
        assert (each, verdict.misses, verdict.weakened) == (each, [], [])
        read |= {each} if verdict.narrowed else set()
    assert read == READ[name]


@pytest.mark.parametrize(
    ("name", "argument"), [*((n, 0) for n in "abcegijkpqrsuv"), *((n, 1) for n in "def")]
)
def test_what_an_exception_carries_can_be_read_in_its_text(name: str, argument: int) -> None:
    source = (FOLDER / "raised.py").read_text("utf-8")
    module = importlib.import_module("functions.corpus_classes.raised")
    found = oracle.in_file(source, "shipped_of_test")(functions_of(module)[name], 2).result
    readable = {e.path[0] for e in found.all_edges() if not e.how.decides and e.how.retains.readable}
    assert argument in readable


def test_what_is_kept_of_another_call_is_not_taken_for_that_of_this_one() -> None:
    """A judge that calls functions again and again cannot see it: the first result stays."""
    source = (FOLDER / "kept.py").read_text("utf-8")
    read = oracle.in_file(source, "shipped_of_test")
    module = importlib.import_module("functions.corpus_classes.kept")
    for name in ("base", "base2", "gen", "key"):
        with pytest.raises(UnreadableError) as refused:
            read(functions_of(module)[name], 2)
        assert refused.value.code == "GLOBAL"


IN_NO_FILE = """
from dataclasses import dataclass

class Iterated:
    def __init__(self, one, other):
        self.one, self.other = one, other

    def __iter__(self):
        yield self.other

@dataclass
class Crossed:
    one: str
    other: str

    def __init__(self, one, other):
        self.one = other
        self.other = one

def iterated(s, t):
    return list(Iterated(s, t))

def crossed(s, t):
    return Crossed(s, t).one
"""


@pytest.mark.parametrize("name", ["iterated", "crossed"])
def test_methods_of_code_that_is_in_no_file_are_not_taken_for_those_that_python_writes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("in_no_file_of_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(IN_NO_FILE, "<string>", "exec", dont_inherit=True), module.__dict__)
    with pytest.raises(UnreadableError) as refused:
        oracle.analysis_of(getattr(module, name), 2)
    assert "defines __" in refused.value.reason
