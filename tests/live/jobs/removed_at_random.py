"""Random queries are asked what became of records, and run again without each of them; prints what was missed.

Its arguments are a folder and the seeds, as ``0:3``. A row that is gone without a record was made of it, or it decided
about the row. That is not so where another row comes to be without the record, of which this one is then made.
"""

import json
import random
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
from captured_records import session
from random_queries import MORE_STEPS, STEPS, query, write_sources

import headwater_records_spark as hr

FOLDER, SEEDS = sys.argv[1:3]
QUERIES = 8
"""How many queries a seed has."""
BRING_OTHERS = {"exists", "not in", "set operation"}
"""Steps that may have more rows without a record: nothing may follow on them."""
BY_PLACE = {"first", "first of each", "in range", "moving", "neighbour", "rank", "share"}
"""Steps of rows in an order, in which other values would move rows to before this one: they come first."""
REMOVED = 3
"""How many records of each source are removed, one after the other."""


def is_judged(steps):
    return BRING_OTHERS.isdisjoint(steps[:-1]) and BY_PLACE.isdisjoint(steps[1:])


def records(name):
    """The records of a source by their ``id``: file and position."""
    found = {}
    for file in sorted(Path(f"{FOLDER}/{name}").glob("*.parquet")):
        for position, value in enumerate(pq.read_table(file)["id"].to_pylist(), 1):
            found[value] = (f"file://{file}", position)
    return found


def counted(frame):
    return Counter((row["id"], row["k"], repr(row["v"])) for row in frame.collect())


def gone_without(spark, text, before, name, value):
    """The rows that are not there any more if the source does not have the record."""
    whole = spark.read.parquet(f"{FOLDER}/{name}")
    whole.where(f"id != '{value}'").createOrReplaceTempView(name)
    try:
        return before - counted(spark.sql(text))
    finally:
        whole.createOrReplaceTempView(name)


def judged(spark, text, dice, known):
    """How many rows are gone without records, and those of them that are not among what these became."""
    frame = spark.sql(text)
    before = counted(frame)
    found = {"gone": 0, "missed": []}
    for name in ("facts", "names"):
        for value in dice.sample(sorted(known[name]), REMOVED):
            gone = gone_without(spark, text, before, name, value)
            if not gone:
                continue
            source = f"file:{FOLDER}/{name}"
            became = counted(hr.forward(frame, {source: [known[name][value]]}))
            found["gone"] += gone.total()
            if left := gone - became:
                found["missed"].append([value, sorted(map(list, left), key=repr)[:3]])
    return found


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    write_sources(spark, FOLDER)
    known = {name: records(name) for name in ("facts", "names")}
    seeds = [int(each) for each in SEEDS.split(":")]
    found = {}
    for seed in range(*seeds):
        dice = random.Random(seed)
        for number in range(QUERIES):
            text, steps = query(dice, STEPS | MORE_STEPS)
            if not is_judged(steps):
                continue
            try:
                one = judged(spark, text, dice, known)
            except hr.RecordsError as problem:
                one = {"refused": f"{type(problem).__name__}: {problem}"}
            found[f"{seed}-{number}"] = {"steps": steps, "query": text, **one}
            print(seed, number, steps, one, file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
