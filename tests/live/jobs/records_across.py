"""Random chains of jobs that are captured in every mode, and judged by running them again; prints what is wrong.

Its arguments are a folder and the seeds, as ``0:3``. A chain reads two sources and what its earlier jobs wrote, of
which some is appended to or overwritten. Of a row of an output, the chain runs again from the records that ``origins``
names alone: the row has to come again. A record of a source is taken out: the rows of outputs that are gone by that
have to be among its ``descendants``.
"""

import json
import random
import sys
import time
from collections import Counter

from captured_records import session
from pyspark.sql import Window
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER, SEEDS = sys.argv[1:3]
MODES = ("demand", "ends", "full")
COLUMNS = "k string, v long, tags array<string>"


def sources(dice):
    """Rows by source, which are written in this order into one file each."""
    rows = [
        (dice.choice("abc"), dice.randint(0, 9), [dice.choice("xyz") for _ in range(dice.randint(0, 3))])
        for _ in range(dice.randint(4, 12))
    ]
    return {"facts": rows, "names": [(key, number, []) for number, key in enumerate("abcb")]}


def with_names(frame, other, dice):
    names = other.select("k", F.col("v").alias("more"))
    return frame.join(names, "k", dice.choice(["inner", "left"])).selectExpr(
        "k", "v + coalesce(more, 0) AS v", "tags"
    )


def grouped(frame, other, dice):
    tags = F.sort_array(F.flatten(F.collect_list("tags"))).alias("tags")
    return frame.groupBy("k").agg(F.sum("v").alias("v"), tags)


def ranked(frame, other, dice):
    rank = F.rank().over(Window.partitionBy("k").orderBy("v"))
    return frame.select("k", (F.col("v") + rank).alias("v"), "tags")


STEPS = {
    "filter": lambda frame, other, dice: frame.where(F.col("v") % 3 != dice.randint(0, 2)),
    "names": with_names,
    "group": grouped,
    "flatten": lambda frame, other, dice: frame.select("k", "v", F.explode_outer("tags").alias("t")).selectExpr(
        "k", "v", "array(t) AS tags"
    ),
    "union": lambda frame, other, dice: frame.union(other),
    "semi": lambda frame, other, dice: frame.join(other.select("k"), "k", "left_semi"),
    "distinct": lambda frame, other, dice: frame.distinct(),
    "rank": ranked,
    "select": lambda frame, other, dice: frame.selectExpr("upper(k) AS k", "v", "tags").selectExpr(
        "lower(k) AS k", "v * 2 AS v", "tags"
    ),
}  # fmt: skip


def jobs(dice):
    """What each job does, with the names of what it reads and writes."""
    there, found = ["facts", "names"], []
    for number in range(dice.randint(2, 4)):
        reads = [dice.choice(there[-2:]), dice.choice(there)]
        steps = dice.sample(list(STEPS), dice.randint(1, 2))
        outputs = [each for each in there if each.startswith("out") and each not in reads]
        again = bool(outputs) and dice.random() < 0.4
        output = dice.choice(outputs) if again else f"out{number}"
        mode = dice.choice(["append", "overwrite"]) if again else "error"
        found.append((steps, reads, output, mode, dice.randint(0, 99)))
        there = [each for each in there if each != output] + [output]
    return found


def store(spark, folder, rows):
    """Write the sources."""
    for name, some in rows.items():
        spark.createDataFrame(some, COLUMNS).coalesce(1).write.parquet(f"{folder}/{name}")


def run(spark, folder, plan):
    """Run the jobs."""
    for steps, reads, output, mode, seed in plan:
        frame, other = (spark.read.schema(COLUMNS).parquet(f"{folder}/{each}") for each in reads)
        for step in steps:
            frame = STEPS[step](frame, other, random.Random(seed))
        frame.write.mode(mode).parquet(f"{folder}/{output}")


def run_again(spark, folder, rows, plan):
    """Run them over other sources, in a folder of their own."""
    store(spark, folder, rows)
    run(spark, folder, plan)


def captured(spark, folder, rows, plan, mode):
    """Run them while they are captured."""
    store(spark, folder, rows)
    with hr.capture(spark, into=f"{folder}/records", mode=mode) as capture:
        run(spark, folder, plan)
    refused = [each.refused for each in capture.runs if each.refused]
    assert not refused, refused
    FRAMES[folder] = capture.frames


FRAMES = {}
"""The frames of captured writes by folder, as the mode ``demand`` needs them."""


def plain(row):
    return json.dumps([row["k"], row["v"], sorted(each or "" for each in row["tags"] or ())])


def contents(spark, folder, outputs):
    return {
        name: Counter(map(plain, spark.read.schema(COLUMNS).parquet(f"{folder}/{name}").collect()))
        for name in outputs
    }


def positions(items):
    """By source the positions of records, from 1."""
    found = {"facts": set(), "names": set()}
    for source, (_, position) in items:
        found[source.rpartition("/")[2]].add(position)
    return found


def kept(rows, positions):
    return {
        name: [row for number, row in enumerate(some, 1) if number in positions[name]]
        for name, some in rows.items()
    }


def judged_origins(spark, folder, mode, rows, plan, before, dice):
    """What is wrong with the origins of a row of the last output."""
    output = plan[-1][2]
    if not before[output]:
        return [], 0
    row = dice.choice(spark.read.schema(COLUMNS).parquet(f"{folder}/{output}").collect())
    where = F.lit(True)
    for name in ("k", "v", "tags"):
        where &= F.col(name).eqNullSafe(F.lit(row[name]))
    asked = hr.written(spark, f"{folder}/{output}", records=f"{folder}/records")
    asked.frames = FRAMES[folder]
    found = hr.origins(asked, where=where)
    if found.unknown:
        return ([] if mode == "demand" else [f"{mode}: unknown {found.unknown}"]), 1
    strange = {item.source for item in found.sources.items()} - {f"file:{folder}/{name}" for name in rows}
    if strange:
        return [f"{mode}: {strange} is no source"], 0
    again = f"{folder}-{mode}-origins"
    run_again(
        spark, again, kept(rows, positions((item.source, item.id) for item in found.sources.items())), plan
    )
    after = contents(spark, again, [output])[output]
    wanted = before[output][plain(row)]
    return (
        []
        if after[plain(row)] == wanted
        else [f"{mode}: {plain(row)} came {after[plain(row)]} of {wanted} times"]
    ), 0


def judged_descendants(spark, folder, mode, rows, plan, before, dice):
    """What is wrong with what became of a record."""
    name = dice.choice(["facts", "facts", "names"])
    position = dice.randint(1, len(rows[name]))
    path = spark.read.parquet(f"{folder}/{name}").select("_metadata.file_path").first()[0]
    found = hr.descendants(spark, {name: [(path, position)]}, records=[f"{folder}/records"])
    listed = {output: Counter() for output in before}
    there = {(each.file.rpartition("/")[2], each.position) for each in found.found if each.there}
    for output in before:
        read = spark.read.schema(COLUMNS).parquet(f"{folder}/{output}")
        for row in read.select("*", "_metadata.file_name", "_metadata.row_index").collect():
            if (row["file_name"], row["row_index"] + 1) in there:
                listed[output][plain(row)] += 1
    left = {each: list(some) for each, some in rows.items()}
    del left[name][position - 1]
    again = f"{folder}-{mode}-without"
    run_again(spark, again, left, plan)
    after = contents(spark, again, before)
    unknown = {each.rpartition("/")[2] for each in found.unknown}
    wrong = []
    for output, some in before.items():
        gone = some - after[output]
        if gone - listed[output] and output not in unknown:
            wrong.append(f"{mode}: of {name} {position}, {gone - listed[output]} in {output} are not listed")
    if unknown and mode != "demand":
        wrong.append(f"{mode}: unknown {found.unknown}")
    return wrong, len(unknown)


def judged(spark, seed):
    """What is wrong with a chain, and how often something was not known."""
    wrong, unknown = [], 0
    plan, rows = jobs(random.Random(seed)), sources(random.Random(seed))
    for mode in MODES:
        folder = f"{FOLDER}/{seed}/{mode}"
        captured(spark, folder, rows, plan, mode)
        before = contents(spark, folder, sorted({output for _, _, output, _, _ in plan}))
        for judge in (judged_origins, judged_descendants):
            found, count = judge(spark, folder, mode, rows, plan, before, random.Random(seed))
            wrong += found
            unknown += count
    return wrong, unknown


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    first, last = map(int, SEEDS.split(":"))
    found = {}
    for seed in range(first, last):
        start = time.monotonic()
        found[seed] = judged(spark, seed)
        print(seed, round(time.monotonic() - start, 1), found[seed], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
