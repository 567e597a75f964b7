"""Reads that are counted at their scans: below caches, in subqueries, in databases, and of several places at once.

counts.py OUT
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DATABASE = {"url": "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "driver": "org.h2.Driver"}


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Counts").getOrCreate()
    spark.range(10).repartition(2).write.parquet(f"{out}/ten")
    spark.range(6).repartition(2).write.parquet(f"{out}/six")
    caches(spark, out)
    halves(spark, out)
    for adaptive in ("true", "false"):
        spark.conf.set("spark.sql.adaptive.enabled", adaptive)
        subqueries(spark, f"{out}/{adaptive}", out)
    spark.read.parquet(f"{out}/ten", f"{out}/six").write.parquet(f"{out}/of_both")
    databases(spark, out)
    spark.stop()


def caches(spark: SparkSession, out: str) -> None:
    ten = spark.read.parquet(f"{out}/ten").where("id > 3").cache()
    six = spark.read.parquet(f"{out}/six")
    ten.alias("a").join(ten.alias("b"), "id").write.parquet(f"{out}/filling")
    ten.write.parquet(f"{out}/full")
    over = ten.join(six, "id").cache()
    over.write.parquet(f"{out}/cache_over_cache")
    ten.unpersist()
    spark.read.parquet(f"{out}/ten").write.parquet(f"{out}/uncached")


def halves(spark: SparkSession, out: str) -> None:
    """Without adaptive execution, taking one row fills the cache's first partition alone."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.conf.set("spark.sql.files.openCostInBytes", str(128 << 20))
    six = spark.read.parquet(f"{out}/six").cache()
    six.take(1)
    six.write.parquet(f"{out}/the_rest")


def subqueries(spark: SparkSession, to: str, out: str) -> None:
    spark.read.parquet(f"{out}/ten").createOrReplaceTempView("ten")
    spark.sql("SELECT id FROM ten WHERE id < (SELECT max(id) FROM ten)").write.parquet(f"{to}_subquery")
    spark.sql("SELECT id FROM ten JOIN ten USING (id)").write.parquet(f"{to}_join")


def databases(spark: SparkSession, out: str) -> None:
    spark.read.parquet(f"{out}/ten").selectExpr("id", "id % 2 AS k").write.format("jdbc").options(
        **DATABASE, dbtable="people"
    ).save()
    people = spark.read.format("jdbc").options(**DATABASE, dbtable="people")
    people.load().write.parquet(f"{out}/of_table")
    people.load().where("id > 6").write.parquet(f"{out}/filtered_there")
    people.load().cache().write.parquet(f"{out}/of_cached_table")
    by_catalog = spark.table("h2.PUBLIC.PEOPLE")
    by_catalog.write.parquet(f"{out}/of_catalog")
    by_catalog.groupBy("K").agg(F.count("*").alias("n")).write.parquet(f"{out}/counted_there")
    queried = spark.read.format("jdbc").options(**DATABASE, query="SELECT COUNT(*) AS n FROM people").load()
    queried.write.parquet(f"{out}/of_query")


if __name__ == "__main__":
    main(*sys.argv[1:])
