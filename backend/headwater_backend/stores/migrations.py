"""Numbered migrations: text files beside the stores, each applied once and in order."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

from headwater_backend.stores.errors import StoreVersionError


class Migration(NamedTuple):
    """One file: its number and its statements."""

    number: int
    statements: tuple[str, ...]


def migrations(folder: str, ending: str) -> tuple[Migration, ...]:
    """All migrations in a folder beside this module, in order. A statement ends with a semicolon and a line."""
    files = resources.files(__package__).joinpath(folder).iterdir()
    named = sorted((file.name, file.read_text("utf-8")) for file in files if file.name.endswith(ending))
    return tuple(Migration(int(name[:4]), tuple(_statements(text))) for name, text in named)


def missing(known: tuple[Migration, ...], applied: int, place: str) -> tuple[Migration, ...]:
    """Those after the applied one; raises ``StoreVersionError`` where the store is ahead of us."""
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
