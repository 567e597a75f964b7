"""Writes of many columns, and what is in use of the driver's heap after them: columns, writes."""

import gc
import sys

from pyspark.sql import SparkSession

# What Spark itself would keep of the plans, in amounts that differ from run to run.
KEPT = {
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
columns, writes = map(int, sys.argv[1:])
builder = SparkSession.builder.appName("held_heap")
for key, value in KEPT.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("WARN")
spark.range(10).selectExpr(*[f"id + {i} AS column_{i}" for i in range(columns)]).write.mode(
    "overwrite"
).parquet("in")
for i in range(writes):
    frame = spark.read.parquet("in").selectExpr(*[f"column_{j} + {i} AS c{j}" for j in range(columns)])
    frame.write.mode("overwrite").parquet("out")
del frame
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(600_000)
runtime = spark._jvm.java.lang.Runtime.getRuntime()


def in_use() -> int:
    gc.collect()  # what Python has let go of is let go of in the JVM as well
    spark._jvm.System.gc()
    return runtime.totalMemory() - runtime.freeMemory()


before, after = in_use(), in_use()
while after < before - 2**20:
    before, after = after, in_use()
print("in use", after)
spark.stop()
