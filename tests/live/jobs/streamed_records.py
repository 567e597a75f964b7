"""Asks about micro-batches in ``foreachBatch`` and what they wrote; judged by the tokens that are in the files.

Its argument is a folder; it prints what it found as JSON.
"""

import json
import sys
import warnings
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

(FOLDER,) = sys.argv[1:]
SCHEMA = "token string, k long"


def inputs(spark):
    """Three files of four rows, of which each is a batch, and a table that they are joined with."""
    for part in range(3):
        made = spark.range(4).selectExpr(f"concat('s{part}-', id) AS token", "id % 2 AS k")
        made.coalesce(1).write.mode("append").parquet(f"{FOLDER}/in")
    names = [(0, "name-even"), (1, "name-odd")]
    spark.createDataFrame(names, "k long, name string").coalesce(1).write.parquet(f"{FOLDER}/names")


def source(spark):
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(f"{FOLDER}/in")


def ran(frame, each, name, mode="append"):
    """Give every batch of a stream to a function."""
    writer = frame.writeStream.outputMode(mode).foreachBatch(each)
    query = writer.option("checkpointLocation", f"{FOLDER}/{name}-state").trigger(availableNow=True).start()
    query.awaitTermination()


def tokens(spark, answer):
    """The tokens and names of the records of an answer."""
    found = []
    for item in answer.items():
        file, position = item.id
        rows = spark.read.parquet(file).select("*", "_metadata.row_index").collect()
        found += [row[0] if "in/" in file else row[1] for row in rows if row["row_index"] == position - 1]
    return sorted(found)


def joined(spark):
    """A stream that is joined with a table, asked while each batch runs and after all of them were written."""
    names = spark.read.parquet(f"{FOLDER}/names")
    frame = source(spark).where("token NOT LIKE '%-3'").withColumn("at", F.current_timestamp())
    frame = frame.withWatermark("at", "1 hour").join(names, "k")
    for mode in ("demand", "ends", "full"):
        during = []
        with hr.capture(spark, into=f"{FOLDER}/records/{mode}", mode=mode) as captured:
            ran(frame, partial(asked_and_written, mode, during), mode)
        yield mode, captured, during


def asked_and_written(mode, during, batch, number):
    """Ask about each row of a batch, and write what is made of it."""
    for row in batch.collect() if mode == "demand" else ():
        answer = hr.why(batch, where=F.col("token") == row["token"])
        during.append([sorted([row["token"], row["name"]]), tokens(batch.sparkSession, answer)])
    grouped = batch.groupBy("name").agg(F.array_sort(F.collect_list("token")).alias("made"))
    grouped.write.mode("append").parquet(f"{FOLDER}/{mode}")


def after(spark, mode, captured):
    """What is stated of each row that the batches wrote."""
    written = captured.written(f"{FOLDER}/{mode}")
    found = []
    for row in spark.read.parquet(f"{FOLDER}/{mode}").collect():
        one = F.array_join("made", ",") == ",".join(row["made"])
        found.append([sorted([*row["made"], row["name"]]), tokens(spark, written.why(where=one))])
    return found


def refused(spark):
    """What is stated of batches of operators that keep a state, while they run."""
    found = {}

    def asking(name):
        def each(batch, number):
            batch.collect()  # the state of a batch that nobody reads is not kept
            try:
                hr.why(batch)
            except hr.UntraceableError as problem:
                found[name] = problem.operator

        return each

    ran(source(spark).groupBy("k").count(), asking("group"), "group", "complete")
    ran(source(spark).dropDuplicates(["k"]), asking("duplicates"), "duplicates")
    return found


def main():
    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("error", hr.RecordsWarning)
    inputs(spark)
    found = {
        mode: {
            "during": during,
            "after": after(spark, mode, captured),
            "runs": [run.refused for run in captured.runs],
        }
        for mode, captured, during in joined(spark)
    }
    print("FOUND " + json.dumps({"modes": found, "refused": refused(spark)}))
    spark.stop()


if __name__ == "__main__":
    main()
