"""Overwrites of whole datasets and of parts: of targets with a row of day ``a``, by a row of day ``b``.

extents.py FOLDER JDBC_URL

``FOLDER/left.json`` tells for each target whether the first row was still there afterwards.
"""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

MODE = "spark.sql.sources.partitionOverwriteMode"


class Targets:
    """The targets of overwrites, with what was left of their first rows."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder
        self.left: dict[str, bool] = {}
        self.first = spark.createDataFrame([(1, "a")], "id int, day string")
        self.second = spark.createDataFrame([(2, "b")], "id int, day string")

    def path(self, name: str, write: Callable[[DataFrame, str], None], parted: bool = True) -> None:
        place = f"{self.folder}/{name}"
        (self.first.write.partitionBy("day") if parted else self.first.write).parquet(place)
        write(self.second, place)
        self.left[name] = not self.spark.read.parquet(place).where("id = 1").isEmpty()

    def table(self, name: str, *statements: str, kind: str = "USING parquet PARTITIONED BY (day)") -> None:
        self.spark.sql(f"CREATE TABLE {name} {kind} AS SELECT * FROM first")
        for statement in statements:
            self.spark.sql(statement.format(name=name))
        self.look_at(name)

    def look_at(self, name: str) -> None:
        self.left[name] = not self.spark.table(name).where("id = 1").isEmpty()

    def found(self, name: str, write: Callable[[DataFrame, str], None]) -> None:
        """A write to a directory to which another was copied."""
        place = f"{self.folder}/{name}"
        self.first.write.partitionBy("day").parquet(f"{place}_before")
        shutil.copytree(f"{place}_before", place)
        write(self.second, place)
        self.left[name] = not self.spark.read.parquet(place).where("id = 1").isEmpty()


def main(folder: str, url: str) -> None:
    spark = SparkSession.builder.appName("Extents").enableHiveSupport().getOrCreate()
    targets = Targets(spark, folder)
    targets.first.createOrReplaceTempView("first")
    targets.second.createOrReplaceTempView("second")
    paths(targets)
    tables(targets)
    hive(targets)
    database(targets, url)
    Path(f"{folder}/left.json").write_text(json.dumps(targets.left), "utf-8")
    spark.stop()


def declare(spark: SparkSession, name: str, place: str) -> None:
    columns = "(id int, day string) USING parquet PARTITIONED BY (day)"
    spark.sql(f"CREATE TABLE {name} {columns} LOCATION '{place}'")
    spark.sql(f"MSCK REPAIR TABLE {name}")


def insert(rows: DataFrame, place: str) -> None:
    rows.sparkSession.sql(
        f"CREATE TABLE in_place (id int, day string) USING parquet PARTITIONED BY (day) LOCATION '{place}'"
    )
    rows.sparkSession.sql("MSCK REPAIR TABLE in_place")
    rows.write.insertInto("in_place")


def save(rows: DataFrame, place: str) -> None:
    rows.sparkSession.sql(
        f"CREATE TABLE save_place (id int, day string) USING parquet PARTITIONED BY (day) LOCATION '{place}'"
    )
    rows.sparkSession.sql("MSCK REPAIR TABLE save_place")
    rows.write.mode("append").partitionBy("day").saveAsTable("save_place")


def paths(targets: Targets) -> None:
    conf = targets.spark.conf
    targets.found("copied", lambda df, to: df.write.mode("append").partitionBy("day").parquet(to))
    targets.found("inserted", insert)
    targets.found("saved_there", save)
    targets.found("beside", lambda df, to: df.select("id").write.mode("overwrite").parquet(f"{to}/day=b"))
    targets.found("over_all", lambda df, to: df.write.mode("overwrite").partitionBy("day").parquet(to))
    targets.path("by_day", lambda df, to: df.write.mode("overwrite").partitionBy("day").parquet(to))
    targets.path("one_day", lambda df, to: df.select("id").write.mode("overwrite").parquet(f"{to}/day=b"))
    conf.set(MODE, "dynamic")
    targets.path("session", lambda df, to: df.write.mode("overwrite").partitionBy("day").parquet(to))
    conf.set(MODE, "static")
    targets.path("option", lambda df, to: parted(df, "dynamic").parquet(to))
    conf.set(MODE, "DYNAMIC")
    targets.path("option_static", lambda df, to: parted(df, "static").parquet(to))
    targets.path("flat", lambda df, to: df.write.mode("overwrite").parquet(to), parted=False)
    conf.unset(MODE)
    targets.path("directory", directory(targets.spark), parted=False)


def parted(df: DataFrame, mode: str):
    return df.write.mode("overwrite").option("partitionOverwriteMode", mode).partitionBy("day")


def directory(spark: SparkSession) -> Callable[[DataFrame, str], None]:
    def write(_: DataFrame, to: str) -> None:
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{to}' USING parquet SELECT * FROM second")

    return write


def tables(targets: Targets) -> None:
    targets.table("static_part", "INSERT OVERWRITE {name} PARTITION (day = 'b') SELECT id FROM second")
    targets.table("all_of_it", "INSERT OVERWRITE {name} SELECT * FROM second")
    targets.spark.conf.set(MODE, "dynamic")
    targets.table("dynamic_parts", "INSERT OVERWRITE {name} SELECT * FROM second")
    targets.table("saved", "SELECT 1")
    targets.second.write.mode("overwrite").partitionBy("day").saveAsTable("saved")
    targets.look_at("saved")
    targets.spark.conf.unset(MODE)
    targets.table("appended", "SELECT 1")
    targets.second.write.mode("append").partitionBy("day").saveAsTable("appended")
    targets.look_at("appended")
    targets.table("existing", "CREATE TABLE IF NOT EXISTS {name} USING parquet AS SELECT * FROM second")


def hive(targets: Targets) -> None:
    targets.spark.sql("SET hive.exec.dynamic.partition.mode=nonstrict")
    text = "STORED AS TEXTFILE"
    targets.table("hive_flat", "INSERT OVERWRITE TABLE {name} SELECT * FROM second", kind=text)
    days = f"PARTITIONED BY (day) {text}"
    part = "INSERT OVERWRITE TABLE {name} PARTITION (day = 'b') SELECT id FROM second"
    targets.table("hive_part", part, kind=days)
    parts = "INSERT OVERWRITE TABLE {name} PARTITION (day) SELECT * FROM second"
    targets.table("hive_parts", parts, kind=days)
    lines = Path(targets.folder) / "lines"
    for name in ("flat", "part"):
        (lines / name).mkdir(parents=True)
        (lines / name / "rows").write_text("2\n", "utf-8")
    targets.table("loaded", f"LOAD DATA INPATH '{lines}/flat' OVERWRITE INTO TABLE {{name}}", kind=text)
    into = "OVERWRITE INTO TABLE {name} PARTITION (day = 'b')"
    targets.table("loaded_part", f"LOAD DATA INPATH '{lines}/part' {into}", kind=days)


def database(targets: Targets, url: str) -> None:
    options = {"driver": "org.h2.Driver"}
    for name, truncate in (("DROPPED", "false"), ("EMPTIED", "true")):
        targets.first.write.jdbc(url, name, properties=options)
        given = {**options, "truncate": truncate}
        targets.second.write.mode("overwrite").jdbc(url, name, properties=given)
        read = targets.spark.read.jdbc(url, name, properties=options)
        targets.left[name] = not read.where("id = 1").isEmpty()


main(*sys.argv[1:])
