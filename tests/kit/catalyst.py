"""Which expressions and operators a Spark line has, read from the class files in its jars; no JVM is started."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kit.spark_lines import SparkLine, spark_home

SQL = "org/apache/spark/sql/"
EXPRESSION = SQL + "catalyst/expressions/Expression"
PLAN = SQL + "catalyst/plans/logical/LogicalPlan"
ABSTRACT_OR_INTERFACE = 0x0600

# Bytes of each constant's content by its tag (JVM specification, 4.4); texts (1) have a length of their own.
_CONSTANTS = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    7: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}


@dataclass(frozen=True)
class ClassFile:
    """A class's name, what it extends and implements, and whether it can be instantiated."""

    name: str
    parents: tuple[str, ...]
    concrete: bool


def class_file(content: bytes) -> ClassFile:
    """The head of a class file."""
    texts, classes, place = _constants(content)
    flags, this, parent, count = struct.unpack_from(">4H", content, place)
    interfaces = struct.unpack_from(f">{count}H", content, place + 8)
    names = [texts[classes[index]] for index in (this, parent, *interfaces) if index]
    return ClassFile(names[0], tuple(names[1:]), not flags & ABSTRACT_OR_INTERFACE)


def _constants(content: bytes) -> tuple[dict[int, str], dict[int, int], int]:
    """Texts and classes of the constant pool by index, and where the pool ends."""
    (count,) = struct.unpack_from(">H", content, 8)
    texts, classes, place, index = {}, {}, 10, 1
    while index < count:
        tag = content[place]
        if tag == 1:
            (length,) = struct.unpack_from(">H", content, place + 1)
            texts[index] = content[place + 3 : place + 3 + length].decode("utf-8", "replace")
            place += 3 + length
        else:
            if tag == 7:
                (classes[index],) = struct.unpack_from(">H", content, place + 1)
            place += 1 + _CONSTANTS[tag]
        index += 2 if tag in (5, 6) else 1
    return texts, classes, place


def concrete_classes(line: SparkLine, *roots: str) -> set[str]:
    """The simple names, as plan documents have them, of all classes below one of the roots."""
    classes = {c.name: c for c in _classes(line)}
    below: dict[str, bool] = dict.fromkeys(roots, True)

    def is_below(name: str) -> bool:
        if name not in below:
            below[name] = False
            below[name] = name in classes and any(is_below(parent) for parent in classes[name].parents)
        return below[name]

    return {_simple(c.name) for c in classes.values() if c.concrete and is_below(c.name)}


def _simple(name: str) -> str:
    return name.rpartition("/")[2].rstrip("$")


def _classes(line: SparkLine) -> Iterator[ClassFile]:
    for jar in sorted(Path(spark_home(line)).glob("jars/spark-*.jar")):
        yield from _in_jar(jar)


def _in_jar(jar: Path) -> Iterator[ClassFile]:
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if name.startswith(SQL) and name.endswith(".class"):
                yield class_file(archive.read(name))
