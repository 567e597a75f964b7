"""What it costs a write to be captured: each workload with and without, turn by turn in one session.

    python tests/bench/bench_records.py [--rows 2000000] [--pairs 5] [--modes ends full] [--only join …]

prints by mode and workload the median of the ratios (aims: ends 1.05, full 1.3, in the geometric mean) of the wall
clock and of the processor time of Spark, which other programs of the machine hardly touch; whether the write itself
carried the ids or the plan ran once more; and how many bytes a row were kept.
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
            ratios = [
                measured(spark, folder, mode, title, frame, options.pairs)
                for title, frame in frames.items()
                if not options.only or title in options.only
            ]
            walls, processors = zip(*ratios, strict=True)
            print(
                f"{mode}: geometric mean {statistics.geometric_mean(walls):.3f} by the clock,"
                f" {statistics.geometric_mean(processors):.3f} by the processor,"
                f" of {len(ratios)} workloads (aim {AIMS[mode]})"
            )
    spark.stop()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--modes", nargs="+", choices=AIMS, default=["ends", "full"])
    parser.add_argument("--only", nargs="*", default=[])
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
    clock, processor, run = [], [], None
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
            processor.append((after[1] - between[1]) / (between[1] - before[1]))
    medians = statistics.median(clock), statistics.median(processor)
    print(
        f"{mode}, {title}: {medians[0]:.3f} ({min(clock):.3f} to {max(clock):.3f}) by the clock, {medians[1]:.3f}"
        f" ({min(processor):.3f} to {max(processor):.3f}) by the processor, {described(folder, mode, title, run)}",
        flush=True,
    )
    return medians


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
