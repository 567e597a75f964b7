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

    return _registered(program, Reader).load()


@of_spark_4
def options(program: Program) -> DataFrame:
    """A value that the program collected, as an option."""

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "from_options"

        def schema(self) -> str:
            return SCHEMA

        def reader(self, schema: Any) -> Any:
            return _Echo(self.options["word"])

    program.spark.dataSource.register(Source)
    return program.spark.read.format("from_options").option("word", program.value()).load()


@of_spark_4
def named_columns(program: Program) -> DataFrame:
    """A value that the program collected, as the name of a column that the source declares."""
    word = program.value()

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "with_names"

        def schema(self) -> str:
            return f"id long, `{word}` string"

        def reader(self, schema: Any) -> Any:
            return _Short()

    program.spark.dataSource.register(Source)
    rows = program.spark.read.format("with_names").load()
    return rows.unpivot("id", [f"`{word}`"], "a", "b")


@of_spark_4
def opens_files(program: Program) -> DataFrame:
    """A reader opens files that another query wrote, at a place that its code knows."""
    place = program.path()
    program.frame().write.json(place)

    class Reader(sources.DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
            for file in Path(place).glob("*.json"):
                for line in file.read_text("utf-8").splitlines():
                    row = json.loads(line)
                    yield row["id"], row.get("b"), row.get("a")

    return _registered(program, Reader).load()


@of_spark_4
def opens_files_of_option(program: Program) -> DataFrame:
    """A reader opens files that another query wrote, at the place that its options name."""
    place = program.path()
    program.frame().write.json(place)

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "of_path"

        def schema(self) -> str:
            return SCHEMA

        def reader(self, schema: Any) -> Any:
            return _Lines(self.options["path"])

    program.spark.dataSource.register(Source)
    return program.spark.read.format("of_path").load(place)


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
            return Message([json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]}) for row in rows])

        def commit(self, messages: list[Any]) -> None:
            lines = [line for message in messages if message for line in message.lines]
            (folder / "all.json").write_text("\n".join(lines), "utf-8")

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "committing"

        def writer(self, schema: Any, overwrite: bool) -> Any:
            return Writer()

    program.spark.dataSource.register(Source)
    program.frame().select("id", "a", "b").write.format("committing").mode("append").save()
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
            lines = [
                line for file in Path(place).glob("*.json") for line in file.read_text("utf-8").splitlines()
            ]
            rows = map(json.loads, lines)
            return iter([(row["id"], row.get("b"), row.get("a")) for row in rows]), {"at": 1}

        def readBetweenOffsets(self, start: Any, end: Any) -> Iterator[tuple[Any, ...]]:  # noqa: N802 - Spark's name
            return self.read(start)[0]

        def commit(self, end: Any) -> None:
            pass

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "streaming"

        def schema(self) -> str:
            return SCHEMA

        def simpleStreamReader(self, schema: Any) -> Any:  # noqa: N802 - Spark's name
            return Reader()

    program.spark.dataSource.register(Source)
    writer = program.spark.readStream.format("streaming").load().writeStream
    query = writer.option("checkpointLocation", program.path()).format("parquet").start(into)
    query.processAllAvailable()
    query.stop()
    return program.spark.read.schema(SCHEMA).parquet(into)


@of_spark_4
def stream_written(program: Program) -> DataFrame:
    """A stream's writer makes files."""
    folder = _folder(program)

    class Writer(sources.DataSourceStreamWriter):
        def write(self, rows: Iterator[Any]) -> Any:
            for row in rows:
                text = json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]})
                (folder / f"{row['id']}.json").write_text(text, "utf-8")
            return sources.WriterCommitMessage()

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return "stream_writing"

        def streamWriter(self, schema: Any, overwrite: bool) -> Any:  # noqa: N802 - Spark's name
            return Writer()

    program.spark.dataSource.register(Source)
    rows = program.spark.readStream.schema(SCHEMA).parquet(program.files())
    writer = rows.writeStream.option("checkpointLocation", program.path()).trigger(availableNow=True)
    writer.format("stream_writing").start().awaitTermination()
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
            for file in Path(self.place).glob("*.json"):
                for line in file.read_text("utf-8").splitlines():
                    row = json.loads(line)
                    yield row["id"], row.get("b"), row.get("a")


def _registered(program: Program, reader: Any) -> Any:
    name = program.name()

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return SCHEMA

        def reader(self, schema: Any) -> Any:
            return reader()

    program.spark.dataSource.register(Source)
    return program.spark.read.format(name)


def _written(program: Program, folder: Path, rows: DataFrame) -> Any:
    name = program.name()

    class Writer(sources.DataSourceWriter):
        def write(self, rows: Iterator[Any]) -> Any:
            for row in rows:
                text = json.dumps({"id": row["id"], "a": row["b"], "b": row["a"]})
                (folder / f"{row['id']}.json").write_text(text, "utf-8")
            return sources.WriterCommitMessage()

    class Source(sources.DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def writer(self, schema: Any, overwrite: bool) -> Any:
            return Writer()

    program.spark.dataSource.register(Source)
    return rows.select("id", "a", "b").write.format(name)


def _folder(program: Program) -> Path:
    folder = Path(program.path())
    folder.mkdir(parents=True)
    return folder
