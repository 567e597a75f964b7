"""Random queries over groups with sums of doubles, captured; judged by what Python adds up itself. Prints JSON.

The rows are those that pyarrow reads, each with a token, and the groups are made of them by Python. A row of an output
has to be made of one group, and of all of it: the one of its key, or, where the key is not written, one whose exact sum
is as near to the written value as additions in any order can be. Where two groups are that near, and the values that
were written differ, none may have been kept. Its arguments are a folder, the first seed, and how many.
"""

import json
import math
import random
import sys
import warnings
from fractions import Fraction
from itertools import combinations

import pyarrow.parquet as pq
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr
from headwater_records_spark.captured.carried import carrying

FOLDER, FIRST, MANY = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
UNIT = 2.0**-53
LARGEST = 2**1023
PALETTES = {
    "far": [0.1, 0.2, 0.3, 1e16, -1e16, 3.7, 1e-3, None],
    "near": [0.1, 0.2, 0.3, 0.6],
    "odd": [0.1, float("nan"), float("inf"), -0.0, 0.7, None],
    "negative": [-0.1, -0.7, float("-inf"), 0.0, -0.0],
    "whole": [1.0, 2.0, -3.0, 5.0],
    "huge": [1e308, -1e308, 8e307, 0.1],
}
VALUES = {
    "sum": "sum(x)",
    "avg": "avg(x)",
    "spread": "stddev_pop(x)",
    "sample": "var_samp(x)",
    "times": "sum(x) * -1.19 + 2",
    "share": "sum(x) / count(*)",
    "rounded": "round(sum(x), 1)",
    "short": "cast(sum(x) AS float)",
    "text": "cast(sum(x) AS string)",
    "sums": "sum(s)",
    "most": "max(s)",
    "some": "sum(x) FILTER (WHERE x < 1)",
    "once": "sum(DISTINCT x)",
    "skew": "skewness(x)",
    "branch": "CASE WHEN sum(x) > 1 THEN 'more' ELSE 'less' END",
    "root": "coalesce(avg(x), -1)",
}
SHAPES = [
    "plain",
    "plain",
    "having",
    "at the edge",
    "first",
    "ranked",
    "joined",
    "twice",
    "by the sum",
    "above",
]


def session():
    """Groups that collect something are sorted after the first, so that they add up in another order."""
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", "1")
        .getOrCreate()
    )


def table(spark, dice, place):
    """Rows in several files, and the groups of them: by key the values and the tokens."""
    kinds = dice.sample(sorted(PALETTES), 2)
    rows = []
    for number in range(dice.choice([40, 120])):
        group = dice.randrange(dice.choice([2, 5]))
        palette = PALETTES[kinds[group % 2]]
        rows.append((f"t{number}", f"k{group}", dice.choice(palette), dice.randrange(3)))
    frame = spark.createDataFrame(rows, "token string, k string, x double, part int")
    frame.repartition(dice.choice([3, 8])).write.parquet(place)
    spark.read.parquet(place).createOrReplaceTempView("t")
    spark.conf.set("spark.sql.shuffle.partitions", dice.choice([1, 3, 7]))
    groups = {}
    for token, key, x, _ in rows:
        groups.setdefault(key, ([], set()))
        groups[key][0].append(x)
        groups[key][1].add(token)
    return groups


def query(dice, groups):
    """A query, and what it consists of."""
    value, keyed, shape = dice.choice(sorted(VALUES)), dice.random() < 0.6, dice.choice(SHAPES)
    source = "t" if value not in {"sums", "most"} else "(SELECT k, part, sum(x) AS s FROM t GROUP BY k, part)"
    text = f"SELECT k, {VALUES[value]} AS s FROM {source} GROUP BY k"
    sums = [total(values) for values, _ in groups.values()]
    edge = dice.choice(sums) if shape == "at the edge" else dice.choice([0.35, 10, -5, 1e17])
    edge = edge if math.isfinite(edge) else 1.0
    key = "k, " if keyed else ""
    number = value not in {"text", "branch"}
    shaped = {
        "having": f"SELECT {key}s FROM ({text}) WHERE s > {edge}D",
        "at the edge": f"SELECT {key}s FROM ({text}) WHERE s >= {edge!r}D AND s IS NOT NULL",
        "first": f"SELECT {key}s FROM ({text}) ORDER BY s DESC, k LIMIT {dice.choice([1, 2, 3])}",
        "ranked": f"SELECT {key}s FROM (SELECT *, rank() OVER (ORDER BY s DESC) AS place FROM ({text}))"
        " WHERE place < 3",
        "joined": f"SELECT {key}s FROM ({text}) JOIN (SELECT DISTINCT k AS k2 FROM t) ON k = k2 AND s < {edge}D",
        "by the sum": f"SELECT s, count(*) AS n FROM ({text}) GROUP BY s",
        "above": f"SELECT {key}s FROM ({text}) WHERE s > (SELECT avg(x) FROM t WHERE x < 1)",
    }
    if shape in shaped and number:
        return shaped[shape], (value, keyed and shape != "by the sum", shape)
    if shape == "twice":
        return f"SELECT {key}s FROM ({text}) UNION ALL SELECT {key}s FROM ({text})", (value, keyed, shape)
    return f"SELECT {key}s FROM ({text})", (value, keyed, "plain")


def total(values):
    """The sum of what is finite and there."""
    exact = sum((Fraction(each) for each in values if each is not None and math.isfinite(each)), Fraction(0))
    return float(exact) if abs(exact) < LARGEST else math.inf


def near(value, values):
    """Whether additions of these values in some order may give the value of a plain sum; None is not."""
    there = [each for each in values if each is not None]
    if value is None or not there:
        return value is None and not there
    if sum(abs(each) for each in there if math.isfinite(each)) > 1e308:
        return True
    odd = [each for each in there if not math.isfinite(each)]
    if odd or not math.isfinite(value):
        return repr(sum(odd) + 0.0) == repr(value) if odd else False
    size = math.fsum(map(abs, there))
    return abs(value - total(there)) <= 2 * len(there) * UNIT * size


def leaves(derivation):
    """The ids of sources in a derivation."""
    if isinstance(derivation, Row) and set(derivation.__fields__) == {"f", "r"}:
        yield derivation["f"], derivation["r"]
    elif isinstance(derivation, (Row, list)):
        for each in derivation:
            yield from leaves(each)


def kept(spark, run, place):
    """Each row that was written, with the tokens of the records that it was made of."""
    tokens = {}
    for source in run.sources.values():
        for number, file in source["files"].items():
            rows = pq.read_table(file.removeprefix("file:"), columns=["token"]).column("token").to_pylist()
            tokens.update({(int(number), row): token for row, token in enumerate(rows)})
    folder = f"{FOLDER}/records/{run.run}/records"
    written = spark.read.parquet(place).select(
        "*", F.xxhash64("_metadata.file_path").alias("f"), F.col("_metadata.row_index").alias("r")
    )
    made_of = {(row["f"], row["r"]): row["d"] for row in spark.read.parquet(folder).collect()}
    return [
        (row.asDict(), {tokens[each] for each in leaves(made_of[row["f"], row["r"]])})
        for row in written.collect()
    ]


def wrong(found, groups, about):
    """What is wrong with the records of a run that was kept."""
    value, keyed, shape = about
    sets = {key: tokens for key, (_, tokens) in groups.items()}
    if shape in {"above", "by the sum"}:
        return []
    if shape == "ranked":
        # also those that were ranked before it
        return [
            f"{row} is made of a part of a group"
            for row, tokens in found
            if any(tokens & each and not each <= tokens for each in sets.values())
            or not sets.get(row.get("k"), set()) <= tokens
        ]
    for row, tokens in found:
        if keyed and tokens != sets[row["k"]] and shape != "joined":
            return [f"{row['k']} is made of {sorted(tokens ^ sets[row['k']])} more or less"]
        if shape == "joined" and keyed and not tokens <= sets[row["k"]]:
            return [f"{row['k']} is made of others"]
        if not keyed and tokens not in sets.values():
            return [f"{row['s']} is made of no group: {sorted(tokens)}"]
    if keyed or value != "sum":
        return []
    candidates = [
        ({key for key, (values, _) in groups.items() if near(row["s"], values)}, row["s"]) for row, _ in found
    ]
    problems = []
    for (row, tokens), (keys, _) in zip(found, candidates, strict=True):
        if not any(tokens == sets[key] for key in keys):
            problems.append(f"{row['s']} cannot be the sum of {sorted(tokens)}")
    if shape != "twice":
        problems += [
            f"{one} and {other} were distinguished"
            for (keys, one), (others, other) in combinations(candidates, 2)
            if len(keys & others) > 1 and repr(one) != repr(other)
        ]
    return problems


def judged(spark, seed):
    dice = random.Random(seed)
    groups = table(spark, dice, f"{FOLDER}/t{seed}")
    text, about = query(dice, groups)
    place = f"{FOLDER}/o{seed}"
    frame = spark.sql(text)
    with hr.capture(spark, into=f"{FOLDER}/records", mode="ends") as captured:
        frame.write.parquet(place)
    (run,) = captured.runs
    found = {"about": about, "refused": run.refused, "query": text}
    if (
        about[1]
        and about[2] in {"plain", "having", "at the edge", "first"}
        and about[0] not in {"sums", "most"}
    ):
        on_demand, found["not on demand"] = demanded(spark, frame, groups, f"{place}_demanded")
        if on_demand:
            return found | {"wrong": on_demand}
    if run.refused:
        return found | {"wrong": [] if run.code == "unrepeatable" else [run.refused]}
    rows = kept(spark, run, place)
    again = rebuilt_values(frame)
    problems = wrong(rows, groups, about)
    if len(rows) != run.rows["records"]:
        problems.append(f"{len(rows)} rows, {run.rows['records']} records")
    return found | {"wrong": problems, "rounded": again != sorted(repr(row["s"]) for row, _ in rows)}


def demanded(spark, frame, groups, place):
    """What is wrong with the answer about rows that have one written value, where nothing was kept but the inputs."""
    with hr.capture(spark, into=f"{FOLDER}/demanded", mode="demand") as captured:
        frame.write.parquet(place)
    rows = spark.read.parquet(place).collect()
    if not rows:
        return [], False
    value = rows[0]["s"]
    try:
        answer = captured.written(place).why(where=F.col("s").eqNullSafe(F.lit(value)))
    except hr.UnrepeatableError:
        return [], True
    found = {token_at(*each.id) for each in answer.items()}
    wanted = set().union(*[groups[row["k"]][1] for row in rows if repr(row["s"]) == repr(value)])
    return [] if found == wanted else [
        f"on demand {value} is made of {sorted(found ^ wanted)} more or less"
    ], False


def token_at(file, position):
    """The token of a record in a file."""
    return pq.read_table(file.removeprefix("file:"), columns=["token"]).column("token")[position - 1].as_py()


def rebuilt_values(frame):
    """The values of the plan that runs again, which is to have others than were written now and then."""
    from headwater_records_spark.rebuild import Rebuilt

    return sorted(repr(row["s"]) for row in Rebuilt(frame).frame.collect())


def main():
    carrying._jar = lambda: None  # without the jar no write carries its ids, so that each plan runs once more
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    warnings.simplefilter("ignore", hr.RecordsWarning)
    found = {}
    for seed in range(FIRST, FIRST + MANY):
        found[seed] = judged(spark, seed)
        print(seed, found[seed], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
