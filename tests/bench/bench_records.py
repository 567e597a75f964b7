"""What it costs a write to be captured: each workload with and without, turn by turn in one session.

    python tests/bench/bench_records.py [--rows 2000000] [--pairs 5] [--modes ends full] [--only join …]
        [--parts ratios question growth leaves tpch] [--tables FOLDER]

prints by mode and workload the median of the ratios (aims: ends 1.05, full 1.3, in the geometric mean) of the wall
clock and of the processor time of Spark, which other programs of the machine hardly touch; whether the write itself
carried the ids or the plan ran once more; and how many bytes a row were kept. Other parts are what a question about
one row of the join takes, beside the write itself; how the cost of a captured filter grows from 10,000 to 10 million
rows; and what it is for records of 10 and of 1,000 leaves.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import headwater_records_spark as hr
from kit.boundary_tpch import queries

Frames = dict[str, DataFrame]
AIMS = {"demand": 1.0, "ends": 1.05, "full": 1.3}


def main() -> None:
    options = arguments()
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
        folder = Path(name)
        frames = workloads(spark, folder, options.rows)
        for mode in options.modes:
            for part in options.parts:
                PARTS[part](spark, folder, mode, options, frames)
    spark.stop()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--modes", nargs="+", choices=AIMS, default=["ends", "full"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=["ratios"])
    parser.add_argument("--tables", type=Path, help="the folder of TPC-H's tables, for the part tpch")
    return parser.parse_args()


def workloads(spark: SparkSession, folder: Path, rows: int) -> dict[str, DataFrame]:
    """Frames over sales, customers and tweets, one for each way in which rows are made of rows."""
    sale = F.xxhash64("id")
    spark.range(rows).select(
        "id", F.pmod(sale, F.lit(rows // 10 + 1)).alias("customer"), (F.pmod(sale, F.lit(9973)) / 100).alias("price"),
        F.concat(F.lit("a remark on "), F.hex("id")).alias("remark"),
    ).write.parquet(f"{folder}/sales")  # fmt: skip
    spark.range(rows // 10 + 1).select(
        F.col("id").alias("customer"), F.concat(F.lit("name "), "id").alias("name")
    ).write.parquet(f"{folder}/customers")
    spark.range(rows // 5).select(
        "id", F.concat(F.lit("text "), "id").alias("text"),
        F.transform(F.sequence(F.lit(1), F.pmod("id", F.lit(5)) + 1), lambda n: F.struct((n * 7).alias("user"))).alias(
            "mentions"
        ),
    ).write.parquet(f"{folder}/tweets")  # fmt: skip
    sales, customers, tweets = (
        spark.read.parquet(f"{folder}/{name}") for name in ("sales", "customers", "tweets")
    )
    return {
        "filter": sales.where("price > 30").selectExpr(
            "id", "price * 1.19 AS gross", "upper(remark) AS remark"
        ),
        "join": sales.join(customers, "customer").select("id", "name", "price", "remark"),
        "flatten": tweets.select("id", "text", F.explode("mentions").alias("mention")),
        "union": sales.select("id", "remark").unionAll(tweets.select("id", "text")),
        "sort": sales.orderBy("price", "id"),
        "group": sales.groupBy("customer").agg(F.sum("price").alias("total"), F.count("*").alias("n")),
    }


def measured(
    spark: SparkSession, folder: Path, mode: str, title: str, frame: DataFrame, pairs: int
) -> tuple[float, float]:
    """The median ratios of a workload, by the clock and by the processor."""
    process = int(spark._jvm.ProcessHandle.current().pid())
    clock, processor, extra, run = [], [], [], None
    for number in range(-1, pairs):
        before = used(process)
        frame.write.mode("overwrite").parquet(f"{folder}/plain")
        between = used(process)
        with hr.capture(spark, into=f"{folder}/records/{mode}/{title}/{number}", mode=mode) as captured:
            frame.write.mode("overwrite").parquet(f"{folder}/captured")
        after = used(process)
        (run,) = captured.runs
        if number >= 0:
            clock.append((after[0] - between[0]) / (between[0] - before[0]))
            extra.append((after[0] - between[0]) - (between[0] - before[0]))
            processor.append((after[1] - between[1]) / (between[1] - before[1]))
    medians = statistics.median(clock), statistics.median(processor)
    more = statistics.median(extra)
    print(
        f"{mode}, {title}: {more:.2f} s more, {medians[0]:.3f} ({min(clock):.3f} to {max(clock):.3f}) by the clock,"
        f" {medians[1]:.3f} ({min(processor):.3f} to {max(processor):.3f}) by the processor,"
        f" {described(folder, mode, title, run)}",
        flush=True,
    )
    return medians


def ratios(spark: SparkSession, folder: Path, mode: str, options: argparse.Namespace, frames: Frames) -> None:
    """What each workload costs more, and the geometric means."""
    found = [
        measured(spark, folder, mode, title, frame, options.pairs)
        for title, frame in frames.items()
        if not options.only or title in options.only
    ]
    walls, processors = zip(*found, strict=True)
    print(
        f"{mode}: geometric mean {statistics.geometric_mean(walls):.3f} by the clock,"
        f" {statistics.geometric_mean(processors):.3f} by the processor,"
        f" of {len(found)} workloads (aim {AIMS[mode]})"
    )


def question(
    spark: SparkSession, folder: Path, mode: str, options: argparse.Namespace, frames: Frames
) -> None:
    """What a question about one row of the join takes, and the write itself."""
    times = []
    with hr.capture(spark, into=f"{folder}/asked/{mode}", mode=mode) as captured:
        start = time.perf_counter()
        frames["join"].write.mode("overwrite").parquet(f"{folder}/joined")
        written = time.perf_counter() - start
    for number in range(options.pairs + 1):
        start = time.perf_counter()
        answer = captured.written(f"{folder}/joined").why(where=f"id = {1_000 + number}")
        times.append(time.perf_counter() - start)
        assert len(answer.items()) == 2
    print(
        f"{mode}, one row: {statistics.median(times[1:]):.2f} s (first {times[0]:.2f}),"
        f" the captured write {written:.2f} s",
        flush=True,
    )


def growth(spark: SparkSession, folder: Path, mode: str, options: argparse.Namespace, frames: Frames) -> None:
    """What a captured filter costs more, of ten times as many rows each time."""
    del frames
    for rows in (10**4, 10**5, 10**6, 10**7):
        place = f"{folder}/grown/{rows}"
        spark.range(rows).selectExpr("id", "id % 97 AS price").write.mode("ignore").parquet(place)
        frame = spark.read.parquet(place).where("price > 30")
        measured(spark, folder, mode, f"{rows} rows", frame, options.pairs)


def leaves(spark: SparkSession, folder: Path, mode: str, options: argparse.Namespace, frames: Frames) -> None:
    """What a captured write of records with few and with many leaves costs more."""
    del frames
    for count in (10, 1_000):
        place = f"{folder}/leaves/{count}"
        tweet = F.struct(*[(F.col("id") + number).alias(f"l{number}") for number in range(count)])
        spark.range(20_000).select("id", tweet.alias("tweet")).write.mode("ignore").parquet(place)
        frame = spark.read.parquet(place).where("tweet.l1 % 3 > 0").select("id", "tweet")
        measured(spark, folder, mode, f"{count} leaves", frame, options.pairs)


def tpch(spark: SparkSession, folder: Path, mode: str, options: argparse.Namespace, frames: Frames) -> None:
    """What the write of each of TPC-H's queries costs more."""
    del frames
    for file in options.tables.glob("*.parquet"):
        spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
    ratios(spark, folder, mode, options, {name: spark.sql(query) for name, query in queries().items()})


PARTS = {"ratios": ratios, "question": question, "growth": growth, "leaves": leaves, "tpch": tpch}


def used(process: int) -> tuple[float, float]:
    """The clock, and what the process took of the processor, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return time.perf_counter(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def described(folder: Path, mode: str, title: str, run: Any) -> str:
    kept = sum(
        each.stat().st_size for each in (folder / "records" / mode / title / "0").rglob("*") if each.is_file()
    )
    rows = sum(run.rows.values()) or 1
    how = (
        "carried by the write"
        if run.carried
        else f"another run ({run.refused or run.again or 'nothing is kept'})"
    )
    return f"{how}, {kept / rows:.1f} bytes a row"


if __name__ == "__main__":
    main()
