"""The file and the position of rows, for people: positions count from 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import functions as F  # noqa: N812

from headwater_records.nested.answer import Answer, Item
from headwater_records_spark.context import Source
from headwater_records_spark.jvm import Jvm

Id = tuple[str, int]


def named(jvm: Jvm, sources: dict[str, Source], answer: Answer) -> Answer:
    """The answer with file and position in the places of internal ids."""
    found = {}
    for name in {item.source for item in answer.found.values()}:
        places = Places(jvm, sources[name])
        for item in answer.items(name):
            item.id = places.place(item.id)
            found[name, item.id] = Item(name, item.id, item.tree)
    answer.found = found
    return answer


class Places:
    """Of one source, in both directions."""

    def __init__(self, jvm: Jvm, source: Source) -> None:
        frame = jvm.frame(source.plan).select("__file", "__block", "__row")
        self.blocks: dict[int, list[tuple[int, int, int]]] = {}
        self.files: dict[int, str] = {}
        if source.exact:
            rows: Iterable[Any] = (
                frame.select("__file").distinct().select("*", F.xxhash64("__file")).collect()
            )
            self.files = {row[1]: row[0] for row in rows}
        else:
            self._count(frame)

    def _count(self, frame: Any) -> None:
        """Where each part of a file begins, among the numbers that its rows were given."""
        counted = (
            frame.groupBy("__file", "__block")
            .agg(F.min("__row").alias("first"), F.count("*").alias("rows"), F.xxhash64("__file").alias("h"))
            .orderBy("__file", "__block")
        )
        for row in counted.collect():
            self.files[row["h"]] = row["__file"]
            parts = self.blocks.setdefault(row["h"], [])
            before = parts[-1][1] + parts[-1][2] if parts else 0
            parts.append((row["first"], before, row["rows"]))

    def place(self, internal: tuple[Any, ...]) -> Id:
        """File and position of an id."""
        file, row = internal
        for first, before, count in self.blocks.get(file, ()):
            if first <= row < first + count:
                return self.files[file], before + row - first + 1
        return self.files.get(file, str(file)), row + 1

    def internal(self, place: Id) -> tuple[int, int]:
        """The id of a file and a position; a LookupError if there is none."""
        hashes = [each for each, name in self.files.items() if name == place[0]]
        if not hashes:
            raise LookupError(f"no file {place[0]!r} in the source")
        row = place[1] - 1
        for first, before, count in self.blocks.get(hashes[0], ()):
            if before <= row < before + count:
                return hashes[0], first + row - before
        return hashes[0], row
