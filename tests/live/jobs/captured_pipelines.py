"""Pipelines to be captured, written apart from what captures them: what goes wrong easily when rows are distinguished.

Each gives a frame, and has a name. Tables are made by ``tables``: with duplicates, NULL keys, one key that has most
rows, files without rows, NaN and zeros of both signs, nested values and maps.
"""

import uuid

import pandas as pd
from pyspark.sql import Window
from pyspark.sql import functions as F

TYPE = (
    "id int, k string, v int, x double, tags array<string>, s struct<a:int,b:array<struct<c:int,d:string>>>"
)


def rows():
    """Forty rows of which every fifth is equal to the one before, and every fourth key is NULL."""
    found = []
    for number in range(40):
        each = number - 1 if number % 5 == 4 else number
        key = None if each % 4 == 3 else "hot" if each % 3 else f"k{each % 5}"
        x = [1.5, -0.0, 0.0, float("nan"), None][each % 5]
        tags = [None, [], ["a"], ["a", "a", None], ["b", "c"]][each % 5]
        nested = None if each % 7 == 0 else (each, [(each, "p"), (each + 1, None)][: each % 3])
        found.append((each, key, each * 10 % 70, x, tags, nested))
    return found


def tables(spark, folder):
    """Parquet with files that have no rows, lines of text, JSON, and partitions."""
    whole = spark.createDataFrame(rows(), TYPE)
    whole.repartition(7, "k").write.parquet(f"{folder}/t")
    whole.where("id < 0").write.mode("append").parquet(f"{folder}/t")
    keys = [("hot", 1), ("hot", 2), ("k0", 3), ("k1", 4), (None, 5), ("none", 6)]
    spark.createDataFrame(keys, "k string, w int").coalesce(1).write.option("header", "true").csv(
        f"{folder}/u"
    )
    whole.select("id", "k", "v", F.map_from_arrays(F.array("id", "v"), F.array("k", "k")).alias("m")).where(
        "id != v"
    ).repartition(3).write.parquet(f"{folder}/m")
    whole.select("id", "k", "s").coalesce(2).write.json(f"{folder}/j")
    whole.select("id", "v", F.coalesce("k", F.lit("nothing")).alias("k")).write.partitionBy("k").parquet(
        f"{folder}/p"
    )
    for name in ("t", "m", "p"):
        spark.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)
    spark.read.schema("k string, w int").option("header", "true").csv(f"{folder}/u").createOrReplaceTempView(
        "u"
    )
    spark.read.schema("id int, k string, s " + TYPE.split(" s ")[1]).json(
        f"{folder}/j"
    ).createOrReplaceTempView("j")


SQL = {
    "filter": "SELECT * FROM t WHERE v > 20",
    "computed": "SELECT id + v AS y, upper(k) AS k, coalesce(x, 0) AS x FROM t",
    "duplicates stay": "SELECT k, v FROM t",
    "null-safe join": "SELECT t.id, u.w FROM t JOIN u ON t.k <=> u.k",
    "skewed join": "SELECT t.id, u.w, t.s FROM t JOIN u ON t.k = u.k",
    "self join": "SELECT a.id, b.id AS other FROM t a JOIN t b ON a.v = b.v AND a.id < b.id",
    "cross join": "SELECT u.w, z.w AS w2 FROM u CROSS JOIN u z WHERE u.w < z.w",
    "left outer": "SELECT t.id, u.w FROM t LEFT JOIN u ON t.k = u.k AND u.w > 1",
    "full outer": "SELECT t.id, u.w FROM t FULL JOIN u ON t.k = u.k",
    "semi": "SELECT * FROM t WHERE k IN (SELECT k FROM u)",
    "anti": "SELECT id, k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
    "existence": "SELECT id FROM t WHERE v > 50 OR k IN (SELECT k FROM u WHERE w < 3)",
    "scalar": "SELECT id FROM t WHERE v = (SELECT max(v) FROM t)",
    "correlated": "SELECT id, (SELECT max(w) FROM u WHERE u.k = t.k) AS most FROM t",
    "same source twice": "SELECT id, v FROM t UNION ALL SELECT id, v FROM t",
    "union of three": "SELECT k FROM t UNION ALL SELECT k FROM u UNION ALL SELECT k FROM j",
    "union distinct": "SELECT k FROM t UNION SELECT k FROM u",
    "intersect all": "SELECT k FROM t INTERSECT ALL SELECT k FROM u",
    "except all": "SELECT k, v FROM t EXCEPT ALL SELECT k, v FROM t WHERE v < 30",
    "except": "SELECT v FROM t EXCEPT SELECT w FROM u",
    "group": "SELECT k, sum(v) AS s, count(*) AS n, max(x) AS x FROM t GROUP BY k",
    "doubles": "SELECT k, sum(v * 0.1D) AS s, avg(x) AS a, stddev(v) AS d FROM t GROUP BY k",
    "doubles in an order": "SELECT k, avg(v * 0.1D) AS a FROM t GROUP BY k ORDER BY a DESC LIMIT 2",
    "having": "SELECT v, count(DISTINCT k) AS n FROM t GROUP BY v HAVING count(*) > 3",
    "group of NaN and zeros": "SELECT x, count(*) AS n FROM t GROUP BY x",
    "group of groups": "SELECT n, count(*) AS m FROM (SELECT k, count(*) AS n FROM t GROUP BY k) GROUP BY n",
    "whole": "SELECT count(*) AS n, sum(v) AS s FROM t",
    "whole of nothing": "SELECT count(*) AS n, sum(v) AS s FROM t WHERE id < 0",
    "nothing": "SELECT k, count(*) AS n FROM t WHERE id < 0 GROUP BY k",
    "join of a group of nothing": (
        "SELECT u.w, e.n FROM u LEFT JOIN (SELECT count(*) AS n FROM t WHERE id < 0) e ON u.w > 3"
    ),
    "rollup": "SELECT k, v, count(*) AS n FROM t GROUP BY ROLLUP (k, v)",
    "cube": "SELECT k, v, sum(id) AS n FROM t WHERE v < 30 GROUP BY CUBE (k, v)",
    "pivot": "SELECT * FROM (SELECT k, v, id FROM t) PIVOT (count(id) FOR v IN (0, 10, 20))",
    "filtered aggregate": "SELECT k, sum(v) FILTER (WHERE id > 10) AS s FROM t GROUP BY k",
    "explode": "SELECT id, tag FROM t LATERAL VIEW explode(tags) AS tag",
    "outer with position": "SELECT id, p, tag FROM t LATERAL VIEW OUTER posexplode(tags) AS p, tag",
    "inline": "SELECT id, c, d FROM t LATERAL VIEW inline(s.b) AS c, d",
    "map": "SELECT id, key, value FROM m LATERAL VIEW explode(m) AS key, value",
    "map as it is": "SELECT id, m FROM m",
    "explode and group": "SELECT tag, count(*) AS n FROM t LATERAL VIEW explode(tags) AS tag GROUP BY tag",
    "window": "SELECT id, v, sum(v) OVER (PARTITION BY k ORDER BY id, v ROWS 2 PRECEDING) AS s FROM t",
    "window of ranks": "SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM t",
    "window over a group": (
        "SELECT k, n, sum(n) OVER (ORDER BY k) AS s FROM (SELECT k, count(*) AS n FROM t GROUP BY k)"
    ),
    "sort and limit": "SELECT * FROM (SELECT id, v FROM p ORDER BY id DESC, v LIMIT 7)",
    "partitions": "SELECT id, k FROM p WHERE k != 'hot'",
    "lines of text": "SELECT k, w FROM u WHERE w > 1",
    "nested lines": "SELECT k, s.b[0].c AS c FROM j WHERE s IS NOT NULL",
    "common table": (
        "WITH c AS (SELECT k, max(v) AS v FROM t GROUP BY k) SELECT a.v, b.k FROM c a JOIN c b ON a.v = b.v"
    ),
    "range": "SELECT t.v, r.id AS r FROM t JOIN range(50) r ON t.id = r.id",
    "stack": "SELECT id, a, b FROM t LATERAL VIEW OUTER stack(2, v, k, id + 1) AS a, b WHERE id > 20",
    "group of a stack": "SELECT y, count(*) AS n FROM (SELECT stack(3, v, id, NULL) AS y FROM t) GROUP BY y",
    "json_tuple": "SELECT id, a, b FROM t LATERAL VIEW json_tuple(to_json(struct(k, s)), 'k', 's') AS a, b",
    "without a source": "SELECT 1 AS one UNION ALL SELECT 1",
}


def of_partitions(t):
    """What functions of partitions make; they stand in here, as workers of Python do not find this module."""

    def running(parts):
        total = 0
        for part in parts:
            part["total"] = part["v"].cumsum() + total
            total += int(part["v"].sum())
            yield part[["total", "id", "x"]]

    def ends(parts):
        for part in parts:
            yield part.slice(0, 1)
            yield part.slice(len(part) - 1)

    def as_one(parts):
        found = [part for part in parts if len(part)]
        if found:
            yield pd.DataFrame([[sum(map(len, found)), max(part["id"].max() for part in found)]])

    def counted(parts):
        yield pd.DataFrame([[sum(map(len, parts))]])

    return {
        "rows of empty partitions": t.select("id").where("id < 12").mapInPandas(counted, "n int"),
        "partitions in pandas": t.select("id", "v", "x")
        .where("v > 0")
        .mapInPandas(running, "id int, total int, x double")
        .where("total > 90"),
        "partitions in Arrow": t.select("k", "id").mapInArrow(ends, "k string, id int"),
        "group of partitions": t.select("id")
        .repartition(3, "id")
        .mapInPandas(as_one, "n int, most int")
        .groupBy("n")
        .agg(F.max("most").alias("most")),
    }


def in_arrow(t):
    """Groups as tables of Arrow, which Spark has since its line 4."""
    grouped = t.select("k", "v", "id").groupBy("k")
    if not hasattr(grouped, "applyInArrow"):
        return {}
    return {
        "groups in Arrow": grouped.applyInArrow(
            lambda key, table: table.select(["id", "v"]).slice(1), "id int, v int"
        ),
        "cogroups in Arrow": grouped.cogroup(t.select("k", "v").where("v < 30").groupBy("k")).applyInArrow(
            lambda left, right: left.select(["id", "v"]) if len(right) else left.select(["id", "v"]).slice(2),
            "id int, v int",
        ),
    }


def programs(spark):
    """What SQL does not write."""
    t = spark.table("t")
    u = spark.table("u")

    def middle(values: pd.Series) -> float:
        return values.median()

    median = F.pandas_udf(middle, "double")
    text = F.udf(lambda number: None if number % 7 == 0 else f"n{number}", "string")
    listed = t.where("k IS NOT NULL").repartition(1).sortWithinPartitions("id", "v")
    return {
        "function": t.select(text("id").alias("n"), "v"),
        "broadcast": t.join(F.broadcast(u), "k").select("id", "w"),
        "merged": t.hint("merge").join(u.hint("merge"), "k", "right").select("id", "w"),
        "coalesced": t.repartition(9, "id").where("v > 0").coalesce(2),
        "dropped duplicates": t.dropDuplicates(["v"]).select("v"),
        "cached": t.where("v > 20").cache().groupBy("v").count(),
        "with replacement": t.sample(withReplacement=True, fraction=1.5, seed=3)
        .join(u, "k", "semi")
        .select("id", "k"),
        "Python aggregate": t.groupBy("k").agg(median(F.col("v").cast("double")).alias("m")).where("k > 'a'"),
        "groups in pandas": t.select("id", "v", "k")
        .groupBy("k", (F.col("v") % 3).alias("third"))
        .applyInPandas(lambda key, group: group.sort_values("id").iloc[:2, :2], "id int, v int")
        .where("id > 3"),
        "positions in pandas": t.groupBy("v").applyInPandas(
            lambda group: pd.DataFrame([[group["id"].max(), len(group)]]), "most int, n int"
        ),
        "cogroups in pandas": t.select("id", "v", "k")
        .groupBy("k")
        .cogroup(u.groupBy("k"))
        .applyInPandas(
            lambda left, right: pd.DataFrame(
                {"most": [left["v"].max() if len(left) else -1], "n": [len(right)]}
            ),
            "most int, n int",
        ),
        "cogroups with a key in pandas": u.groupBy("k")
        .cogroup(t.select("k", "id").where("id < 9").groupBy("k"))
        .applyInPandas(
            lambda key, left, right: pd.DataFrame(
                {"k": list(key) * len(left), "w": list(left["w"]), "n": len(right)}
            ),
            "k string, w int, n int",
        )
        .where("w > 1"),
        **of_partitions(t),
        **in_arrow(t),
        "sampled": t.sample(fraction=0.5, seed=3).select("id"),
        "collected": listed.groupBy("v").agg(F.collect_list("id").alias("l"), F.collect_set("k").alias("e")),
        "collected structs": listed.groupBy("k").agg(F.collect_list(F.struct("id", "s")).alias("l")),
        "own rows": spark.createDataFrame([("hot", 1), ("hot", 1), (None, 2)], "k string, n int")
        .join(t, "k")
        .select("n", "id"),
        "two windows": t.select(
            "id",
            F.lag("v").over(Window.partitionBy("k").orderBy("id", "v")).alias("l"),
            F.count("*").over(Window.partitionBy("v")).alias("n"),
        ),
    }


def refused(spark):
    """What cannot be traced, or gives other rows each time."""
    t = spark.table("t")
    chance = F.udf(lambda: str(uuid.uuid4()), "string").asNondeterministic()
    return {
        "barrier": t.select("id").repartition(1).mapInPandas(lambda parts: parts, "id int", barrier=True),
        "shuffled rows": spark.createDataFrame(t.select("id").repartition(3).rdd, "id int"),
        "by chance": t.select(chance().alias("u"), "id"),
    }
