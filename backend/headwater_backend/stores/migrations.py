"""Numbered migrations: text files in each store's package, each applied once and in order."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

from headwater_backend.domain.errors import StoreVersionError


class Migration(NamedTuple):
    """One file: its number and its statements."""

    number: int
    statements: tuple[str, ...]


def migrations(package: str, language: str) -> tuple[Migration, ...]:
    """All migrations of the package's folder ``language``, in order; the files have that suffix, too.

    A statement ends with a semicolon and a line.
    """
    files = resources.files(package).joinpath(language).iterdir()
    named = sorted(
        (file.name, file.read_text("utf-8")) for file in files if file.name.endswith(f".{language}")
    )
    return tuple(Migration(int(name[:4]), tuple(_statements(text))) for name, text in named)


def missing(known: tuple[Migration, ...], applied: int, place: str) -> tuple[Migration, ...]:
    """The migrations after the applied one; raises ``StoreVersionError`` for the store of a newer Headwater."""
    newest = known[-1].number
    if applied > newest:
        raise StoreVersionError(place, applied, newest)
    return tuple(migration for migration in known if migration.number > applied)


def _statements(text: str) -> Iterator[str]:
    for statement in text.split(";\n"):
        lines = [
            line for line in statement.splitlines() if line.strip() and not line.startswith(("--", "//"))
        ]
        if lines:
            yield "\n".join(lines)
