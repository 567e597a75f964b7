"""Columns that are found by position or by ids, and that are renamed; former versions of tables.

found_otherwise.py FOLDER files|delta|iceberg
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

ORC = "orc.force.positional.evolution"
IDS = "spark.sql.parquet.fieldId.read.enabled"


def main(folder: str, kind: str) -> None:
    spark = SparkSession.builder.appName("Found otherwise").getOrCreate()
    people = spark.createDataFrame([("mail", "number")], "email string, ssn string")
    others = spark.createDataFrame([("x", "y")], "email string, ssn string")
    if kind == "files":
        of_files(spark, folder, people)
    else:
        of_tables(spark, folder, kind, people, others)
    spark.stop()


def of_files(spark: SparkSession, folder: str, people: DataFrame) -> None:
    swapped = spark.read.schema("ssn string, email string")
    people.write.orc(f"{folder}/orc")
    people.write.format("avro").save(f"{folder}/avro")
    ids = [F.col(name).alias(name, metadata={"parquet.field.id": n}) for n, name in enumerate(people.columns)]
    people.select(*ids).write.parquet(f"{folder}/parquet")

    swapped.orc(f"{folder}/orc").write.parquet(f"{folder}/by_name")
    swapped.option(ORC, "true").orc(f"{folder}/orc").write.parquet(f"{folder}/by_option")
    spark.conf.set(ORC, "true")
    spark.read.schema("ssn string, email string").orc(f"{folder}/orc").write.parquet(f"{folder}/by_session")
    avro = spark.read.format("avro").schema("a string, b string").option("positionalFieldMatching", "true")
    avro.load(f"{folder}/avro").write.parquet(f"{folder}/by_avro")
    spark.conf.set(IDS, "true")
    by_id = T.StructType([T.StructField("email", T.StringType(), True, {"parquet.field.id": 1})])
    spark.read.schema(by_id).parquet(f"{folder}/parquet").write.parquet(f"{folder}/by_id")


def of_tables(spark: SparkSession, folder: str, kind: str, people: DataFrame, others: DataFrame) -> None:
    place = f"delta.`{folder}/t`" if kind == "delta" else "lake.db.t"
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')" if kind == "delta" else ""
    spark.sql(f"CREATE TABLE {place} (email STRING, ssn STRING) USING {kind} {mapped}")
    people.createOrReplaceTempView("people")
    others.createOrReplaceTempView("others")
    spark.sql(f"INSERT INTO {place} SELECT * FROM people")
    for old, new in (("email", "tmp"), ("ssn", "email"), ("tmp", "ssn")):
        spark.sql(f"ALTER TABLE {place} RENAME COLUMN {old} TO {new}")
    if kind == "delta":
        version = spark.sql(f"DESCRIBE HISTORY {place}").agg(F.max("version")).first()[0]
    else:
        version = spark.sql("SELECT snapshot_id FROM lake.db.t.snapshots").first()[0]
    spark.sql(f"INSERT OVERWRITE {place} SELECT * FROM others")
    spark.sql(f"SELECT * FROM {place}").write.parquet(f"{folder}/now")
    spark.sql(f"SELECT * FROM {place} VERSION AS OF {version}").write.parquet(f"{folder}/then")
    if kind == "delta":
        spark.sql(f"RESTORE TABLE {place} TO VERSION AS OF {version}")
    else:
        to_former_version(spark, folder, version)


def to_former_version(spark: SparkSession, folder: str, version: int) -> None:
    newest = spark.sql("SELECT snapshot_id FROM lake.db.t.refs WHERE name = 'main'").first()[0]
    spark.sql(f"CALL lake.system.rollback_to_snapshot('db.t', {version})")
    spark.table("lake.db.t").write.parquet(f"{folder}/rolled_back")
    spark.sql(f"CALL lake.system.set_current_snapshot(snapshot_id => {newest}, table => 'db.t')")
    spark.sql(f"CALL lake.system.set_current_snapshot('lake.db.t', {version})")
    spark.sql(f"ALTER TABLE lake.db.t CREATE BRANCH newest AS OF VERSION {newest}")
    spark.sql(f"ALTER TABLE lake.db.t REPLACE BRANCH main AS OF VERSION {newest}")


if __name__ == "__main__":
    main(*sys.argv[1:])
