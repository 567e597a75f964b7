"""Rows of a frame that functions of Python change as an RDD until they are a frame again; each column has own values.

rdd_functions.py PEOPLE OUT
"""

import json
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

NAMED = StructType([StructField("who", StringType()), StructField("place", StringType())])


def main(people: str, out: str) -> None:
    spark = SparkSession.builder.appName("RDD Functions").getOrCreate()
    frame = spark.read.json(
        people, schema="id string, name string, ssn string, home struct<city: string, zip: string>"
    )
    renamed = frame.selectExpr("id", "ssn AS name", "name AS alias", "home")
    rows, others = frame.rdd, renamed.rdd

    def write(name: str, made: DataFrame) -> None:
        made.coalesce(1).write.json(f"{out}/{name}")

    def in_parts(part):
        for row in part:
            if row.home.zip.startswith("z"):
                yield row.name, row.home.city

    write("mapped", rows.map(lambda row: (row.name, row.home.city)).toDF(["who", "place"]))
    write("stated", spark.createDataFrame(rows.map(lambda row: (row.name, row.home.city)), NAMED))
    write("by_name", spark.createDataFrame(rows.map(lambda r: {"place": r.home.city, "who": r.name}), NAMED))
    write("single", spark.createDataFrame(rows.map(lambda row: row.name), StringType()))
    write("chosen", rows.filter(lambda row: row.ssn > "").map(lambda row: (row.name, 1)).toDF(["who", "n"]))
    write("parts", rows.mapPartitions(in_parts).toDF(["who", "place"]))
    write(
        "numbered",
        rows.mapPartitionsWithIndex(lambda i, part: ((r.name, i) for r in part)).toDF(["who", "n"]),
    )
    write(
        "keyed", rows.keyBy(lambda row: row.name).mapValues(lambda row: row.home.city).toDF(["who", "place"])
    )
    write("coalesced", rows.map(lambda row: (row.name, row.home)).coalesce(1).toDF(["who", "home"]))
    write("same", rows.toDF())
    write("other_frame", others.map(lambda row: (row.alias, row.home.city)).toDF(["who", "place"]))
    write(
        "twice", rows.map(lambda r: (r.name, r.ssn)).toDF(["a", "b"]).rdd.map(lambda r: (r.a,)).toDF(["who"])
    )
    write("joined", frame.select("id").join(rows.map(lambda r: (r.id, r.name)).toDF(["id", "who"]), "id"))

    write("distinct", rows.map(lambda row: (row.name, row.home.city)).distinct().toDF(["who", "place"]))
    kept = rows.map(lambda row: (row.name, row.home.city)).cache()
    kept.count()
    write("kept", kept.map(lambda row: (row[0], row[1])).toDF(["who", "place"]))
    write("named_anew", rows.map(lambda row: {"a": row.name, "b": row.home.city}).toDF(["who", "place"]))
    write("evaluated", rows.map(lambda row: (eval("row.name"), row.home.city)).toDF(["who", "place"]))
    write("of_texts", spark.read.json(rows.map(lambda row: json.dumps({"who": row.name}))))
    secret = frame.first().ssn
    write("held", rows.map(lambda row: (row.name, secret)).toDF(["who", "place"]))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
