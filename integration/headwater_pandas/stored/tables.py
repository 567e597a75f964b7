"""What tables of Delta and Iceberg say of their files: a reader of Parquet alone reads records that are gone, too."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

_COMMIT: Final = re.compile(r"(\d{20})\.json")
_CHECKPOINT: Final = re.compile(r"(\d{20})\.checkpoint(?:\.\d{10}\.(\d{10}))?\.parquet")
GONE: Final = "the log of its table of Delta does not have it, or has it no more"
DELETED: Final = "the log of its table of Delta says that records of it are deleted"
MORE_THAN_APPENDS: Final = (
    "its table of Iceberg was changed by more than appends: files or records may be gone"
)

Reasons = Callable[[str], str]
Read = Callable[[Path], Reasons]


def reasons(files: Iterable[str]) -> dict[str, str]:
    """By file why its records may be none of the table that it belongs to."""
    table_of, said_by = cache(_table_of), cache(_guarded)
    found = {}
    for file in files:
        table = table_of(Path(file).parent)
        if table is not None and (reason := said_by(*table)(file)):
            found[file] = reason
    return found


def _table_of(folder: Path) -> tuple[str, Read, Path] | None:
    """What a folder belongs to: what says which files a table has, what reads that, and the table's folder."""
    for each in (folder, *folder.parents):
        if (each / "_delta_log").is_dir():
            return "log of its table of Delta", _delta, each
        if any((each / "metadata").glob("*.metadata.json")):
            return "metadata of its table of Iceberg", _iceberg, each
    return None


def _guarded(what: str, read: Read, root: Path) -> Reasons:
    try:
        return read(root)
    except Exception as problem:  # noqa: BLE001 - files of others, which may have anything in them
        reason = f"the {what} could not be read: {type(problem).__name__}"
        return lambda _: reason


def _delta(root: Path) -> Reasons:
    files = _files_of_delta(root)
    of = {False: "", True: DELETED}
    return lambda file: of[files[file]] if file in files else GONE


def _files_of_delta(root: Path) -> dict[str, bool]:
    """The files of the newest version, and whether records of each are deleted."""
    names = [each.name for each in (root / "_delta_log").iterdir()]
    begun, files = _checkpoint(root, names)
    commits = sorted(
        int(found[1]) for found in map(_COMMIT.fullmatch, names) if found and int(found[1]) > begun
    )
    if commits != list(range(begun + 1, begun + 1 + len(commits))):
        raise ValueError("a commit is missing")
    for number in commits:
        text = (root / "_delta_log" / f"{number:020}.json").read_text(encoding="utf-8")
        actions = [json.loads(line) for line in text.splitlines() if line]
        for each in (action["remove"] for action in actions if "remove" in action):
            files.pop(_path(root, each["path"]), None)
        files |= _added(root, (action.get("add") for action in actions))
    return files


def _checkpoint(root: Path, names: list[str]) -> tuple[int, dict[str, bool]]:
    """The version of the newest whole checkpoint, and the files of it; -1 without one."""
    from pyarrow.parquet import read_table  # noqa: PLC0415 - it has read the files

    parts: dict[int, list[tuple[str, int]]] = {}
    for found in filter(None, map(_CHECKPOINT.fullmatch, names)):
        parts.setdefault(int(found[1]), []).append((found[0], int(found[2] or 1)))
    whole = [number for number, each in parts.items() if len(each) == each[0][1]]
    if not whole:
        return -1, {}
    files: dict[str, bool] = {}
    for name, _ in parts[max(whole)]:
        table = read_table(str(root / "_delta_log" / name), columns=["add"])
        files |= _added(root, (row["add"] for row in table.to_pylist()))
    return max(whole), files


def _added(root: Path, actions: Iterable[Mapping[str, Any] | None]) -> dict[str, bool]:
    return {
        _path(root, each["path"]): bool(each.get("deletionVector"))
        for each in actions
        if each is not None and each.get("path")
    }


def _path(root: Path, named: str) -> str:
    """The path of a file that a log names as an address: below the table, or a whole one."""
    return os.path.normpath(root / unquote(re.sub(r"^file:/+", "/", named)))


def _iceberg(root: Path) -> Reasons:
    """All files are there if the table has only had appends, and none of its versions was left."""
    newest = max((root / "metadata").glob("*.metadata.json"), key=_version)
    metadata = json.loads(newest.read_text(encoding="utf-8"))
    snapshots = {each["snapshot-id"]: each for each in metadata.get("snapshots", ())}
    here, appends = metadata.get("current-snapshot-id"), 0
    while here in snapshots and snapshots[here]["summary"]["operation"] == "append":
        appends += 1
        here = snapshots[here].get("parent-snapshot-id")
    reason = "" if here is None and appends == len(snapshots) else MORE_THAN_APPENDS
    return lambda _: reason


def _version(file: Path) -> int:
    found = re.match(r"v?(\d+)", file.name)
    return int(found[1]) if found else -1
