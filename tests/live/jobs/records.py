"""Asks which records made results, and judges the answers by running again; prints what it found as JSON.

Its arguments are the folder of orders, and one for what it writes.
"""

import json
import random
import sys
import time
from itertools import combinations
from pathlib import Path

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr
from headwater_records_spark.forward import reaches
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.replay import is_one_of
from headwater_records_spark.values import plain

ORDERS, FOLDER = sys.argv[1:3]
NAMES = {"lp": "Lisa Paul", "ls": "Lauren Smith", "jm": "John Miller"}
TWEETS = {
    1: ("Hello @ls @jm @ls", "lp", ["ls", "jm", "ls"], 0),
    12: ("Hello World", "lp", [], 0),
    17: ("Hello World", "lp", [], 0),
    22: ("This is me @jm", "jm", ["jm"], 0),
    29: ("Hello @lp", "jm", ["lp"], 1),
}
TYPE = (
    "text string, user struct<id_str:string,name:string>, "
    "user_mentions array<struct<id_str:string,name:string>>, retweet_count int"
)


def session():
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{FOLDER}/warehouse")
        .getOrCreate()
    )


def tweets(spark):
    """The running example: thirty tweets of which five matter."""
    rows = []
    for number in range(1, 31):
        text, user, mentions, count = TWEETS.get(number, (f"other {number}", "ls", [], 5))
        rows.append((text, (user, NAMES[user]), [(each, NAMES[each]) for each in mentions], count))
    spark.createDataFrame(rows, TYPE).coalesce(1).write.parquet(f"{FOLDER}/tweets")
    return spark.read.parquet(f"{FOLDER}/tweets")


def by_user(read):
    upper = read.where("retweet_count = 0").select(
        "text", F.col("user.id_str").alias("id_str"), F.col("user.name").alias("name")
    )
    lower = read.select("text", F.explode("user_mentions").alias("m")).select("text", "m.id_str", "m.name")
    return (
        upper.union(lower)
        .select(F.col("text").alias("tweet"), F.struct("id_str", "name").alias("user"))
        .groupBy("user")
        .agg(F.collect_list(F.struct(F.col("tweet").alias("text"))).alias("tweets"))
    )


def by_position(answer):
    """Positions with each path's role and operators."""
    return {
        str(item.id[1]): {
            str(each): [each.contributes, sorted(each.accessed), sorted(each.manipulated)]
            for each in item.paths
        }
        for item in answer.items()
    }


def example(spark):
    result = by_user(tweets(spark))
    lisa = "user.id_str = 'lp'"
    two = ["user.id_str", "tweets[2].text", "tweets[3].text"]
    (where,) = {(each.source, each.id[0]) for each in hr.why(result, where=lisa, paths=two).items()}
    record = {number: {where[0]: [(where[1], number)]} for number in (2, 12, 29)}
    by_pattern = hr.why(result, 'user/id_str="lp", tweets[2..2]/text="Hello World"')
    return {
        "steps": list(by_pattern.steps.values()),
        "two": by_position(hr.why(result, where=lisa, paths=two)),
        "pattern": by_position(by_pattern),
        "fourth": by_position(hr.why(result, where=lisa, paths=["tweets[4].text"])),
        "deep": by_position(hr.why(result, '//id_str="lp", tweets[1..1]/text contains "@lp"')),
        "forward": {
            number: sorted(row["user"]["id_str"] for row in hr.forward(result, each).collect())
            for number, each in record.items()
        },
        "became": [
            [each.row["user"]["id_str"], {str(path): path.contributes for path in each.paths}]
            for each in hr.became(result, record[29])
        ],
        "why not": {number: hr.why_not(result, each) for number, each in record.items()},
        "unknown": failure(lambda: hr.why_not(result, {"elsewhere": [("a", 1)]})),
        "without": sorted(
            row["user"]["id_str"]
            for row in hr.replay(result, without=record[29]).where("size(tweets) > 3").collect()
        ),
        "none": by_position(hr.why(result, 'user/id_str="lp", tweets[3..]/text="Hello World"')),
        "bad": failure(lambda: hr.why(result, 'user/id_str="lp", tweet/text')),
    }


def failure(call):
    try:
        call()
    except (hr.RecordsError, ValueError, LookupError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def views(spark):
    sales = [f"{ORDERS}/sales_part{number}.csv" for number in (1, 2)]
    for name, columns, files in (
        ("orders", "id string, cust string, amount int", f"{ORDERS}/orders2.csv"),
        ("customers", "id string, name string", f"{ORDERS}/customers.csv"),
        ("sales", "cat string, amount int", sales),
    ):
        spark.read.schema(columns).csv(files).createOrReplaceTempView(name)
    spark.sql(
        "SELECT id, array(struct(id AS a, id * 2 AS b), struct(id + 1 AS a, null AS b)) xs,"
        " map('k', id, 'l', id + 1) m, if(id % 3 = 0, null, array(id)) ys, id % 4 g FROM range(12)"
    ).write.parquet(f"{FOLDER}/nested")
    spark.read.parquet(f"{FOLDER}/nested").createOrReplaceTempView("nested")


def rows(frame):
    return sorted(repr(plain(row)) for row in frame.collect())


def judged(frame):
    """Whether the rebuilt plan gives the same, and whether the witnesses alone do."""
    before = rows(frame)
    rebuilt = Rebuilt(frame)
    answer = hr.why(frame, check=False)
    return {
        "rows": len(before),
        "same": rows(rebuilt.frame.drop(rebuilt.made_of)) == before,
        "again": rows(hr.replay(frame, only=answer)) == before,
        "records": {
            name.split("/")[-1]: len(answer.items(name)) for name in {each.source for each in answer.items()}
        },
    }


def back_again(spark):
    """The rows of an anti join after a replay without the record that kept one of them out."""
    spark.range(4).coalesce(1).write.parquet(f"{FOLDER}/all")
    spark.range(2, 4).coalesce(1).write.parquet(f"{FOLDER}/blocked")
    blocked = spark.read.parquet(f"{FOLDER}/blocked")
    kept = spark.read.parquet(f"{FOLDER}/all").join(blocked, "id", "left_anti")
    (record,) = hr.why(blocked.where("id = 3")).items()
    return sorted(row["id"] for row in hr.replay(kept, without={record.source: [record.id]}).collect())


def over_windows(rows, count):
    """Windows over windows, of which each has two frames and goes the other way than the one below."""
    frame = rows
    for number in range(count):
        of = f"s{number - 1}" if number else "v"
        over = f"OVER (PARTITION BY g ORDER BY id {'DESC' if number % 2 else ''} RANGE BETWEEN"
        near, far = f"{over} 2 PRECEDING AND CURRENT ROW)", f"{over} 8 FOLLOWING AND 8 FOLLOWING)"
        frame = frame.selectExpr("*", f"sum({of}) {near} + coalesce(sum({of}) {far}, 0L) AS s{number}")
    return frame


def windows(spark):
    """The rows that a record reached through windows over windows, and those that are others without it."""
    path = f"{FOLDER}/numbers"
    spark.range(24).selectExpr("id", "id % 2 AS g", "id + 1 AS v").coalesce(1).write.parquet(path)
    rows = spark.read.parquet(path)
    (record,) = hr.why(rows, where="id = 9").items()
    reached = hr.forward(over_windows(rows, 2), {record.source: [record.id]}, check=False)
    after = set(over_windows(rows.where("id != 9"), 2).collect())
    others = [row.id for row in over_windows(rows, 2).collect() if row not in after]
    return [sorted(row.id for row in reached.collect()), sorted(others)]


def sizes(spark):
    """How long the condition is that finds rows, by how many windows are over each other."""
    rows = spark.read.parquet(f"{FOLDER}/numbers")
    found = {}
    for count in (2, 4):
        rebuilt = Rebuilt(over_windows(rows, count))
        condition = reaches(rebuilt.step, F.col(rebuilt.made_of), {})
        found[count] = len(str(condition))
    return found


def in_common(spark):
    """What rows have of a subquery that all of them use, and how many records are named of one and of all of them."""
    above = spark.sql("SELECT id, amount FROM orders WHERE amount > (SELECT avg(amount) FROM orders)")
    rebuilt = Rebuilt(above, once=True)
    found = rebuilt.frame.collect()
    of_one = hr.why(above, where=F.col("id") == found[0]["id"])
    return [[row[rebuilt.made_of]["r"] for row in found], len(of_one.items()), len(hr.why(above).items())]


def of_equal(spark):
    """How many ids the rows of an INTERSECT have, and how many records its two sides."""
    both = spark.sql("SELECT cat FROM sales INTERSECT SELECT cat FROM sales")
    rebuilt = Rebuilt(both)
    return [sum(map(ids_in, rebuilt.frame.collect())), 2 * spark.table("sales").count()]


def ids_in(value):
    if isinstance(value, Row) and value.__fields__ == ["f", "r"]:
        return 1
    return sum(map(ids_in, value)) if isinstance(value, Row | list) else 0


def queries(file):
    found = {}
    for part in Path(file).read_text().split("\n-- ")[1:]:
        name, query = part.split("\n", 1)
        found[name.strip()] = query.strip()
    return found


def operators(spark):
    here = Path(__file__).parent
    return {name: judged(spark.sql(query)) for name, query in queries(here / "records.sql").items()}


def frames(spark):
    """What SQL does not write: functions of the program, caches, duplicates that are dropped, lists of rows."""
    nested, sales = spark.table("nested"), spark.table("sales")
    longer = F.udf(lambda text: text + "!", "string")
    given = spark.createDataFrame([("toys", 1), ("x", 2)], "cat string, n int")
    above = sales.where("amount > (SELECT avg(amount) FROM sales)")
    found = {
        "subqueries in a union": above.unionAll(sales.where("amount < 80")),
        "udf": sales.select(longer("cat").alias("c"), "amount").where("c = 'toys!'"),
        "cached": nested.where("id > 3").cache().groupBy("g").count(),
        "duplicates": nested.select("g").dropDuplicates(["g"]),
        "rows of the program": given.join(sales, "cat").join(given.alias("again"), "cat"),
        "rows of two lists": given.select("n").union(spark.createDataFrame([(5,)], "n int")),
    }
    return {name: judged(frame) for name, frame in found.items()}


def refused(spark):
    frames = {
        "MapInPandas": spark.table("nested")
        .select("id")
        .mapInPandas(lambda parts: parts, "id long", barrier=True),
        "Shuffle": spark.createDataFrame(spark.table("nested").select("id").repartition(3).rdd, "id long"),
        "Stream": spark.readStream.format("rate").load(),
    }
    return {name: failure(lambda frame=frame: hr.why(frame)) for name, frame in frames.items()}


def other_each_time(spark):
    """Forward questions about a frame that has other rows each time: what comes of them, checked and unchecked."""
    number = F.udf(time.time_ns, "long").asNondeterministic()
    frame = spark.table("nested").select("id", number().alias("n"))
    records = hr.why(spark.table("nested").where("id = 1")).items()
    asked = {
        "forward": lambda check: hr.forward(frame, records, check=check).count(),
        "became": lambda check: len(hr.became(frame, records, check=check)),
        "why_not": lambda check: hr.why_not(frame, records, check=check),
    }
    return {name: [failure(lambda ask=ask: ask(True)), ask(False)] for name, ask in asked.items()}


def peers(spark):
    """The cases of the peer, by the values of the records that are named."""
    amounts = [420, 250, 80, 310, 190, 95, 60, 99999, 75, 110, 205, 380, 55, 70, 220, 90]

    def sales(answer):
        parts = sorted({each.id[0] for each in answer.items()})
        start = {part: (0 if "part1" in part else None) for part in parts}
        first = spark.read.csv(f"{ORDERS}/sales_part1.csv").count()
        return sorted(
            amounts[each.id[1] - 1 + (first if start[each.id[0]] is None else 0)] for each in answer.items()
        )

    total = spark.sql("SELECT cat, sum(amount) t FROM sales GROUP BY cat")
    bob = spark.sql("SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON o.cust = c.id")
    suspect = hr.why(bob, where="name = 'Bob' AND amount > 90000")
    ranked = total.selectExpr("cat", "rank() OVER (ORDER BY t DESC) r")
    rollup = spark.sql("SELECT cat, sum(amount) FROM sales GROUP BY ROLLUP (cat)")
    return {
        "electronics": sales(hr.why(total, where="cat = 'electronics'")),
        "bob": sorted(each.id[1] for each in suspect.items() if "orders2" in each.source),
        "distinct": len(hr.why(spark.sql("SELECT count(DISTINCT cat) FROM sales")).items()),
        "total": len(hr.why(rollup, where="cat IS NULL").items()),
        "rank": sales(hr.why(ranked, where="r = 1")),
    }


def minimal(spark):
    """For every row: no smaller set of records gives it (brute force), where none of them is an alternative."""
    found = {}
    for name, query, where in (
        ("join", "SELECT o.id, c.name FROM orders o JOIN customers c ON o.cust = c.id", "id = 'o8'"),
        ("sum", "SELECT cust, sum(amount) t FROM orders GROUP BY cust", "cust = 'c2'"),
        ("window", "SELECT id, lag(amount) OVER (PARTITION BY cust ORDER BY id) l FROM orders", "id = 'o4'"),
    ):
        frame = spark.sql(query)
        wanted = rows(frame.where(where))
        items = hr.why(frame, where=where).items()
        smaller = [
            size
            for size in range(len(items))
            for chosen in combinations(items, size)
            if rows(hr.replay(frame, only=list(chosen)).where(where)) == wanted
        ]
        found[name] = {"records": len(items), "smaller": smaller}
    return found


def random_pipeline(spark, dice):
    """A pipeline of two to five operators over nested records, with what they are."""
    frame, names = spark.table("nested").select("id", "xs", "ys", "g"), []
    flat = False
    for _ in range(dice.randint(2, 5)):
        choice = dice.choice(
            ["filter", "explode", "join", "union", "group", "distinct", "window", "semi", "intersect"]
        )
        names.append(choice)
        columns = [c for c, kind in frame.dtypes if kind in {"bigint", "int"}]
        one = dice.choice(columns)
        if choice == "filter":
            frame = frame.where(F.col(one) > dice.randint(0, 4))
        elif choice == "explode" and not flat:
            frame = (
                frame.select(*columns, F.explode("xs").alias("x")).select(*columns, "x.a", "x.b").distinct()
            )
            flat = True
        elif choice == "join":
            other = spark.table("nested").selectExpr(f"id AS k{len(names)}", f"g AS h{len(names)}")
            how = dice.choice(["inner", "left", "right", "full"])
            frame = frame.join(other, F.col(one) == F.col(f"h{len(names)}"), how)
        elif choice == "union":
            frame = frame.unionByName(frame.where(F.col(one) < 5))
        elif choice == "group":
            results = (F.sum(columns[0]).alias(f"s{len(names)}"), F.count("*").alias(f"n{len(names)}"))
            frame = frame.groupBy(one).agg(*results)
            flat = True
        elif choice == "distinct":
            frame = frame.distinct()
        elif choice == "window":
            total = F.expr(f"sum({one}) OVER (PARTITION BY {columns[0]} ORDER BY {one})")
            frame = frame.withColumn(f"w{len(names)}", total)
        elif choice == "semi":
            other = spark.table("nested").select(F.col("id").alias("z")).where("z % 2 = 0")
            frame = frame.join(other, F.col(one) == F.col("z"), "left_semi")
        elif choice == "intersect":
            frame = frame.intersect(frame.where(F.col(one) > 1))
    return frame, names


def pipelines(spark, count):
    """Random pipelines that were not judged well: each row alone, from its own witnesses."""
    misses = []
    for seed in range(count):
        frame, names = random_pipeline(spark, random.Random(seed))
        result = judged(frame)
        if not (result["same"] and result["again"]):
            misses.append([seed, *names])
    return misses


def many(spark):
    """Whether records are found by their numbers if there are many of them, near to each other and far."""
    dice = random.Random(3)
    ids = {(file, row) for file in (-5, 7) for row in dice.sample(range(100_000), 2_000)}
    ids |= {(7, (1 << 33) + row) for row in range(150)} | {(9, 5)}
    rows = spark.range(100_000).union(spark.range(1 << 33, (1 << 33) + 200))
    files = F.explode(F.expr("array(-5L, 7L, 9L)"))
    each = rows.select(files.alias("f"), F.col("id").alias("r")).select(F.struct("f", "r").alias("record"))
    return {tuple(row.record) for row in each.where(is_one_of(F.col("record"), ids)).collect()} == ids


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    found = {"example": example(spark)}
    views(spark)
    found["operators"] = operators(spark) | frames(spark)
    found["refused"] = refused(spark)
    found["other each time"] = other_each_time(spark)
    found["back again"] = back_again(spark)
    found["windows"], found["sizes"] = windows(spark), sizes(spark)
    found["peers"] = peers(spark)
    found["in common"], found["of equal"] = in_common(spark), of_equal(spark)
    found["minimal"] = minimal(spark)
    found["many"] = many(spark)
    found["pipelines"] = pipelines(spark, 8)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
