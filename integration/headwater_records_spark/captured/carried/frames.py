"""Frames of windows, by the key of the partition and the positions in it between which they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from headwater_records.nested.steps import Window
from headwater_records_spark.captured.carried.members import members_of
from headwater_records_spark.captured.ids import frames

RANGES = "key struct<a:bigint,b:bigint>, lo int, hi int"
OWN = 2
"""How many parts of an identity come before its frames: the record, and the key."""


def placed(table: DataFrame) -> DataFrame:
    """Key, position ``n`` from 1 and derivation ``m`` of the members of partitions, as one task saw all of one."""
    rows = members_of(
        table.select("*", "_metadata.file_path", "_metadata.row_index"), "file_path", "row_index"
    )
    n = F.row_number().over(Over.partitionBy("file_path", "key").orderBy("row_index"))
    return rows.select("key", n.alias("n"), F.col("member.m").alias("m")).distinct()


def in_frames(step: Window, passed: DataFrame, members: DataFrame) -> DataFrame:
    """The table of a window: ``out``, and for each frame a list of a member of it, or an empty one.

    A record of which no frame has a member stands there once.
    """
    numbers = frames(step)
    inside = [_is_in(F.col(f"out.f{number}")) for number in numbers]
    no_member = F.array().cast(ArrayType(members.schema["m"].dataType))
    joined = passed.join(members, (F.col("out.w") == F.col("key")) & reduce(or_, inside), "left")
    lists = [
        F.when(each, F.array("m")).otherwise(no_member).alias(f"f{number}")
        for number, each in zip(numbers, inside, strict=True)
    ]
    return joined.select("out", *lists)


def _is_in(frame: Column) -> Column:
    return F.col("n").between(frame.getField("lo"), frame.getField("hi"))


def ranges(identities: Iterable[Any]) -> list[tuple[Any, int, int]]:
    """By key the least and the greatest position in the frames of records; as ``RANGES`` has them."""
    found: dict[Any, tuple[int, int]] = {}
    for each in identities:
        for lo, hi in each[OWN:]:
            least, greatest = found.get(each[1], (lo, hi))
            found[each[1]] = (min(least, lo), max(greatest, hi))
    return [(key, lo, hi) for key, (lo, hi) in found.items()]


def between(members: DataFrame, given: DataFrame) -> DataFrame:
    """The members that lie in such ranges."""
    named = given.toDF("__key", "lo", "hi")
    is_wanted = (F.col("key") == F.col("__key")) & F.col("n").between(F.col("lo"), F.col("hi"))
    return members.join(F.broadcast(named), is_wanted, "left_semi")


def members_in(identity: Any, members: Mapping[tuple[Any, int], Iterable[Any]]) -> Iterator[tuple[Any, ...]]:
    """For each frame of a record its members, which are given by key and position."""
    for lo, hi in identity[OWN:]:
        yield tuple(m for n in range(lo, hi + 1) for m in members.get((identity[1], n), ()))
