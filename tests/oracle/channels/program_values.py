"""Channels through the program itself: what it collects, or reads by itself, and hands in again in some way."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.accumulators import AccumulatorParam
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from oracle.channels.program import SCHEMA, Program


def rows(program: Program) -> DataFrame:
    return program.given([(row[0], row[2], row[1]) for row in program.frame().collect()])


def pandas_frame(program: Program) -> DataFrame:
    found = program.frame().toPandas()
    found["a"] = found["a"].str.upper()
    return program.spark.createDataFrame(found.astype({"a": "object", "b": "object"}), SCHEMA)


def arrow_table(program: Program) -> DataFrame:
    return program.spark.createDataFrame(program.frame().toArrow()) if program.is_4 else program.frame()


def statistics(program: Program) -> DataFrame:
    return program.given([(1, row["a"], row["summary"]) for row in program.frame().describe("a").collect()])


def literal(program: Program) -> DataFrame:
    return program.frame().withColumn("a", F.lit(program.value()))


def text_of_query(program: Program) -> DataFrame:
    return program.spark.sql(f"SELECT id, '{program.value()}' AS a, b FROM {program.view()}")


def condition(program: Program) -> DataFrame:
    return program.frame().filter(F.col("a") != program.value())


def observed(program: Program) -> DataFrame:
    observation = Observation(program.name())
    program.frame().observe(observation, F.max("a").alias("most")).write.parquet(program.path())
    return program.frame().withColumn("b", F.lit(observation.get["most"]))


def broadcast(program: Program) -> DataFrame:
    known = program.spark.sparkContext.broadcast({row[0]: row[1] for row in program.frame().collect()})

    def look_up(number: int) -> object:
        return known.value.get(number)

    return program.frame().withColumn("b", F.udf(look_up)("id"))


def closure(program: Program) -> DataFrame:
    known = {row[0]: row[2] for row in program.frame().toLocalIterator()}

    def look_up(number: int) -> str | None:
        return known.get(number)

    return program.frame().withColumn("b", F.udf(look_up)("id"))


def accumulator(program: Program) -> DataFrame:
    found = program.spark.sparkContext.accumulator([], _Lists())
    program.frame().foreach(lambda row: found.add([(row[0], row[1], row[2])]))
    return program.given(found.value)


def batches(program: Program) -> DataFrame:
    found: list[tuple[Any, ...]] = []
    stream = program.spark.readStream.schema(SCHEMA).parquet(program.files()).writeStream

    def keep(rows: DataFrame, _batch: int) -> None:
        found.extend(map(tuple, rows.collect()))

    writer = stream.option("checkpointLocation", program.path()).trigger(availableNow=True)
    writer.foreachBatch(keep).start().awaitTermination()
    return program.given(found)


def name_of_member(program: Program) -> DataFrame:
    named = F.struct(F.col("a").alias(program.value()))
    return program.frame().select("id", F.to_json(named).alias("a"), "b")


def name_of_column(program: Program) -> DataFrame:
    name = program.value()
    named = program.frame().select("id", F.lit("none").alias("a"), F.col("b").alias(name))
    unpivoted = program.random.random() < 0.5
    return named.unpivot("id", [f"`{name}`"], "a", "b") if unpivoted else named.toDF("id", "a", "b")


def names_of_columns(program: Program) -> DataFrame:
    counts = program.frame().stat.crosstab("id", "a")
    names = F.lit(",".join(counts.columns[1:])).alias("a")
    return counts.select(F.col(counts.columns[0]).cast("long").alias("id"), names, F.lit("none").alias("b"))


def file_written(program: Program) -> DataFrame:
    file = _file(program)
    lines = [json.dumps({"id": row[0], "a": row[2], "b": row[1]}) for row in program.frame().collect()]
    file.write_text("\n".join(lines), "utf-8")
    return program.spark.read.schema(SCHEMA).json(str(file))


def file_of_pandas(program: Program) -> DataFrame:
    file = _file(program)
    program.frame().toPandas().to_parquet(file)
    return program.spark.read.schema(SCHEMA).parquet(str(file))


def files_read(program: Program) -> DataFrame:
    place = program.path()
    program.frame().coalesce(1).write.json(place)
    lines = (line for file in Path(place).glob("*.json") for line in file.read_text("utf-8").splitlines())
    return program.given([(row["id"], row.get("b"), row.get("a")) for row in map(json.loads, lines)])


def files_read_by_pandas(program: Program) -> DataFrame:
    found = pd.read_parquet(program.files())[["id", "a", "b"]].itertuples(index=False)
    return program.given([(int(number), a, b) for number, a, b in found])


def database(program: Program) -> DataFrame:
    with closing(sqlite3.connect(_file(program))) as connection:
        connection.execute("CREATE TABLE t(id, a, b)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", map(tuple, program.frame().collect()))
        return program.given(connection.execute("SELECT id, b, a FROM t").fetchall())


def _file(program: Program) -> Path:
    file = Path(program.path())
    file.parent.mkdir(exist_ok=True)
    return file


class _Lists(AccumulatorParam):  # type: ignore[misc]  # pyspark does not say its type
    def zero(self, value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802 - Spark's name
        return value1 + value2
