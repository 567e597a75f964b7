"""Functions over Arrow, aggregates of pandas, and iterators of groups, whose code is read; and what they really do.

functions_over_arrow.py OUT

What is written is also computed of inputs in which one column is changed: ``changes.json`` has, for each output, the
pairs of its columns and the input's that changed with each other.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

SCHEMA = "id long, name string, mail string, town string, amount double"
ROWS = [
    (1, "Ada", "a@example.org", "Bern", 3.5),
    (2, "Bob", "b@example.org", "Rome", 1.0),
    (3, "Cy", "c@example.org", "Bern", 2.0),
]


def chosen(batches):
    for batch in batches:
        kept = batch.filter(pc.greater(batch["amount"], 0.0))
        yield pa.RecordBatch.from_arrays([kept["id"], pc.utf8_upper(kept["mail"])], names=["id", "mail"])


def at_other_places(batches):
    for batch in batches:
        yield batch.select(["mail", "name"])


def grouped(key, table):
    first = table["name"][0].as_py()
    return pa.table({"town": [key[0].as_py()], "total": [pc.sum(table["amount"]).as_py()], "first": [first]})


def grouped_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(["town", "name"])


def outputs(spark, people):
    mean = F.pandas_udf(average, "double")
    longest = F.pandas_udf(longest_name, "string")
    found = {
        "chosen": people.mapInArrow(chosen, "id long, mail string"),
        "at_other_places": people.mapInArrow(at_other_places, "name string, mail string"),
        "aggregated": people.groupBy("town").agg(
            mean("amount").alias("mean"), longest("name").alias("longest")
        ),
    }
    if spark.version >= "4":
        towns = people.groupBy("town")
        found["grouped"] = towns.applyInArrow(grouped, "town string, total double, first string")
    if spark.version >= "4.1":
        found["grouped_batches"] = towns.applyInArrow(grouped_batches, "town string, name string")
        found["by_arrow"] = people.select("id", F.arrow_udf(upper, "string")("name").alias("loud"))
    if spark.version >= "4.3":
        # An aggregation has aggregates of one sort.
        total, longest = F.pandas_udf(total_of_batches, "double"), F.arrow_udf(longest_of_batches, "string")
        found["total_of_batches"] = towns.agg(total("amount").alias("total"))
        found["longest_of_batches"] = towns.agg(longest("name", "mail").alias("longest"))
    return found


def total_of_batches(batches: Iterator[pd.Series]) -> float:
    total = 0.0
    for amounts in batches:
        total += amounts.sum()
    return float(total)


def longest_of_batches(batches: Iterator[tuple[pa.Array, pa.Array]]) -> str:
    found = ""
    for names, mails in batches:
        found = max(
            [found, *(m for n, m in zip(names.to_pylist(), mails.to_pylist(), strict=True) if n)], key=len
        )
    return found


def average(amounts: pd.Series) -> float:
    return amounts.mean()


def longest_name(names: pd.Series) -> str:
    return max(names, key=len)


def upper(names: pa.Array) -> pa.Array:
    return pc.utf8_upper(names)


def changed(rows, place):
    other = {0: lambda v: v + 40, 4: lambda v: v * -3.0}.get(place, lambda v: v + "-longer")
    yield [tuple(other(v) if i == place else v for i, v in enumerate(row)) for row in rows]
    yield [
        tuple(other(v) if i == place and n == 0 else v for i, v in enumerate(row))
        for n, row in enumerate(rows)
    ]


def columns_of(frame):
    listed = frame.toPandas()
    return {name: sorted(map(repr, listed[name])) for name in listed.columns}


def main(out):
    spark = SparkSession.builder.appName("Arrow").getOrCreate()
    spark.createDataFrame(ROWS, SCHEMA).write.parquet(f"{out}/people")
    people = spark.read.parquet(f"{out}/people")
    found = outputs(spark, people)
    for name, frame in found.items():
        frame.write.parquet(f"{out}/{name}")
    before = {name: columns_of(frame) for name, frame in found.items()}
    pairs = {name: set() for name in found}
    for place, source in enumerate(people.columns):
        for rows in changed(ROWS, place):
            for name, frame in outputs(spark, spark.createDataFrame(rows, SCHEMA)).items():
                after = columns_of(frame)
                pairs[name] |= {(target, source) for target in after if after[target] != before[name][target]}
    text = json.dumps({name: sorted(each) for name, each in pairs.items()})
    Path(out, "changes.json").write_text(text, encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
