"""Plans programs one after the other in one session, over files whose schema can be read and whose records cannot.

    python planned_alone.py FOLDER CASES.json ANSWERS.json

Of each case the answer has its writes, where it stopped and why, and the files that are in the folder ``out`` then.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from pathlib import Path
from typing import Any

from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

from headwater_boundary.planning.watch import plan

BEFORE = """
from pyspark.sql import SparkSession, Observation, functions as F
spark = SparkSession.builder.getOrCreate()
people = spark.read.parquet("{folder}/people")
out = "{folder}/out"
"""
COLUMNS = ["mail", "city", "age", "label", "items", "features"]
AT_THE_END = 8
"""The bytes of a Parquet file after its footer: the footer's length and the name of the format."""


def make_unreadable(spark: SparkSession, place: Path) -> None:
    """Write records, and put zeros in the place of all of them."""
    rows = [(f"{n}@x.org", f"c{n % 3}", n, float(n % 2), [n, 1], Vectors.dense(n, 1.0)) for n in range(20)]
    frame = spark.createDataFrame(rows, COLUMNS).coalesce(1)
    frame.write.option("compression", "none").parquet(str(place))
    for file in place.glob("*.parquet"):
        data = file.read_bytes()
        (footer,) = struct.unpack("<i", data[-AT_THE_END:-4])
        end = len(data) - AT_THE_END - footer
        file.write_bytes(data[:4] + bytes(end - 4) + data[end:])
        file.with_name(f".{file.name}.crc").unlink()


def planned(folder: Path, case: str) -> dict[str, Any]:
    """What planning a case gave."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    (out / "model").mkdir(parents=True)
    (out / "model" / "old").write_text("model")
    script = folder / "case.py"
    script.write_text(BEFORE.format(folder=folder) + case + "\n", "utf-8")
    program = plan(script)
    return {
        "writes": len(program.writes),
        "stops": [each.reason for each in program.stops],
        "files": sorted(str(each.relative_to(out)) for each in out.rglob("*") if each.is_file()),
    }


def main() -> None:
    """Plan the cases."""
    folder, cases, answers = map(Path, sys.argv[1:])
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    make_unreadable(spark, folder / "people")
    found = {case: planned(folder, case) for case in json.loads(cases.read_text("utf-8"))}
    answers.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
