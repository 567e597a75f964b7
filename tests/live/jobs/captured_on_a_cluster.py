"""A captured write in groups of groups, one executor of which is killed after it has written members of the first.

Its argument is a folder; it prints how the ids came, whether one was killed, and which tokens are of other records than
theirs, as JSON. Records are read by pyarrow.
"""

import json
import os
import signal
import sys
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER = sys.argv[1]
KILLED = Path(FOLDER) / "killed"


def after_a_kill(token):
    """The token; the first call kills the executor, a process of Java that is the parent of Python's daemon."""
    if token == "left-5" and not KILLED.exists():
        KILLED.touch()
        stat = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
    return token


def tokens(items):
    """The tokens of the records that an answer names."""
    files = {}
    for each in items:
        file, position = each.id
        files.setdefault(file, pq.read_table(unquote(file.removeprefix("file:"))).to_pylist())
        yield files[file][position - 1]["token"]


def main():
    spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    rows = [(f"left-{number}", number % 7, number % 3) for number in range(600)]
    given = spark.createDataFrame(rows, "token string, k int, n int")
    given.repartition(4).write.parquet(f"{FOLDER}/source")
    source = spark.read.parquet(f"{FOLDER}/source")
    inner = source.where("token <= 'left-5'").groupBy("k", "n").agg(F.max("token").alias("token"))
    outer = (
        inner.withColumn("token", F.udf(after_a_kill, "string")("token"))
        .groupBy("k")
        .agg(F.max("token").alias("token"))
    )
    with hr.capture(spark, into=f"{FOLDER}/records", mode="ends") as captured:
        outer.write.parquet(f"{FOLDER}/out")
        captured.settle()
    (run,) = captured.runs
    written = captured.written(f"{FOLDER}/out")
    wrong = []
    for k in (0, 5):
        expected = sorted(
            f"left-{each}" for each in range(600) if each % 7 == k and f"left-{each}" <= "left-5"
        )
        found = sorted(tokens(written.why(where=f"k = {k}").items()))
        if found != expected:
            wrong.append([k, expected, found])
    left = [each.name for each in (Path(FOLDER) / "records").glob("members-*")]
    print(
        "FOUND "
        + json.dumps(
            {
                "carried": run.carried,
                "again": run.again,
                "killed": KILLED.exists(),
                "wrong": wrong,
                "left": left,
            }
        )
    )
    spark.stop()


if __name__ == "__main__":
    main()
