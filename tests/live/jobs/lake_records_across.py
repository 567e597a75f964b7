"""Chains of jobs through tables of Delta or Iceberg; judged by the tokens that their rows carry along.

Its arguments are the kind of table and a folder; it prints what it found as JSON.
"""

import json
import re
import warnings

from lake_records import FOLDER, KIND, P, tables, token_at
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

RECORDS = f"{FOLDER}/across"
MODES = ("ends",)


def write(spark, mode):
    """From the sales by way of a table that is changed and read in two versions to a report of files."""
    table, folder = f"{P}kept_{mode}", f"{RECORDS}/{mode}"
    spark.sql(f"CREATE TABLE {table} (token STRING, k INT) USING {KIND}")
    with hr.capture(spark, into=folder, mode=mode):
        spark.table(f"{P}sales").where("k < 3").select("token", "k").coalesce(1).writeTo(table).append()
        spark.sql(f"DELETE FROM {table} WHERE token LIKE 's0-%'")
        spark.table(f"{P}sales").where("k = 3").select("token", "k").coalesce(1).writeTo(table).append()
        groups = spark.table(table).groupBy("k").agg(F.collect_list("token").alias("tokens"))
        groups.coalesce(1).write.parquet(f"{FOLDER}/report_{mode}")
    return table, folder


def answers(spark, mode):
    table, folder = write(spark, mode)
    report = spark.read.parquet(f"{FOLDER}/report_{mode}")
    written = hr.written(spark, f"{FOLDER}/report_{mode}", records=folder)
    claims, unknown = [], []
    for row in report.where("k IN (1, 3)").collect():
        found = hr.origins(written, where=F.col("k") == row["k"])
        claims.append([sorted(row["tokens"]), sorted(token_at(*each.id) for each in found.sources.items())])
        unknown += found.unknown.values()
    (item, *_) = hr.origins(written, where="k = 1").sources.items()
    found = hr.descendants(spark, [item], records=[folder])
    there = [re.split("[/.]", each.output)[-1] for each in found.found if each.there]
    return {
        "claims": claims,
        "unknown": unknown + list(found.unknown.values()),
        "outputs": sorted(there),
        "alone": sorted({each.alone for each in found.found if each.there}),
        "members": len(next(row["tokens"] for row in report.collect() if row["k"] == 1)),
        "named": table,
    }


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("ignore", hr.RecordsWarning)
    tables(spark)
    print("FOUND " + json.dumps({mode: answers(spark, mode) for mode in MODES}))
    spark.stop()


if __name__ == "__main__":
    main()
