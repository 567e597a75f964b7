"""Which files the records of a frame were read from, in their order, so that whoever wrote them can be asked on.

Files are known by path, size and time of change, before and after they were read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias


class File(NamedTuple):
    """A file as it was read: ``changed`` is in milliseconds since 1970; it has so many ``records``."""

    path: str
    size: int
    changed: int
    records: int


Files: TypeAlias = tuple[File, ...] | str
"""The files in the order of the frame's records, all of whose records were read; or why that is not known."""
Stamps: TypeAlias = dict[str, tuple[int, int]]

_PARQUET: Final = {"path", "engine", "columns", "use_nullable_dtypes", "dtype_backend"}
_TEXT: Final = {
    *("filepath_or_buffer", "sep", "delimiter", "header", "names", "index_col", "usecols", "dtype", "engine"),
    *(
        "converters",
        "true_values",
        "false_values",
        "na_values",
        "keep_default_na",
        "na_filter",
        "parse_dates",
    ),
    *(
        "date_format",
        "dayfirst",
        "cache_dates",
        "compression",
        "thousands",
        "decimal",
        "quotechar",
        "quoting",
    ),
    *(
        "doublequote",
        "escapechar",
        "encoding",
        "encoding_errors",
        "low_memory",
        "memory_map",
        "dtype_backend",
    ),
}


def reading(reader: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> Callable[[Any], Files]:
    """To be called before a reader is; what it gives is to be called with the frame that was read."""
    path, reason = _understood(reader, args, named)
    if reason:
        return lambda _: reason
    before = _stamps(path)
    return lambda frame: _files(reader, path, before, len(frame))


def _understood(reader: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[str, str]:
    """The path that is read, or else why it is not known where its records are."""
    known = _PARQUET if reader == "read_parquet" else _TEXT
    unknown = sorted(set(named) - known) + ["arguments without names"] * (len(args) > 1)
    if reader not in {"read_parquet", "read_csv", "read_table"}:
        return "", f"{reader} does not say where in a file its records were"
    if unknown or named.get("engine") == "fastparquet":
        return "", f"{reader} was called with {', '.join(unknown) or 'fastparquet'}: it may leave out records"
    path = _local(args[0] if args else next(iter(named.values()), None))
    return (path, "") if path else ("", f"{reader} read no path of this machine")


def _local(given: Any) -> str:
    if not isinstance(given, str | os.PathLike) or not isinstance(text := os.fspath(given), str):
        return ""
    path = os.path.normpath(Path(text).expanduser().absolute())
    return path if Path(path).exists() else ""


def _files(reader: str, path: str, before: Stamps, records: int) -> Files:
    if reader != "read_parquet":
        read = [(path, records)]
    else:
        try:
            read = list(_parquet_files(path)) if Path(path).is_dir() else [(path, records)]
        except Exception as problem:  # noqa: BLE001 - pyarrow has many, and the program is not concerned
            return f"the files of {path} could not be listed: {type(problem).__name__}"
    after = _stamps(path)
    if any(before.get(file) is None or before[file] != after.get(file) for file, _ in read):
        return f"{path} was changed while it was read"
    if sum(count for _, count in read) != records:
        return f"{path} has other records than were read"
    return tuple(File(file, *before[file], count) for file, count in read)


def _parquet_files(path: str) -> Iterator[tuple[str, int]]:
    """The files of a folder in the order in which they are read, with the numbers of their records."""
    from pyarrow.parquet import ParquetDataset  # noqa: PLC0415 - it has read the folder

    for each in ParquetDataset(path).fragments:
        yield os.path.normpath(each.path), each.metadata.num_rows


def _stamps(path: str) -> Stamps:
    """Size and time of change of a file, or of all files below a folder."""
    below = [f"{folder}/{name}" for folder, _, names in os.walk(path) for name in names]
    found = {}
    for file in below or [path]:
        with suppress(OSError):  # gone since it was listed
            status = Path(file).stat()
            found[file] = status.st_size, status.st_mtime_ns // 1_000_000
    return found
