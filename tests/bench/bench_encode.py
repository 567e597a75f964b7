"""How long the eye takes to encode 1,000 columns × 20 ``withColumn`` (aim: at most 50 ms warm).

    python tests/bench/bench_encode.py

prints median and best of the warm runs, the document's size, and the ratio to the aim. Last measured on two cores,
warm medians: Spark 3.5.9 7 ms, Spark 4.3.0 6 ms, 0.35 MB each.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

AIM_MILLISECONDS = 50
COLUMNS, STEPS = 1_000, 20
WARM_UP, RUNS = 30, 30
MAX_BYTES = 8 << 20
JAR = Path(__file__).resolve().parents[2] / "integration" / "headwater_spark" / "jars" / "headwater-spark.jar"


def session() -> Any:
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[1]")
        .appName("bench-encode")
        .config("spark.jars", str(JAR))
        .config("spark.driver.extraClassPath", str(JAR))
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )


def wide_plan(spark: Any) -> Any:
    from pyspark.sql import functions

    frame = spark.range(1).select(*[functions.col("id").alias(f"c{i}") for i in range(COLUMNS)])
    for i in range(STEPS):
        frame = frame.withColumn(f"w{i}", functions.col(f"c{i}") + functions.col(f"c{i + 1}"))
    return frame._jdf.queryExecution().analyzed()


def main() -> None:
    spark = session()
    spark.sparkContext.setLogLevel("ERROR")
    plan, encoder = wide_plan(spark), spark._jvm.io.headwater.spark.PlanDocuments
    size = encoder.size(plan, MAX_BYTES)
    for _ in range(WARM_UP):
        encoder.size(plan, MAX_BYTES)
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        encoder.size(plan, MAX_BYTES)
        times.append((time.perf_counter() - start) * 1000)
    median = statistics.median(times)
    print(
        f"encode {COLUMNS} columns x {STEPS} withColumn, Spark {spark.version}: median {median:.1f} ms,"
        f" best {min(times):.1f} ms, {size / 1e6:.2f} MB, {median / AIM_MILLISECONDS:.2f} of the aim"
    )
    spark.stop()


if __name__ == "__main__":
    main()
