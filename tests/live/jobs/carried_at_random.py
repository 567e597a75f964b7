"""Random queries are written in the mode ``ends``, and asked as they were written and as frames; prints what differs.

Its arguments are a folder and the seeds, as ``0:3``. Windows, lists, sets, groups, joins and flattened lists follow on
each other in any order. Each row has an ``id`` that no other row has, a key ``k`` and a value ``v``.
"""

import json
import random
import sys

from captured_records import session

import headwater_records_spark as hr

FOLDER, SEEDS = sys.argv[1:3]
QUERIES = 8
"""How many queries a seed has."""
PARTITIONS = ("PARTITION BY k", "PARTITION BY v", "")


def sources(spark):
    """Records in several files; of some the value is NULL, and each has a list of other length."""
    rows = [
        (f"left-{n}", n % 5, None if n % 4 == 0 else float(n % 9), [f"{n}-{m}" for m in range(n % 3)])
        for n in range(40)
    ]
    spark.createDataFrame(rows, "id string, k int, v double, parts array<string>").repartition(
        3
    ).write.parquet(f"{FOLDER}/facts")
    names = [(f"right-{n}", n % 6, float(n % 7)) for n in range(14)]
    spark.createDataFrame(names, "id string, k int, v double").coalesce(1).write.parquet(f"{FOLDER}/names")
    for name in ("facts", "names"):
        spark.read.parquet(f"{FOLDER}/{name}").createOrReplaceTempView(name)


def first(dice):
    return dice.choice([
        "SELECT id, k, v FROM facts",
        "SELECT id, k, v FROM facts WHERE k != 2",
        "SELECT concat(id, coalesce(p, '')) AS id, k, v FROM facts LATERAL VIEW OUTER explode(parts) AS p",
        "SELECT id, k, v FROM names",
    ])  # fmt: skip


def in_order(dice):
    return f"{dice.choice(PARTITIONS)} ORDER BY v, id, k"


def frame(dice):
    between = f"{dice.randint(0, 3)} PRECEDING AND {dice.randint(0, 2)} FOLLOWING"
    return f"{dice.choice(PARTITIONS)} ORDER BY id, v, k ROWS BETWEEN {between}"


STEPS = {
    "filter": lambda t, dice: f"SELECT * FROM {t} WHERE v > {dice.randint(0, 5)} OR k = {dice.randint(0, 4)}",
    "sum": lambda t, dice: f"SELECT min(id) AS id, k, sum(v) AS v FROM {t} GROUP BY k",
    "group": lambda t, dice: f"SELECT max(id) AS id, k, v FROM {t} GROUP BY k, v",
    "distinct": lambda t, dice: f"SELECT DISTINCT id, k, v FROM {t}",
    "rank": lambda t, dice: f"SELECT id, k, CAST(rank() OVER ({in_order(dice)}) AS double) AS v FROM {t}",
    "first of each": lambda t, dice: (
        f"SELECT id, k, v FROM (SELECT *, row_number() OVER ({in_order(dice)}) AS n FROM {t})"
        f" WHERE n <= {dice.randint(1, 4)}"
    ),
    "sum of all": lambda t, dice: f"SELECT id, k, sum(v) OVER (PARTITION BY k) AS v FROM {t}",
    "neighbour": lambda t, dice: (
        f"SELECT id, k, {dice.choice(['lag', 'lead'])}(v, {dice.randint(1, 2)}) OVER ({in_order(dice)}) AS v FROM {t}"
    ),
    "moving": lambda t, dice: f"SELECT id, k, 0.0D + count(v) OVER ({frame(dice)}) AS v FROM {t}",
    "list": lambda t, dice: (
        f"SELECT l[0] AS id, k, CAST(size(l) AS double) AS v"
        f" FROM (SELECT array_sort(collect_list(id)) AS l, k FROM {t} GROUP BY k)"
    ),
    "flattened list": lambda t, dice: (
        f"SELECT e AS id, k, v FROM (SELECT array_sort(collect_list(id)) AS l, k, max(v) AS v FROM {t} GROUP BY k)"
        " LATERAL VIEW explode(l) AS e"
    ),
    "set": lambda t, dice: (
        f"SELECT e AS id, k, v FROM (SELECT array_sort(collect_set(id)) AS l, k, max(v) AS v FROM {t} GROUP BY k)"
        " LATERAL VIEW explode(l) AS e"
    ),
    "names": lambda t, dice: (
        f"SELECT concat(a.id, b.id) AS id, a.k, b.v FROM {t} a JOIN names b ON a.k = b.k AND b.v < 4"
    ),
    "some": lambda t, dice: f"SELECT * FROM {t} WHERE k IN (SELECT k FROM names WHERE v > 3)",
    "counted": lambda t, dice: (
        f"SELECT a.id, b.k, a.v FROM {t} a LEFT JOIN (SELECT k, count(*) AS n FROM names GROUP BY k) b ON a.k = b.k"
    ),
    "union": lambda t, dice: f"SELECT concat(id, '+') AS id, k, v FROM {t} UNION ALL {first(dice)}",
}


def query(dice):
    """A query, and the names of its steps."""
    steps = [dice.choice(sorted(STEPS)) for _ in range(dice.randint(1, 3))]
    text = first(dice)
    for step in steps:
        text = STEPS[step](f"({text})", dice)
    return text, steps


def trees(answer):
    return {(item.source, item.id): item.tree for item in answer.items()}


def where(row):
    texts = {name: "NULL" if row[name] is None else repr(row[name]) for name in ("id", "k", "v")}
    return " AND ".join(f"{name} <=> {text}" for name, text in texts.items())


def differences(written, asked, run, dice):
    """What is answered otherwise than of the frame."""
    rows = sorted(asked.collect(), key=repr)
    for row in dice.sample(rows, min(3, len(rows))):
        if trees(written.why(where=where(row))) != trees(hr.why(asked, where=where(row))):
            yield ["why", where(row)]
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
    sources(spark)
    seeds = [int(each) for each in SEEDS.split(":")]
    found = {}
    with hr.capture(spark, into=f"{FOLDER}/records", mode="ends") as captured:
        for seed in range(*seeds):
            dice = random.Random(seed)
            for number in range(QUERIES):
                text, steps = query(dice)
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
