"""Judges answers about records by tokens in the files that they name; a changed row has those of all that made it."""

from functools import cache

from pyspark.sql import SparkSession


@cache
def tokens(path):
    """The tokens of a file, by Parquet's own reader, which knows of no table."""
    parquet = SparkSession.active()._jvm.org.apache.parquet.hadoop
    place = SparkSession.active()._jvm.org.apache.hadoop.fs.Path(path)
    reader = parquet.ParquetReader.builder(parquet.example.GroupReadSupport(), place).build()
    return [row.getString("token", 0) for row in iter(reader.read, None)]


def parts(token):
    return sorted(each for each in token.split("+") if each)


def claim(rows, answer):
    """The tokens that made these rows, and those of the records that are named as contributing."""
    made_of = [item for item in answer.items() if item.contributing]
    found = {part for item in made_of for part in parts(tokens(item.id[0])[item.id[1] - 1])}
    return [sorted({part for row in rows for part in parts(row["token"])}), sorted(found)]
