"""One random program; run as a script: ``program.py SEED FOLDER``, with the sources in the folder (``planted``).

With the name of a module behind it, the program goes through each of the module's channels once; with that of a
channel, too, through it alone: what other channels collect does not make everything doubtful.
"""

from __future__ import annotations

import functools
import inspect
import json
import random
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "id long, a string, b string"
EVENTS = "id long, note string, props map<string,string>, meta struct<agent:string>"
OUTPUTS = 3
MODULES = ("frames", "files", "tables", "streams", "learned", "catalog", "sql_functions")
ALONE = ("batches", "python_sources", "stateful")
"""The modules whose channels are gone through one by one: what they do not say is in doubt beside others anyway."""
_LONGEST_NAME = 80
"""The most letters of a text that becomes the name of a folder."""
_OUTPUT = ("parquet", "json", "csv", "orc", "folders", "text")


class Program:
    """The frames that there are, from which channels take some at random."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.spark = SparkSession.builder.appName(f"Channels {seed}").getOrCreate()
        self.spark.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
        self.is_4 = self.spark.version >= "4"
        self.log: list[str] = []
        self._names = 0
        people = self.spark.read.parquet(str(folder / "people.parquet"))
        events = self.spark.read.json(str(folder / "events.json"), schema=EVENTS)
        self._frames = [
            people.select("id", F.col("name").alias("a"), F.col("home.street").alias("b")),
            people.select("id", F.col("mail").alias("a"), F.explode("tags").alias("b")),
            events.select("id", F.col("note").alias("a"), F.col("props")["k"].alias("b")),
            events.select("id", F.col("meta.agent").alias("a"), F.lit("plain").alias("b")),
        ]
        self._sources = len(self._frames)

    def frame(self) -> DataFrame:
        """Any frame."""
        return self.random.choice(self._frames)

    def sources(self) -> tuple[DataFrame, DataFrame]:
        """Two frames with different words."""
        first, second = self.random.sample(self._frames[: self._sources], 2)
        return first, second

    def value(self) -> str:
        """A value of any frame, which the program has collected; one that can stand in quotes and in a path."""
        found = self.frame().select(self.random.choice("ab")).dropna().take(1)
        value = str(found[0][0]) if found else "nothing"
        return "".join(each for each in value if each not in "'`\\/{}\"")

    def name(self) -> str:
        """A new name of something."""
        self._names += 1
        return f"thing{self._names}"

    def path(self) -> str:
        """A new path."""
        return str(self.folder / "between" / self.name())

    def files(self) -> str:
        """The path of new Parquet files of any frame."""
        path = self.path()
        self.frame().write.parquet(path)
        return path

    def table(self) -> str:
        """The name of a new table of any frame."""
        name = self.name()
        self.frame().write.saveAsTable(name)
        return name

    def empty_table(self, more: str = "") -> str:
        """The name of a new table without rows."""
        name = self.name()
        self.spark.sql(f"CREATE TABLE {name}({SCHEMA}) USING parquet {more}")
        return name

    def given(self, rows: Sequence[tuple[Any, ...]]) -> DataFrame:
        """Rows that the program hands in."""
        return self.spark.createDataFrame(list(rows) or [(0, "none", "none")], SCHEMA)

    def view(self) -> str:
        """The name of a temporary view of any frame."""
        name = self.name()
        self.frame().createOrReplaceTempView(name)
        return name

    def run(self, channels: int) -> None:
        """Go through so many channels, in two programs of five also through the program itself, and write."""
        plain = [found for module in MODULES for found in channels_in(_module(module))]
        own = channels_in(_module("program_values")) if self.random.random() < 0.4 else []
        for _ in range(channels):
            choice = own if own and self.random.random() < 0.3 else plain
            self._go_through(self.random.choice(choice))
        made = self._frames[self._sources :]
        for number, frame in enumerate(self.random.sample(made, min(OUTPUTS, len(made)))):
            self._write(frame, f"{self.folder}/out/{number}")

    def run_each(self, module: str, name: str) -> None:
        """Go through each channel of a module, or the one of that name, and write what it gives."""
        for channel in channels_in(_module(module)):
            if name and channel.__name__ != name:
                continue
            before = len(self._frames)
            self._go_through(channel)
            for frame in self._frames[before:]:
                self._write(frame, f"{self.folder}/out/{channel.__name__}")

    def _go_through(self, channel: Channel) -> None:
        """Add what the channel gives; values that it cannot take are left out, and so is what another line has."""
        try:
            found = channel(self)
            texts = (F.col(each).cast("string").alias(each) for each in "ab")
            frame = found.select("id", *texts)  # analyses it
        except Exception as error:  # noqa: BLE001 - whatever it is, the program goes on without
            self.log.append(f"! {channel.__name__}: {str(error)[:200]}")
            return
        self._frames.append(frame)
        self.log.append(channel.__name__)

    def _write(self, frame: DataFrame, path: str) -> None:
        how = self.random.choice(_OUTPUT)
        self.log.append(f"{Path(path).name}: {how}")
        if how == "folders":
            short = frame.filter(F.length("a") < _LONGEST_NAME)
            short.dropna().write.partitionBy("a").parquet(path)
        elif how == "text":
            frame.select(F.concat_ws(" ", "a", "b").alias("text")).write.text(path)
        else:
            frame.write.format(how).save(path)


Channel: TypeAlias = Callable[[Program], DataFrame]


def of_spark_4(channel: Channel) -> Channel:
    """A channel that the other line has not: there it gives any frame."""

    @functools.wraps(channel)
    def go_through(program: Program) -> DataFrame:
        return channel(program) if program.is_4 else program.frame()

    return go_through


def as_text(rows: DataFrame, text: Column | str) -> DataFrame:
    """The frame of a channel that gives one text for each row."""
    value = F.col(text) if isinstance(text, str) else text
    return rows.select(F.lit(1).cast("long").alias("id"), value.alias("a"), F.lit("none").alias("b"))


def channels_in(module: ModuleType) -> list[Channel]:
    """The channels of a module, by name."""
    found = inspect.getmembers(module, inspect.isfunction)
    return [each for name, each in found if each.__module__ == module.__name__ and not name.startswith("_")]


def _module(name: str) -> ModuleType:
    return import_module(f"oracle.channels.{name}")


def main(seed: str, folder: str, module: str = "", channel: str = "") -> None:
    program = Program(int(seed), Path(folder))
    if module:
        program.run_each(module, channel)
    else:
        program.run(program.random.randint(4, 9))
    (Path(folder) / "log.json").write_text(json.dumps(program.log), "utf-8")


if __name__ == "__main__":
    # The channels know this module by its name: their program is to be the same class.
    from oracle.channels.program import main as as_module

    as_module(*sys.argv[1:5])
