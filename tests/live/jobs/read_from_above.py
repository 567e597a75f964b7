"""Reads from above of what was written below: by patterns, recursively, as lines of text and as whole files.

read_from_above.py FOLDER
"""

import sys
from pathlib import Path

from pyspark.ml import Pipeline
from pyspark.ml.feature import StringIndexer
from pyspark.sql import SparkSession


def main(folder: str) -> None:
    spark = SparkSession.builder.appName("Above").getOrCreate()
    spark.createDataFrame([("t-1", "a"), ("t-2", "b")], "one string, day string").write.parquet(
        f"{folder}/in"
    )
    rows = spark.read.parquet(f"{folder}/in")
    rows.write.partitionBy("day").json(f"{folder}/up/days")
    rows.select("one").write.json(f"{folder}/up/deep/rows")
    for name in ("first", "second"):
        rows.select("one").write.text(f"{folder}/lines/{name}")
    below = spark.read.schema("one string").option("recursiveFileLookup", "true")
    below.json(f"{folder}/up").write.parquet(f"{folder}/recursive")
    below.json(f"{folder}/up/days/day=a").write.parquet(f"{folder}/one_day")
    binary = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    binary.load(f"{folder}/lines").write.parquet(f"{folder}/binary")
    spark.read.text(f"{folder}/lines/*/part*").write.parquet(f"{folder}/files")
    lines = spark.sparkContext.textFile(f"{folder}/lines/*")
    lines.map(lambda line: (line,)).toDF(["line"]).write.parquet(f"{folder}/rdd")
    spark.sparkContext.textFile(f"{folder}/lines/*/part*").saveAsTextFile(f"{folder}/saved")
    rows.select("one").write.text(f"{folder}/export/metadata")
    rows.select("one").write.parquet(f"{folder}/export/data")
    spark.read.parquet(f"{folder}/export/data").write.parquet(f"{folder}/beside_metadata")
    whole = spark.sparkContext.wholeTextFiles(f"{folder}/lines/{{first,second}}")
    whole.map(lambda file: (file[1],)).toDF(["text"]).write.parquet(f"{folder}/whole")
    words = StringIndexer(inputCol="one", outputCol="number")
    Pipeline(stages=[words]).fit(rows).write().save(f"{folder}/words")
    (labels,) = Path(folder).glob("words/stages/*/data")
    spark.read.parquet(str(labels)).write.parquet(f"{folder}/of_model")
    spark.stop()


main(*sys.argv[1:])
