"""Writes queries, and asks of the last row of each what made it: of what the write kept, and of the plan.

Its arguments are the folder of the tables, a file of queries, each named by a comment in the line before it, a folder
to write to, and, if not all are asked, names of queries. Prints what it found as JSON.
"""

import json
import sys
from pathlib import Path

from queries_again import is_row, queries, session

import headwater_records_spark as hr

FOLDER, _, OUT, *NAMES = sys.argv[1:]


def described(answer):
    """Each record with its paths: whether each contributes, and the operators."""
    return sorted(f"{each.source} {each.id} {sorted(map(str, each.paths))}" for each in answer.items())


def compared(captured, spark, frame, place):
    """How the ids came, how many records made the last row, and whether both answers name these."""
    frame = frame.toDF(*(f"c{number}" for number, _ in enumerate(frame.columns)))
    frame.write.parquet(place)
    captured.settle()
    run = captured.runs[-1]
    rows = spark.read.parquet(place).collect()
    if run.refused or not rows:
        return {"refused": run.refused, "carried": run.carried, "again": run.again}
    one = is_row(frame, rows[-1])
    kept = described(captured.written(place).why(where=one))
    asked = described(hr.why(frame, where=one))
    return {"carried": run.carried, "again": run.again, "records": len(asked), "alike": kept == asked}


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    for each in sorted(Path(FOLDER).iterdir()):
        spark.read.parquet(str(each)).createOrReplaceTempView(each.name.partition(".")[0])
    found = {}
    with hr.capture(spark, into=f"{OUT}/records", mode="ends") as captured:
        for name, text in queries().items():
            if NAMES and name not in NAMES:
                continue
            found[name] = compared(captured, spark, spark.sql(text), f"{OUT}/{name}")
            print(name, found[name], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
