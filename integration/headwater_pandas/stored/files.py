"""Which files the records of a frame were read from, in their order, so that whoever wrote them can be asked on.

Files are known by path, size and time of change, before and after they were read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from headwater_pandas.stored.tables import reasons


class File(NamedTuple):
    """A file as it was read: ``changed`` is in milliseconds since 1970; it has so many ``records``.

    ``unknown`` is why it is not known what its records were made of.
    """

    path: str
    size: int
    changed: int
    records: int
    unknown: str = ""


Files: TypeAlias = tuple[File, ...] | str
"""The files in the order of the frame's records, all of whose records were read; or why that is not known."""
Stamps: TypeAlias = dict[str, tuple[int, int]]

_PARQUET: Final = {"path", "engine", "columns", "use_nullable_dtypes", "dtype_backend"}
_TEXT: Final = {
    "filepath_or_buffer", "sep", "delimiter", "header", "names", "index_col", "usecols", "dtype", "engine",
    "converters", "true_values", "false_values", "na_values", "keep_default_na", "na_filter", "parse_dates",
    "date_format", "dayfirst", "cache_dates", "compression", "thousands", "decimal", "quotechar", "quoting",
    "doublequote", "escapechar", "encoding", "encoding_errors", "low_memory", "memory_map", "dtype_backend",
}  # fmt: skip
"""Arguments of readers that leave out no record."""


def reading(reader: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> Callable[[Any], Files]:
    """To be called before a reader is; what it gives is to be called with the frame that was read."""
    paths, reason = _understood(reader, args, named)
    if reason:
        return lambda _: reason
    before = _stamps(paths)
    return lambda frame: _files(reader, paths, before, len(frame))


def _understood(reader: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[list[str], str]:
    """The paths that are read, or else why it is not known where their records are."""
    known = _PARQUET if reader == "read_parquet" else _TEXT
    unknown = sorted(set(named) - known) + ["arguments without names"] * (len(args) > 1)
    if reader not in {"read_parquet", "read_csv", "read_table"}:
        return [], f"{reader} does not say where in a file its records were"
    if unknown or named.get("engine") == "fastparquet":
        return [], f"{reader} was called with {', '.join(unknown) or 'fastparquet'}: it may leave out records"
    given = args[0] if args else next(iter(named.values()), None)
    several = given if reader == "read_parquet" and isinstance(given, list | tuple) else [given]
    paths = [_local(each) for each in several]
    return (paths, "") if paths and all(paths) else ([], f"{reader} read no path of this machine")


def _local(given: Any) -> str:
    if not isinstance(given, str | os.PathLike) or not isinstance(text := os.fspath(given), str):
        return ""
    path = os.path.normpath(Path(text).expanduser().absolute())
    return path if Path(path).exists() else ""


def _files(reader: str, paths: list[str], before: Stamps, records: int) -> Files:
    shown = ", ".join(paths)
    if reader != "read_parquet" or (len(paths) == 1 and not Path(paths[0]).is_dir()):
        read = [(paths[0], records)]
    else:
        try:
            read = list(_parquet_files(paths))
        except Exception as problem:  # noqa: BLE001 - pyarrow has many, and the program is not concerned
            return f"the files of {shown} could not be listed: {type(problem).__name__}"
    after = _stamps(paths)
    if any(before.get(file) is None or before[file] != after.get(file) for file, _ in read):
        return f"{shown} was changed while it was read"
    if sum(count for _, count in read) != records:
        return f"{shown} has other records than were read"
    unknown = reasons(file for file, _ in read) if reader == "read_parquet" else {}
    return tuple(File(file, *before[file], count, unknown.get(file, "")) for file, count in read)


def _parquet_files(paths: list[str]) -> Iterator[tuple[str, int]]:
    """The files, or those of a folder, in the order in which they are read, with the numbers of their records."""
    from pyarrow.parquet import ParquetDataset  # noqa: PLC0415 - it has read the folder

    for each in ParquetDataset(paths if len(paths) > 1 else paths[0]).fragments:
        yield os.path.normpath(each.path), each.metadata.num_rows


def _stamps(paths: list[str]) -> Stamps:
    """Size and time of change of files, and of all files below folders."""
    found = {}
    for path in paths:
        below = [f"{folder}/{name}" for folder, _, names in os.walk(path) for name in names]
        for file in below or [path]:
            with suppress(OSError):  # gone since it was listed
                status = Path(file).stat()
                found[file] = status.st_size, status.st_mtime_ns // 1_000_000
    return found
