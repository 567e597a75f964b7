"""The eye encodes, it never interprets: what a class of Catalyst's means is known in one place, the brain's tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from headwater_spark.decode.catalogue import CLASSES
from headwater_spark.decode.commands.catalogue import COMMANDS
from headwater_spark.decode.sources import SOURCES
from kit.shared import ROOT

JAVA = ROOT / "integration" / "jvm" / "src" / "main" / "java"
DECODE = ROOT / "integration" / "headwater_spark" / "decode"
TABLES = (CLASSES, SOURCES)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_IMPORT = re.compile(r"^import (org\.apache\.spark\.sql\.[\w.]+);", re.MULTILINE)
_CLASS = re.compile(r"(?<![A-Za-z])[A-Z][a-z]+[A-Za-z0-9]*(?![A-Za-z])")

WITHOUT_OUTPUT = (
    "its columns follow from its fields, so that the brain computes them: with the columns of each such operator a"
    " document of many columns would be several times as long (of three of them, too, it is known that `show` lays them"
    " over a statement whose text is found below)"
)
ALLOWED = {
    "ForeachBatchSink": "a job in a body is reported as it begins, before the brain knows whose execution it is in",
    **dict.fromkeys(
        (
            "Aggregate",
            "Distinct",
            "Filter",
            "GlobalLimit",
            "Join",
            "LocalLimit",
            "Project",
            "Repartition",
            "RepartitionByExpression",
            "Sort",
            "SubqueryAlias",
            "Window",
        ),
        WITHOUT_OUTPUT,
    ),
    "Command": "in Java the trait of all commands; in Python how the names of most end",
    "MemorySink": "it has no name, so that the eye numbers it, and the brain knows that it is no dataset",
    "UnsafeRow": "in Java how a row lies in memory; in Python what a list of rows in a plan is made of",
    "AttributeReference": "equal attributes are written once: how many there are decides about a document's size",
}
"""Classes that both sides name, and why."""


def named_in_java() -> dict[str, set[str]]:
    """Class names among the literals and the imports of each Java file, by name: the files that have it."""
    found: dict[str, set[str]] = {}
    for file in sorted(JAVA.rglob("*.java")):
        code = _COMMENT.sub("", file.read_text("utf-8"))
        imported = (name.rpartition(".")[2] for name in _IMPORT.findall(code))
        for name in {*imported, *(n for text in _LITERAL.findall(code) for n in _CLASS.findall(text))}:
            found.setdefault(name, set()).add(file.stem)
    return found


def named_in_python() -> set[str]:
    """The classes of the brain's tables, and what else is spelled as a class in the modules of ``decode``."""
    return {name for table in TABLES for name in table} | {
        name for file in sorted(DECODE.rglob("*.py")) for name in _literals(file)
    }


def _literals(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text("utf-8"))
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return (text for text in texts if _CLASS.fullmatch(text))


def test_a_class_of_catalysts_is_named_in_one_language() -> None:
    java = named_in_java()
    both = {name: sorted(java[name]) for name in java.keys() & named_in_python()}

    assert {name: files for name, files in both.items() if name not in ALLOWED} == {}


def test_every_exception_is_needed() -> None:
    assert named_in_java().keys() & named_in_python() >= ALLOWED.keys()


def test_no_command_of_sparks_is_named_in_java() -> None:
    commands = COMMANDS.keys()

    assert len(commands) > 50
    assert named_in_java().keys() & commands == set()


def test_what_both_name_is_decoded_without_the_output_that_java_leaves_out() -> None:
    """The other half of the agreement: of these operators the document has no ``out``."""
    shape = (JAVA / "io" / "headwater" / "spark" / "plan" / "Shape.java").read_text("utf-8")
    without = set(re.findall(r'case "(\w+)":', shape))

    assert without == {name for name, reason in ALLOWED.items() if reason == WITHOUT_OUTPUT}
