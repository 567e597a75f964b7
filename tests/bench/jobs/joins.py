"""Joins in a row, then a union of the result with itself and a group: how many of each."""

import sys
from functools import reduce

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

joins, parts = map(int, sys.argv[1:])
spark = SparkSession.builder.appName("joins").config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.range(50).selectExpr("id", "id % 3 AS k").write.mode("overwrite").parquet("facts")
spark.range(50).selectExpr("id", "id * 2 AS v").write.mode("overwrite").parquet("dimension")
frame = spark.read.parquet("facts")
for i in range(joins):
    frame = frame.join(spark.read.parquet("dimension").withColumnRenamed("v", f"v{i}"), "id", "left")
frame.write.mode("overwrite").parquet("joined")
joined = spark.read.parquet("joined")
united = reduce(lambda a, b: a.unionByName(b), [joined.where(f"k != {i}") for i in range(parts)])
united.groupBy("k").agg(*[F.sum(f"v{i}").alias(f"s{i}") for i in range(joins)]).write.mode(
    "overwrite"
).parquet("out")
print("result", spark.read.parquet("out").count())
spark.stop()
