"""RDDs of files that were asked for by their own names, by that of their directory, and by a pattern.

single_files.py FOLDER
"""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession


def main(folder: Path) -> None:
    (folder / "one.csv").write_text("ssn,name\n1,a\n")
    (folder / "one.log").write_text("x\n")
    (folder / "one.json").write_text('{"ssn": 1}\n')
    os.chdir(folder)
    spark = SparkSession.builder.appName("Files").getOrCreate()
    spark.read.option("header", True).csv(f"{folder}/one.csv").rdd.collect()
    spark.read.csv("one.csv").rdd.take(1)
    spark.read.text(f"{folder}/one.log").rdd.collect()
    spark.read.json(f"{folder}/one.json").rdd.collect()
    spark.read.option("header", True).csv(str(folder)).rdd.collect()
    spark.read.option("header", True).csv(f"{folder}/*.csv").rdd.collect()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
