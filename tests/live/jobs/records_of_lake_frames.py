"""Pandas reads the files of tables of Delta or Iceberg, also those that are gone, and asks for their first records.

Every record of the sources has a token of its own, which values carry along. Its arguments are the kind of table and a
folder; it prints what it found as JSON: of some records that pandas read the token that each has, those of the records
that are found for it, and the reasons why that is not known.
"""

import json
import sys
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_pandas as hp
import headwater_records_spark as hr

KIND, FOLDER = sys.argv[1:3]
P = "" if KIND == "delta" else "lake.db."
RECORDS = [f"{FOLDER}/records"]
LAZY, EAGER = {
    "delta": ("'delta.enableDeletionVectors'='true'", "'delta.enableDeletionVectors'='false'"),
    "iceberg": (
        "'format-version'='2', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read', "
        "'write.merge.mode'='merge-on-read'",
        "'write.delete.mode'='copy-on-write', 'write.update.mode'='copy-on-write', "
        "'write.merge.mode'='copy-on-write'",
    ),
}[KIND]
CHANGES = {
    "whole": "",
    "deleted": "DELETE FROM {} WHERE id = 3",
    "updated": "UPDATE {} SET id = 13 WHERE id = 3",
    "merged": "MERGE INTO {} t USING more s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.token = s.token "
    "WHEN NOT MATCHED THEN INSERT *",
}
TABLES = {
    "whole lazily": {3},
    "deleted eagerly": {1, 3},
    "deleted lazily": {3},
    "updated lazily": {3, 13},
    "merged eagerly": {3, 9},
}
"""The tables, by the ids of the records that are asked about."""


def name_of(table):
    return f"{P}{table.replace(' ', '_')}"


def place(table):
    """Where pandas finds the files of a table."""
    below = table.replace(" ", "_")
    return f"{FOLDER}/{below}" if KIND == "delta" else f"{FOLDER}/lake/db/{below}/data"


def made(spark, table, settings):
    where = f"LOCATION '{place(table)}'" if KIND == "delta" else ""
    columns = "(token STRING, id INT)"
    spark.sql(f"CREATE TABLE {name_of(table)} {columns} USING {KIND} {where} TBLPROPERTIES ({settings})")
    people = spark.read.parquet(f"{FOLDER}/people")
    for part in range(2):
        people.where(f"id % 2 = {part}").coalesce(1).writeTo(name_of(table)).append()


def source(spark, name, letter, ids):
    rows = spark.createDataFrame([(each,) for each in ids], "id int").coalesce(1)
    rows.select(F.format_string(f"{letter}%02dX", "id").alias("token"), "id").write.parquet(
        f"{FOLDER}/{name}"
    )


def write(spark):
    """Tables that were changed in each way: by new files, and by notes of which records are gone."""
    source(spark, "people", "P", range(6))
    source(spark, "more", "M", [3, 9])
    spark.read.parquet(f"{FOLDER}/more").createOrReplaceTempView("more")
    if P:
        spark.sql("CREATE NAMESPACE lake.db")
    with hr.capture(spark, into=RECORDS[0], mode="ends"):
        for table in TABLES:
            change, how = table.split()
            made(spark, table, EAGER if how == "eagerly" else LAZY)
            if CHANGES[change]:
                spark.sql(CHANGES[change].format(name_of(table)))
        if KIND == "delta":
            made(spark, "checked", f"{EAGER}, 'delta.checkpointInterval'='2'")
            spark.sql("DELETE FROM checked WHERE id = 3")
            spark.read.parquet(f"{FOLDER}/people").where("id = 1").writeTo("checked").append()


def token_at():
    found = {}
    for name in ("people", "more"):
        (file,) = Path(f"{FOLDER}/{name}").glob("part-*")
        found |= {(file.name, at): token for at, token in enumerate(pd.read_parquet(file)["token"], 1)}
    return found


def claims(spark, frame, ids):
    at, found = token_at(), []
    for row in [row for row, each in enumerate(frame["id"]) if each in ids]:
        origins = hp.origins(frame, row, ["token"], spark=spark, records=RECORDS)
        ids = [each.id for each in origins.sources.items() if each.contributing]
        of = sorted(at.get((Path(file).name, place), "another file") for file, place in ids)
        found.append([frame["token"].iloc[row], of, sorted(set(origins.unknown.values()))])
    return found


def files(table):
    """The files of records that are there, in the table or not; lists of places and logs are others."""
    there = sorted(Path(place(table)).glob("*.parquet"))
    return [each for each in there if "delete" not in each.name]


def collected(spark):
    """Rows of `toPandas` of a table, which is changed before somebody asks."""
    frame = spark.table(name_of("whole lazily")).toPandas()
    named = spark.table(name_of("merged eagerly")).where("id > 2").toPandas()
    spark.sql(f"DELETE FROM {name_of('whole lazily')} WHERE id < 3")
    source(spark, "others", "O", [3, 20])
    spark.read.parquet(f"{FOLDER}/others").writeTo(name_of("merged eagerly")).append()
    return {"of a version": claims(spark, frame, {1, 3}), "of a change": claims(spark, named, {3, 9})}


def main():
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    write(spark)
    tables = {**TABLES, **({"checked": {3}} if KIND == "delta" else {})}
    with hp.tracking():
        found = {each: claims(spark, pd.read_parquet(files(each)), ids) for each, ids in tables.items()}
        rows = collected(spark)
    print("FOUND " + json.dumps({"files": found, "rows": rows}))
    spark.stop()


if __name__ == "__main__":
    main()
