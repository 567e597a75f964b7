"""What the agent adds to a small job: seconds until its first write is done and until it has ended, and memory.

    python tests/bench/bench_agent_startup.py [--pairs 5]

runs a script of one small write with and without the agent, turn by turn (aim: at most 0.3 s more until the first
write), and prints the differences pair by pair; then the agent process's start-up by itself, and its peak resident
memory after that job and after one with 1,000 columns in each of 20 writes (aim: at most 150 MB).
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from kit.eye import python
from kit.faults import agent, faulty_brain
from kit.spark_lines import SPARK_4

SMALL = "spark.range(10).write.mode('overwrite').parquet('out')"
WIDE = """
frame = spark.range(10).selectExpr(*[f"id + {i} AS c{i}" for i in range(1_000)])
frame.write.mode("overwrite").parquet("in")
for i in range(20):
    spark.read.parquet("in").selectExpr(*[f"c{j} + {i} AS d{j}" for j in range(1_000)]).write.mode("overwrite").parquet("out")
"""  # noqa: E501 - a program
PROGRAM = """
import time
began = time.time()
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
for key, value in {conf!r}.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
{body}
print("written after", time.time() - began)
spark.stop()
print("ended after", time.time() - began)
"""
PEAK = """
import atexit, re
def peak():
    status = open("/proc/self/status").read()
    print(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1], file=open("peak", "w"))
atexit.register(peak)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
        folder = Path(name)
        compare(folder, options.pairs)
        print(f"the agent's process by itself: ready after {alone():.2f} s")
        interpreter = faulty_brain(folder, PEAK)
        for what, body in (("one small write", SMALL), ("21 writes of 1,000 columns", WIDE)):
            timed(folder, agent(spark__headwater__python=interpreter), body)
            print(
                f"its peak resident memory, {what}: {int((folder / 'peak').read_text()) / 1024:.0f} MB (aim 150)"
            )


def compare(folder: Path, pairs: int) -> None:
    timed(folder, {}), timed(folder, agent())
    taken = [(timed(folder, agent()), timed(folder, {})) for _ in range(pairs)]
    for place, what in enumerate(("the first write", "the end")):
        watched, plain = ([pair[side][place] for pair in taken] for side in (0, 1))
        more = [one - other for one, other in zip(watched, plain, strict=True)]
        aim = " (aim 0.3)" if place == 0 else ""
        medians = (
            f"with the agent {statistics.median(watched):.2f} s, without {statistics.median(plain):.2f} s"
        )
        spread = f"median {statistics.median(more):.2f} s, {min(more):.2f} to {max(more):.2f}"
        print(f"until {what}: {medians}; more, pair by pair: {spread}{aim}")


def timed(folder: Path, conf: Mapping[str, str], body: str = SMALL) -> tuple[float, float]:
    """Seconds until the write is done and until the session has ended."""
    script = folder / "job.py"
    script.write_text(PROGRAM.format(conf=dict(conf), body=body), "utf-8")
    # Without the tests' defaults: neither side has the archive of classes, as no user has it.
    environment = {"XDG_CACHE_HOME": str(folder / "cache"), "SPARK_CONF_DIR": str(folder)}
    done = python(SPARK_4, script, environment=environment, timeout=600)
    found = re.findall(r"^(?:written|ended) after ([\d.]+)$", done.output, re.MULTILINE)
    if done.code or len(found) != 2:
        sys.exit(done.output)
    return float(found[0]), float(found[1])


def alone() -> float:
    """Seconds that the brain takes from its start to its end without any input; the median of five."""
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "headwater_spark.brain"], stdin=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
