"""Writes of JSON in a session that cannot write Parquet, as ids are written; prints what became of them as JSON.

Its argument is a folder.
"""

import json
import sys
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

import headwater_records_spark as hr

(FOLDER,) = sys.argv[1:]
SETTING = "parquet.block.size"
FAULTS = {"task": "large", "none": "1000000"}


def lines(name):
    """What was written, as Spark's readers see it."""
    files = sorted(Path(f"{FOLDER}/{name}").glob("part-*"))
    return sorted(line for file in files for line in file.read_text().splitlines())


def main():
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    spark.range(50).repartition(2).write.parquet(f"{FOLDER}/in")
    given = spark.read.parquet(f"{FOLDER}/in").where("id % 3 = 0")
    given.write.json(f"{FOLDER}/plain")
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    found = {}
    for fault, value in FAULTS.items():
        hadoop.set(SETTING, value)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with hr.capture(spark, into=f"{FOLDER}/records", mode="ends") as captured:
                given.write.json(f"{FOLDER}/{fault}")
        hadoop.unset(SETTING)
        (run,) = captured.runs
        found[fault] = {
            "same": lines(fault) == lines("plain"),
            "left": [each.name for each in Path(f"{FOLDER}/{fault}").rglob("*headwater*")],
            "carried": run.carried,
            "refused": bool(run.refused),
            "warned": sorted({each.category.__name__ for each in warned if "record" in str(each.message)}),
        }
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
