"""A wide table, changed column by column: columns, columns that are computed, columns of the widest."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

columns, steps, widest = map(int, sys.argv[1:])
spark = SparkSession.builder.appName("wide").getOrCreate()
spark.range(10).selectExpr(*[f"id + {i} AS column_{i}" for i in range(columns)]).write.mode(
    "overwrite"
).parquet("in")
frame = spark.read.parquet("in")
for i in range(steps):
    frame = frame.withColumn(f"more_{i}", F.col(f"column_{i}") + F.col(f"column_{i + 1}"))
frame.write.mode("overwrite").parquet("out")
print("result", len(spark.read.parquet("out").columns))
if widest:
    source = spark.range(1).selectExpr(*[f"id + {i} AS column_{i}" for i in range(widest)])
    source.write.mode("overwrite").parquet("widest_in")
    frame = spark.read.parquet("widest_in")
    frame.select(*[(F.col(c) * 2).alias(c) for c in frame.columns]).write.mode("overwrite").parquet("widest")
spark.stop()
