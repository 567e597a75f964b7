"""The file and the position of rows, for people: positions count from 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, Item
from headwater_records_spark.context import Source
from headwater_records_spark.errors import UntraceableError
from headwater_records_spark.inputs import file_name
from headwater_records_spark.jvm import EXPRESSIONS, Jvm

Id = tuple[str, int]
SEED = 42
"""What ``xxhash64`` begins with."""
Block = tuple[int, int, int]
"""Of a part of a file: the number of its first row, how many rows are before it in the file, and how many it has."""


@dataclass(slots=True)
class Places:
    """Of one source, in both directions: its files by their hash, and the blocks of files whose rows were counted."""

    files: dict[int, str] = field(default_factory=dict)
    blocks: dict[int, list[Block]] = field(default_factory=dict)

    def place(self, internal: tuple[Any, ...]) -> Id:
        """File and position of an id."""
        file, row = internal
        for first, before, count in self.blocks.get(file, ()):
            if first <= row < first + count:
                return self.files[file], before + row - first + 1
        return self.files.get(file, str(file)), row + 1

    def internal(self, place: Id) -> tuple[int, int]:
        """The id of a file and a position; a LookupError if there is none."""
        hashes = [each for each, name in self.files.items() if file_name(name) == file_name(place[0])]
        if not hashes:
            raise LookupError(f"no file {place[0]!r} in the source")
        row = place[1] - 1
        for first, before, count in self.blocks.get(hashes[0], ()):
            if before <= row < before + count:
                return hashes[0], first + row - before
        return hashes[0], row

    def known(self, places: Iterable[Id]) -> dict[tuple[int, int], Id]:
        """Those of the places that are in files of the source, by their ids."""
        there = {file_name(each) for each in self.files.values() if each}
        return {self.internal(each): each for each in places if file_name(each[0]) in there}

    def position(self, row: Column) -> Column:
        """An id with the position in the file, from 0, in the place of a number that rows were given when read."""
        file, number = row.getField("f"), row.getField("r")
        found = number
        for each, blocks in self.blocks.items():
            for first, before, count in blocks:
                inside = (file == F.lit(each)) & number.between(first, first + count - 1)
                found = F.when(inside, number - F.lit(first - before)).otherwise(found)
        return F.struct(file.alias("f"), found.cast("long").alias("r"))


def places_of(jvm: Jvm, source: Source) -> Places:
    """The files of a source, and how the rows of each were counted."""
    if source.exact:
        return _distinct(
            source, Places(dict(zip(hashes(jvm, source.files), source.files, strict=True))), set(source.files)
        )
    frame = jvm.frame(source.plan).select("__file", "__block", "__row")
    counted = (
        frame.groupBy("__file", "__block")
        .agg(F.min("__row").alias("first"), F.count("*").alias("rows"), F.xxhash64("__file").alias("h"))
        .orderBy("__file", "__block")
    )
    places, files = Places(), set()
    for row in counted.collect():
        places.files[row["h"]] = row["__file"]
        files.add(row["__file"])
        parts = places.blocks.setdefault(row["h"], [])
        before = parts[-1][1] + parts[-1][2] if parts else 0
        parts.append((row["first"], before, row["rows"]))
    return _distinct(source, places, files)


def hashes(jvm: Jvm, files: Sequence[str]) -> list[int]:
    """What the files are called in ids: what ``xxhash64`` gives of their names."""
    given = [bytearray(each.encode()) for each in files]
    start = jvm.type("org.apache.spark.unsafe.Platform").BYTE_ARRAY_OFFSET
    hashed = jvm.type(EXPRESSIONS + "XXH64")(SEED).hashUnsafeBytes
    return [int(hashed(each, start, len(each))) for each in given]


def _distinct(source: Source, places: Places, files: set[str]) -> Places:
    if len(places.files) != len(files):
        raise UntraceableError("read", f"two files of {source.name} have the same hash")
    return places


def named(answer: Answer, places: Callable[[str], Places]) -> Answer:
    """The answer with file and position in the places of internal ids; ``places`` are those of a source."""
    found = {}
    for name in {item.source for item in answer.found.values()}:
        known = places(name)
        for item in answer.items(name):
            item.id = known.place(item.id)
            found[name, item.id] = Item(name, item.id, item.tree)
    answer.found = found
    return answer
