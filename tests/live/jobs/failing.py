"""A write that fails while it runs, in a script that goes on.

failing.py OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def fails(value: str) -> str:
    raise ValueError(f"no {value} here")


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Failing").getOrCreate()
    try:
        failing = F.udf(fails, "string")
        spark.range(3).select(failing(F.col("id").cast("string")).alias("x")).write.parquet(f"{out}/failed")
    except Exception as e:  # noqa: BLE001 - any failure will do
        print("caught", type(e).__name__)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
