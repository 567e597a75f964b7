"""Rows of names that the program asked Spark for: of given schemas, of what files hold, and of folders, in this order.

named_by_data.py OUT
"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Named By Data").getOrCreate()

    def write(name: str, *texts: str) -> None:
        rows = spark.createDataFrame([(each,) for each in texts], "s string")
        rows.coalesce(1).write.parquet(f"{out}/{name}")

    people = spark.createDataFrame([("Anna", "Bern")], "name string, city string")
    people.write.parquet(f"{out}/plain")
    people.write.option("header", "true").csv(f"{out}/headed")
    people.write.json(f"{out}/keyed")
    people.write.partitionBy("city").parquet(f"{out}/parted")

    given = [
        spark.read.parquet(f"{out}/plain"),
        spark.read.csv(f"{out}/headed", schema="name string, city string", header=True),
        spark.read.csv(f"{out}/headed"),
        spark.read.json(f"{out}/keyed", schema="name string"),
    ]
    write("of_given", *(name for each in given for name in each.columns))
    write("of_header", *spark.read.csv(f"{out}/headed", header=True).columns)
    write("of_keys", *spark.read.json(f"{out}/keyed").columns)
    parted = spark.read.parquet(f"{out}/parted")
    write("of_nothing_new", "x")
    parted.select("name").write.parquet(f"{out}/read")
    write("of_files", *parted.inputFiles())

    seen = spark.sparkContext.accumulator(0)

    @F.udf("string")
    def count(name: str) -> str:
        seen.add(len(name))
        return name

    parted.select(count("name").alias("name")).write.parquet(f"{out}/counted")
    write("of_accumulator", str(seen.value))
    spark.stop()


if __name__ == "__main__":
    main(str(Path(sys.argv[1])))
