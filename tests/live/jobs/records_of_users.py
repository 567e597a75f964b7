"""Writes tweets by user while it is captured, in each mode that is named, and then users with many of them."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr


def by_user(spark):
    tweets = spark.read.parquet("tweets").where("likes = 0")
    return tweets.groupBy("user").agg(F.count("*").alias("n"), F.collect_list("text").alias("texts"))


def many(spark):
    return spark.read.parquet("full").where("n > 1").select("user", "n")


def main(modes):
    spark = SparkSession.builder.master("local[1]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
    rows = [("a", "lp", 0), ("b", "lp", 1), ("c", "jm", 0), ("d", "lp", 0)]
    spark.createDataFrame(rows, "text string, user string, likes int").coalesce(1).write.parquet("tweets")
    for mode in modes:
        with hr.capture(spark, into="records", mode=mode, program="records_of_users:by_user"):
            by_user(spark).write.parquet(mode)
    with hr.capture(spark, into="records", mode="ends", program="records_of_users:many"):
        many(spark).write.parquet("many")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
