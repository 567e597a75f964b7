"""What somebody wrote for a program: the constants in its modules, its settings, and its command line.

A constant of a plan that stands there is no data that the program has read. Any other was computed: put together,
counted, or taken from what was read.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from headwater_spark.capture.program_reads import SOURCE, OwnRead

MOST_SOURCES: Final = 500
MOST_BYTES: Final = 1_000_000
"""Of one source; a longer one is no text that somebody wrote."""
_IN_TEXT: Final = re.compile(r"""'([^'\n]*)'|"([^"\n]*)"|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])""")


class ProgramText(Container[str]):
    """The constants of one program. Sources are read when something is asked, each once."""

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._sources = 0
        self._arguments: set[str] = set()
        self._constants: set[str] = set()
        self._settings: list[str] = []

    def add(self, noted: OwnRead) -> None:
        """A source, or the digest of an argument."""
        if noted.kind != SOURCE:
            self._arguments.add(noted.text)
        elif self._sources < MOST_SOURCES:
            self._sources += 1
            self._unread.append(noted.text)

    def __contains__(self, constant: object) -> bool:
        """Whether somebody wrote the constant, which is given as text."""
        text = str(constant)
        for source in self._unread:
            self._read(Path(source))
        self._unread.clear()
        if text in self._constants or _digest(text) in self._arguments:
            return True
        word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        return any(word.search(each) for each in self._settings)

    def _read(self, source: Path) -> None:
        with suppress(OSError, UnicodeError, ValueError, SyntaxError, RecursionError, MemoryError):
            if source.stat().st_size > MOST_BYTES:
                return
            text = source.read_text("utf-8")
            if source.suffix == ".py":
                self._constants.update(_constants(ast.parse(text)))
            else:
                self._settings.append(text)


def _constants(module: ast.Module) -> Iterator[str]:
    """The texts and numbers in the code, and those in queries that are texts in the code."""
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
            yield from (next(filter(None, found), "") for found in _IN_TEXT.findall(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield from (str(node.value), str(-node.value))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
