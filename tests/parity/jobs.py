"""Runs every job of a file in one session: a query is written to a folder of the job's name, statements write a table.

    jobs.py TABLES.json JOBS.json OUT

Run it under any agent: which one is Spark's configuration.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

PREPARED = (
    r"CREATE TABLE IF NOT EXISTS customers (a int, b int)\\;CREATE TABLE IF NOT EXISTS jdbc (a int, b int)"
)


def main(tables: str, jobs: str, out: str) -> None:
    spark = SparkSession.builder.appName("parity").getOrCreate()
    for name, columns in json.loads(Path(tables).read_text()).items():
        place = f"{out}/in/{name}"
        spark.createDataFrame([], columns).write.mode("overwrite").parquet(place)
        spark.read.parquet(place).createOrReplaceTempView(name)
    for name, job in json.loads(Path(jobs).read_text()).items():
        if isinstance(job, str):
            spark.sql(job).write.mode("overwrite").parquet(f"{out}/out/{name}")
        else:
            for statement in job:
                spark.sql(statement.replace("{jdbc}", f"jdbc:h2:{out}/h2;INIT={PREPARED}"))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
