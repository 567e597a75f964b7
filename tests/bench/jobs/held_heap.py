"""Writes of many columns, and what is in use of the driver's heap after them: columns, writes."""

import sys

from pyspark.sql import SparkSession

columns, writes = map(int, sys.argv[1:])
spark = SparkSession.builder.appName("held_heap").getOrCreate()
spark.range(10).selectExpr(*[f"id + {i} AS column_{i}" for i in range(columns)]).write.mode(
    "overwrite"
).parquet("in")
for i in range(writes):
    frame = spark.read.parquet("in").selectExpr(*[f"column_{j} + {i} AS c{j}" for j in range(columns)])
    frame.write.mode("overwrite").parquet("out")
del frame
runtime = spark._jvm.java.lang.Runtime.getRuntime()
for _ in range(3):
    spark._jvm.System.gc()
print("in use", runtime.totalMemory() - runtime.freeMemory())
spark.stop()
