"""Our own operations, those of ``graphql/queries``: the explorer offers them, and the command asks them."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def queries() -> dict[str, str]:
    """Each of our operations by its file's name, in name order."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(_folder().glob("*.graphql"))}


@cache
def query(name: str) -> str:
    """The operation of that name."""
    return (_folder() / f"{name}.graphql").read_text(encoding="utf-8")


def _folder() -> Path:
    """Inside the package in an installed wheel, beside it in the source tree."""
    package = Path(__file__).parent
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"
