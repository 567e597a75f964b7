"""Channels through Python functions that keep something: for a key, for a query, and in batches of Arrow."""

# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from oracle.channels.program import SCHEMA, Program, of_spark_4

STATE = "a string, b string"


@of_spark_4
def processor(program: Program) -> DataFrame:
    """A processor gives what its state has: that of the key, and that of its own instance."""
    rows = program.spark.readStream.schema(SCHEMA).parquet(program.files()).groupBy("id")
    kept = rows.transformWithStateInPandas(_processor(), SCHEMA, "append", "none")
    return _stored(program, kept)


@of_spark_4
def initial_state(program: Program) -> DataFrame:
    """A processor whose state is of another frame."""
    rows = program.spark.readStream.schema(SCHEMA).parquet(program.files()).groupBy("id")
    initial = program.frame().groupBy("id")
    kept = rows.transformWithStateInPandas(_processor(), SCHEMA, "append", "none", initialState=initial)
    return _stored(program, kept)


def restarted_groups(program: Program) -> DataFrame:
    """Groups that a query kept of a folder, and that it goes on with when it reads another one."""
    place, checkpoint = program.path(), program.path()
    former, later = program.sources()
    former.write.parquet(f"{place}/former")
    _grouped(program, f"{place}/former", checkpoint, program.path())
    later.write.mode("append").parquet(place)
    into = program.path()
    _grouped(program, place, checkpoint, into)
    return program.spark.read.schema(SCHEMA).parquet(into)


@of_spark_4
def table_of_batches(program: Program) -> DataFrame:
    """A table function over batches of Arrow, which keeps a batch for the end."""

    class Turned:
        def __init__(self) -> None:
            self.kept: list[Any] = []

        def eval(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
            self.kept.append(batch)
            yield pa.table({"id": batch.column("id"), "a": batch.column("b"), "b": batch.column("b")})

        def terminate(self) -> Iterator[pa.Table]:
            for batch in self.kept:
                yield pa.table({"id": batch.column("id"), "a": batch.column("b"), "b": batch.column("a")})

    function = F.arrow_udtf(Turned, returnType=SCHEMA)
    return function(program.frame().select("id", "a", "b").asTable())


def _processor() -> Any:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    class Keeper(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.seen = "none"
            self.state = handle.getValueState("known", STATE)

        def handleInputRows(  # noqa: N802 - Spark's name
            self, key: Any, rows: Iterator[pd.DataFrame], timers: Any
        ) -> Iterator[pd.DataFrame]:
            known = self.state.get() if self.state.exists() else ("none", "none")
            for frame in rows:
                yield pd.DataFrame({"id": [key[0]], "a": [f"{known[1]} {self.seen}"], "b": [str(known[0])]})
                self.seen = str(frame["b"].iloc[0])
                known = (str(frame["a"].iloc[0]), self.seen)
                yield pd.DataFrame({"id": [key[0]], "a": [str(known[1])], "b": [str(known[0])]})
            self.state.update((str(known[0]), str(known[1])))

        def handleInitialState(  # noqa: N802 - Spark's name
            self, key: Any, initial: pd.DataFrame, timers: Any
        ) -> None:
            self.state.update((str(initial["a"].iloc[0]), str(initial["b"].iloc[0])))

        def close(self) -> None:
            pass

    return Keeper()


def _grouped(program: Program, source: str, checkpoint: str, into: str) -> None:
    """All texts, by a streaming query."""
    rows = program.spark.readStream.schema(SCHEMA).parquet(source).groupBy(F.lit(1).cast("long").alias("id"))
    texts = rows.agg(*(F.array_join(F.collect_set(each), " ").alias(each) for each in "ab"))

    def put(batch: DataFrame, _: int) -> None:
        batch.write.mode("append").parquet(into)

    query = texts.writeStream.outputMode("update").option("checkpointLocation", checkpoint)
    query.foreachBatch(put).trigger(availableNow=True).start().awaitTermination()


def _stored(program: Program, rows: DataFrame) -> DataFrame:
    into = program.path()
    writer = rows.writeStream.option("checkpointLocation", program.path()).trigger(availableNow=True)
    program.spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    writer.outputMode("append").format("parquet").start(into).awaitTermination()
    return program.spark.read.schema(SCHEMA).parquet(into)
