"""Channels through the bodies of `foreachBatch`, `foreach` and the progress of a query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from oracle.channels.program import SCHEMA, Program


def new_frame(program: Program) -> DataFrame:
    place = program.path()

    def body(rows: DataFrame, _batch: int) -> None:
        found = [(row["id"], row["b"], row["a"]) for row in rows.collect()]
        if found:
            rows.sparkSession.createDataFrame(found, SCHEMA).write.mode("append").parquet(place)

    return _run(program, body).read.parquet(place)


def new_frame_of_pandas(program: Program) -> DataFrame:
    place = program.path()

    def body(rows: DataFrame, _batch: int) -> None:
        found = rows.toPandas()
        found["b"] = found["a"].str.upper()
        found = found.astype({"a": "object", "b": "object"})
        if len(found):
            rows.sparkSession.createDataFrame(found, SCHEMA).write.mode("append").parquet(place)

    return _run(program, body).read.parquet(place)


def constant(program: Program) -> DataFrame:
    """A value of one batch stands in the next."""
    place = program.path()
    last = "none"

    def body(rows: DataFrame, _batch: int) -> None:
        nonlocal last
        rows.withColumn("b", F.lit(last)).write.mode("append").parquet(place)
        first = rows.first()
        last = str(first["a"]) if first else last

    _run(program, body, each=True)
    return program.spark.read.parquet(place)


def closure(program: Program) -> DataFrame:
    place = program.path()
    known: dict[int, str] = {}

    def look_up(number: int) -> str | None:
        return known.get(number)

    def body(rows: DataFrame, _batch: int) -> None:
        known.update({row["id"]: row["b"] for row in rows.toLocalIterator()})
        rows.withColumn("a", F.udf(look_up)("id")).write.mode("append").parquet(place)

    return _run(program, body).read.parquet(place)


def through_rdd(program: Program) -> DataFrame:
    place = program.path()

    def body(rows: DataFrame, _batch: int) -> None:
        turned = rows.rdd.map(lambda row: (row["id"], row["b"], row["a"]))
        rows.sparkSession.createDataFrame(turned, SCHEMA).write.mode("append").parquet(place)

    return _run(program, body).read.parquet(place)


def in_threads(program: Program) -> DataFrame:
    places = [program.path(), program.path()]

    def body(rows: DataFrame, _batch: int) -> None:
        def write(place: str) -> None:
            found = [tuple(row) for row in rows.select("id", "a", "b").collect()]
            rows.sparkSession.createDataFrame(found, SCHEMA).write.mode("append").parquet(place)

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(write, places))

    return _run(program, body).read.parquet(*places)


def method(program: Program) -> DataFrame:
    """A bound method that keeps what it has seen in its instance."""

    class Keeper:
        def __init__(self) -> None:
            self.seen: list[tuple[Any, ...]] = []

        def __call__(self, rows: DataFrame, _batch: int) -> None:
            self.seen += [tuple(row) for row in rows.tail(100)]

    keeper = Keeper()
    _run(program, keeper)
    return program.given(keeper.seen)


def file_of_lines(program: Program) -> DataFrame:
    file = _file(program)

    def body(rows: DataFrame, _batch: int) -> None:
        with file.open("a", encoding="utf-8") as lines:
            for row in rows.collect():
                lines.write(json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]}) + "\n")

    return _run(program, body).read.schema(SCHEMA).json(str(file))


def file_of_pandas(program: Program) -> DataFrame:
    folder = Path(program.path())
    folder.mkdir(parents=True)

    def body(rows: DataFrame, batch: int) -> None:
        rows.toPandas().to_parquet(folder / f"{batch}.parquet")

    return _run(program, body).read.schema(SCHEMA).parquet(str(folder))


def file_read_by_program(program: Program) -> DataFrame:
    file = _file(program)

    def body(rows: DataFrame, _batch: int) -> None:
        file.write_text(json.dumps([tuple(row) for row in rows.collect()]), "utf-8")

    _run(program, body)
    return program.given([(number, b, a) for number, a, b in json.loads(file.read_text("utf-8"))])


def database(program: Program) -> DataFrame:
    file = _file(program)

    def body(rows: DataFrame, _batch: int) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS t(id, a, b)")
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", map(tuple, rows.collect()))

    _run(program, body)
    with closing(sqlite3.connect(file)) as connection:
        return program.given(connection.execute("SELECT id, b, a FROM t").fetchall())


def partitions(program: Program) -> DataFrame:
    """Workers write files."""
    folder = Path(program.path())
    folder.mkdir(parents=True)

    def write(rows: Iterable[Row]) -> None:
        found = [{"id": row["id"], "a": row["b"], "b": row["a"]} for row in rows]
        for row in found:
            (folder / f"{row['id']}.json").write_text(json.dumps(row), "utf-8")

    def body(rows: DataFrame, _batch: int) -> None:
        rows.foreachPartition(write)

    return _run(program, body).read.schema(SCHEMA).json(str(folder))


def mapped(program: Program) -> DataFrame:
    """A function of a frame writes files; its result is thrown away."""
    folder = Path(program.path())
    folder.mkdir(parents=True)

    def write(frames: Iterable[Any]) -> Iterable[Any]:
        for frame in frames:
            for row in frame.to_dict("records"):
                (folder / f"{row['id']}.json").write_text(json.dumps(row), "utf-8")
            yield frame

    def body(rows: DataFrame, _batch: int) -> None:
        rows.mapInPandas(write, SCHEMA).write.format("noop").mode("overwrite").save()

    return _run(program, body).read.schema(SCHEMA).json(str(folder))


def each_row(program: Program) -> DataFrame:
    """`foreach` with a function: workers write files."""
    folder = Path(program.path())
    folder.mkdir(parents=True)

    def write(row: Row) -> None:
        text = json.dumps({"id": row["id"], "a": row["a"], "b": row["b"]})
        (folder / f"{row['id']}.json").write_text(text, "utf-8")

    _started(program, _read(program)).foreach(write).start().awaitTermination()
    return program.spark.read.schema(SCHEMA).json(str(folder))


def each_row_by_object(program: Program) -> DataFrame:
    """`foreach` with an object: what it keeps from row to row is written when it is closed."""
    folder = Path(program.path())
    folder.mkdir(parents=True)

    class Writer:
        def open(self, partition: int, batch: int) -> bool:
            self.name = f"{partition}-{batch}"
            self.rows: list[str] = []
            return True

        def process(self, row: Row) -> None:
            self.rows.append(json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]}))

        def close(self, error: Exception | None) -> None:
            (folder / f"{self.name}.json").write_text("\n".join(self.rows), "utf-8")

    _started(program, _read(program)).foreach(Writer()).start().awaitTermination()
    return program.spark.read.schema(SCHEMA).json(str(folder))


def each_row_read_by_program(program: Program) -> DataFrame:
    folder = Path(program.path())
    folder.mkdir(parents=True)

    def write(row: Row) -> None:
        (folder / f"{row['id']}.json").write_text(json.dumps([row["id"], row["b"], row["a"]]), "utf-8")

    _started(program, _read(program)).foreach(write).start().awaitTermination()
    return program.given([tuple(json.loads(each.read_text("utf-8"))) for each in folder.iterdir()])


def observed(program: Program) -> DataFrame:
    """What a query observes stands in its progress."""
    rows = _read(program).observe("seen", F.max("a").alias("most"))
    query = _started(program, rows).format("noop").start()
    query.awaitTermination()
    found = [each["observedMetrics"]["seen"] for each in query.recentProgress if each["observedMetrics"]]
    most = [json.loads(each)["most"] if isinstance(each, str) else each["most"] for each in found]
    return program.given([(1, text, "none") for text in most if text])


def observed_as_constant(program: Program) -> DataFrame:
    rows = _read(program).observe("seen", F.min("b").alias("least"))
    query = _started(program, rows).format("noop").start()
    query.awaitTermination()
    found = [each["observedMetrics"]["seen"] for each in query.recentProgress if each["observedMetrics"]]
    least = [json.loads(each)["least"] if isinstance(each, str) else each["least"] for each in found]
    return program.frame().withColumn("a", F.lit(str(least[0])))


def error(program: Program) -> DataFrame:
    """A value in the error that ends a query."""

    def body(rows: DataFrame, _batch: int) -> None:
        raise ValueError(f"cannot store {rows.first()!r}")

    query = _started(program, _read(program)).foreachBatch(body).start()
    try:
        query.awaitTermination()
    except Exception as found:  # noqa: BLE001 - each line has its own
        return program.given([(1, str(found), "none")])
    return program.frame()


def error_of_plan(program: Program) -> DataFrame:
    """The same of a query that nobody collects from."""

    def fail(text: str) -> str:
        raise ValueError(f"cannot read {text}")

    rows = _read(program).withColumn("a", F.udf(fail)("a"))
    query = _started(program, rows).format("noop").start()
    try:
        query.awaitTermination()
    except Exception as found:  # noqa: BLE001 - each line has its own
        return program.given([(1, str(found), "none")])
    return program.frame()


def _run(program: Program, body: Callable[[DataFrame, int], None], *, each: bool = False) -> Any:
    """Let the body have the batches of any frame, file by file if ``each``; the session."""
    _started(program, _read(program, each)).foreachBatch(body).start().awaitTermination()
    return program.spark


def _started(program: Program, rows: DataFrame) -> Any:
    return rows.writeStream.option("checkpointLocation", program.path()).trigger(availableNow=True)


def _read(program: Program, each: bool = False) -> DataFrame:
    reader = program.spark.readStream.schema(SCHEMA)
    reader = reader.option("maxFilesPerTrigger", 1) if each else reader
    return reader.parquet(program.files())


def _file(program: Program) -> Path:
    file = Path(program.path())
    file.parent.mkdir(exist_ok=True)
    return file
