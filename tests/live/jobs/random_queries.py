"""Random queries over two small sources. Each step takes rows of an ``id``, a key ``k``
and a value ``v``, and gives such.

Steps follow on each other in any order. What an ``id`` is made of can be seen in it.
"""

PARTITIONS = ("PARTITION BY k", "PARTITION BY v", "")
SHARES = ("ntile(3)", "cume_dist()", "percent_rank()", "first_value(v)", "nth_value(v, 2)")


def write_sources(spark, folder):
    """Records in several files; of some the value is NULL, and each has a list of other length."""
    rows = [
        (f"left-{n}", n % 5, None if n % 4 == 0 else float(n % 9), [f"{n}-{m}" for m in range(n % 3)])
        for n in range(40)
    ]
    spark.createDataFrame(rows, "id string, k int, v double, parts array<string>").repartition(
        3
    ).write.parquet(f"{folder}/facts")
    names = [(f"right-{n}", n % 6, float(n % 7)) for n in range(14)]
    spark.createDataFrame(names, "id string, k int, v double").coalesce(1).write.parquet(f"{folder}/names")
    for name in ("facts", "names"):
        spark.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)


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
"""What writes are tried with, by name."""

MORE_STEPS = {
    "outer": lambda t, dice: (
        f"SELECT concat_ws('&', a.id, b.id) AS id, coalesce(a.k, b.k) AS k, coalesce(b.v, a.v) AS v FROM {t} a"
        f" {dice.choice(['LEFT', 'RIGHT', 'FULL'])} JOIN names b ON a.k = b.k AND b.v > {dice.randint(0, 5)}"
    ),
    "below": lambda t, dice: (
        f"SELECT concat(a.id, '<', b.id) AS id, a.k, b.v FROM {t} a JOIN names b ON a.v < b.v AND a.k > b.k"
    ),
    "with itself": lambda t, dice: (
        f"WITH c AS {t} SELECT concat(a.id, '/', b.id) AS id, a.k, a.v + b.v AS v FROM c a JOIN c b"
        " ON a.v = b.v AND a.id < b.id"
    ),
    "exists": lambda t, dice: (
        f"SELECT * FROM {t} a WHERE {dice.choice(['', 'NOT '])}EXISTS"
        f" (SELECT 1 FROM names b WHERE b.k = a.k AND b.v {dice.choice(['<', '=', '>'])} a.v)"
    ),
    "not in": lambda t, dice: f"SELECT * FROM {t} WHERE v NOT IN (SELECT v FROM names WHERE k < 3)",
    "or in": lambda t, dice: (
        f"SELECT * FROM {t} WHERE v IN (SELECT v FROM names WHERE k > {dice.randint(1, 4)}) OR k = 1"
    ),
    "set operation": lambda t, dice: (
        f"SELECT id, k, v FROM {t} {dice.choice(['EXCEPT', 'EXCEPT ALL', 'INTERSECT', 'INTERSECT ALL', 'UNION'])}"
        f" SELECT id, k, v FROM facts WHERE k < {dice.randint(1, 4)}"
    ),
    "above the mean": lambda t, dice: f"SELECT * FROM {t} WHERE v >= (SELECT avg(v) FROM names WHERE k < 4)",
    "greatest": lambda t, dice: (
        f"SELECT id, k, (SELECT max(v) FROM names b WHERE b.k = a.k) + coalesce(v, 0) AS v FROM {t} a"
    ),
    "rollup": lambda t, dice: (
        f"SELECT min(id) AS id, k, count(v) + 0.0D AS v FROM {t}"
        f" GROUP BY {dice.choice(['ROLLUP (k, v)', 'CUBE (k, v)', 'GROUPING SETS ((k), (v), ())'])}"
    ),
    "having": lambda t, dice: (
        f"SELECT max(id) AS id, k, sum(v) AS v FROM {t} GROUP BY k HAVING count(*) > {dice.randint(1, 6)}"
    ),
    "pivot": lambda t, dice: (
        f"SELECT id, x AS k, y AS v FROM (SELECT * FROM (SELECT id, k, v FROM {t}) PIVOT (max(v) FOR k IN (0, 1, 2)))"
        " LATERAL VIEW stack(3, 0, `0`, 1, `1`, 2, `2`) AS x, y WHERE y IS NOT NULL"
    ),
    "best": lambda t, dice: (
        f"SELECT s.id, k, s.v FROM (SELECT k, {dice.choice(['max', 'min'])}(struct(v, id)) AS s FROM {t} GROUP BY k)"
    ),
    "by another": lambda t, dice: (
        f"SELECT {dice.choice(['max_by', 'min_by'])}(id, coalesce(v, -1)) AS id, k, percentile(v, 0.5) AS v"
        f" FROM {t} GROUP BY k"
    ),
    "filtered aggregate": lambda t, dice: (
        f"SELECT min(id) FILTER (WHERE v > {dice.randint(1, 5)}) AS id, k, 0.0D + count(DISTINCT v) AS v FROM {t}"
        " GROUP BY k"
    ),
    "first": lambda t, dice: f"SELECT * FROM {t} ORDER BY v NULLS LAST, id, k LIMIT {dice.randint(1, 12)}",
    "by place": lambda t, dice: (
        f"SELECT concat(id, ':', p) AS id, k, e AS v FROM {t}"
        " LATERAL VIEW posexplode(array(v, v + k, k + 0.0D)) AS p, e"
    ),
    "by key": lambda t, dice: (
        f"SELECT concat(id, m) AS id, k, e AS v FROM {t} LATERAL VIEW explode(map('one', v, 'two', k + 0.5D)) AS m, e"
    ),
    "nested": lambda t, dice: (
        "SELECT e.id, k, e.v FROM (SELECT k, array_sort(collect_list(named_struct('id', id, 'v', v))) AS l"
        f" FROM {t} GROUP BY k) LATERAL VIEW explode(filter(l, x -> x.v > {dice.randint(0, 4)})) AS e"
    ),
    "by json": lambda t, dice: (
        "SELECT get_json_object(j, '$.id') AS id, k, CAST(get_json_object(j, '$.v') AS double) AS v"
        f" FROM (SELECT k, to_json(struct(id, v)) AS j FROM {t})"
    ),
    "branch": lambda t, dice: (
        f"SELECT CASE WHEN v > {dice.randint(1, 5)} THEN concat(id, '!') ELSE id END AS id, k,"
        f" if(k = {dice.randint(0, 4)}, NULL, v) AS v FROM {t}"
    ),
    "in range": lambda t, dice: (
        f"SELECT id, k, sum(v) OVER ({dice.choice(PARTITIONS)} ORDER BY k RANGE BETWEEN {dice.randint(0, 2)} PRECEDING"
        f" AND {dice.randint(0, 1)} FOLLOWING) AS v FROM {t}"
    ),
    "share": lambda t, dice: (
        f"SELECT id, k, 0.0D + {dice.choice(SHARES)} OVER ({dice.choice(PARTITIONS)} ORDER BY v, id, k) AS v FROM {t}"
    ),
    "lateral": lambda t, dice: (
        f"SELECT concat(a.id, b.n) AS id, a.k, a.v FROM {t} a,"
        " LATERAL (SELECT count(*) AS n FROM names c WHERE c.k = a.k) b"
    ),
}
"""What questions about frames are tried with besides."""


def query(dice, steps):
    """A query of one to three of these steps, and their names."""
    names = [dice.choice(sorted(steps)) for _ in range(dice.randint(1, 3))]
    text = first(dice)
    for name in names:
        text = steps[name](f"({text})", dice)
    return text, names


def condition(row):
    """What only rows meet that are equal to this one."""
    texts = {name: "NULL" if row[name] is None else repr(row[name]) for name in ("id", "k", "v")}
    return " AND ".join(f"{name} <=> {text}" for name, text in texts.items())
