"""Names that a program makes: of what it has collected, and of its own words.

named_by_program.py PEOPLE.parquet OUT
"""

import datetime
import os
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def main(source: str, out: str) -> None:
    spark = SparkSession.builder.appName("Named by Program").getOrCreate()
    people = spark.read.parquet(source)

    def write(name: str, rows: DataFrame) -> None:
        rows.coalesce(1).write.parquet(f"{out}/{name}")

    write("before", people.select(F.col("id").alias("first id")))
    first = people.select("mail").orderBy("id").collect()[0].mail
    write("column", people.select(F.col("id").alias(first)))
    write("renamed", people.withColumnRenamed("id", f"of_{first.split('@')[0]}"))
    write("member", people.select(F.struct(F.col("id").alias(first)).alias("made")))
    write("text", people.select(F.to_json(F.struct(F.col("id").alias(first))).alias("made")))
    write("counted", people.agg(F.count(F.when(F.col("mail") == first, 1)).alias(first)))
    write(
        "unpivoted",
        people.select("id", F.col("city").alias(first)).unpivot("id", [f"`{first}`"], "name", "value"),
    )
    write("exploded", people.select(F.explode(F.array("id")).alias(first)))
    write(
        "schema",
        people.select(F.udf(lambda number: (number,), f"struct<`{first}`: long>")("id").alias("made")),
    )
    write("typed", people.select(F.struct("id").cast(f"struct<`{first}`: long>").alias("made")))
    write(f"folder_{first}", people.select("id"))
    people.select("id").write.saveAsTable("of_" + first.split("@")[0])

    today = datetime.datetime.now(tz=datetime.timezone.utc)
    write("plain", people.select(F.col("id").alias("number"), "city", F.upper("city"), "home.street"))
    write("grouped", people.groupBy("city").agg(F.sum("id"), F.max("id").alias("most")))
    write("of_columns", people.select([F.col(name).alias(f"{name}_Raw") for name in people.columns]))
    write("unpivoted_columns", people.unpivot("id", ["mail", "city"], "name", "value"))
    write("counters", people.select([F.col("id").alias(f"c{i}") for i in range(12)]))
    write(f"day_{today:%Y-%m-%d}", people.select("id"))
    write(os.environ["PLACE"], people.select("id"))
    for file in Path(f"{source}.parts").iterdir():
        write(f"of_{file.stem}", spark.read.parquet(str(file)).select("id"))


if __name__ == "__main__":
    main(*sys.argv[1:3])
