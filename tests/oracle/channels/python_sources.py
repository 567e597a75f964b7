"""Channels through data sources of the program, written in Python: readers and writers, of tables and streams."""

# mypy: disable-error-code="misc"

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from oracle.channels.program import SCHEMA, Program, of_spark_4

try:
    from pyspark.sql import datasource as sources
except ImportError:  # Spark 3.5 has none, and its program gives any frame
    sources = None


@of_spark_4
def carried(program: Program) -> DataFrame:
    """Rows that the program collected, and its class keeps."""
    kept = [tuple(row) for row in program.frame().collect()]

    class Reader(sources.DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            return ((number, b, a) for number, a, b in kept)

    return _read(program, reader=lambda source, schema: Reader()).load()


@of_spark_4
def options(program: Program) -> DataFrame:
    """A value that the program collected, as an option."""
    reader = _read(program, reader=lambda source, schema: _Echo(source.options["word"]))
    return reader.option("word", program.value()).load()


@of_spark_4
def named_columns(program: Program) -> DataFrame:
    """A value that the program collected, as the name of a column that the source declares."""
    word = program.value()
    rows = _read(program, f"id long, `{word}` string", reader=lambda source, schema: _Short()).load()
    return rows.unpivot("id", [f"`{word}`"], "a", "b")


@of_spark_4
def opens_files(program: Program) -> DataFrame:
    """A reader opens files that another query wrote, at a place that its code knows."""
    place = program.path()
    program.frame().write.json(place)
    return _read(program, reader=lambda source, schema: _Lines(place)).load()


@of_spark_4
def opens_files_of_option(program: Program) -> DataFrame:
    """A reader opens files that another query wrote, at the place that its options name."""
    place = program.path()
    program.frame().write.json(place)
    return _read(program, reader=lambda source, schema: _Lines(source.options["path"])).load(place)


@of_spark_4
def writes(program: Program) -> DataFrame:
    """A writer makes files at a place that its code knows."""
    folder = _folder(program)
    rows = program.frame()
    _written(program, folder, rows).mode("append").save()
    return program.spark.read.schema(SCHEMA).json(str(folder))


@of_spark_4
def writes_at_option(program: Program) -> DataFrame:
    """A writer makes files at the place that its options name."""
    folder = _folder(program)
    _written(program, folder, program.frame()).mode("append").option("path", str(folder)).save()
    return program.spark.read.schema(SCHEMA).json(str(folder))


@of_spark_4
def written_and_opened(program: Program) -> DataFrame:
    """The program reads what a writer made."""
    folder = _folder(program)
    _written(program, folder, program.frame()).mode("append").save()
    lines = [json.loads(line) for each in folder.glob("*") for line in each.read_text("utf-8").splitlines()]
    return program.given([(row["id"], row["b"], row["a"]) for row in lines])


@of_spark_4
def commits(program: Program) -> DataFrame:
    """A writer's commit writes what its messages have."""
    folder = _folder(program)

    class Message(sources.WriterCommitMessage):
        def __init__(self, lines: list[str]) -> None:
            self.lines = lines

    class Writer(sources.DataSourceWriter):
        def write(self, rows: Iterator[Any]) -> Any:
            return Message([_turned(row) for row in rows])

        def commit(self, messages: list[Any]) -> None:
            lines = [line for message in messages if message for line in message.lines]
            (folder / "all.json").write_text("\n".join(lines), "utf-8")

    name = _registered(program, writer=lambda source, schema, overwrite: Writer())
    program.frame().select("id", "a", "b").write.format(name).mode("append").save()
    return program.spark.read.schema(SCHEMA).json(str(folder))


@of_spark_4
def stream_of_files(program: Program) -> DataFrame:
    """A stream's reader opens files that another query wrote."""
    place, into = program.path(), program.path()
    program.frame().write.json(place)

    class Reader(sources.SimpleDataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"at": 0}

        def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[Any, ...]], dict[str, int]]:
            if start["at"]:
                return iter([]), start
            return iter([*_rows_in(place)]), {"at": 1}

        def readBetweenOffsets(self, start: Any, end: Any) -> Iterator[tuple[Any, ...]]:  # noqa: N802 - Spark's name
            return self.read(start)[0]

        def commit(self, end: Any) -> None:
            pass

    name = _registered(program, simpleStreamReader=lambda source, schema: Reader())
    writer = program.spark.readStream.format(name).load().writeStream
    query = writer.option("checkpointLocation", program.path()).format("parquet").start(into)
    query.processAllAvailable()
    query.stop()
    return program.spark.read.schema(SCHEMA).parquet(into)


@of_spark_4
def stream_written(program: Program) -> DataFrame:
    """A stream's writer makes files."""
    folder = _folder(program)
    writer = _writing(folder, sources.DataSourceStreamWriter)
    name = _registered(program, streamWriter=lambda source, schema, overwrite: writer())
    rows = program.spark.readStream.schema(SCHEMA).parquet(program.files())
    stream = rows.writeStream.option("checkpointLocation", program.path()).trigger(availableNow=True)
    stream.format(name).start().awaitTermination()
    return program.spark.read.schema(SCHEMA).json(str(folder))


if sources:

    class _Echo(sources.DataSourceReader):
        def __init__(self, word: str) -> None:
            self.word = word

        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            yield 1, self.word, "none"

    class _Short(sources.DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            yield 1, "none"

    class _Lines(sources.DataSourceReader):
        def __init__(self, place: str) -> None:
            self.place = place

        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            return _rows_in(self.place)


def _rows_in(place: str) -> Iterator[tuple[Any, ...]]:
    """The rows of files of JSON, with the texts turned."""
    for file in Path(place).glob("*.json"):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield row["id"], row.get("b"), row.get("a")


def _turned(row: Any) -> str:
    return json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]})


def _registered(program: Program, columns: str = SCHEMA, **methods: Any) -> str:
    """The name of a new source with these columns and methods, which are given the source first."""
    name = program.name()
    own = {"name": classmethod(lambda _: name), "schema": lambda _: columns}
    program.spark.dataSource.register(type("Source", (sources.DataSource,), {**own, **methods}))
    return name


def _read(program: Program, columns: str = SCHEMA, **methods: Any) -> Any:
    return program.spark.read.format(_registered(program, columns, **methods))


def _writing(folder: Path, kind: Any) -> Any:
    """A class of writers of that kind, which make a file of each row."""

    class Writer(kind):
        def write(self, rows: Iterator[Any]) -> Any:
            for row in rows:
                (folder / f"{row['id']}.json").write_text(_turned(row), "utf-8")
            return sources.WriterCommitMessage()

    return Writer


def _written(program: Program, folder: Path, rows: DataFrame) -> Any:
    writer = _writing(folder, sources.DataSourceWriter)
    name = _registered(program, writer=lambda source, schema, overwrite: writer())
    return rows.select("id", "a", "b").write.format(name)


def _folder(program: Program) -> Path:
    folder = Path(program.path())
    folder.mkdir(parents=True)
    return folder
