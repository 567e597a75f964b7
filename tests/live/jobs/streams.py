"""Streaming queries, one after the other: files to files, to a table, by batch, with state, and one that fails.

streams.py FOLDER
"""

import json
import sys
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "id int, at timestamp, user struct<name:string,mail:string>, tags array<string>"


def event(number: int, at: str) -> str:
    user = {"name": f"user{number}", "mail": f"{number}@example.org"}
    return json.dumps({"id": number, "at": at, "user": user, "tags": ["x", "y"]})


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Streams").getOrCreate()
    arriving = Path(folder, "in")
    arriving.mkdir(parents=True)
    (arriving / "1.json").write_text(event(1, "2024-01-01T00:00:00"), "utf-8")
    read = spark.readStream.schema(SCHEMA).json(str(arriving))

    def to(name: str, frame: DataFrame):
        return frame.writeStream.queryName(name).option("checkpointLocation", f"{folder}/checkpoints/{name}")

    flat = read.where("id > 0").select("id", F.explode("tags").alias("tag"), F.col("user.mail").alias("mail"))
    query = to("flatten", flat).format("parquet").option("path", f"{folder}/flat").start()
    query.processAllAvailable()
    (arriving / "2.json").write_text(event(2, "2024-01-01T02:00:00"), "utf-8")
    query.processAllAvailable()
    query.stop()

    def each(batch: DataFrame, _: int) -> None:
        batch.select("id", F.col("user.name").alias("who")).write.mode("append").parquet(f"{folder}/each")

    to("each", read).foreachBatch(each).trigger(availableNow=True).start().awaitTermination()
    to("table", read.select("id", "user")).trigger(availableNow=True).toTable("users").awaitTermination()

    windows = read.withWatermark("at", "1 minute").groupBy(F.window("at", "5 minutes"), "user.name").count()
    counted = to("windows", windows).format("parquet").option("path", f"{folder}/windows")
    counted.trigger(availableNow=True).start().awaitTermination()

    memory = windows.writeStream.queryName("seen").format("memory").outputMode("complete")
    memory.trigger(availableNow=True).start().awaitTermination()
    spark.table("seen").select("name", "count").write.parquet(f"{folder}/counted")
    mails = (
        read.select("id", F.upper("user.mail").alias("mail")).writeStream.queryName("mails").format("memory")
    )
    mails.trigger(availableNow=True).start().awaitTermination()
    spark.sql("SELECT mail FROM mails WHERE id > 0").write.parquet(f"{folder}/from_memory")

    def through_view(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("arrived")
        viewed = batch.sparkSession.sql("SELECT user.name AS who FROM arrived")
        viewed.write.mode("append").parquet(f"{folder}/viewed")

    to("viewed", read).foreachBatch(through_view).trigger(availableNow=True).start().awaitTermination()

    def by_turns(batch: DataFrame, number: int) -> None:
        """Other columns, and in another mode, each time."""
        name, mode = (("name", "overwrite"), ("mail", "append"))[number % 2]
        batch.select("id", F.col(f"user.{name}").alias(name)).write.mode(mode).parquet(f"{folder}/turns")

    one_by_one = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(arriving))
    to("turns", one_by_one).foreachBatch(by_turns).trigger(availableNow=True).start().awaitTermination()
    read.writeStream.format("console").trigger(availableNow=True).start().awaitTermination()

    broken = read.select(F.udf(lambda number: number // 0, "int")("id").alias("none"))
    try:
        to("broken", broken).format("parquet").option("path", f"{folder}/broken").start().awaitTermination()
    except StreamingQueryException:
        print("failed as it should")

    others = Path(folder, "others")
    others.mkdir()
    both = read.select("id").union(spark.readStream.schema(SCHEMA).json(str(others)).select("id"))
    query = to("both", both).format("parquet").option("path", f"{folder}/both").start()
    query.processAllAvailable()
    (others / "1.json").write_text(event(3, "2024-01-01T00:00:00"), "utf-8")
    query.processAllAvailable()
    query.stop()

    kept = spark.read.schema(SCHEMA).json(str(arriving)).select("id", F.col("user.mail").alias("mail"))
    kept.localCheckpoint().where("id > 1").write.parquet(f"{folder}/checkpointed")
    kept.cache().write.parquet(f"{folder}/cached")
    kept.rdd.map(lambda row: (row.mail,)).distinct().toDF("mail string").write.parquet(
        f"{folder}/through_rdd"
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
