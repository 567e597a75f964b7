"""Functions over frames, whose code is read: of batches, of groups, of two tables' groups, and by positions.

functions_over_frames.py OUT
"""

import hashlib
import sys

import pandas as pd
from pyspark.sql import SparkSession

ROWS = [(1, "Ada", "a@example.org", "Bern", 3.5), (2, "Bob", "b@example.org", "Rome", 1.0)]


def hidden(frames):
    for given in frames:
        df = given[given["amount"] > 0].copy()
        df["mail"] = df["mail"].map(lambda mail: hashlib.sha256(mail.encode()).hexdigest())
        yield df.rename(columns={"town": "city"})[["id", "mail", "city"]]


def totals(key, df):
    return pd.DataFrame({"town": [key[0]], "total": [df["amount"].sum()], "first": [df["name"].iloc[0]]})


def together(left, right):
    return left.merge(right, on="id", how="left")[["name", "room"]]


def swapped(df):
    return df[["mail", "name"]]


def evaluated(df):
    return df.assign(name=eval("df.mail"))


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Frames").getOrCreate()
    spark.createDataFrame(ROWS, "id int, name string, mail string, town string, amount double").write.parquet(
        f"{out}/people"
    )
    spark.createDataFrame([(1, "r1"), (2, "r2")], "id int, room string").write.parquet(f"{out}/rooms")
    people, rooms = spark.read.parquet(f"{out}/people"), spark.read.parquet(f"{out}/rooms")
    people.mapInPandas(hidden, "id int, mail string, city string").write.parquet(f"{out}/hidden")
    towns = people.groupBy("town")
    towns.applyInPandas(totals, "town string, total double, first string").write.parquet(f"{out}/totals")
    pairs = people.groupBy("id").cogroup(rooms.groupBy("id"))
    pairs.applyInPandas(together, "name string, room string").write.parquet(f"{out}/together")
    towns.applyInPandas(evaluated, people.schema).write.parquet(f"{out}/evaluated")
    two = people.select("town", "name", "mail").groupBy("town")
    two.applyInPandas(swapped, "name string, mail string").write.parquet(f"{out}/by_name")
    spark.conf.set("spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName", "false")
    two.applyInPandas(swapped, "name string, mail string").write.parquet(f"{out}/by_position")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
