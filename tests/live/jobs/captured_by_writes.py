"""Writes that carry the ids of their records, judged by tokens: each row of the sources has one that no other row has.

The row of a file that an answer names is read by pyarrow, not by Spark. Its arguments are a folder, and the names
of the writes to try, of which none is all; it prints what it found as JSON.
"""

import json
import sys
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote

import pyarrow.parquet as pq
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr
from headwater_records_spark.captured.outputs import read_back

FOLDER, *SOME = sys.argv[1:]
RECORDS = f"{FOLDER}/records"
ERASED = {"failed once", "joined", "grouped", "grouped, failed once"}
"""The writes of which it is asked what has to go with the record of this token."""
ERASED_TOKEN = "left-5"
ALL = sorted(f"left-{number}" for number in range(200))
"""The tokens of the first source, in their order."""


def session():
    """Tasks may fail twice, and Spark chooses joins and files while it runs."""
    return (
        SparkSession.builder.master("local[2,3]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.warehouse.dir", f"{FOLDER}/warehouse")
        .getOrCreate()
    )


def sources(spark):
    """Two hundred rows in three files, below a folder whose name has a blank, and their partners."""
    rows = [(f"left-{number}", number % 7, [f"e{number}", None][: number % 3]) for number in range(200)]
    left = spark.createDataFrame(rows, "token string, k int, parts array<string>")
    left.repartition(3).write.parquet(f"{FOLDER}/left side")
    right = spark.createDataFrame(
        [(f"right-{number}", number % 9) for number in range(30)], "other string, k int"
    )
    right.coalesce(1).write.parquet(f"{FOLDER}/right")
    return spark.read.parquet(f"{FOLDER}/left side"), spark.read.parquet(f"{FOLDER}/right")


def at_second(token):
    """The first attempt of a task fails in the middle of its rows."""
    context = TaskContext.get()
    if context.attemptNumber() == 0 and token.endswith("5"):
        raise RuntimeError("the first attempt fails")
    return token


def writes(spark, left, right):
    """By name what is written, each a call with a folder."""
    some = left.where("k != 1")
    left.createOrReplaceTempView("source")
    right.createOrReplaceTempView("partner")
    spark.sql("CREATE TABLE filled (token string, k int) USING parquet PARTITIONED BY (k)")
    frames = {
        "failed once": left.select(F.udf(at_second, "string")("token").alias("token"), "k"),
        "as text": some.select("token"),
        "as lines": some.select("token", "k"),
        "joined": some.join(right, "k", "left"),
        # the first two tables meet only by way of the third: one after the other they would be a product
        "by commas": spark.sql(
            "SELECT third.token, first.other FROM partner first, source second, source third"
            " WHERE second.token = third.token AND first.k = third.k"
        ),
        "sorted": some.orderBy("token"),
        "flattened": left.select("token", F.explode_outer("parts").alias("p")),
        # with ids it has more columns than one word has bits for
        "wide": some.select("token", *[F.lit(number).alias(f"n{number}") for number in range(62)]),
        "both": left.select("token").union(right.select("other")),
        "grouped": left.groupBy("k").agg(F.min("token").alias("token")),
        "grouped, failed once": left.groupBy("k").agg(
            F.min(F.udf(at_second, "string")("token")).alias("token")
        ),
        "grouped twice": left.groupBy("k", F.size("parts").alias("n"))
        .agg(F.min("token").alias("t"))
        .groupBy("k")
        .agg(F.min("t").alias("token")),
        "having": left.join(right, "k")
        .groupBy("k", "other")
        .agg(F.min("token").alias("token"))
        .where("k > 1")
        .orderBy("other"),
        "of all": left.agg(F.min("token").alias("token"), F.lit(None).cast("int").alias("k")),
        "some have partners": spark.sql(
            "SELECT token, k FROM source WHERE k IN (SELECT k FROM partner WHERE other > 'right-2')"
        ),
        # a merge with rows that are in order reads no further than it has to
        "partners in order": spark.sql(
            "SELECT token, k FROM source WHERE k IN"
            " (SELECT a.k FROM partner a JOIN partner b ON a.k = b.k AND a.other = b.other)"
        ),
        "with one partner": spark.sql(
            "SELECT token, k FROM source WHERE k IN (SELECT k FROM partner GROUP BY k HAVING count(*) > 3)"
        ),
        "above a value": spark.sql("SELECT token, k FROM source WHERE k > (SELECT avg(k) FROM partner)"),
        "listed": left.groupBy("k").agg(F.min("token").alias("token"), F.collect_list("token").alias("all")),
        "in sets": left.groupBy("k").agg(
            F.min("token").alias("token"), F.collect_set(F.struct("k", "token")).alias("all")
        ),
        # Spark puts such subqueries together
        "between values": spark.sql(
            "SELECT token, k FROM source"
            " WHERE k > (SELECT avg(k) - 2 FROM partner) AND k < (SELECT max(k) - 2 FROM partner)"
        ),
        # Spark leaves the order of equal ones open, and of what is no first one nothing is kept
        "first of each": spark.sql(
            "SELECT token, k FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY size(parts)) AS n FROM source)"
            " WHERE n = 1"
        ),
        "so far": spark.sql(
            "SELECT token, k, rank() OVER (PARTITION BY k ORDER BY token) AS n,"
            " count(*) OVER (PARTITION BY k ORDER BY token) AS c FROM source"
        ),
        "neighbours": spark.sql(
            "SELECT token, lag(k) OVER (ORDER BY token) AS before, lead(k, 2) OVER (ORDER BY token) AS after"
            " FROM source"
        ),
        "beside all": spark.sql(
            "SELECT token, k, max(size(parts)) OVER (PARTITION BY k) AS most FROM source LIMIT 5"
        ),
        "listed by number": left.groupBy("k", F.size("parts").alias("n"))
        .agg(F.min("token").alias("t"), F.collect_list("token").alias("all"))
        .groupBy("k")
        .agg(F.min("t").alias("token"), F.max(F.size("all")).alias("n")),
        "counted, listed": left.groupBy("k", F.size("parts").alias("n"))
        .agg(F.min("token").alias("t"))
        .groupBy("k")
        .agg(F.min("t").alias("token"), F.collect_list("t").alias("all")),
    }
    written = {name: frame.write.parquet for name, frame in frames.items()}
    written["as text"] = frames["as text"].write.text
    written["as lines"] = frames["as lines"].write.partitionBy("k").json
    written["sorted"] = frames["sorted"].write.option("maxRecordsPerFile", 50).parquet
    written["both"] = frames["both"].write.orc
    written["appended"] = partial(appended, left.select("token"))
    written["inserted"] = partial(inserted, spark)
    written["not sent around"] = partial(not_sent_around, spark, some.join(right, "k"), right)
    return written


def appended(frame, place):
    """The same rows twice, by two writes."""
    for _ in range(2):
        frame.write.mode("append").parquet(place)


def not_sent_around(spark, frame, right, place):
    """A join with a table that is a byte too large to be broadcast, for which Spark takes it to be smaller with ids."""
    size = right._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", size - 1)
    try:
        frame.write.parquet(place)
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def inserted(spark, _):
    """Rows into partitions of a table, by SQL."""
    spark.sql("INSERT INTO filled SELECT token, k FROM source WHERE k > 2")


def wanted(name, row):
    """The tokens of the records that a row is made of, by its values."""
    group = {f"left-{number}" for number in range(200) if number % 7 == row.get("k")}
    partners = {f"right-{number}": number % 9 for number in range(30)}
    own = {row["token"], row.get("other")} - {None}
    match name:
        case "of all":
            return {f"left-{number}" for number in range(200)}
        case (
            "grouped"
            | "grouped, failed once"
            | "grouped twice"
            | "listed"
            | "in sets"
            | "listed by number"
            | "counted, listed"
        ):
            return group
        case "so far":
            return {each for each in group if each <= row["token"]}
        case "neighbours":
            place = ALL.index(row["token"])
            return {ALL[each] for each in (place - 1, place, place + 2) if each in range(len(ALL))}
        case "beside all":
            return group
        case "having":
            return own | group
        case "some have partners":
            return own | {other for other, k in partners.items() if k == row["k"] and other > "right-2"}
        case "partners in order" | "with one partner":
            return own | {other for other, k in partners.items() if k == row["k"]}
        case "above a value" | "between values":
            return own | set(partners)
        case _:
            return own


def tokens(item):
    """The token of the record that an answer names."""
    file, position = item.id
    rows = pq.read_table(unquote(file.removeprefix("file:"))).to_pylist()
    return rows[position - 1].get("token", rows[position - 1].get("other"))


def erased(written):
    """The rows that have to go with the record of one token, in the order of their tokens."""
    (record,) = [
        (quote(str(file)), position)
        for file in Path(f"{FOLDER}/left side").glob("part-*")
        for position, row in enumerate(pq.read_table(file).to_pylist(), 1)
        if row["token"] == ERASED_TOKEN
    ]
    found = []
    for each in written.erase(written.record(*record)):
        row = pq.read_table(unquote(each.file.removeprefix("file:"))).to_pylist()[each.position - 1]
        found.append([row["token"], row.get("other"), each.others])
    return sorted(found, key=str)


def judged(captured, name, place):
    """How the ids came, and which tokens have other records than theirs."""
    output = "filled" if name == "inserted" else place
    written = captured.written(output)
    folder = written.root.removeprefix("file:")
    frame = read_back(written._jvm, written.runs[0], written.runs[0].output.files)
    rows = frame.collect()
    wrong = []
    for row in (rows[0], rows[len(rows) // 2], rows[-1]):
        known = row.asDict()
        where = F.col("token").eqNullSafe(F.lit(known["token"]))
        if known.get("other"):
            where &= F.col("other") == known["other"]
        if name == "flattened":
            where &= F.col("p").eqNullSafe(F.lit(known["p"]))
        found = {tokens(each) for each in written.why(where=where).items()}
        expected = wanted(name, known)
        if found != expected:
            wrong.append([sorted(map(str, expected)), sorted(map(str, found))])
    return {
        "erased": erased(written) if name in ERASED else [],
        "carried": sorted({each.carried for each in written.runs}),
        "again": sorted({each.again for each in written.runs}),
        "rows": [len(rows), written.runs[0].rows["records"]],
        "wrong": wrong,
        "left": [each.name for each in Path(folder).rglob("*headwater*")],
    }


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    left, right = sources(spark)
    found = {}
    with hr.capture(spark, into=RECORDS, mode="ends") as captured:
        for name, write in writes(spark, left, right).items():
            if SOME and name not in SOME:
                continue
            place = f"{FOLDER}/{name.replace(' ', '_')}"
            write(place)
            found[name] = judged(captured, name, place)
            print(name, found[name], file=sys.stderr, flush=True)
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
