"""Random queries are written in the mode ``ends``, and asked as they were written and as frames; prints what differs.

Its arguments are a folder and the seeds, as ``0:3``. Windows, lists, sets, groups, joins and flattened lists follow on
each other in any order.
"""

import json
import random
import sys

from captured_records import session
from random_queries import STEPS, condition, query, write_sources

import headwater_records_spark as hr

FOLDER, SEEDS = sys.argv[1:3]
QUERIES = 8
"""How many queries a seed has."""


def trees(answer):
    return {(item.source, item.id): item.tree for item in answer.items()}


def differences(written, asked, run, dice):
    """What is answered otherwise than of the frame."""
    rows = sorted(asked.collect(), key=repr)
    for row in dice.sample(rows, min(3, len(rows))):
        if trees(written.why(where=condition(row))) != trees(hr.why(asked, where=condition(row))):
            yield ["why", condition(row)]
    items = hr.why(asked, where="true").items()
    for item in dice.sample(sorted(items, key=str), min(2, len(items))):
        if written.forward([item]).count() != hr.forward(asked, [item]).count():
            yield ["forward", str(item.id)]
    used = {(row["file"], row["position"]) for frame in written.used(run).values() for row in frame.collect()}
    if used != {tuple(item.id) for item in items}:
        yield ["used", len(used)]


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    write_sources(spark, FOLDER)
    seeds = [int(each) for each in SEEDS.split(":")]
    found = {}
    with hr.capture(spark, into=f"{FOLDER}/records", mode="ends") as captured:
        for seed in range(*seeds):
            dice = random.Random(seed)
            for number in range(QUERIES):
                text, steps = query(dice, STEPS)
                place = f"{FOLDER}/{seed}-{number}"
                asked = spark.sql(text)
                asked.write.parquet(place)
                written = captured.written(place)
                run = captured.runs[-1]
                found[f"{seed}-{number}"] = {
                    "steps": steps,
                    "carried": run.carried,
                    "again": run.again,
                    "wrong": [[*each, text] for each in differences(written, asked, run, dice)],
                }
                print(found[f"{seed}-{number}"], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
