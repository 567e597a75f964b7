"""Names and options that a program makes: of what it has collected, and of its own words.

named_by_program.py PEOPLE.parquet OUT
"""

import datetime
import os
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def main(source: str, out: str) -> None:
    spark = SparkSession.builder.appName("Named by Program").getOrCreate()
    people = spark.read.parquet(source)

    def write(name: str, rows: DataFrame) -> None:
        rows.coalesce(1).write.parquet(f"{out}/{name}")

    write("before", people.select(F.col("id").alias("first id")))
    first = people.select("mail").orderBy("id").collect()[0].mail
    write("column", people.select(F.col("id").alias(first)))
    write("renamed", people.withColumnRenamed("id", f"of_{first.split('@')[0]}"))
    write("member", people.select(F.struct(F.col("id").alias(first)).alias("made")))
    write("text", people.select(F.to_json(F.struct(F.col("id").alias(first))).alias("made")))
    write("counted", people.agg(F.count(F.when(F.col("mail") == first, 1)).alias(first)))
    write(
        "unpivoted",
        people.select("id", F.col("city").alias(first)).unpivot("id", [f"`{first}`"], "name", "value"),
    )
    write("exploded", people.select(F.explode(F.array("id")).alias(first)))
    write(
        "schema",
        people.select(F.udf(lambda number: (number,), f"struct<`{first}`: long>")("id").alias("made")),
    )
    write("typed", people.select(F.struct("id").cast(f"struct<`{first}`: long>").alias("made")))
    write(f"folder_{first}", people.select("id"))
    people.select("id").write.saveAsTable("of_" + first.split("@")[0])
    with_options(spark, people, out, first, "_of_value")

    today = datetime.datetime.now(tz=datetime.timezone.utc)
    write("plain", people.select(F.col("id").alias("number"), "city", F.upper("city"), "home.street"))
    write("grouped", people.groupBy("city").agg(F.sum("id"), F.max("id").alias("most")))
    write("of_columns", people.select([F.col(name).alias(f"{name}_Raw") for name in people.columns]))
    write("unpivoted_columns", people.unpivot("id", ["mail", "city"], "name", "value"))
    write("counters", people.select([F.col("id").alias(f"c{i}") for i in range(12)]))
    write(f"day_{today:%Y-%m-%d}", people.select("id"))
    write(os.environ["PLACE"], people.select("id"))
    with_options(spark, people, out, "none", "_of_words")
    for file in Path(f"{source}.parts").iterdir():
        write(f"of_{file.stem}", spark.read.parquet(str(file)).select("id"))


def with_options(spark: SparkSession, people: DataFrame, out: str, text: str, name: str) -> None:
    """Writes and functions whose options have the text, and a read with such an option."""
    rows = people.select("id", F.nullif("city", F.lit("Ulm")).alias("city"))
    today, pattern = F.current_date().alias("day"), f"yyyy'{text}'"
    rows.write.option("nullValue", text).csv(f"{out}/null{name}")
    rows.select("city").write.option("lineSep", text).text(f"{out}/line{name}")
    rows.select(today).write.option("dateFormat", pattern).json(f"{out}/date{name}")
    rows.write.format("csv").option("nullValue", text).saveAsTable(f"table{name}")
    rows.createOrReplaceTempView("rows")
    to = f"INSERT OVERWRITE DIRECTORY '{out}/folder{name}' USING csv OPTIONS (nullValue '{text}')"
    spark.sql(f"{to} SELECT * FROM rows")
    packed = {
        "to_csv": F.to_csv(F.struct("city"), {"nullValue": text}),
        "to_json": F.to_json(F.struct(today), {"dateFormat": pattern}),
        "from_csv": F.from_csv(F.concat(F.lit('"",'), "city"), "a string, b string", {"emptyValue": text}),
    }
    if spark.version >= "4":
        packed["to_xml"] = F.to_xml(F.struct("city"), {"rowTag": text.partition("@")[0]})
    for function, column in packed.items():
        rows.select(column.alias("made")).write.parquet(f"{out}/{function}{name}")
    rows.select(F.lit("").alias("city")).write.option("emptyValue", '""').csv(f"{out}/empty{name}")
    read = spark.read.schema("city string").option("emptyValue", text).csv(f"{out}/empty{name}")
    read.write.parquet(f"{out}/read{name}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
