"""A nested write whose tasks run in executors of their own.

cluster.py FOLDER
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Cluster").getOrCreate()
    row = F.struct(F.col("id").alias("number"), F.array("id").alias("all"))
    spark.range(10).select(row.alias("it")).write.parquet(f"{folder}/in")
    read = spark.read.parquet(f"{folder}/in").repartition(2)
    read.select(F.explode("it.all").alias("one"), "it.number").write.parquet(f"{folder}/out")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
