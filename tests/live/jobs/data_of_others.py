"""Rows that others store where jobs write: rows with the id 0, without Spark's knowledge, in some of the tables.

data_of_others.py FOLDER files|database|delta|delta-alone|iceberg URL

Such a row is in ``stranger.parquet``, in the current folder. ``FOLDER/there.json`` tells for each table whether it
holds such a row in the end, as its own reader finds.
"""

import json
import shutil
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

COLUMNS = "id int, day string"


class Tables:
    """The tables of one kind that the jobs write, by name."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder
        self.there: dict[str, bool] = {}
        self.number = 0

    def rows(self, count: int = 1, day: str = "a") -> DataFrame:
        """New rows of a job's own."""
        self.number += count
        numbers = range(self.number - count + 1, self.number + 1)
        return self.spark.createDataFrame([(number, day) for number in numbers], COLUMNS).coalesce(1)

    def look(self, name: str, read: Callable[[], DataFrame]) -> None:
        self.there[name] = bool(read().where("id = 0").collect())


def main(folder: str, kind: str, url: str) -> None:
    builder = SparkSession.builder.appName("Data of others")
    spark = (builder.enableHiveSupport() if kind == "files" else builder).getOrCreate()
    tables = Tables(spark, folder)
    if kind == "database":
        of_database(tables, url)
    else:
        kinds = {"files": of_files, "delta": of_delta, "delta-alone": of_delta_alone, "iceberg": of_iceberg}
        kinds[kind](tables)
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(f"{folder}/there.json").write_text(json.dumps(tables.there), "utf-8")
    spark.stop()


def strangers_file(place: str) -> str:
    """A file of Parquet with the row of a stranger, in that folder."""
    Path(place).mkdir(parents=True, exist_ok=True)
    return shutil.copy("stranger.parquet", f"{place}/part-{uuid.uuid4()}.parquet")


def of_files(tables: Tables) -> None:
    spark, folder = tables.spark, tables.folder

    def append(name: str, count: int = 1, day: str = "a", **options: str) -> None:
        tables.rows(count, day).write.mode("append").options(**options).parquet(f"{folder}/{name}")

    for name in ("own", "between", "larger", "deleted", "checked", "filled"):
        append(name)
    strangers_file(f"{folder}/filled")
    append("own", 3)
    append("own")
    strangers_file(f"{folder}/between")
    append("between")
    grown = strangers_file(f"{folder}/larger")
    for file in Path(f"{folder}/larger").glob("part-00*"):
        file.unlink()
    Path(grown).rename(f"{folder}/larger/part-0.parquet")
    append("larger")
    for file in Path(f"{folder}/deleted").glob("part-*"):
        file.unlink()
    append("deleted")
    strangers_file(f"{folder}/checked")
    tables.rows().write.mode("overwrite").parquet(f"{folder}/checked")
    strangers_file(f"{folder}/before")
    append("before")
    append("before")
    strangers_file(f"{folder}/shuffled_before")
    for name in ("shuffled", "shuffled_before"):
        tables.rows(6).repartition(3).write.mode("append").parquet(f"{folder}/{name}")
    days(tables)
    streams(tables)
    of_hive(tables)
    for name in tables_of(folder):
        if name not in tables.there:
            tables.look(name, lambda name=name: spark.read.schema(COLUMNS).parquet(f"{folder}/{name}"))


def tables_of(folder: str) -> list[str]:
    return sorted(each.name for each in Path(folder).iterdir() if not each.name.startswith(("in", "state")))


def days(tables: Tables) -> None:
    """Directories of which some partitions are replaced."""
    mode = {"partitionOverwriteMode": "dynamic"}
    for name in ("days", "days_between", "days_filled"):
        place = f"{tables.folder}/{name}"
        for day in ("a", "b", "a"):
            frame = tables.rows(2, day).write.mode("overwrite").options(**mode).partitionBy("day")
            frame.parquet(place)
    strangers_file(f"{tables.folder}/days_between/day=c")
    for name in ("days", "days_between"):
        frame = tables.rows(2, "b").write.mode("append").partitionBy("day")
        frame.parquet(f"{tables.folder}/{name}")
    strangers_file(f"{tables.folder}/days_filled/day=a")
    catalog(tables)


def catalog(tables: Tables) -> None:
    """Tables of which Spark lists the partitions when it reads them."""
    spark = tables.spark
    for name in ("cataloged", "cataloged_filled"):
        place = f"{tables.folder}/{name}"
        spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING parquet PARTITIONED BY (day) LOCATION '{place}'")
        for day in ("a", "b"):
            tables.rows(1, day).write.mode("append").insertInto(name)
    strangers_file(f"{tables.folder}/cataloged_filled/day=b")
    for name in ("cataloged", "cataloged_filled"):
        spark.catalog.refreshTable(name)
        tables.look(name, lambda name=name: spark.table(name))


def of_hive(tables: Tables) -> None:
    """Folders of Hive's own files, and those that a stream watches."""
    spark, folder = tables.spark, tables.folder
    for name in ("watched", "watched_filled"):
        tables.rows().write.parquet(f"{folder}/{name}")
    strangers_file(f"{folder}/watched_filled")
    for name in ("hive", "hive_filled"):
        place = f"{folder}/{name}"
        spark.sql(f"CREATE EXTERNAL TABLE {name} ({COLUMNS}) STORED AS TEXTFILE LOCATION '{place}'")
        tables.rows().write.insertInto(name)
    Path(f"{folder}/hive_filled/more").write_text("0\x01x\n", "utf-8")
    for name in ("hive", "hive_filled"):
        tables.look(name, lambda name=name: spark.table(name))
    for name in ("watched", "watched_filled"):
        source = spark.readStream.schema(COLUMNS).parquet(f"{folder}/{name}").writeStream
        source = source.option("checkpointLocation", f"{folder}/state_{name}").format("parquet")
        source.trigger(availableNow=True).start(f"{folder}/in_{name}").awaitTermination()


def streams(tables: Tables) -> None:
    spark, folder = tables.spark, tables.folder
    strangers_file(f"{folder}/stream_before")
    for name in ("stream", "stream_before", "stream_between"):
        for start in range(3):
            if (name, start) == ("stream_between", 1):
                strangers_file(f"{folder}/{name}")
            tables.rows().write.mode("append").parquet(f"{folder}/in_{name}")
            source = spark.readStream.schema(COLUMNS).parquet(f"{folder}/in_{name}")
            started = source.writeStream.format("parquet").option(
                "checkpointLocation", f"{folder}/state_{name}"
            )
            started.trigger(availableNow=True).start(f"{folder}/{name}").awaitTermination()
    for name in ("stream_before", "stream_between"):
        shutil.rmtree(f"{folder}/{name}/_spark_metadata")  # as a reader that does not know of it


def of_database(tables: Tables, url: str) -> None:
    spark = tables.spark
    options = {"driver": "org.h2.Driver"}

    def write(name: str, mode: str, **more: str) -> None:
        tables.rows().write.mode(mode).jdbc(url, name, properties={**options, **more})

    def outside(*statements: str) -> None:
        connection = spark._jvm.java.sql.DriverManager.getConnection(url)
        for statement in statements:
            connection.createStatement().execute(statement)
        connection.close()

    def copy(name: str, **more: str) -> None:
        read = spark.read.jdbc(url, name, properties={**options, **more})
        read.write.parquet(f"{tables.folder}/in_{name}")

    for name in ("MADE", "REPLACED", "FILLED"):
        write(name, "overwrite")
        write(name, "append")
    copy("MADE")
    outside("INSERT INTO FILLED VALUES (0, 'x')")
    copy("FILLED")
    spark.read.jdbc(url, "MADE", predicates=["1 = 1", "2 = 2"], properties=options).collect()
    made = spark.read.jdbc(url, "MADE", properties=options)
    made.union(made).collect()
    made.orderBy("id").collect()
    made.join(made.select("id"), "id").collect()
    for name in ("THERE", "THERE_EMPTIED", "THERE_REPLACED", "SPARED", "INSERTED"):
        outside(f'CREATE TABLE {name} ("id" INT, "day" VARCHAR)', f"INSERT INTO {name} VALUES (0, 'x')")
    write("THERE", "append")
    write("THERE", "append")
    write("THERE_EMPTIED", "overwrite", truncate="true")
    write("THERE_REPLACED", "append")
    write("THERE_REPLACED", "overwrite")
    write("THERE_REPLACED", "append")
    spark.sql("CREATE TABLE IF NOT EXISTS shop.PUBLIC.SPARED (id INT, day STRING)")
    spark.sql("INSERT INTO shop.PUBLIC.SPARED VALUES (90, 'a')")
    tables.rows().createOrReplaceTempView("rows")
    spark.sql("INSERT INTO shop.PUBLIC.INSERTED SELECT * FROM rows")
    spark.sql("CREATE TABLE shop.PUBLIC.DECLARED (id INT, day STRING)")
    spark.sql("INSERT INTO shop.PUBLIC.DECLARED SELECT * FROM rows")
    spark.sql("CREATE TABLE shop.PUBLIC.SELECTED AS SELECT * FROM rows")
    spark.sql("INSERT INTO shop.PUBLIC.SELECTED SELECT * FROM rows")
    names = ("MADE", "REPLACED", "FILLED", "THERE", "THERE_EMPTIED", "THERE_REPLACED", "SPARED", "INSERTED")
    for name in (*names, "DECLARED", "SELECTED"):
        tables.look(name, lambda name=name: spark.read.jdbc(url, name, properties=options))


def strangers_commit(place: str) -> None:
    """A commit of another writer, that adds a row."""
    file = Path(strangers_file(place))
    log = Path(place) / "_delta_log"
    version = max(int(each.stem) for each in log.glob("*.json")) + 1
    adds = {
        "path": file.name,
        "partitionValues": {},
        "size": file.stat().st_size,
        "modificationTime": 1,
        "dataChange": True,
    }
    commit = {"timestamp": 1, "operation": "WRITE", "operationParameters": {"mode": "Append"}}
    lines = [json.dumps({"commitInfo": commit}), json.dumps({"add": adds})]
    (log / f"{version:020d}.json").write_text("\n".join(lines), "utf-8")


def of_delta(tables: Tables) -> None:
    spark, folder = tables.spark, tables.folder

    def append(name: str, mode: str = "append") -> None:
        tables.rows().write.format("delta").mode(mode).save(f"{folder}/{name}")

    for name in ("between", "streamed", "merged", "replaced", "changed", "declared", "filled"):
        if name == "declared":
            spark.sql(f"CREATE TABLE IF NOT EXISTS delta.`{folder}/declared` ({COLUMNS}) USING delta")
        append(name)
        append(name)
    strangers_commit(f"{folder}/filled")
    strangers_commit(f"{folder}/between")
    append("between")
    strangers_commit(f"{folder}/streamed")
    stream(tables, "streamed")
    strangers_commit(f"{folder}/merged")
    merge(tables, f"delta.`{folder}/merged`")
    strangers_commit(f"{folder}/replaced")
    append("replaced", "overwrite")
    append("replaced")
    strangers_commit(f"{folder}/changed")
    spark.sql(f"DELETE FROM delta.`{folder}/changed` WHERE id = 1000")
    spark.sql(f"UPDATE delta.`{folder}/changed` SET day = 'u' WHERE id > 0")

    shutil.copytree(f"{folder}/declared", f"{folder}/copied")
    strangers_commit(f"{folder}/copied")
    append("copied")
    append("copied")
    for name in tables_of(folder):
        tables.look(name, lambda name=name: spark.read.format("delta").load(f"{folder}/{name}"))


def of_delta_alone(tables: Tables) -> None:
    """Tables in which nobody else stores anything."""
    spark, folder = tables.spark, tables.folder

    def append(mode: str = "append", count: int = 1) -> None:
        tables.rows(count).write.format("delta").mode(mode).save(f"{folder}/own")

    append()
    append()
    every_command(tables, f"delta.`{folder}/own`")
    append()
    append(count=0)
    append()
    stream(tables, "own")
    append()
    append("overwrite")
    append()
    for name in ("read_empty", "merged_empty"):
        spark.sql(f"CREATE TABLE delta.`{folder}/{name}` ({COLUMNS}) USING delta")
    spark.read.format("delta").load(f"{folder}/read_empty").write.parquet(f"{folder}/in_report")
    merge(tables, f"delta.`{folder}/merged_empty`")
    tables.rows().write.format("delta").mode("append").save(f"{folder}/read_empty")
    for _ in range(2):
        tables.rows().write.format("delta").mode("append").save(f"{folder}/restored")
    spark.sql(f"RESTORE TABLE delta.`{folder}/restored` TO VERSION AS OF 0")
    tables.rows().write.format("delta").mode("append").save(f"{folder}/restored")
    for name in ("own", "read_empty", "merged_empty", "restored"):
        tables.look(name, lambda name=name: spark.read.format("delta").load(f"{folder}/{name}"))


def merge(tables: Tables, table: str) -> None:
    tables.rows().createOrReplaceTempView("fresh")
    tables.spark.sql(f"MERGE INTO {table} t USING fresh f ON t.id = f.id WHEN NOT MATCHED THEN INSERT *")


def every_command(tables: Tables, table: str) -> None:
    """Commands that add rows, change them, or only arrange them."""
    merge(tables, table)
    tables.spark.sql(f"UPDATE {table} SET day = 'u' WHERE id = 1")
    tables.spark.sql(f"DELETE FROM {table} WHERE id = 2")
    tables.spark.sql(f"DELETE FROM {table} WHERE id = 2000")
    tables.spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('a' = 'b')")
    if table.startswith("delta"):
        tables.spark.sql(f"OPTIMIZE {table}")
    else:
        catalog, name = table.split(".", 1)
        tables.spark.sql(f"CALL {catalog}.system.rewrite_data_files('{name}')")


def stream(tables: Tables, name: str, table: str | None = None) -> None:
    """A query of two micro-batches, in two applications' manner."""
    spark, folder = tables.spark, tables.folder
    for _ in range(2):
        tables.rows().write.mode("append").parquet(f"{folder}/in_{name}")
        source = spark.readStream.schema(COLUMNS).parquet(f"{folder}/in_{name}")
        writer = source.writeStream.option("checkpointLocation", f"{folder}/state_{name}").trigger(
            availableNow=True
        )
        started = writer.toTable(table) if table else writer.format("delta").start(f"{folder}/{name}")
        started.awaitTermination()


def of_iceberg(tables: Tables) -> None:
    spark = tables.spark

    def create(name: str, how: str = "CREATE TABLE") -> str:
        mapping = json.dumps([{"field-id": n, "names": [each]} for n, each in enumerate(("id", "day"), 1)])
        properties = f"TBLPROPERTIES ('schema.name-mapping.default' = '{mapping}')"
        spark.sql(f"{how} lake.db.{name} ({COLUMNS}) USING iceberg {properties}")
        return f"lake.db.{name}"

    def append(table: str) -> None:
        tables.rows().writeTo(table).append()

    own = create("own")
    append(own)
    append(own)
    every_command(tables, own)
    append(own)
    stream(tables, "own", own)
    append(own)
    tables.rows().createOrReplaceTempView("rows")
    spark.sql(f"INSERT OVERWRITE {own} SELECT * FROM rows")
    append(own)
    spark.sql("CREATE TABLE lake.db.selected USING iceberg AS SELECT * FROM rows")
    append("lake.db.selected")

    for name, write in {
        "between": append,
        "merged": lambda table: merge(tables, table),
        "streamed": lambda table: stream(tables, "streamed", table),
        "replaced": lambda table: spark.sql(f"INSERT OVERWRITE {table} SELECT * FROM rows"),
        "emptied": lambda table: spark.sql(f"TRUNCATE TABLE {table}"),
    }.items():
        table = create(name)
        append(table)
        strangers_snapshot(tables, table)
        write(table)
        append(table)
    append(create("added"))
    strangers_file(f"{tables.folder}/in_added")
    spark.sql(f"CALL lake.system.add_files('db.added', '`parquet`.`{tables.folder}/in_added`')")
    before = create("before")
    strangers_snapshot(tables, before)
    create("before", "CREATE TABLE IF NOT EXISTS")
    append(before)
    for name in (
        *("own", "selected", "between", "merged", "streamed"),
        "replaced",
        "emptied",
        "before",
        "added",
    ):
        tables.look(name, lambda name=name: spark.table(f"lake.db.{name}"))


def strangers_snapshot(tables: Tables, table: str) -> None:
    """A snapshot of another writer, that adds a row."""
    jvm, session = tables.spark._jvm, tables.spark._jsparkSession
    file = Path(strangers_file(f"{tables.folder}/in_of_others"))
    found = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(session, table)
    made = jvm.org.apache.iceberg.DataFiles.builder(found.spec()).withPath(str(file)).withRecordCount(1)
    added = made.withFileSizeInBytes(file.stat().st_size).withFormat("parquet").build()
    found.newAppend().appendFile(added).commit()
    tables.spark.catalog.refreshTable(table)


main(*sys.argv[1:])
