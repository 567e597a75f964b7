"""Nested rows, flattened and grouped: rows."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("nested_rows").getOrCreate()
rows = int(sys.argv[1])
user = "named_struct('id', id % 1000, 'name', concat('n', id % 1000)) AS user"
mentions = "transform(sequence(0, id % 3), x -> named_struct('id', x, 'name', concat('m', x))) AS mentions"
spark.range(rows).selectExpr("id", user, mentions, "id % 5 AS retweets").write.mode("overwrite").parquet(
    "rows"
)
flat = spark.read.parquet("rows").where("retweets > 0").withColumn("mention", F.explode("mentions"))
grouped = flat.groupBy("mention.name").agg(
    F.count("*").alias("n"), F.collect_set("user.name").alias("by"), F.max("user.id").alias("latest")
)
grouped.write.mode("overwrite").parquet("grouped")
print("result", spark.read.parquet("grouped").count())
spark.stop()
