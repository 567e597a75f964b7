"""Channels through streams."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import DataStreamWriter

from oracle.channels.program import SCHEMA, Program


def files(program: Program) -> DataFrame:
    place = program.path()
    swapped = _read(program).select("id", F.col("b").alias("a"), F.col("a").alias("b"))
    _writer(program, swapped).format("parquet").start(place).awaitTermination()
    return program.spark.read.parquet(place)


def batches(program: Program) -> DataFrame:
    place = program.path()

    def append(rows: DataFrame, _batch: int) -> None:
        rows.write.mode("append").parquet(place)

    _writer(program, _read(program)).foreachBatch(append).start().awaitTermination()
    return program.spark.read.parquet(place)


def memory(program: Program) -> DataFrame:
    name = program.name()
    _writer(program, _read(program)).queryName(name).format("memory").start().awaitTermination()
    return program.spark.table(name)


def table(program: Program) -> DataFrame:
    name = program.name()
    _writer(program, _read(program)).toTable(name).awaitTermination()
    return program.spark.table(name)


def joined(program: Program) -> DataFrame:
    place = program.path()
    other = program.frame().select("id", F.col("a").alias("other"))
    rows = _read(program).join(other, "id").select("id", "a", F.col("other").alias("b"))
    _writer(program, rows).format("json").start(place).awaitTermination()
    return program.spark.read.schema(SCHEMA).json(place)


def grouped(program: Program) -> DataFrame:
    name = program.name()
    rows = _read(program).groupBy("id").agg(F.max("a").alias("a"), F.min("b").alias("b"))
    writer = _writer(program, rows).outputMode("complete").queryName(name)
    writer.format("memory").start().awaitTermination()
    return program.spark.table(name)


def _read(program: Program) -> DataFrame:
    return program.spark.readStream.schema(SCHEMA).parquet(program.files())


def _writer(program: Program, rows: DataFrame) -> DataStreamWriter:
    return rows.writeStream.option("checkpointLocation", program.path()).trigger(availableNow=True)
