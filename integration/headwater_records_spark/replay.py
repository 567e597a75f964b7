"""Runs a frame again over other inputs: only some records of the sources, or all but some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer, Item
from headwater_records_spark.batches import plan_of
from headwater_records_spark.context import NO_VERSIONS, Source
from headwater_records_spark.inputs import check, inputs_of
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import Id, places_of
from headwater_records_spark.rebuild import Keep, Rebuilt

MOST_NAMED = 100
"""How many numbers a condition lists."""
BLOCK = 1 << 16
"""How many numbers a bitmap has."""
Records = Answer | Iterable[Item] | Mapping[str, Iterable[Id]]
"""Records of sources: an answer, items of one, or by source the file and position of each."""


def replay(
    frame: DataFrame,
    *,
    only: Records | None = None,
    without: Records | None = None,
    versions: Mapping[str, str] = NO_VERSIONS,
) -> DataFrame:
    """The frame as it would be if its sources had only these records, or all but these.

    Tables with versions are read at those of ``versions``, by their roots, else at the newest.
    """
    if (only is None) == (without is None):
        raise ValueError("either only or without")
    records = by_source((only if only is not None else without) or {})
    jvm = Jvm(frame.sparkSession)
    check(jvm, inputs_of(jvm, plan_of(jvm, frame)))
    rebuilt = Rebuilt(frame, kept_rows(jvm, records, wanted=only is not None), versions=versions)
    check_sources(rebuilt, records)
    return rebuilt.frame.drop(rebuilt.made_of)


def difference(before: DataFrame, after: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The rows that are gone, and those that are new."""
    return before.exceptAll(after), after.exceptAll(before)


def by_source(records: Records) -> dict[str, set[Id]]:
    """Files and positions by source."""
    if isinstance(records, Mapping):
        return {name: set(ids) for name, ids in records.items()}
    found: dict[str, set[Id]] = {}
    for item in records.items() if isinstance(records, Answer) else records:
        found.setdefault(item.source, set()).add((item.id[0], item.id[1]))
    return found


def kept_rows(jvm: Jvm, records: dict[str, set[Id]], *, wanted: bool) -> Keep:
    """What to read of each source; a LookupError names a file that is not there.

    What is looked for in vain made no row, and has kept some away: all of it is read with the records that are wanted.
    """

    def keep(source: Source, row: Column, absent: bool) -> Column | None:
        if wanted and absent:
            return None
        if source.name not in records:
            return F.lit(False) if wanted else None
        places = places_of(jvm, source)
        found = is_one_of(row, sorted(places.internal(each) for each in records[source.name]))
        return found if wanted else ~found

    return keep


def check_sources(rebuilt: Rebuilt, records: dict[str, set[Id]]) -> None:
    """Raise a LookupError if one of the sources is not there."""
    unknown = sorted(set(records) - set(rebuilt.sources))
    if unknown:
        raise LookupError(f"no source {unknown[0]!r}; there are {', '.join(sorted(rebuilt.sources))}")


def internal_ids(rebuilt: Rebuilt, records: dict[str, set[Id]]) -> dict[str, list[tuple[int, int]]]:
    """The ids that derivations have, by source."""
    found = {}
    for name, ids in records.items():
        places = places_of(rebuilt.jvm, rebuilt.sources[name])
        found[name] = sorted(places.internal(each) for each in ids)
    return found


def is_one_of(row: Column, ids: Iterable[tuple[int, int]]) -> Column:
    """Whether an id is one of these."""
    found = F.lit(False)
    by_file: dict[int, list[int]] = {}
    for file, place in ids:
        by_file.setdefault(file, []).append(place)
    for file, rows in by_file.items():
        found |= (row.getField("f") == F.lit(file)) & _among(row.getField("r"), rows)
    return found


def _among(number: Column, rows: Sequence[int]) -> Column:
    """Whether a number is one of these; many of them are bitmaps, as plans with thousands of literals are slow."""
    if len(rows) <= MOST_NAMED:
        return number.isin(list(rows))
    blocks: dict[int, bytearray] = {}
    for each in rows:
        block, inside = divmod(each, BLOCK)
        blocks.setdefault(block, bytearray(BLOCK // 8))[inside // 8] |= 1 << inside % 8
    found = F.lit(False)
    for block, bits in blocks.items():
        first = F.lit(block * BLOCK)
        found |= number.between(first, F.lit(block * BLOCK + BLOCK - 1)) & _bit(bits, number - first)
    return found


def _bit(bits: bytearray, number: Column) -> Column:
    """Whether the bit of that number is set."""
    start = (F.floor(number / 8) + 1).cast("int")
    byte = F.conv(F.hex(F.lit(bits).substr(start, F.lit(1))), 16, 10).cast("int")
    return byte.bitwiseAND(F.pow(F.lit(2), F.pmod(number, F.lit(8))).cast("int")) != 0
