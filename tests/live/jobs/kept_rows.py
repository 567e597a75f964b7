"""Rows that Spark keeps, and that later queries use: of reads, of two branches, in a self-join, in a loop, of batches.

kept_rows.py FOLDER
"""

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "id int, name string, city string, age int"


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Kept rows").getOrCreate()
    spark.sparkContext.setCheckpointDir(f"{folder}/checkpoints")
    people = Path(folder, "people")
    people.mkdir(parents=True)
    row = {"id": 1, "name": "A", "city": "B", "age": 3}
    (people / "1.json").write_text(json.dumps(row), "utf-8")
    read = spark.read.schema(SCHEMA).json(str(people))

    def save(name: str, frame: DataFrame) -> None:
        frame.write.parquet(f"{folder}/{name}")

    save("read", read.localCheckpoint().select("name"))
    save("lazily", read.checkpoint(eager=False).select("name"))

    # All have the expression ids of the read.
    read.where("city = 'B'").write.format("noop").mode("overwrite").save()
    by_id, by_age = read.where("id > 0").localCheckpoint(), read.where("age > 0").checkpoint()
    save("one", by_id.select("name"))
    save("other", by_age.select("name"))
    of_city = read.where("city > ''").localCheckpoint()
    save("after_both_were_used", of_city.select("name"))

    same = read.select("id", "name").localCheckpoint()
    save("self_join", same.join(same.select("id", F.col("name").alias("twin")), "id").select("name", "twin"))

    frame = read.select("id", "name")
    for column in ("city", "age"):
        joined = read.select("id", F.col(column).alias("by")).where("by is not null").drop("by")
        frame = frame.join(joined, "id").localCheckpoint()
    save("loop", frame)

    stream = spark.readStream.schema(SCHEMA).json(str(people))

    def start(name: str, frame: DataFrame) -> None:
        def each(batch: DataFrame, _: int) -> None:
            batch.select("name").write.parquet(f"{folder}/{name}")

        by_batch = frame.writeStream.foreachBatch(each).trigger(availableNow=True)
        by_batch.option("checkpointLocation", f"{folder}/state/{name}").start().awaitTermination()

    start("batch_by_id", stream.where("id > 0"))
    start("batch_by_age", stream.where("age > 0"))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
