"""Asks which records made a row of queries, and runs each query again over these alone.

Its arguments are the folder of the tables, a file of queries, each named by a comment in the line before it, and, if
not all are asked, names of queries. Prints what it found as JSON.
"""

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER, QUERIES, *NAMES = sys.argv[1:]
NEAR = 1e-9
"""By which part of it a number may differ that is not exact: its summands may come in another order."""


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
    parts = Path(QUERIES).read_text().split("\n-- ")[1:]
    return {name.strip(): query for name, query in (part.split("\n", 1) for part in parts)}


def judged(frame):
    """How many rows there are, and what is found of the last, or who was refused."""
    frame = frame.toDF(*(f"c{number}" for number, _ in enumerate(frame.columns)))
    rows = frame.collect()
    try:
        if not rows:
            hr.why(frame)
        return {"rows": len(rows), "found": [of_row(frame, rows, row) for row in chosen(rows)]}
    except hr.RecordsError as problem:
        return {"rows": len(rows), "refused": f"{type(problem).__name__}: {problem}"}


def chosen(rows):
    """The last row; if there are equal ones, of which a limit may have cut some off, the last of the others."""
    if sum(same(each, row) for row in rows[-1:] for each in rows) > 1:
        return [row for row in rows if not same(row, rows[-1])][-1:] or rows[-1:]
    return rows[-1:]


def is_row(frame, row):
    """The condition that a row is this one."""
    one = F.lit(True)
    for field in frame.schema:
        value = row[field.name]
        if field.dataType.typeName() in {"double", "float"} and value is not None:
            one &= F.abs(F.col(field.name) - value) <= abs(value) * NEAR
        else:
            one &= F.col(field.name).eqNullSafe(F.lit(value))
    return one


def of_row(frame, rows, row):
    """How many records by source made a row, and whether it comes again of these alone, as often."""
    one = is_row(frame, row)
    answer = hr.why(frame, where=one)
    again = hr.replay(frame, only=answer).where(one).count()
    counts = {}
    for item in answer.items():
        name = item.source.rsplit("/", 1)[-1].partition(".")[0]
        counts[name] = counts.get(name, 0) + 1
    return {"records": counts, "again": again == sum(same(each, row) for each in rows)}


def same(one, other):
    return all(
        a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= abs(b) * NEAR)
        for a, b in zip(one, other, strict=True)
    )


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
