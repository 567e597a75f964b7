"""Built-in operations from ``graphql/queries``, used by the explorer and the command line.

Fragments that several operations share stand once, in ``fragments``, each in a file of its name. Those that an
operation uses, and does not have itself, are appended when it is read. That needs no GraphQL parser, which would take
the command line longer to load than most questions take.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_SPREAD: Final = re.compile(r"\.\.\.\s*(?!on\b)([_A-Za-z]\w*)")
_DEFINED: Final = re.compile(r"^fragment\s+(\w+)", re.MULTILINE)


@cache
def queries() -> dict[str, str]:
    """Return the built-in operations by file name, sorted."""
    return {file.stem: query(file.stem) for file in sorted(_folder().glob("*.graphql"))}


@cache
def query(name: str) -> str:
    """Return the operation with that name, with its fragments."""
    return with_fragments((_folder() / f"{name}.graphql").read_text(encoding="utf-8"))


def with_fragments(text: str) -> str:
    """Return the operation with the shared fragments that it uses, in the order in which they are first used."""
    known = set(_DEFINED.findall(text))
    waiting = _SPREAD.findall(text)
    for name in waiting:
        if name not in known:
            known.add(name)
            shared = _fragment(name)
            text = f"{text.rstrip()}\n\n{shared}"
            waiting += _SPREAD.findall(shared)
    return text


@cache
def _fragment(name: str) -> str:
    return (_folder() / "fragments" / f"{name}.graphql").read_text(encoding="utf-8")


def _folder() -> Path:
    """Return the folder: inside the package in an installed wheel, beside it in the source tree."""
    package = Path(__file__).parent
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"
