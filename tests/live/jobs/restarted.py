"""Streaming queries with state, started again from their checkpoints by one program after the other.

restarted.py FOLDER STEP SOURCE COLUMN FILTER: each batch writes below the folder ``out/STEP``, what the source has
arriving in its column.
"""

import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "id int, at timestamp, name string, mail string"


def remembered(key: tuple[Any, ...], frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
    """The first text of a key, as long as the query lives."""
    found = [text for frame in frames for text in frame["text"]]
    if not state.exists:
        state.update((found[0],))
    yield pd.DataFrame({"id": [key[0]], "text": [state.get[0]]})


def main(folder: str, step: str, source: str, column: str, condition: str) -> None:
    spark = SparkSession.builder.appName("Restarted").getOrCreate()
    arriving = spark.readStream.schema(SCHEMA).json(f"{folder}/{source}")
    read = arriving.select("id", "at", F.col(column).alias("text"))
    if condition:
        read = read.where(condition)

    def run(name: str, frame: DataFrame, mode: str) -> None:
        def put(batch: DataFrame, _: int) -> None:
            batch.write.mode("append").json(f"{folder}/out/{step}/{name}")

        query = frame.writeStream.outputMode(mode).option(
            "checkpointLocation", f"{folder}/checkpoints/{name}"
        )
        query.foreachBatch(put).trigger(availableNow=True).start().awaitTermination()

    run("grouped", read.groupBy("id").agg(F.first("text").alias("text")), "update")
    keys = read.dropDuplicates(["id", "text"])
    run("chosen", keys.select("id", "text"), "append")
    left = read.withWatermark("at", "1 minute")
    right = left.select(F.col("id").alias("other"), F.col("at").alias("then"), F.col("text").alias("beside"))
    near = "id = other and at <= then + interval 1 hour and at >= then - interval 1 hour"
    run("joined", left.join(right, F.expr(near)).select("id", "text", "beside"), "append")
    with_state = read.groupBy("id").applyInPandasWithState(
        remembered, "id int, text string", "text string", "update", "NoTimeout"
    )
    run("with_state", with_state, "update")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
