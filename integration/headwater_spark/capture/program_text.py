"""What somebody wrote for a program: the constants in its modules, its settings, and its command line.

A constant of a plan that stands there is no data that the program has read. Any other was computed: put together,
counted, or taken from what was read.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from headwater_spark.capture.program_reads import CELL, SOURCE, OwnRead
from headwater_spark.tracing.written_names import Names, is_counted, words

MOST_SOURCES: Final = 500
MOST_BYTES: Final = 1_000_000
"""Of one source; a longer one is no text that somebody wrote."""
_IN_TEXT: Final = re.compile(r"""'([^'\n]*)'|"([^"\n]*)"|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])""")

_PLAIN: Final = re.compile(r"\w+")
"""A name that code can have without quotes."""


class ProgramText(Container[str]):
    """The constants and words of one program. Sources are read when something is asked, each once for either."""

    def __init__(self) -> None:
        self._sources: list[Path] = []
        self._arguments: set[str] = set()
        self._constants: set[str] = set()
        self._settings: list[str] = []
        self._with_constants = 0
        self._words: set[str] = set()
        self._with_words = 0
        self._has_cells = False

    def add(self, noted: OwnRead) -> None:
        """A source, or the digest of what was written elsewhere: of an argument, or of a part of a cell."""
        if noted.kind == CELL:
            self._has_cells = True
        elif noted.kind != SOURCE:
            self._arguments.add(noted.text)
        elif len(self._sources) < MOST_SOURCES:
            self._sources.append(Path(noted.text))

    def add_words(self, texts: Iterable[str]) -> None:
        """Add the words of settings, and of names that were there before."""
        self._words.update(chain.from_iterable(map(words, texts)))

    @property
    def names(self) -> Names:
        """The names that are made of its words."""
        return _NamesOf(self)

    @property
    def has_code(self) -> bool:
        """Whether modules or cells of the program are known; of a program of the JVM, none are."""
        return self._has_cells or any(source.suffix == ".py" for source in self._sources)

    def __contains__(self, constant: object) -> bool:
        """Whether somebody wrote the constant, which is given as text."""
        text = str(constant)
        for source in self._sources[self._with_constants :]:
            self._read_constants(source)
        self._with_constants = len(self._sources)
        if text in self._constants or _digest(text) in self._arguments:
            return True
        word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        return any(word.search(each) for each in self._settings)

    def has_word(self, word: str) -> bool:
        """Whether somebody wrote the word, which is in small letters."""
        for source in self._sources[self._with_words :]:
            self._words.update(words(_text(source)))
        self._with_words = len(self._sources)
        return word in self._words or _digest(word) in self._arguments

    def _read_constants(self, source: Path) -> None:
        text = _text(source)
        if source.suffix != ".py":
            self._settings.append(text)
            return
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            self._constants.update(_constants(ast.parse(text)))


@dataclass(frozen=True, slots=True)
class _NamesOf:
    """Those whose words stand in the text or are ``others``, and numbers that programs count by. Where no code is
    known, also those that could stand in code as they are.
    """

    text: ProgramText
    others: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        if all(each in self.others or is_counted(each) or self.text.has_word(each) for each in words(name)):
            return True
        return not self.text.has_code and _PLAIN.fullmatch(name) is not None

    def beside(self, words: frozenset[str]) -> Names:
        return _NamesOf(self.text, self.others | words)


def _text(source: Path) -> str:
    """What stands in it; nothing where it cannot be read."""
    with suppress(OSError, UnicodeError, MemoryError):
        if source.stat().st_size <= MOST_BYTES:
            return source.read_text("utf-8")
    return ""


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
