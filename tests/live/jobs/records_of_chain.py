"""A chain of three jobs, whose outputs are asked about across all of them; prints what it found as JSON.

Its arguments are a folder, and a word that nothing is made of.
"""

import json
import sys
from pathlib import Path

from captured_records import session
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER = sys.argv[1]
MODES = ("demand", "ends")
ORDERS = [(1, "lp", [("a", "5"), ("b", "7")]), (2, "lp", [("c", "x9")]), (3, "jm", [("c", "-4")])]


def write(spark, mode):
    """Prices of orders, then totals by user, then what a report shows of them; the prices are overwritten since."""
    folder, text = f"{FOLDER}/{mode}", f"{FOLDER}/names.csv"
    with hr.capture(spark, into=f"{FOLDER}/records/{mode}", mode=mode):
        items = spark.read.parquet(f"{FOLDER}/orders").select("user", F.explode("items").alias("i"))
        prices = items.select("user", F.expr("try_cast(i.price AS int)").alias("price"))
        prices.coalesce(1).write.parquet(f"{folder}/prices")
        totals = spark.read.parquet(f"{folder}/prices").groupBy("user").agg(F.sum("price").alias("total"))
        totals.coalesce(1).write.mode("overwrite").csv(f"{folder}/totals")
        # the reader calls the columns otherwise than the writer
        read = spark.read.schema("who string, amount long").csv(f"{folder}/totals")
        names = spark.read.schema("who string, name string").csv(text)
        report = read.join(names, "who").selectExpr("name", "amount - 100 AS net")
        report.coalesce(1).write.parquet(f"{folder}/report")
        if mode != "demand":
            prices.limit(0).write.mode("overwrite").parquet(f"{folder}/prices")


def items(answer):
    return sorted(
        [item.source.rpartition("/")[2], item.id[1], item.contributing, item.influencing]
        for item in answer.items()
    )


def answers(spark, mode):
    """What is known of the chain in a mode, in which the programs of a session that has ended are not."""
    records = [f"{FOLDER}/records/{mode}"]
    report = hr.written(spark, f"{FOLDER}/{mode}/report", records=records[0])
    try:
        origins = hr.origins(report, where="name = 'Lisa'", paths=["net"])
    except hr.NotCapturedError as problem:
        origins = str(problem)
    people = spark.read.parquet(f"{FOLDER}/orders")
    subject = hr.subject(people, "user", "lp", records=records)
    return {
        "origins": origins if isinstance(origins, str) else items(origins.sources),
        "stages": []
        if isinstance(origins, str)
        else [each.output.rpartition("/")[2] for each in origins.stages],
        "steps": {} if isinstance(origins, str) else origins.sources.steps,
        "subject": [
            [each.output.rpartition("/")[2], each.position, each.alone, each.there] for each in subject.found
        ],
        "unknown": {name.rpartition("/")[2]: reason for name, reason in subject.unknown.items()},
        "usage": {
            each.source.rpartition("/")[2]: {
                "runs": each.runs,
                "paths": {path: [use.contributes, dict(use.accessed)] for path, use in each.paths.items()},
                "never": each.never,
                "together": sorted(map(list, each.together)),
                "hot": each.records
                and sorted([row["position"], row["runs"]] for row in each.records.collect()),
                "heat": list(each.heat(2).values()),
                "proposals": [[one.change, one.path, one.runs] for one in each.proposals],
                "unknown": sorted(name.rpartition("/")[2] for name in each.unknown),
            }
            for each in hr.usage(spark, records=records)
        },
    }


def faults(frame, path, bad, **where):
    found = hr.at_fault(frame, path, bad, **where)
    return {
        "operators": [[each.title.rpartition("/")[2], each.values, each.bad] for each in found.operators],
        "at fault": found.at_fault,
        "possible": found.possible,
        "records": [position for places in found.records.values() for _, position in places],
    }


def read_by_a_link(spark):
    """What became of a person's records in a job that read them by another name of their folder."""
    Path(f"{FOLDER}/link").symlink_to(f"{FOLDER}/orders")
    records = f"{FOLDER}/records/linked"
    with hr.capture(spark, into=records, mode="ends"):
        spark.read.parquet(f"{FOLDER}/link").select("user").coalesce(1).write.parquet(f"{FOLDER}/linked")
    subject = hr.subject(spark.read.parquet(f"{FOLDER}/orders"), "user", "lp", records=[records])
    return [len(subject.found), {name.rpartition("/")[2]: reason for name, reason in subject.unknown.items()}]


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    # compiling dozens of small queries takes most of the time
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    schema = "id int, user string, items array<struct<name:string, price:string>>"
    spark.createDataFrame(ORDERS, schema).coalesce(1).write.parquet(f"{FOLDER}/orders")
    Path(f"{FOLDER}/names.csv").write_text("lp,Lisa\njm,John\n")
    for mode in MODES:
        write(spark, mode)
    orders = spark.read.parquet(f"{FOLDER}/orders").select("user", F.explode("items").alias("i"))
    prices = orders.select("user", F.expr("try_cast(i.price AS int)").alias("price"))
    found = {mode: answers(spark, mode) for mode in MODES}
    found["faults"] = {
        "made": faults(prices.withColumn("net", F.col("price") - 100), "net", "value < 0", where="price > 0"),
        "parsed": faults(prices, "price", "value IS NULL", where="user = 'lp'"),
        "source": faults(totals_of(prices), "total", "value < 0", where="user = 'jm'"),
        "not comparable": faults(
            orders.select(F.col("i").alias("i"), F.col("i.price").alias("p")).select(F.length("p").alias("n")),
            "n", "value = 2 AND value % 2 = 0",
        ),
        "nothing": faults(prices, "price", "value > 100"),
        "no condition": failure_of(lambda: hr.at_fault(prices, "price", "nobody > 1")),
    }  # fmt: skip
    found["by a link"] = read_by_a_link(spark)
    frame = spark.read.parquet(f"{FOLDER}/ends/report").where("net < 0").select("net")
    found["frame"] = items(hr.origins(frame, records=[f"{FOLDER}/records/ends"]).sources)
    part = next(each for each in spark.read.parquet(f"{FOLDER}/ends/report").inputFiles())
    found["changed"] = changed(spark, part)
    found["replaced"] = replaced(spark, schema)
    print("FOUND " + json.dumps(found))
    spark.stop()


def totals_of(prices):
    return prices.groupBy("user").agg(F.sum("price").alias("total"))


def failure_of(call):
    try:
        call()
    except AnalysisException as problem:
        return type(problem).__name__
    return ""


def changed(spark, part):
    """A file on the way that somebody else has put in the place of one that was captured."""
    spark.createDataFrame([("Lisa", -1)], "name string, net long").coalesce(1).write.mode("append").parquet(
        f"{FOLDER}/ends/report"
    )
    frame = spark.read.parquet(f"{FOLDER}/ends/report").where("net < 0")
    unknown = hr.origins(frame, records=[f"{FOLDER}/records/ends"]).unknown
    return sorted(unknown.values())


def replaced(spark, schema):
    """Outputs of which nothing is known where the orders that they were made of have been replaced by others since."""
    spark.createDataFrame(ORDERS[:1], schema).coalesce(1).write.mode("overwrite").parquet(f"{FOLDER}/orders")
    people = spark.read.parquet(f"{FOLDER}/orders")
    unknown = hr.subject(people, "user", "lp", records=[f"{FOLDER}/records/ends"]).unknown
    return {output.rpartition("/")[2]: reason.partition(" ")[2] for output, reason in unknown.items()}


if __name__ == "__main__":
    main()
