"""Rows that a program hands in: of its own text, of what Spark showed it, and of what it read by itself, in this order.

own_reads.py OUT
"""

import contextlib
import io
import socket
import sqlite3
import sys
import threading
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(out: str) -> None:
    spark = SparkSession.builder.appName("Own Reads").getOrCreate()

    def write(name: str, *texts: str) -> None:
        rows = spark.createDataFrame([(each,) for each in texts], "s string")
        rows.coalesce(1).write.parquet(f"{out}/{name}")

    write("typed", "Bern")
    rows = spark.createDataFrame([("Anna", "Bern"), ("Bob", "Thun")], "name string, city string")
    for name in ("printed", "wide", "wrong", "stored"):
        rows.coalesce(1).write.parquet(f"{out}/{name}")

    printed = spark.read.parquet(f"{out}/printed")
    with contextlib.redirect_stdout(io.StringIO()) as text:
        printed.select("name").show()
    write("of_printed", text.getvalue())
    printed.select("city", F.lit("a").alias("made")).write.parquet(f"{out}/constant")

    wide = spark.read.parquet(f"{out}/wide").groupBy("city").pivot("name").count()
    write("of_names", *wide.columns)

    try:
        spark.read.parquet(f"{out}/wrong").select(F.expr("raise_error(name)")).collect()
    except Exception as error:  # noqa: BLE001 - Spark 3.5 passes on Java's
        write("of_error", str(error))

    Path("settings.toml").write_text("city = 'Bern'", "utf-8")
    write("of_settings", Path("settings.toml").read_text("utf-8"))
    Path("people.csv").write_text("Bob\n", "utf-8")
    with Path("people.csv").open(encoding="utf-8") as lines:
        write("of_file", *lines)
    Path("named.csv").write_text("evE"[::-1], "utf-8")
    who = Path("named.csv").read_text("utf-8")
    computed = (F.lit(who).alias("who"), F.expr(f"concat('by ', '{who}')").alias("text"))
    printed.select("city", *computed, F.lit(len(who) * 70_001).alias("length")).write.parquet(
        f"{out}/computed"
    )
    found = {"Bern": who}
    carries = F.udf(lambda city: found.get(city.strip()), "string")
    carries_none = F.udf(lambda city: {"Bern": "capital"}.get(city.strip()), "string")
    functions = (carries("city").alias("who"), carries_none("city").alias("sort"))
    printed.select("city", *functions).write.parquet(f"{out}/functions")
    written = F.expr("if(city = 'Bern', 'capital', 'other')").alias("sort")
    printed.select("city", written, F.lit("Thun"), F.lit(out), F.lit(True)).write.parquet(f"{out}/written")
    for part in Path(f"{out}/stored").glob("part-*"):
        write("of_part", part.read_bytes().hex())
    with contextlib.closing(sqlite3.connect("people.db")) as database:
        database.execute("CREATE TABLE people AS SELECT 'Bob' AS name")
        database.commit()
    with contextlib.closing(sqlite3.connect("people.db")) as database:
        write("of_database", *(name for (name,) in database.execute("SELECT name FROM people")))
    write("of_network", answer())
    spark.stop()


def answer() -> str:
    """What another program answers over the network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: server.accept()[0].sendall(b"Bob"))
        thread.start()
        with socket.create_connection(server.getsockname()) as connection:
            found = connection.recv(10)
        thread.join()
    return found.decode()


if __name__ == "__main__":
    main(*sys.argv[1:])
