"""Writes while it is captured and asks about what was written; prints what it found as JSON.

Its arguments are a folder, and ``write`` or ``again``: another program that asks about what the first one wrote.
"""

import json
import shutil
import sys
import time
import warnings
from pathlib import Path

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr

FOLDER, PHASE = sys.argv[1:3]
RECORDS = f"{FOLDER}/records"


def session():
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.ansi.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{FOLDER}/warehouse")
        .getOrCreate()
    )


def failure(call):
    try:
        call()
    except (hr.RecordsError, ValueError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def described(answer):
    """The answer without the numbers of operators, which another session counts alike but names by file."""
    return sorted(
        [item.source, *map(str, item.id), item.contributing, item.influencing] for item in answer.items()
    )


def totals(spark):
    """What the first program wrote."""
    longer = F.udf(lambda name: name and name + "!", "string")
    sales = spark.read.parquet(f"{FOLDER}/sales")
    cities = spark.read.csv(f"{FOLDER}/cities", schema="city string, land string")
    joined = sales.join(cities, "city", "left").where(
        "amount > (SELECT min(amount) FROM parquet.`" + FOLDER + "/sales`)"
    )
    return joined.groupBy(longer("land").alias("land")).agg(
        F.sum("amount").alias("total"), F.count("*").alias("n")
    )


def inputs(spark):
    shutil.rmtree(f"{FOLDER}/sales", ignore_errors=True)
    sales = spark.range(20).selectExpr("id", "concat('c', id % 4) city", "id * 10 amount")
    sales.repartition(3, "id").write.parquet(f"{FOLDER}/sales")
    cities = spark.createDataFrame(
        [("c0", "A"), ("c1", "A"), ("c2", "B"), ("c9", "C")], "city string, land string"
    )
    cities.coalesce(1).write.mode("overwrite").csv(f"{FOLDER}/cities")


def on_demand(spark):
    frame = totals(spark)
    nested = spark.read.parquet(f"{FOLDER}/sales").selectExpr(
        "city", "struct(id, amount) AS s", "id % 2 AS half"
    )
    with hr.capture(spark, into=RECORDS) as captured:
        frame.write.parquet(f"{FOLDER}/totals")
        nested.write.partitionBy("half").json(f"{FOLDER}/halves")
        nested.where("half = 0").drop("half").write.parquet(f"{FOLDER}/twice")
        nested.where("half = 1").drop("half").write.mode("append").parquet(f"{FOLDER}/twice")
        spark.sql(
            f"CREATE TABLE t USING parquet AS SELECT id, amount FROM parquet.`{FOLDER}/sales` WHERE id < 5"
        )
        spark.sql("INSERT INTO t SELECT id, 0 FROM range(3)")
    parts = {
        name: [described(captured.written(output).why(where=where)), described(hr.why(asked, where=where))]
        for name, output, asked, where in (
            ("totals", f"{FOLDER}/totals", frame, "land = 'A!'"),
            ("nothing", f"{FOLDER}/totals", frame, "land = 'none'"),
            ("halves", f"{FOLDER}/halves", nested, "s.amount > 70 AND half = 1"),
            ("twice", f"{FOLDER}/twice", nested.drop("half"), "s.id in (4, 5)"),
        )
    }
    return {
        "answers": parts,
        "runs": [[run.mode, run.output.format, run.refused] for run in captured.runs],
        "pattern": described(captured.written(f"{FOLDER}/halves").why("s{id=3}/amount")),
        "table": sorted(item.id[1] for item in captured.written("t").why(where="amount = 0").items()),
        "forward": sorted(row.land or "" for row in _forward(captured, frame).collect()),
        "not captured": failure(lambda: hr.written(spark, f"{FOLDER}/sales", records=RECORDS).why()),
        "no program": failure(lambda: hr.written(spark, f"{FOLDER}/totals", records=RECORDS).why()),
        "another": failure(
            lambda: hr.written(
                spark, f"{FOLDER}/totals", records=RECORDS, program=lambda spark: totals(spark).where("n > 0")
            ).why()
        ),
        "mode": failure(lambda: hr.capture(spark, into=RECORDS, mode="none").__enter__()),
    }


def _forward(captured, frame):
    (one, *_) = hr.why(frame, where="land = 'A!'").items()
    return captured.written(f"{FOLDER}/totals").forward([one])


def refused(spark):
    """What cannot be traced, and what goes wrong while a job runs: the job is as it would be."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with hr.capture(spark, into=RECORDS) as captured:
            mapped = spark.range(4).repartition(1).mapInPandas(lambda parts: parts, "id long", barrier=True)
            mapped.write.parquet(f"{FOLDER}/mapped")
        with hr.capture(spark, into="file:/proc/nowhere"):
            spark.range(2).write.parquet(f"{FOLDER}/unkept")
        failed = failure(lambda: _fails(spark))
    return {
        "rows": [spark.read.parquet(f"{FOLDER}/{name}").count() for name in ("mapped", "unkept")],
        "operator": captured.runs[0].operator,
        "question": failure(lambda: captured.written(f"{FOLDER}/mapped").why()),
        "warnings": sorted(
            # PySpark 3.5 itself uses what Python gives up
            {each.category.__name__ for each in given if each.category is not DeprecationWarning}
        ),
        "failed": failed,
        "writer": [hasattr(spark.range(1).write.parquet, "__wrapped__"), spark.range(1).count()],
    }


class Slow:
    """A listener that is called before others, and takes its time."""

    def onSuccess(self, name, execution, duration):  # noqa: N802 - as Java calls it
        time.sleep(1)

    def onFailure(self, name, execution, error):  # noqa: N802 - as Java calls it
        pass

    class Java:
        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


def before(spark):
    """Writes that end just before a capture begins, while the listeners are still busy with the first of them."""
    ensure_callback_server_started(spark.sparkContext._gateway)
    manager = spark._jsparkSession.listenerManager()
    manager.register(Slow())
    for number in range(3):
        spark.range(2).write.parquet(f"{FOLDER}/before_{number}")
    with hr.capture(spark, into=RECORDS) as captured:
        spark.range(2).write.parquet(f"{FOLDER}/inside")
    manager.clear()
    return [Path(run.output.root).name for run in captured.runs]


def _fails(spark):
    with hr.capture(spark, into=RECORDS):
        spark.range(2).write.parquet(f"{FOLDER}/before")
        raise ValueError("the job's own")


def changed(spark):
    """One by one: an input that is other than it was, a new file, and an output that is other than it was."""
    held = totals(spark)
    kept = hr.written(spark, f"{FOLDER}/totals", records=RECORDS, program=totals)
    found = {"before": failure(kept.why)}
    files = set(Path(f"{FOLDER}/sales").glob("*.parquet"))
    spark.range(1).selectExpr("id", "'c0' city", "1L amount").write.mode("append").parquet(f"{FOLDER}/sales")
    found["new"] = failure(kept.why)
    found["frame"] = failure(lambda: hr.why(held))
    for each in set(Path(f"{FOLDER}/sales").glob("*.parquet")) - files:
        each.unlink()
    found["after"] = failure(kept.why)
    part = next(Path(f"{FOLDER}/cities").glob("*.csv"))
    part.write_text(part.read_text() + "c3,D\n")
    for name, call in (
        ("why", lambda: hr.why(held)),
        ("forward", lambda: hr.forward(held, {})),
        ("why not", lambda: hr.why_not(held, {})),
        ("replay", lambda: hr.replay(held, only={})),
        ("written", kept.why),
    ):
        found[name] = failure(call)
    next(Path(f"{FOLDER}/twice").glob("*.parquet")).unlink()
    spark.range(1).selectExpr("'c' city").write.mode("append").parquet(f"{FOLDER}/twice")
    found["output"] = failure(lambda: hr.written(spark, f"{FOLDER}/twice", records=RECORDS).why())
    return found


def main():
    spark = session()
    spark.sparkContext.setLogLevel("OFF")
    if PHASE == "write":
        inputs(spark)
        found = {"before": before(spark), "demand": on_demand(spark), "refused": refused(spark)}
    else:
        kept = hr.written(spark, f"{FOLDER}/totals", records=RECORDS, program=totals)
        found = {"again": described(kept.why(where="land = 'A!'")), "changed": changed(spark)}
    print("FOUND " + json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
