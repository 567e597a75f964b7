"""Stores in files for tests: copies of one that was migrated once, as to migrate takes longer than most tests."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from headwater_backend.stores import open_store


def empty(file: str | Path) -> str:
    """The URL of an empty store, which is made in that file and has the newest schema."""
    Path(file).write_bytes(_migrated())
    return f"sqlite:///{file}"


def copy(file: Path, folder: Path) -> str:
    """The URL of a copy, in that folder, of a store that a fixture filled in a file, and closed."""
    return f"sqlite:///{shutil.copy(file, folder)}"


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory(prefix="headwater-store-") as folder:
        file = Path(folder, "empty.db")
        open_store(f"sqlite:///{file}").close()
        assert [each.name for each in Path(folder).iterdir()] == [file.name]  # all of it is in the file
        return file.read_bytes()
