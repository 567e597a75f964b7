"""Small writes in a loop, after a first one: how many. Says how long it takes to stop."""

import sys
import time

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("small_writes").getOrCreate()
spark.range(100).selectExpr("id", "id % 7 AS k", "named_struct('a', id) AS s").write.mode(
    "overwrite"
).parquet("in")
for i in range(int(sys.argv[1])):
    part = spark.read.parquet("in").where(f"k = {i % 7}").selectExpr("id + 1 AS more", "s.a AS a")
    part.write.mode("overwrite").parquet(f"out/part={i}")
print("result", spark.read.parquet("out").count())
began = time.perf_counter()
spark.stop()
print("stopped in", time.perf_counter() - began)
