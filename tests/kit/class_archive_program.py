"""Loads the classes that most programs of tests need: formats, joins, groups, windows, functions, tables."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

COLUMNS = "id int, name string, items array<int>, words map<string,string>, place struct<city:string>"
ROWS = [(1, "a", [1, 2], {"k": "v"}, ("x",)), (2, "b", [3], {}, ("y",))]


def main() -> None:
    spark = SparkSession.builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        people = spark.createDataFrame(ROWS, COLUMNS)
        for each in ("parquet", "json", "orc"):
            people.write.format(each).save(f"{folder}/{each}")
            spark.read.format(each).load(f"{folder}/{each}").collect()
        people.select("id", "name").write.csv(f"{folder}/csv", header=True)
        people.select("name").write.text(f"{folder}/text")
        spark.read.csv(f"{folder}/csv", header=True, inferSchema=True).collect()
        spark.read.text(f"{folder}/text").count()
        stored, other = spark.read.parquet(f"{folder}/parquet"), spark.read.json(f"{folder}/json")
        grouped = stored.join(other, "id").groupBy("id").agg(F.collect_list(stored["name"]), F.count("*"))
        grouped.write.mode("overwrite").parquet(f"{folder}/grouped")
        items = stored.select("id", F.explode("items").alias("item"))
        ranked = items.withColumn("rank", F.row_number().over(Window.partitionBy("id").orderBy("item")))
        ranked.write.partitionBy("id").parquet(f"{folder}/ranked")
        stored.cache().createOrReplaceTempView("stored")
        spark.sql(
            "SELECT struct(name, items) AS both, transform(items, x -> x + 1) AS more, upper(place.city) AS city "
            "FROM stored WHERE id IN (SELECT id FROM stored WHERE id > 1) ORDER BY city LIMIT 1"
        ).write.json(f"{folder}/both")
        lowered = F.udf(lambda name: name.lower())
        stored.select("id", lowered("name").alias("name")).union(
            stored.select("id", "name")
        ).distinct().collect()
        spark.sql(
            f"CREATE TABLE made USING parquet LOCATION '{Path(folder, 'made')}' AS SELECT id, name FROM stored"
        )
        spark.sql("INSERT INTO made SELECT id, name FROM stored")
        spark.sql("DROP TABLE made")
        stored.rdd.map(lambda row: row.id).collect()
        spark.stop()


if __name__ == "__main__":
    main()
