"""A session like a notebook's: it writes, and waits for its user until a file is there.

lives_on.py OUT GO_ON
"""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession


def main(out: str, go_on: str) -> None:
    spark = SparkSession.builder.appName("Lives On").getOrCreate()
    spark.range(3).write.parquet(f"{out}/first")
    while not Path(go_on).exists():
        time.sleep(0.05)
    spark.read.parquet(f"{out}/first").write.parquet(f"{out}/second")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
