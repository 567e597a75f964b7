"""Rows that are cached before their source is replaced in a way that Spark does not notice.

cached_rows.py FOLDER
"""

import json
import shutil
import sys
import time
from pathlib import Path

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "name string, city string"


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Cached rows").getOrCreate()
    moments: dict[str, int] = {}

    def fill(name: str) -> Path:
        """Put rows into the source without Spark, and note the time after it."""
        place = Path(folder, name)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "rows.json").write_text(json.dumps({"name": "A", "city": "B"}), "utf-8")
        time.sleep(0.05)
        return place

    def read(name: str) -> DataFrame:
        return spark.read.schema(SCHEMA).json(str(fill(name)))

    def save(name: str, frame: DataFrame) -> None:
        frame.write.parquet(f"{folder}/{name}")

    def replaced(*names: str) -> None:
        time.sleep(0.05)
        for name in names:
            fill(name)
            moments[name] = time.time_ns() // 1_000_000

    cached, lazy, persisted, joined = read("p_cached"), read("p_lazy"), read("p_persisted"), read("p_joined")
    cached.cache().count()
    lazy.cache()
    persisted.select("name").persist(StorageLevel.DISK_ONLY).foreach(lambda _: None)
    joined.cache().count()
    read("p_table").createOrReplaceTempView("view")
    spark.sql("CACHE TABLE kept AS SELECT name FROM view")
    read("p_cleared").createOrReplaceTempView("cleared")
    spark.sql("CACHE TABLE cleared")
    read("p_again").createOrReplaceTempView("again")
    spark.sql("CACHE TABLE again")
    kept_rdd = read("p_rdd").rdd.persist()
    kept_rdd.count()
    nested = read("p_nested").select("name").cache()
    nested.count()
    above = nested.where("name > ''").cache()
    above.count()
    for_checkpoint, collected = read("p_checkpoint").cache(), read("p_collected").cache()
    for_checkpoint.count(), collected.count()
    replaced("p_cached", "p_lazy", "p_persisted", "p_joined", "p_table", "p_cleared")
    replaced("p_rdd", "p_again", "p_nested", "p_checkpoint", "p_collected")

    save("cached", cached.select("name"))
    save("lazy", lazy.select("name"))
    save("persisted", persisted.select("name"))
    fresh = spark.read.schema(SCHEMA).json(str(fill("p_fresh")))
    save("joined", joined.crossJoin(fresh.selectExpr("city AS town")))
    save("table", spark.table("kept"))
    spark.sql(f"CREATE TABLE as_select USING parquet LOCATION '{folder}/as_select' AS SELECT * FROM kept")
    save("cleared", spark.table("cleared"))
    spark.sql("UNCACHE TABLE cleared")
    spark.catalog.refreshTable("again")
    save("again", spark.table("again"))
    save("rdd", kept_rdd.toDF(SCHEMA))
    save("nested", above)
    save("checkpoint", for_checkpoint.localCheckpoint())
    rows = collected.collect()
    save("collected", spark.createDataFrame(rows, SCHEMA))
    Path("replaced.json").write_text(json.dumps(moments), "utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
