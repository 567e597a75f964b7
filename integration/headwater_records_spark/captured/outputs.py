"""The records of an output, each with its file and its position there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import StructType

from headwater_records_spark.captured.store import Run
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import places_of
from headwater_records_spark.rebuild import Rebuilt


def read_back(jvm: Jvm, run: Run, files: Iterable[str]) -> DataFrame:
    """What a run wrote into these files, with the columns in the order of the query."""
    schema = StructType.fromJson(run.output.schema)
    files = sorted(set(files) & set(run.output.files))
    if not files:
        return jvm.spark.createDataFrame([], schema)
    reader = jvm.spark.read.schema(schema).format(run.output.format).options(**run.output.options)
    columns = [f"`{name}`" for name in schema.names]
    return reader.option("basePath", run.output.root).load(files).select(*columns)


def stored(jvm: Jvm, run: Run, files: Iterable[str]) -> tuple[DataFrame, Callable[[Column], Column]]:
    """The same with one more column, an internal id, and how its file and position follow from that."""
    rebuilt = Rebuilt(read_back(jvm, run, files))
    (source,) = rebuilt.sources.values()
    places = places_of(jvm, source) if not source.exact else None
    return rebuilt.frame, lambda row: row if places is None else places.position(row)
