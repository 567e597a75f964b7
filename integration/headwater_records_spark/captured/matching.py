"""Finds each record of an output among those of a plan that ran again: by its values, and equal ones in order.

Values that may be rounded otherwise are found between their ends. Where that leaves several records of the output with
different values to choose from, none of them is matched: it is not known which of them was made of which records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from headwater_records_spark.repeated.repeated import Repeated
from headwater_records_spark.values import comparable


@dataclass(frozen=True, slots=True)
class Compared:
    """The columns of an output by place: their types, and the ends of those that are rounded."""

    schema: StructType
    rounded: dict[int, tuple[int, int] | None]

    @property
    def exact(self) -> list[int]:
        """The places of columns that are the same in every run."""
        return [place for place in range(len(self.schema)) if place not in self.rounded]

    @property
    def bounded(self) -> list[int]:
        """The places of columns that are between known ends."""
        return sorted(place for place, ends in self.rounded.items() if ends is not None)


def matched(written: DataFrame, again: Repeated, schema: StructType, order: Column) -> DataFrame:
    """Place ``o`` of each record of the output, and its derivation ``d``: of what has no other, the other is NULL.

    Both are NULL for a record that may be one of several. ``written`` has the columns of the output and ``o``. Equal
    records of the other frame, of which the derivation is called ``d``, are ordered by ``order``.
    """
    compared = Compared(schema, again.rounded)
    if not compared.rounded:
        return _joined(written, again.frame, compared, order)
    return _paired(_together(written, again.frame, compared, order), compared)


def _joined(written: DataFrame, again: DataFrame, compared: Compared, order: Column) -> DataFrame:
    names = [f"c{number}" for number in range(len(compared.schema))]
    left = _numbered(written.toDF(*names, "o"), compared, F.col("o"), "o")
    right = _numbered(again.toDF(*names, "d"), compared, order, "d")
    same = (left["k"] == right["k"]) & (left["n"] == right["n"])
    return left.join(right, same, "full_outer").select("o", "d")


def _numbered(frame: DataFrame, compared: Compared, order: Column, name: str) -> DataFrame:
    """Columns ``k``, the values, ``n``, a number among equal ones, and what is kept."""
    chosen = frame.select(_values(compared, compared.exact).alias("k"), name, order.alias("__order"))
    return chosen.select(
        "k", name, F.row_number().over(Window.partitionBy("k").orderBy("__order")).alias("n")
    )


def _values(compared: Compared, places: list[int]) -> Column:
    values = [
        comparable(F.col(f"c{place}"), compared.schema[place].dataType).alias(f"c{place}") for place in places
    ]
    return F.struct(F.lit(0).alias("none"), *values)


def _together(written: DataFrame, again: DataFrame, compared: Compared, order: Column) -> DataFrame:
    """The records of both: what is exact of them, ``k``, the rounded values, ``v``, and the ends of each of these."""
    names = [f"c{number}" for number in range(len(again.columns) - 1)]
    right = again.toDF(*names, "d")
    left = written.toDF(*names[: len(compared.schema)], "o")
    empty = [F.col(f"c{each}").isNull().alias(f"n{each}") for each in compared.bounded]
    shared = [
        F.struct(_values(compared, compared.exact).alias("exact"), *empty).alias("k"),
        _values(compared, sorted(compared.rounded)).alias("v"),
    ]
    itself = {each: (each, each) for each in compared.bounded}
    known = {each: compared.rounded[each] or (each, each) for each in compared.bounded}
    theirs = right.select(
        *shared, F.lit(1).alias("side"), F.lit(None).cast(left.schema["o"].dataType).alias("o"), "d",
        order.alias("by"), *_ends(known),
    )  # fmt: skip
    of_none = [F.lit(None).cast(theirs.schema[name].dataType).alias(name) for name in ("d", "by")]
    mine = left.select(*shared, F.lit(0).alias("side"), "o", *of_none, *_ends(itself))
    return mine.unionAll(theirs)


def _ends(places: dict[int, tuple[int, int]]) -> list[Column]:
    return [
        F.col(f"c{place}").alias(f"{end}{each}")
        for each, ends in places.items()
        for end, place in zip("lh", ends, strict=True)
    ]


def _paired(records: DataFrame, compared: Compared) -> DataFrame:
    """One record of the output with one of the other run, in each cluster of those that may be the same."""
    records, cluster = _clustered(records, compared)
    every, is_output = Window.partitionBy(*cluster), F.col("side") == 0
    records = records.select(
        *cluster, "side", "o", "d", "v", *[f"{end}{each}" for each in compared.bounded for end in "lh"],
        F.min(F.when(is_output, F.col("v"))).over(every).alias("least"),
        F.max(F.when(is_output, F.col("v"))).over(every).alias("greatest"),
        F.row_number().over(Window.partitionBy(*cluster, "side").orderBy("o", "by")).alias("n"),
    )  # fmt: skip
    fits = reduce(and_, (_between(each) for each in compared.bounded), F.lit(True))
    pair = Window.partitionBy(*cluster, "n").orderBy("side")
    clear = F.col("least").eqNullSafe(F.col("greatest"))
    found = records.select(
        "side", "o", "d", clear.alias("clear"), fits.alias("fits"),
        F.lead("d").over(pair).alias("other"), F.lead(fits).over(pair).alias("other_fits"),
        F.lag("side").over(pair).isNotNull().alias("taken"),
    ).where(is_output | ~F.col("taken") | (F.col("clear") & ~F.col("fits")))  # fmt: skip
    of_output = F.when(F.col("clear") & F.col("other_fits"), F.col("other"))
    return found.select(
        F.when(F.col("clear"), F.col("o")).alias("o"),
        F.when(is_output, of_output).otherwise(F.col("d")).alias("d"),
    )


def _between(place: int) -> Column:
    """Whether the value that the records of the output have in a cluster is between the ends of this one."""
    value, low, high = F.col(f"least.c{place}"), F.col(f"l{place}"), F.col(f"h{place}")
    return F.coalesce((value >= low) & (value <= high), F.lit(True))


def _clustered(records: DataFrame, compared: Compared) -> tuple[DataFrame, list[str]]:
    """The records with numbers of clusters, and the columns that name one: in another are none that may be the same."""
    cluster = ["k"]
    for each in compared.bounded:
        low, high = F.col(f"l{each}"), F.col(f"h{each}")
        anything = F.max(F.col(f"v.c{each}").isNotNull() & low.isNull()).over(Window.partitionBy(*cluster))
        window = Window.partitionBy(*cluster).orderBy(low.asc_nulls_first())
        before = F.max(high).over(window.rowsBetween(Window.unboundedPreceding, -1))
        records = records.withColumn("begins", F.when(~anything & (low > before), 1).otherwise(0))
        number = F.sum("begins").over(window.rangeBetween(Window.unboundedPreceding, Window.currentRow))
        records = records.withColumn(f"g{each}", number)
        cluster.append(f"g{each}")
    return records, cluster
