"""Reads the settings that the user's environment gives Spark: ``spark-defaults.conf`` and ``PYSPARK_SUBMIT_ARGS``.

``spark-defaults.conf`` is a Java properties file, parsed here by the rules of ``java.util.Properties``: a backslash at
the end of a line joins it with the next line, a backslash before a character escapes it, a key ends at the first ``=``,
``:`` or blank. Spark strips blanks around a value.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

DEFAULTS = "spark-defaults.conf"
_BLANKS = " \t\f"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_KEY = re.compile(r"((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u([0-9a-fA-F]{4})|.)", re.DOTALL)
_OPTIONS = {"--jars": "spark.jars", "--driver-class-path": "spark.driver.extraClassPath"}
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


class MalformedLineError(ValueError):
    """A line that Java cannot parse either; ``number`` counts from 1."""

    def __init__(self, number: int) -> None:
        super().__init__(f"line {number} has a malformed \\uxxxx")
        self.number = number


@dataclass(frozen=True, slots=True)
class Entry:
    """A setting of a properties file, with the numbers of its first and last line, from 1."""

    first: int
    last: int
    key: str
    value: str


def conf_dir(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The configuration directory that Spark would read, or None if none exists."""
    if explicit := environment.get("SPARK_CONF_DIR"):
        return Path(explicit)
    home = environment.get("SPARK_HOME") or _pyspark_home()
    directory = Path(home) / "conf" if home else None
    return directory if directory and directory.is_dir() else None


def _pyspark_home() -> str | None:
    spec = importlib.util.find_spec("pyspark")
    return str(Path(spec.origin).parent) if spec and spec.origin else None


def defaults(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings of ``spark-defaults.conf``; empty if it cannot be read."""
    directory = conf_dir(environment)
    if directory is None:
        return {}
    try:
        return properties((directory / DEFAULTS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def properties(text: str) -> dict[str, str]:
    """Keys and values of a Java properties file; of entries with the same key, the last one.

    Raises ``MalformedLineError``.
    """
    return {entry.key: entry.value for entry in entries(text)}


def entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a Java properties file, in order. Raises ``MalformedLineError``."""
    lines = iter(enumerate((line.rstrip("\r\n") for line in physical_lines(text)), start=1))
    for first, line in lines:
        logical, last = line.lstrip(_BLANKS), first
        if not logical or logical[0] in "#!":
            continue
        while _is_continued(logical):
            last, more = next(lines, (last, ""))
            logical = logical[:-1] + more.lstrip(_BLANKS)
        if found := _KEY.fullmatch(logical):
            yield Entry(first, last, _plain(found[1], first), _plain(found[2], first).strip())


def physical_lines(text: str) -> list[str]:
    """Split the text into lines as Java does, each with its end."""
    return _LINE.findall(text)


def _is_continued(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _plain(text: str, number: int) -> str:
    def character(escape: re.Match[str]) -> str:
        if escape[1] == "u":
            raise MalformedLineError(number)
        return chr(int(escape[2], 16)) if escape[2] else _CONTROL.get(escape[1], escape[1])

    return _ESCAPE.sub(character, text)


def submitted(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings in the options ``--conf``, ``--jars`` and ``--driver-class-path`` of ``PYSPARK_SUBMIT_ARGS``."""
    try:
        words = shlex.split(environment.get("PYSPARK_SUBMIT_ARGS", ""))
    except ValueError:
        return {}
    found: dict[str, str] = {}
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        option, _, value = word.partition("=")
        given = value or after
        if option in ("--conf", "-c") and "=" in given:
            key, _, setting = given.partition("=")
            found[key] = setting
        elif option in _OPTIONS:
            found[_OPTIONS[option]] = given
    return found


def known(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The settings from both, in Spark's order of precedence."""
    return {**defaults(environment), **submitted(environment)}
