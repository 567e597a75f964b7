"""Asks which records made a row of each of TPC-H's queries, and runs the query again over these alone.

Its arguments are the folder of the tables and, if not all are asked, names of queries. Prints what it found as JSON.
"""

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER, *NAMES = sys.argv[1:]


def session():
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )


def queries():
    """By name the text of each query."""
    parts = Path(__file__).with_suffix(".sql").read_text().split("\n-- ")[1:]
    return {name.strip(): query for name, query in (part.split("\n", 1) for part in parts)}


def judged(frame):
    """How many records by source made the last row, and what is wrong, or who was refused."""
    rows = frame.collect()
    if not rows:
        return {"rows": 0}
    one = F.lit(True)
    for name in frame.columns:
        one &= F.col(name).eqNullSafe(F.lit(rows[-1][name]))
    try:
        answer = hr.why(frame, where=one)
    except hr.RecordsError as problem:
        return {"rows": len(rows), "refused": str(problem)}
    again = hr.replay(frame, only=answer).where(one).collect()
    counts = {}
    for item in answer.items():
        name = item.source.rsplit("/", 1)[-1].partition(".")[0]
        counts[name] = counts.get(name, 0) + 1
    return {"rows": len(rows), "records": counts, "again": again == [row for row in rows if row == rows[-1]]}


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    for table in Path(FOLDER).glob("*.parquet"):
        spark.read.parquet(str(table)).createOrReplaceTempView(table.stem)
    found = {}
    for name, query in queries().items():
        if not NAMES or name in NAMES:
            start = time.monotonic()
            found[name] = judged(spark.sql(query))
            print(name, round(time.monotonic() - start, 1), found[name], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
