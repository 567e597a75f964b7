"""What was seen of a program that was planned: its data frames with their lines, and what it would have written."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the program's own code."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.number}"


NOWHERE = Line("", 0)
_PACKAGES = (
    "pyspark",
    "py4j",
    "headwater_boundary",
    "headwater_cli",
    "headwater_records_spark",
    "headwater_spark",
)
"""What uses a session on the program's behalf."""
MARKS_OF_CLIENTS = ("SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE")
"""Variables that tell PySpark that its session is on a server of Spark Connect: that of a plan never is."""


@dataclass(frozen=True, slots=True)
class WrittenTo:
    """Where and how a write would write.

    ``kind`` is ``path``, ``source`` (what the options name), ``table`` (``saveAsTable``), ``insert`` (``insertInto``),
    ``sql`` or ``stream``.
    """

    kind: str
    place: str
    format: str = "parquet"
    mode: str = "error"
    options: tuple[tuple[str, str], ...] = ()
    partition_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PlannedWrite:
    """A write that was skipped: ``query`` is the analysed plan of its rows, ``command`` is that of the write."""

    query: Any
    command: Any
    to: WrittenTo
    line: Line


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the program could not go on, or went on without a value, and why."""

    line: Line
    reason: str
    ended: bool = False


@dataclass(slots=True)
class Program:
    """A program as far as it was planned."""

    script: Path
    arguments: tuple[str, ...] = ()
    frames: list[tuple[Any, Line]] = field(default_factory=list)
    """Each data frame that the program made, with its line, in order."""
    writes: list[PlannedWrite] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    functions: list[Any] = field(default_factory=list)
    """The user's Python functions that became functions of Spark."""
    names: dict[str, Any] = field(default_factory=dict)
    """The module's names at its end."""
    server: str = ""
    """The server of Spark Connect whose client the program is; empty for one with a driver of its own."""

    @property
    def complete(self) -> bool:
        """Whether the program was planned to its end, and without values that were not known."""
        return not self.stops

    def source(self) -> str:
        """The program's text."""
        return self.script.read_text("utf-8")

    def states(self, value: str) -> bool:
        """Whether a text stands in the program or in its arguments: it was not read from anywhere."""
        return value in self._texts() or any(value in each for each in self.arguments)

    def _texts(self) -> str:
        tree = ast.parse(self.source())
        constants = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant))
        return "\n".join(each if isinstance(each, str) else str(each) for each in constants)

    def named_at(self) -> dict[int, str]:
        """The name that a statement gives to its value, by each line of the statement."""
        found: dict[int, str] = {}
        for node in ast.walk(ast.parse(self.source())):
            if (
                isinstance(node, ast.Assign)
                and len(node.targets) == 1
                and isinstance(node.targets[0], ast.Name)
            ):
                for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found[number] = node.targets[0].id
        return found


def called_by_planning() -> bool:
    """Whether PySpark or what plans called the function that asks, and not the program or a library of it."""
    caller = sys._getframe(2)
    return str(caller.f_globals.get("__name__", "")).partition(".")[0] in _PACKAGES


def users_line(script: Path) -> Line:
    """The innermost line of the script that is running, or of any file beside it."""
    frame: Any = sys._getframe()
    folder = str(script.parent)
    while frame is not None:
        file = frame.f_code.co_filename
        if file == str(script) or (file.startswith(folder + "/") and "site-packages" not in file):
            return Line(file, frame.f_lineno)
        frame = frame.f_back
    return NOWHERE
