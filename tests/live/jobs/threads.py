"""Several threads that write at once, two sessions, and a session that lives on between writes.

threads.py OUT
"""

import sys
import threading

from pyspark.sql import SparkSession


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Threads").getOrCreate()
    spark.range(20).selectExpr("id", "id % 3 AS k").write.parquet(f"{out}/numbers")

    def write(name: str) -> None:
        session = spark.newSession()
        session.read.parquet(f"{out}/numbers").createOrReplaceTempView("numbers")
        session.sql(f"SELECT id AS {name} FROM numbers WHERE k = 1").write.parquet(f"{out}/{name}")

    threads = [threading.Thread(target=write, args=(f"t{i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    other = spark.newSession()
    other.conf.set("spark.sql.shuffle.partitions", "3")
    other.read.parquet(f"{out}/t0").groupBy("t0").count().write.parquet(f"{out}/counted")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
