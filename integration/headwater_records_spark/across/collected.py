"""Frames of which a program has collected all rows: they run again with keys, by which rows are found again.

The order in which rows come is that of one run alone, and so is no name for a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, FloatType

from headwater_records.nested.answer import Answer
from headwater_records.nested.tree import Tree
from headwater_records_spark.ask import Traced
from headwater_records_spark.batches import plan_of
from headwater_records_spark.context import packed
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.inputs import Input, as_read, at_versions, inputs_of, tables_of, unchanged
from headwater_records_spark.jvm import Jvm, analysed
from headwater_records_spark.places import places_of
from headwater_records_spark.rebuild import Rebuilt


@dataclass(frozen=True, slots=True)
class Collected:
    """A frame, and the tables with versions that its rows are of, at the version of each."""

    frame: DataFrame
    tables: list[Input]


def collected(frame: DataFrame) -> Collected:
    """The frame as it would be collected now.

    An UntraceableError says that it is not certain which version of a table that is.
    """
    jvm = Jvm(frame.sparkSession)
    tables = tables_of(analysed(frame))
    if at_versions(tables):
        tables = as_read(jvm, tables, jvm.frame(analysed(frame))._jdf.queryExecution())
    return Collected(frame, tables)


def rounded_columns(frame: DataFrame) -> list[int]:
    """The columns that another run may round otherwise, by position: a sum depends on the order of its terms."""
    kinds = [field.dataType for field in frame.schema.fields]
    return [number for number, kind in enumerate(kinds) if isinstance(kind, FloatType | DoubleType)]


class Again:
    """A collected frame that runs again. ``rows`` is it, with a key behind its columns: equal rows have equal keys."""

    def __init__(self, given: Collected) -> None:
        self._rebuilt = rebuilt = Rebuilt(given.frame, versions=at_versions(given.tables), once=True)
        jvm, built, context = rebuilt.jvm, rebuilt.built, rebuilt.context
        self._key, rounded = context.name(), set(rounded_columns(given.frame))
        columns = [context.column(each) for each in built.columns]
        key = _key([each.cast("float") if n in rounded else each for n, each in enumerate(columns)])
        key = key.alias(self._key)
        self.rows = jvm.frame(jvm.select(built.plan, built.columns, key))
        self._keyed = jvm.frame(jvm.select(built.plan, [built.made_of], key))
        self.inputs = inputs_of(jvm, plan_of(jvm, given.frame))

    def made_of(self, asked: Mapping[int, Tree], counts: Mapping[int, int]) -> Answer:
        """What the rows with these keys were made of; there have to be so many of each.

        A ChangedInputError says that an input is not what it was when the frame was made.
        """
        rebuilt = self._rebuilt
        with unchanged(rebuilt.jvm, self.inputs):
            keys = rebuilt.jvm.spark.createDataFrame([(key,) for key in asked], f"{self._key} long")
            found = self._keyed.join(F.broadcast(keys), self._key, "left_semi").collect()
            if Counter(key for key, _ in found) != counts:
                raise UnrepeatableError("its frame gives other rows each time it runs")
            rows = [(made_of, asked[key]) for key, made_of in found]
            places = cache(lambda source: places_of(rebuilt.jvm, rebuilt.sources[source]))
            return Traced(rebuilt.step, rebuilt.columns, rows, places).whole()


def _key(values: list[Column]) -> Column:
    """A number that follows from values of any types: maps have no hash of their own."""
    return F.xxhash64(packed(values).cast("string"))
