"""Rows of many nested leaves, copied through operators that leave them alone: leaves."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

leaves = int(sys.argv[1])
spark = SparkSession.builder.appName("tweets").config("spark.sql.shuffle.partitions", "2").getOrCreate()
part = StructType([StructField(f"field_{i}", StringType()) for i in range(20)])
group = StructType([StructField("part", part), StructField("parts", ArrayType(part))])
fields = [StructField(f"group_{i}", group) for i in range(leaves // 40)]
schema = StructType([StructField("id", LongType()), StructField("lang", StringType()), *fields])
spark.createDataFrame([], schema).write.mode("overwrite").parquet("tweets")
frame = spark.read.parquet("tweets").where("lang = 'de'").repartition(2).withColumn("day", F.current_date())
frame.sort("id").limit(1_000).dropDuplicates(["id"]).write.mode("overwrite").parquet("out")
print("result", spark.read.parquet("out").count())
spark.stop()
