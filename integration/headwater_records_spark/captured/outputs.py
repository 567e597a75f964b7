"""The records of an output, each with its file and its position there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from headwater_records_spark.captured.carried.flat import derivation
from headwater_records_spark.captured.store import CARRIED, Run, Store, qualified
from headwater_records_spark.inputs import leaves
from headwater_records_spark.jvm import Jvm, analysed
from headwater_records_spark.places import Id, hashes, places_of
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.versioned.formats import table_of, version_of


def place_of(jvm: Jvm, output: str) -> str:
    """The path of an output that is named by path or as a table, or the root of one with versions.

    What is no table is a path.
    """
    if "/" in output or not re.fullmatch(r"[\w.`]+", output) or not jvm.spark.catalog.tableExists(output):
        return qualified(jvm, output)
    leaf, *others = leaves(analysed(jvm.spark.table(output)))
    version = None if others else version_of(leaf)
    if version is not None:
        return version.root
    state = jvm.spark._jsparkSession.sessionState()
    table = state.sqlParser().parseTableIdentifier(output)
    if not state.catalog().tableExists(table):
        return qualified(jvm, output)
    return qualified(jvm, state.catalog().getTableMetadata(table).location().toString())


def read_back(jvm: Jvm, run: Run, files: Iterable[str]) -> DataFrame:
    """What a run wrote into these files, with the columns in the order of the query."""
    schema = StructType.fromJson(run.output.schema)
    if run.output.version:
        table = table_of(jvm, run.output.format, run.output.root)
        return table.at(run.output.version).select(*[f"`{name}`" for name in schema.names])
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


def files_by_id(jvm: Jvm, run: Run, files: Iterable[str]) -> dict[int, str]:
    """By what they are called in ids, those of these files that the run wrote."""
    if run.output.version:
        (source,) = Rebuilt(read_back(jvm, run, files)).sources.values()
        there = sorted(source.files)
    else:
        there = [jvm.uri(each) for each in sorted(set(files) & set(run.output.files))]
    return dict(zip(hashes(jvm, there), there, strict=True))


class Reached(NamedTuple):
    """A record of an output, by file and position from 1.

    It was made ``of`` these of the records that were asked about, and of so many ``others`` of the same sources.
    """

    place: Id
    of: set[Id]
    others: int


@dataclass(frozen=True, slots=True)
class Erasure:
    """A record of an output, by file and position from 1, that has to change when records of sources are erased.

    It was made of them alone, or also of so many ``others`` of the same sources: then it is an aggregate, and what is
    left of them in it stays when it is made again without them.
    """

    file: str
    position: int
    others: int

    @property
    def alone(self) -> bool:
        """Whether it can be deleted as a whole."""
        return self.others == 0


def carried(store: Store, run: Run) -> DataFrame:
    """File and position (``f`` and ``r``, from 0) of each record of the output, and ``d``, what the write carried.

    Row n of a file of ids is row n of the output's file of that name.
    """
    place = store.place(run.run, CARRIED)
    kept = store.jvm.spark.read.option("recursiveFileLookup", "true").parquet(place)
    inside = F.expr(f"substring(_metadata.file_path, {len(store.jvm.uri(place)) + 1})")
    return kept.select(
        F.xxhash64(F.concat(F.lit(store.jvm.uri(run.output.root)), inside)).alias("f"),
        F.col("_metadata.row_index").alias("r"),
        derivation(kept.columns).alias("d"),
    )
