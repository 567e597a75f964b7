"""Formats, partitions, tables, views and databases: each is written, read, and written on.

stores.py FOLDER JDBC_URL PASSWORD
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = [(1, ("Ann", "ann@example.org"), "2024-01-01"), (2, ("Bob", "bob@example.org"), "2024-01-02")]
FORMATS = ("parquet", "orc", "json", "csv", "text", "avro")


def main(folder: str, url: str, password: str) -> None:
    spark = SparkSession.builder.appName("Stores").enableHiveSupport().getOrCreate()
    spark.sql("SET spark.sql.sources.partitionOverwriteMode=dynamic")
    people = spark.createDataFrame(ROWS, "id int, name struct<first:string,mail:string>, day string")
    people.write.parquet(f"{folder}/people")
    people = spark.read.parquet(f"{folder}/people")
    for kind in FORMATS:
        through(spark, folder, people, kind)
    partitions(spark, folder, people)
    tables(spark, folder, people)
    by_place(spark, people)
    hive(spark)
    databases(spark, folder, people, url, password)
    spark.stop()


def through(spark: SparkSession, folder: str, people: DataFrame, kind: str) -> None:
    mails = people.select(F.col("name.mail").alias("value"))
    mails.write.format(kind).save(f"{folder}/{kind}")
    read = spark.read.format(kind).schema("value string").load(f"{folder}/{kind}")
    read.where("value > 'a'").write.parquet(f"{folder}/from_{kind}")


def partitions(spark: SparkSession, folder: str, people: DataFrame) -> None:
    by_day = people.select("id", "name.first", "day")
    by_day.write.partitionBy("day").parquet(f"{folder}/by_day")
    by_day.write.mode("overwrite").partitionBy("day").parquet(f"{folder}/by_day")
    one = spark.read.parquet(f"{folder}/by_day/day=2024-01-01")
    one.select("first").write.parquet(f"{folder}/of_one_day")


def tables(spark: SparkSession, folder: str, people: DataFrame) -> None:
    people.createOrReplaceTempView("people")
    spark.sql("CREATE TABLE days (id INT, first STRING, day STRING) USING parquet PARTITIONED BY (day)")
    spark.sql("INSERT INTO days PARTITION (day = '2024-02-01') SELECT id, name.first FROM people")
    spark.sql("INSERT OVERWRITE days SELECT id, name.mail, day FROM people")
    people.select("id", "name.first", "day").write.insertInto("days")
    people.write.bucketBy(2, "id").sortBy("id").saveAsTable("bucketed")
    spark.table("bucketed").select("id", "name.first", "day").writeTo("made").using("parquet").create()
    spark.sql(
        f"INSERT OVERWRITE DIRECTORY '{folder}/directory' USING json SELECT name.mail AS mail FROM people"
    )
    spark.sql("CREATE VIEW firsts AS SELECT id, first FROM days WHERE day > '2024'")
    spark.table("firsts").write.parquet(f"{folder}/of_view")


def by_place(spark: SparkSession, people: DataFrame) -> None:
    """Relative places: of files below the working directory, of tables below their database's."""
    ids = people.select("id")
    ids.write.json("near/lines")
    spark.read.schema("id int").json("near/lines").write.csv("near/rows")
    spark.read.schema("id int").csv("near/rows").createOrReplaceTempView("ids")
    spark.sql("INSERT OVERWRITE DIRECTORY 'near/listed' USING orc SELECT id FROM ids")
    spark.sql("CREATE TABLE placed USING parquet LOCATION 'near/placed' AS SELECT id FROM ids")
    ids.write.option("path", "near/saved").saveAsTable("saved")
    ids.write.mode("append").saveAsTable("saved")
    ids.write.mode("overwrite").option("path", "near/again").saveAsTable("saved")


def hive(spark: SparkSession) -> None:
    spark.sql("SET hive.exec.dynamic.partition.mode=nonstrict")
    spark.sql("CREATE TABLE serde STORED AS TEXTFILE AS SELECT id, name.first AS first FROM people")
    spark.sql("CREATE TABLE hive_days (id INT, first STRING) PARTITIONED BY (day STRING) STORED AS TEXTFILE")
    spark.sql("INSERT INTO hive_days PARTITION (day) SELECT id, name.first, day FROM people")
    spark.sql("INSERT OVERWRITE TABLE hive_days PARTITION (day = 'x') SELECT id, first FROM serde")
    spark.sql("CREATE TABLE of_hive USING parquet AS SELECT first, day FROM hive_days")


def databases(spark: SparkSession, folder: str, people: DataFrame, url: str, password: str) -> None:
    driver = "org.h2.Driver" if url.startswith("jdbc:h2:") else "org.postgresql.Driver"
    where = {"url": url, "driver": driver, "user": "headwater", "password": password}
    flat = people.select("id", F.col("name.mail").alias("mail"))
    flat.write.format("jdbc").options(**where, dbtable="people").mode("overwrite").save()
    flat.write.format("jdbc").options(**where, dbtable="people").mode("append").save()
    database = spark.read.format("jdbc").options(**where)
    database.option("dbtable", "people").load().write.parquet(f"{folder}/of_database")
    queried = (
        spark.read.format("jdbc").options(**where, query='SELECT "mail" FROM people WHERE "id" > 1').load()
    )
    queried.write.parquet(f"{folder}/of_query")
    columns = database.option("dbtable", "(SELECT * FROM people) AS everybody").load()
    columns.write.parquet(f"{folder}/of_subquery")


if __name__ == "__main__":
    main(*sys.argv[1:])
