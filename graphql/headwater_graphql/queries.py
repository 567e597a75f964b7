"""The named operations of ``graphql/queries``: what the explorer offers and the command sends."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def queries() -> dict[str, str]:
    """Each operation's text by its file's name, in name order."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(_folder().glob("*.graphql"))}


def _folder() -> Path:
    """Inside the package in an installed wheel, beside it in the source tree."""
    package = Path(__file__).parent
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"
