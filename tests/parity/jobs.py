"""Runs every job of the parity suite in one session and writes each result to a folder of its name.

    jobs.py TABLES.json JOBS.json OUT

Run it under any agent: which one is Spark's configuration.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession


def main(tables: str, jobs: str, out: str) -> None:
    spark = SparkSession.builder.appName("parity").getOrCreate()
    for name, columns in json.loads(Path(tables).read_text()).items():
        place = f"{out}/in/{name}"
        spark.createDataFrame([], columns).write.mode("overwrite").parquet(place)
        spark.read.parquet(place).createOrReplaceTempView(name)
    for name, query in json.loads(Path(jobs).read_text()).items():
        spark.sql(query).write.mode("overwrite").parquet(f"{out}/out/{name}")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
