"""Built-in operations from ``graphql/queries``, used by the explorer and the command line."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def queries() -> dict[str, str]:
    """Return the built-in operations by file name, sorted."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(_folder().glob("*.graphql"))}


@cache
def query(name: str) -> str:
    """Return the operation with that name."""
    return (_folder() / f"{name}.graphql").read_text(encoding="utf-8")


def _folder() -> Path:
    """Return the folder: inside the package in an installed wheel, beside it in the source tree."""
    package = Path(__file__).parent
    installed = package / "queries"
    return installed if installed.is_dir() else package.parent / "queries"
