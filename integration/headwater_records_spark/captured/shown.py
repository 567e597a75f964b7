"""The records of sources themselves, read where they lie, if their files still are what they were."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import functions as F

from headwater_records.nested.answer import Item
from headwater_records_spark.captured.store import Run
from headwater_records_spark.inputs import Stamp, listing
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.values import plain

PARQUET = ".parquet"
Read: TypeAlias = Mapping[str, set[Stamp]]
"""By path what a file was whenever it was read."""
_GLOB = re.compile(r"([][{}*?\\])")
"""What a path of a reader means something else by."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A record as its file has it, with maps as lists of ``key`` and ``value``; or why it is ``unread``."""

    record: dict[str, Any] | None
    unread: str = ""


def shown(jvm: Jvm, runs: Sequence[Run], items: Sequence[Item]) -> list[Shown]:
    """The records of these items, in their order.

    Columns that a table has in the names of its folders are in no file, and so in no record.
    """
    before: dict[str, set[Stamp]] = {}
    for each in [each for run in runs for each in run.inputs]:
        for path, stamp in each.files.items():
            before.setdefault(path, set()).add(stamp)
    positions: dict[str, list[int]] = {}
    for item in items:
        positions.setdefault(item.id[0], []).append(item.id[1])
    found = {file: _of_file(jvm, before, file, wanted) for file, wanted in positions.items()}
    return [found[item.id[0]][item.id[1]] for item in items]


def _of_file(jvm: Jvm, before: Read, file: str, wanted: Sequence[int]) -> dict[int, Shown]:
    if not file.endswith(PARQUET):
        return dict.fromkeys(wanted, Shown(None, "only records of Parquet files are read"))
    path = jvm.type("org.apache.hadoop.fs.Path")(jvm.type("java.net.URI")(file)).toString()
    unread = _unread(jvm, before, path)
    if unread:
        return dict.fromkeys(wanted, Shown(None, unread))
    number = F.col("_metadata.row_index") + 1
    rows = jvm.spark.read.parquet(_GLOB.sub(r"\\\1", path))
    kept = rows.where(number.isin(list(wanted))).select(number, F.struct("*")).collect()
    there = {row[0]: Shown(plain(row[1])) for row in kept}
    return {each: there.get(each, Shown(None, "the file has no such record")) for each in wanted}


def _unread(jvm: Jvm, before: Read, path: str) -> str:
    """Why records of a file are not read; files of tables with versions have no times, as they never change."""
    now = listing(jvm, [path]).get(path)
    if now is None:
        return "the file is gone"
    return "the file was changed" if path in before and before[path] != {now} else ""
