"""Modules that a program brings with it, and libraries: what stands for them in a digest."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import packages_distributions, version
from typing import Final

from headwater_functions.analysis.libraries.pure import PURE, REFUSED

_KNOWN: Final = sys.stdlib_module_names | {name.partition(".")[0] for name in (*PURE, *REFUSED)} | {"pyspark"}
"""Libraries of which no version counts: what the analysis knows of their functions holds for all of them."""
_SAME: Final = {"posixpath": "os.path", "ntpath": "os.path"}


class UncertainError(Exception):
    """What a digest would have to be of is not known."""


class Own:
    """The modules by name that the program brings, and those of them that were used."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = texts
        self._tops = {_top(name) for name in texts}
        self._used: set[str] = set()

    def has(self, dotted: str) -> bool:
        """Whether the program brings the module; it counts from then on, with all of its package."""
        pending = [_top(dotted)]
        found = pending[0] in self._tops
        while pending:
            top = pending.pop()
            if top in self._tops and top not in self._used:
                self._used.add(top)
                for name, text in self._texts.items():
                    if _top(name) == top:
                        pending += imported_by(text)
        return found

    def used(self) -> list[tuple[str, str]]:
        """The texts that were used, by the name of their module."""
        return sorted(
            (name, sha256(text).hexdigest()) for name, text in self._texts.items() if _top(name) in self._used
        )


def _top(dotted: str) -> str:
    return dotted.partition(".")[0]


def imported_by(text: bytes | str) -> Iterator[str]:
    """The names, up to the first dot, of what a module imports. Raises ``UncertainError`` if it is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise UncertainError("a module that it uses cannot be read") from e
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            yield from (_top(name.name) for name in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module and not each.level:
            yield _top(each.module)


def library(dotted: str) -> tuple[str, ...]:
    """What stands for something of a library, which its modules may call by several names."""
    top, _, rest = _SAME.get(dotted, dotted).partition(".")
    module = _SAME.get(top, top.lstrip("_"))
    name = rest.rpartition(".")[2].removeprefix("openssl_")
    if top in _KNOWN or top.lstrip("_") in _KNOWN:
        return ("library", _top(module), name)
    return ("library", top, name, *_versions(top))


@cache
def _versions(top: str) -> tuple[str, ...]:
    found = sorted(set(packages_distributions().get(top, ())))
    if not found:
        raise UncertainError(f"it uses {top}, which is neither shipped nor installed here")
    return tuple(f"{name} {version(name)}" for name in found)
