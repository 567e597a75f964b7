"""Columns that have whole records: of lines that could not be parsed, and, in Spark 4, of each line as a variant.

whole_records.py PEOPLE.csv OUT
"""

import sys

from pyspark.sql import DataFrame, SparkSession


def main(source: str, out: str) -> None:
    spark = SparkSession.builder.appName("Whole Records").getOrCreate()

    def write(name: str, rows: DataFrame) -> None:
        rows.write.parquet(f"{out}/{name}")

    named = spark.read.option("columnNameOfCorruptRecord", "bad")
    write("unparsed", named.schema("who string, number int, bad string").csv(source))
    spark.sql(
        "CREATE TABLE people (who string, number int, bad string)"
        f" USING csv OPTIONS (path '{source}', columnNameOfCorruptRecord 'bad')"
    )
    write("of_table", spark.table("people"))
    write("other_capitals", named.schema("BAD string, number int").csv(source))
    if spark.version >= "4":
        variant = spark.read.option("singleVariantColumn", "all").option("header", "true").csv(source)
        write("variant", variant.selectExpr("all:mail::string AS mail"))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:3])
