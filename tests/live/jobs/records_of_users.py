"""Writes tweets by user while it is captured: in the mode that is named first, in the folder that is named second."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr


def by_user(spark):
    tweets = spark.read.parquet("tweets").where("likes = 0")
    return tweets.groupBy("user").agg(F.count("*").alias("n"), F.collect_list("text").alias("texts"))


def main(modes):
    spark = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    rows = [("a", "lp", 0), ("b", "lp", 1), ("c", "jm", 0), ("d", "lp", 0)]
    spark.createDataFrame(rows, "text string, user string, likes int").coalesce(1).write.parquet("tweets")
    for mode in modes:
        with hr.capture(spark, into="records", mode=mode, program="records_of_users:by_user"):
            by_user(spark).write.parquet(mode)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
