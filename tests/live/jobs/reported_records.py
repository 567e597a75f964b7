"""Writes while it is captured, in each mode and in ways that cannot be traced, under the agent.

reported_records.py OUT
"""

import sys
import warnings

from pyspark.sql import SparkSession

import headwater_records_spark as hr


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Reported").getOrCreate()
    warnings.simplefilter("ignore", hr.RecordsWarning)
    spark.range(20).selectExpr("id", "'token-7141' AS secret").write.parquet(f"{out}/in")
    given = spark.read.parquet(f"{out}/in")
    for mode in ("demand", "ends", "full"):
        with hr.capture(spark, into=f"{out}/records", mode=mode):
            given.where("id % 2 = 0 AND secret = 'token-7141'").write.parquet(f"{out}/{mode}")
    with hr.capture(spark, into=f"{out}/records", mode="full"):
        given.where("id > 3").write.saveAsTable("tabled")
        given.repartition(1).mapInPandas(lambda frames: frames, given.schema, barrier=True).write.parquet(
            f"{out}/opaque"
        )
    given.write.parquet(f"{out}/not_captured")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
