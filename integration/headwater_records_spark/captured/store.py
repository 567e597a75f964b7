"""The folder of what was kept: one folder for each write, with ``run.json`` and, in some modes, tables of ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from headwater_records_spark.inputs import Files, Input
from headwater_records_spark.jvm import Jvm

VERSION = 3
DESCRIPTION = "run.json"
OPERATORS = "operators"
"""The folder of the tables of operators, each under its number."""
CARRIED = "carried"
"""The folder of what the write itself carried: below it the names of the output's files, in each flat derivations."""


@dataclass(slots=True)
class Output:
    """What a write wrote: where, in which format, of which schema, and the files of it.

    Of a table with versions it is a whole ``version``, with all files of it, also those that were there before.
    """

    root: str
    table: str
    format: str
    options: dict[str, str]
    schema: dict[str, Any]
    files: Files
    version: str = ""


@dataclass(slots=True)
class Run:
    """One write; ``written`` is a time in UTC.

    ``refused`` says why it cannot be asked about, ``code`` in a word; both are empty if it can.

    ``steps``, ``columns`` and ``sources`` are kept with tables of ids, ``rows`` is how many rows there are in them.
    ``carried`` says that the write itself carried the ids of its records, ``again`` why it did not.
    """

    run: str
    mode: str
    written: str
    output: Output
    inputs: list[Input]
    plan: str = ""
    program: str = ""
    refused: str = ""
    code: str = ""
    operator: str = ""
    carried: bool = False
    again: str = ""
    steps: Any = None
    columns: list[tuple[str, str]] = field(default_factory=list)
    sources: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)


class Store:
    """Reads and writes the folder, on any file system that Spark reads."""

    def __init__(self, jvm: Jvm, folder: str) -> None:
        self.jvm = jvm
        self.folder = qualified(jvm, folder)

    def place(self, run: str, *parts: str) -> str:
        """The path of a part of a run."""
        return "/".join((self.folder, run, *parts))

    def keep(self, run: Run) -> None:
        """Write the description; it comes last, so that a run without it is none."""
        path = self.jvm.type("org.apache.hadoop.fs.Path")(self.place(run.run, DESCRIPTION))
        stream = path.getFileSystem(hadoop_of(self.jvm)).create(path, True)
        try:
            stream.write(bytearray(json.dumps({"version": VERSION, **asdict(run)}).encode()))
        finally:
            stream.close()

    def take(self, file: str, *place: str) -> bool:
        """Move a file here, from any file system; False if it is not there."""
        path = self.jvm.type("org.apache.hadoop.fs.Path")
        given, here = path(file), path(self.place(*place))
        hadoop = hadoop_of(self.jvm)
        before, system = given.getFileSystem(hadoop), here.getFileSystem(hadoop)
        if not before.exists(given):
            return False
        system.mkdirs(here.getParent())
        copy = self.jvm.type("org.apache.hadoop.fs.FileUtil").copy
        if before.getUri().equals(system.getUri()):
            return bool(system.rename(given, here))
        return bool(copy(before, given, system, here, True, True, hadoop))

    def names(self, *place: str) -> list[str]:
        """The names in a folder of a run; none if it is not there."""
        path = self.jvm.type("org.apache.hadoop.fs.Path")(self.place(*place))
        system = path.getFileSystem(hadoop_of(self.jvm))
        return (
            [str(each.getPath().getName()) for each in system.listStatus(path)] if system.exists(path) else []
        )

    def clear(self, root: str, prefix: str) -> None:
        """Remove the files below a folder whose names begin with this; those of attempts that go on stay."""
        path = self.jvm.type("org.apache.hadoop.fs.Path")(root)
        system = path.getFileSystem(hadoop_of(self.jvm))
        files = system.listFiles(path, True)
        while files.hasNext():
            each = files.next().getPath()
            if each.getName().startswith(prefix) and "/_temporary/" not in each.toString():
                system.delete(each, False)

    def remove(self, *place: str) -> None:
        """Remove a run, or a part of it, if it is there."""
        path = self.jvm.type("org.apache.hadoop.fs.Path")(self.place(*place))
        path.getFileSystem(hadoop_of(self.jvm)).delete(path, True)

    def runs(self) -> list[Run]:
        """All runs, the oldest first."""
        return sorted(self._read(), key=lambda each: (each.written, each.run))

    def files_in(self, root: str) -> frozenset[str]:
        """The files that runs wrote below the root of an output."""
        return frozenset(path for run in self._read() if run.output.root == root for path in run.output.files)

    def _read(self) -> Iterator[Run]:
        path = self.jvm.type("org.apache.hadoop.fs.Path")(self.folder + "/*/" + DESCRIPTION)
        system = path.getFileSystem(hadoop_of(self.jvm))
        for status in system.globStatus(path) or ():
            stream = system.open(status.getPath())
            try:
                text = self.jvm.type("org.apache.commons.io.IOUtils").toString(stream, "UTF-8")
            finally:
                stream.close()
            yield _run(json.loads(text))


def captured_runs(spark: SparkSession, records: str) -> list[Run]:
    """The runs that were kept in the folder ``records``, the oldest first."""
    return Store(Jvm(spark), records).runs()


def _run(given: dict[str, Any]) -> Run:
    if given.pop("version") != VERSION:
        raise ValueError(f"run {given['run']} was kept by another version of Headwater")
    output = given.pop("output")
    output["files"] = _files(output["files"])
    inputs = [Input(**{**each, "files": _files(each["files"])}) for each in given.pop("inputs")]
    given["columns"] = [(name, key) for name, key in given["columns"]]
    return Run(output=Output(**output), inputs=inputs, **given)


def _files(given: dict[str, list[int]]) -> Files:
    return {path: (size, time) for path, (size, time) in given.items()}


def hadoop_of(jvm: Jvm) -> Any:
    """The session's settings of file systems."""
    return jvm.spark._jsparkSession.sessionState().newHadoopConf()


def qualified(jvm: Jvm, path: str) -> str:
    """A path with its file system, as file indexes write it."""
    given = jvm.type("org.apache.hadoop.fs.Path")(path)
    return str(given.getFileSystem(hadoop_of(jvm)).makeQualified(given).toString())
