"""Frames of Spark that go on in pandas, each into a file of its own; their values are tokens of the column they are of.

frames.py OUT
"""

import sys
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_pandas as hp


def sources(spark: SparkSession, out: str) -> None:
    rows = [(n, f"TOKMAIL{n}", f"TOKCITY{n % 2}", (f"TOKSTREET{n}", f"TOKZIP{n}")) for n in range(4)]
    schema = "id int, mail string, city string, address struct<street: string, zip: string>"
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(f"{out}/people")
    notes = [(n % 3, f"TOKNOTE{n}") for n in range(5)]
    spark.createDataFrame(notes, "id int, note string").coalesce(1).write.json(f"{out}/notes")
    pd.DataFrame({"id": [0, 1, 2], "extra": [f"TOKEXTRA{n}" for n in range(3)]}).to_csv(
        f"{out}/extra.csv", index=False
    )


def write(spark: SparkSession, out: str) -> None:
    people, notes = (
        spark.read.parquet(f"{out}/people"),
        spark.read.schema("id int, note string").json(f"{out}/notes"),
    )
    people.createOrReplaceTempView("people")

    def put(name: str, frame: pd.DataFrame) -> None:
        frame.to_csv(f"{out}/{name}.csv", index=False)

    # before anything is collected: functions and constants may have that later
    lower = F.udf(lambda text: text.lower(), "string")
    put("by_function", people.select(lower("city").alias("c"), F.lit("constant").alias("k")).toPandas())

    put("plain", people.select("id", "mail").toPandas())

    frame = people.where("city <> 'TOKCITY9'").withColumnRenamed("mail", "post").toPandas()
    frame = frame[frame["id"] > 0]
    frame["low"] = frame["post"].str.lower() + frame["city"]
    put("changed", frame[["low", "address"]])

    hashed = people.select(F.sha2("mail", 256).alias("token"), F.length("city").alias("size")).toPandas()
    put("hashed", hashed.assign(short=hashed["token"].str[:8]))

    nested = people.select("id", F.col("address.street").alias("street")).toPandas()
    extra = pd.read_csv(f"{out}/extra.csv")
    put("merged", nested.merge(extra, on="id", how="left").drop(columns=["id"]))

    many = (
        people.join(notes, "id").groupBy("city").agg(F.max("note").alias("last"), F.count("mail").alias("n"))
    )
    put(
        "grouped", many.toPandas().groupby("city", as_index=False).agg(note=("last", "first"), n=("n", "sum"))
    )

    view = spark.sql("SELECT id, city, mail FROM people WHERE id < 3").toPandas()
    put("encoded", pd.get_dummies(view[["id", "city"]], columns=["city"]))
    put("read", pd.read_parquet(f"{out}/people")[["city", "id"]])

    taken = people.agg(F.max("mail")).collect()[0][0]
    put("taken", people.select("id", F.lit(taken).alias("one")).toPandas())
    put("handed", spark.createDataFrame([(taken,)], "m string").toPandas())
    put("kept", people.select("mail").localCheckpoint().toPandas())


def main(out: str) -> None:
    Path(out).mkdir()
    spark = SparkSession.builder.appName("Frames").getOrCreate()
    sources(spark, out)
    with hp.run("frames") as run:
        write(spark, out)
    assert len(run.events) == 2


main(sys.argv[1])
