"""A program that collects in one application, and writes what it has in the next one.

next_application.py PEOPLE.parquet OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(source: str, out: str) -> None:
    spark = SparkSession.builder.appName("First").getOrCreate()
    spark.range(1).select(F.lit("before").alias("text")).write.parquet(f"{out}/before")
    first = spark.read.parquet(source).select("mail").orderBy("id").first()[0]
    spark.stop()

    spark = SparkSession.builder.appName("Next").getOrCreate()
    spark.createDataFrame([(first,)], ["text"]).write.parquet(f"{out}/rows")
    spark.range(1).select(F.lit(first).alias("text")).write.parquet(f"{out}/constant")
    spark.range(1).select(F.lit(1).alias(first)).write.parquet(f"{out}/column")
    spark.range(1).write.parquet(f"{out}/folder_{first}")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:3])
