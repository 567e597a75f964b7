"""What the gate adds to a job of many small writes: seconds until the first is done, and for each one after it.

    python tests/bench/bench_gate.py [--pairs 3] [--writes 30]

runs a script that writes a small frame again and again with and without the gate, turn by turn, both under the agent,
and prints the medians and their ratio. Each write is traced, judged by a policy that allows it, and goes on.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kit.eye import python
from kit.faults import agent
from kit.spark_lines import SPARK_4

PROGRAM = """
import time
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
for key, value in {conf!r}.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
people = spark.range(10).selectExpr("id", "concat('m', id) AS mail", "id % 2 AS land")
people.write.mode("overwrite").format("noop").save()  # what Spark loads for its first job
began = time.time()
for number in range({writes}):
    people.groupBy("land").count().write.mode("overwrite").parquet(f"out/{{number}}")
    if number == 0:
        first = time.time()
print("first", first - began)
print("each", (time.time() - first) / ({writes} - 1))
spark.stop()
"""
RULES = "- {dataset: 'file *', path: mail, category: user.contact.email}\n"
POLICIES = "- {policy: no mails, category: user.contact, dataset: '*/out/*'}\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--writes", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as name:
        folder = Path(name)
        (folder / "rules.yaml").write_text(RULES, "utf-8")
        (folder / "policies.yaml").write_text(POLICIES, "utf-8")
        gate = {"spark.headwater.gate": "block", "spark.headwater.gate.onError": "block"}
        gate |= {f"spark.headwater.gate.{each}": f"{folder}/{each}.yaml" for each in ("policies", "rules")}
        taken = [
            (timed(folder, agent() | gate, options.writes), timed(folder, agent(), options.writes))
            for _ in range(options.pairs)
        ]
    for place, what in enumerate(("the first write", f"each of {options.writes - 1} more")):
        gated, plain = (statistics.median(pair[side][place] for pair in taken) for side in (0, 1))
        print(f"{what}: with the gate {gated:.3f} s, without {plain:.3f} s, ratio {gated / plain:.2f}")


def timed(folder: Path, conf: Mapping[str, str], writes: int) -> tuple[float, float]:
    """Seconds for the first write, and for each of the others."""
    script = folder / "job.py"
    script.write_text(PROGRAM.format(conf=dict(conf), writes=writes), "utf-8")
    done = python(SPARK_4, script, environment={"XDG_CACHE_HOME": str(folder / "cache")}, timeout=600)
    found = re.findall(r"^(?:first|each) ([\d.]+)$", done.output, re.MULTILINE)
    if done.code or len(found) != 2:
        sys.exit(done.output)
    return float(found[0]), float(found[1])


if __name__ == "__main__":
    main()
