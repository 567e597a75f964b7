"""Catalyst's classes are named in ``decode/`` alone: what else looks into plans knows relations and functions.

A class may have a word's name (``Filter``, ``Left``), so that only what code could compare with a class counts: texts
that are such a name, or nothing but such names, and texts with a name of several words. Docstrings do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from headwater_spark.decode.catalogue import CLASSES
from headwater_spark.decode.sources import SOURCES
from kit.shared import ROOT

INTEGRATION = ROOT / "integration"
ROOMS = ("headwater_plan", "headwater_spark", "headwater_pandas", "headwater_records")
DECODE = INTEGRATION / "headwater_spark" / "decode"
NAMES = frozenset({*CLASSES, *SOURCES})
_COMPOUND = re.compile(r"(?:[A-Z][a-z0-9]+){2,}\b")


def literals(tree: ast.AST) -> Iterator[str]:
    """The texts of a module that are values: no docstrings, and none of what stands beside a field."""
    beside = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in beside:
            yield node.value


def named(text: str, names: frozenset[str] = NAMES) -> set[str]:
    """The classes that a text names."""
    words = text.split()
    listed = set(words) if words and names.issuperset(words) else set()
    return listed | (names & set(_COMPOUND.findall(text)))


def outside() -> dict[str, set[str]]:
    """The classes that are named outside ``decode/``, by module."""
    found: dict[str, set[str]] = {}
    for room in ROOMS:
        for file in sorted((INTEGRATION / room).rglob("*.py")):
            if DECODE not in file.parents:
                texts = literals(ast.parse(file.read_text("utf-8")))
                if classes := {name for text in texts for name in named(text)}:
                    found[str(file.relative_to(INTEGRATION))] = classes
    return found


def test_no_class_of_catalysts_is_named_outside_the_decoder() -> None:
    assert len(NAMES) > 400
    assert outside() == {}


def test_a_class_is_found_by_itself_in_a_list_and_in_a_text() -> None:
    module = ast.parse(
        '"""Filter."""\nkinds = {"Filter", "Upper Lower"}\nif command == "execution.SaveAsV1TableCommand": ...'
    )
    found = {name for text in literals(module) for name in named(text)}
    assert found == {"Filter", "Upper", "Lower", "SaveAsV1TableCommand"}
