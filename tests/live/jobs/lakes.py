"""Tables that change in place, in Delta Lake and Apache Iceberg.

lakes.py delta|iceberg
"""

import json
import sys
import threading
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

MERGE = """
MERGE INTO {p}target t USING (SELECT * FROM {p}source WHERE amount >= 0) s ON t.id = s.id
WHEN MATCHED AND s.flag THEN DELETE
WHEN MATCHED THEN UPDATE SET t.name = s.who, t.total = t.total + s.amount
WHEN NOT MATCHED AND s.amount > 1 THEN
  INSERT (id, name, address, total) VALUES (s.id, s.who, named_struct('city', s.city, 'zip', '0'), s.amount)
"""
COLUMNS = "id INT, name STRING, address STRUCT<city:STRING,zip:STRING>, total DOUBLE"
CHANGES = "(1,'aa','xx',5.0,false), (3,'c','z',3.0,false), (2,'b','y',0.0,true), (4,'d','v',2.0,false)"
LYING = "_file AS f, _pos AS p, _spec_id AS s, _partition.who AS w, _partition.id_bucket AS b"
MARKS = "'write.delete.mode'='merge-on-read','write.update.mode'='merge-on-read','write.merge.mode'='merge-on-read'"


def main(kind: str) -> None:
    spark = SparkSession.builder.appName("Lakes").getOrCreate()
    p = "" if kind == "delta" else "lake.db."

    def run(text: str) -> None:
        spark.sql(text.format(p=p, kind=kind))

    if p:
        run("CREATE NAMESPACE lake.db")
    run("CREATE TABLE {p}target (" + COLUMNS + ") USING {kind}")
    run("CREATE TABLE {p}source (id INT, who STRING, city STRING, amount DOUBLE, flag BOOLEAN) USING {kind}")
    run("INSERT INTO {p}target VALUES (1, 'a', named_struct('city', 'x', 'zip', '1'), 1.0)")
    run("INSERT INTO {p}target VALUES (2, 'b', named_struct('city', 'y', 'zip', '2'), 2.0)")
    run("INSERT INTO {p}source VALUES " + CHANGES)
    change(run)
    run("CREATE TABLE {p}cities USING {kind} AS SELECT id, address.city AS city FROM {p}target")
    first = 1 if kind == "delta" else first_snapshot()
    run(f"INSERT INTO {{p}}cities SELECT id, name FROM {{p}}target VERSION AS OF {first}")
    if p:
        run("ALTER TABLE {p}target SET TBLPROPERTIES (" + MARKS + ")")
        change(run)
        run(
            "CREATE TABLE lake.db.parted (id INT, who STRING) USING iceberg PARTITIONED BY (who, bucket(2, id))"
        )
        run("INSERT INTO lake.db.parted SELECT id, who FROM lake.db.source")
        run(f"CREATE TABLE lake.db.lying USING iceberg AS SELECT {LYING} FROM lake.db.parted")
        run("CREATE TABLE near.db.towns USING {kind} AS SELECT id FROM {p}target")
        streamed_by_name(spark)
    else:
        by_place(spark, run)
        streamed(spark, run)
        old = spark.read.format("delta").option("versionAsOf", 1).table("target")
        old.write.format("delta").mode("overwrite").save("by_path")
        spark.read.format("delta").load("by_path").select("address.zip").write.format("delta").save("zips")
        marked(run)
        computed(spark, run)
        evolved(spark, run)
        fed(spark, run)
    at_once(spark, run, f"{p}shared")
    Path("left.json").write_text(json.dumps(overwritten(spark, run, p)), "utf-8")
    spark.stop()


def by_place(spark: SparkSession, run) -> None:
    """Tables at places of the program's own, relative ones too."""
    run("CREATE TABLE placed USING delta LOCATION 'near/placed' AS SELECT id FROM target")
    spark.table("target").select("id").write.format("delta").option("path", "near/saved").saveAsTable("saved")
    run(f"CREATE DATABASE apart LOCATION '{Path.cwd()}/apart/db'")
    run("CREATE TABLE apart.made USING delta AS SELECT id FROM target")
    run(
        f"CREATE TABLE kept USING delta LOCATION '{Path.cwd()}/apart/kept' AS SELECT id FROM target WHERE id < 0"
    )
    if spark.version >= "4":  # the Delta of Spark 3.5 refuses it there
        spark.table("target").select("id").writeTo("kept").using("delta").replace()
    place = Path.cwd() / "near" / "called"
    run(f"CREATE TABLE delta.`{place}` USING delta AS SELECT id FROM target")
    run(f"INSERT INTO delta.`{place}` SELECT id FROM target")


def streamed(spark: SparkSession, run) -> None:
    """A query that is started twice, with a commit of somebody else's between its batches."""
    run("CREATE TABLE arriving USING delta AS SELECT id FROM range(3)")

    def once() -> None:
        kept = spark.readStream.table("arriving").writeStream.format("delta")
        kept = kept.option("checkpointLocation", "checkpoints/streamed").trigger(availableNow=True)
        kept.start("near/streamed").awaitTermination()

    once()
    spark.range(3).write.format("delta").mode("append").save("near/streamed")
    run("INSERT INTO arriving SELECT id FROM range(3)")
    once()


def marked(run) -> None:
    """Changes that mark rows in their files instead of writing the files anew."""
    run(
        "CREATE TABLE marked (id INT, who STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors'='true')"
    )
    run("INSERT INTO marked SELECT CAST(id AS INT), 'x' FROM range(100)")
    run("DELETE FROM marked WHERE id % 10 = 1")
    run("UPDATE marked SET who = 'y' WHERE id % 10 = 2")
    run(
        "MERGE INTO marked m USING source s ON m.id = s.id WHEN MATCHED AND s.flag THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET who = s.who"
    )
    run("DELETE FROM marked")


def computed(spark: SparkSession, run) -> None:
    """Columns that the table computes of others, by a program that names the others only, and by a stream."""
    tables = spark._jvm.io.delta.tables.DeltaTable

    def column(name: str, kind: str, made_of: str = ""):
        builder = tables.columnBuilder(spark._jsparkSession, name).dataType(kind)
        return (builder.generatedAlwaysAs(made_of) if made_of else builder).build()

    made = tables.create(spark._jsparkSession).tableName("computed")
    for each in (column("id", "INT"), column("who", "STRING"), column("loud", "STRING", "upper(who)")):
        made = made.addColumn(each)
    made.execute()
    spark.table("source").select("id", "who").write.format("delta").mode("append").saveAsTable("computed")
    stream = (
        spark.readStream.table("source").select("id", F.col("city").alias("who")).writeStream.format("delta")
    )
    stream = stream.option("checkpointLocation", "checkpoints/computed").trigger(availableNow=True)
    stream.toTable("computed").awaitTermination()


def evolved(spark: SparkSession, run) -> None:
    """A MERGE that adds the source's columns to the table."""
    run("CREATE TABLE evolved (id INT, who STRING) USING delta")
    spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", "true")
    run(
        "MERGE INTO evolved t USING (SELECT id, who, city FROM source) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    spark.conf.unset("spark.databricks.delta.schema.autoMerge.enabled")


def fed(spark: SparkSession, run) -> None:
    """A table's change feed, by its name and by its place."""
    run(
        "CREATE TABLE fed (id INT, who STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed'='true')"
    )
    run("INSERT INTO fed SELECT id, who FROM source")
    feed = spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 1)
    feed.table("fed").write.parquet("changes")
    feed.load("spark-warehouse/fed").write.parquet("changes_by_path")
    spark.table("fed").write.format("delta").mode("ignore").save("changes_spared")
    spark.table("source").write.format("delta").mode("ignore").save("changes_spared")


def streamed_by_name(spark: SparkSession) -> None:
    """Streams of Iceberg, whose tables may stand in the place of paths."""
    for name in ("in_path", "in_table", "in_place"):
        spark.sql(f"CREATE TABLE lake.db.{name} (id INT, who STRING) USING iceberg")
    read, place = spark.readStream.format("iceberg"), Path.cwd() / "lake" / "db"
    named, placed = read.load("lake.db.source"), read.load(str(place / "source"))

    def write(rows, name: str):
        rows = rows.select("id", "who").writeStream.format("iceberg").trigger(availableNow=True)
        return rows.option("checkpointLocation", f"checkpoints/{name}")

    write(named, "in_path").option("path", "lake.db.in_path").start().awaitTermination()
    write(placed, "in_table").toTable("lake.db.in_table").awaitTermination()
    write(read.table("lake.db.source"), "in_place").start(str(place / "in_place")).awaitTermination()


def at_once(spark: SparkSession, run, table: str) -> None:
    """Writes of different and of the same size, each by a thread that tells the table who it is, and a vain one."""
    run("CREATE TABLE {p}shared (who STRING, n INT) USING {kind}")
    if table.startswith("lake."):
        run("ALTER TABLE {p}shared SET TBLPROPERTIES ('commit.retry.num-retries'='50')")

    def append(who: str, rows: int) -> None:
        own = {"userMetadata": who, "snapshot-property.who": who}
        written = spark.newSession().range(rows).selectExpr(f"'{who}' AS who", f"{rows} AS n")
        written.writeTo(table).options(**own).append()

    sizes = {f"t{rows}": rows for rows in (1000, 2000, 3000)} | {f"same{i}": 10 for i in range(3)}
    threads = [threading.Thread(target=append, args=each) for each in sizes.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run("REFRESH TABLE {p}shared")  # other sessions have written it
    run("UPDATE {p}shared SET n = 0 WHERE who = 'nobody'")


def overwritten(spark: SparkSession, run, p: str) -> dict[str, bool]:
    """Overwrites of tables with a row of day ``a`` by one of day ``b``, and whether the first row is still there."""
    spark.sql("SELECT 2 AS id, 'b' AS day").createOrReplaceTempView("second")
    second = spark.table("second")
    kind = "iceberg" if p else "delta"
    mode = "spark.sql.sources.partitionOverwriteMode"

    def by(**options: str):
        return second.write.format(kind).mode("overwrite").partitionBy("day").options(**options)

    writes = {
        "over_all": lambda to: run(f"INSERT OVERWRITE {to} SELECT * FROM second"),
        "over_part": lambda to: run(f"INSERT OVERWRITE {to} PARTITION (day = 'b') SELECT id FROM second"),
        "over_rows": lambda to: second.writeTo(to).overwrite(F.col("day") == "b"),
        "over_parts": lambda to: run(f"INSERT OVERWRITE {to} SELECT * FROM second"),
    }
    if p or spark.version >= "4":  # the Delta of Spark 3.5 refuses it there
        replace = "CREATE OR REPLACE TABLE {to} USING {{kind}} PARTITIONED BY (day) AS SELECT * FROM second"
        writes["over_replaced"] = lambda to: run(replace.format(to=to))
        writes["over_saved"] = lambda to: by().saveAsTable(to)
    if p:
        writes["over_option"] = lambda to: by(**{"overwrite-mode": "dynamic"}).save(to)
    else:
        place = "spark-warehouse/{}".format
        writes["over_path"] = lambda to: by().save(place(to))
        writes["over_where"] = lambda to: by(replaceWhere="day = 'b'").save(place(to))
        writes["over_mode"] = lambda to: by(partitionOverwriteMode="dynamic").save(place(to))
    if not p and spark.version >= "4":
        writes["over_saved_where"] = lambda to: by(replaceWhere="day = 'b'").saveAsTable(to)
    left = {}
    for name, write in writes.items():
        run(f"CREATE TABLE {{p}}{name} USING {{kind}} PARTITIONED BY (day) AS SELECT 1 AS id, 'a' AS day")
        spark.conf.set(mode, "dynamic" if name == "over_parts" else "static")
        write(f"{p}{name}")
        left[name] = not spark.table(f"{p}{name}").where("id = 1").isEmpty()
    return left


def change(run) -> None:
    run("UPDATE {p}target SET name = upper(name), address.city = concat(address.city, '!') WHERE total > 1")
    run("DELETE FROM {p}target WHERE address.zip = '2' AND total < 9")
    run(MERGE)


def first_snapshot() -> int:
    """Out of the table's own file: what Spark hands to a program may be in all that the program does afterwards."""
    folder = Path("lake/db/target/metadata")
    newest = (folder / "version-hint.text").read_text("utf-8").strip()
    return json.loads((folder / f"v{newest}.metadata.json").read_text("utf-8"))["snapshots"][0]["snapshot-id"]


if __name__ == "__main__":
    main(*sys.argv[1:])
