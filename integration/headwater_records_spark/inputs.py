"""What a plan reads: files with size and time of change, as it listed them, and whether they still are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from headwater_records_spark.errors import ChangedInputError, UntraceableError
from headwater_records_spark.jvm import Jvm, kind, listed, optional
from headwater_records_spark.versioned.formats import is_anew, version_of, versions_read
from headwater_records_spark.versioned.port import UNKNOWN, Version

Stamp: TypeAlias = tuple[int, int]
"""The size of a file in bytes, and when it was changed in milliseconds since 1970."""
Files: TypeAlias = dict[str, Stamp]
"""What files were, by path."""
SOURCES = "org.apache.spark.sql.execution.datasources."
LISTED = {"InMemoryFileIndex", "MetadataLogFileIndex"}
"""The indexes that keep what they listed."""
_STATUS = re.compile(r"path=(.*); isDirectory=false; length=(\d+);.*? modification_time=(\d+);", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Input:
    """One input: ``files`` are what it was, or its rows are ``of_program`` and they cannot be asked about later.

    Of a table with versions it has the ``version``, whether that was ``named`` by the program, the table's root, its
    ``format``, and the ``table``, which is another one if it was dropped and made anew.
    """

    name: str
    files: Files = field(default_factory=dict)
    of_program: bool = False
    version: str = ""
    named: bool = False
    root: str = ""
    table: str = ""
    format: str = ""

    @property
    def read(self) -> Version:
        """The version that it has been read at."""
        return Version(self.root, self.version, self.named, self.format, self.table)


def inputs_of(jvm: Jvm, plan: Any) -> list[Input]:
    """The inputs of a plan, also those of its subqueries, by name; one that is read twice is there once."""
    found: dict[str, Input] = {}
    for leaf in leaves(plan):
        each = _input(jvm, leaf)
        if each is None:
            continue
        known = found.get(each.name, each)
        found[each.name] = replace(
            known, files={**known.files, **each.files}, of_program=each.of_program or known.of_program
        )
    return [found[name] for name in sorted(found)]


def leaves(plan: Any) -> Iterator[Any]:
    """The plans that have no input."""
    yield from listed(plan.collectLeaves())
    for each in listed(plan.subqueriesAll()):
        yield from listed(each.collectLeaves())


def tables_of(plan: Any) -> list[Input]:
    """The tables with versions that a plan reads, also in subqueries; one that is read twice is there twice."""
    return [found for leaf in leaves(plan) if (found := _table(leaf)) is not None]


def _table(leaf: Any) -> Input | None:
    version = version_of(leaf)
    if version is None:
        return None
    name = f"{called(leaf)} (version {version.text})" if version.named else called(leaf)
    return Input(
        name, version=version.text, named=version.named, root=version.root,
        table=version.table, format=version.format,
    )  # fmt: skip


def _input(jvm: Jvm, leaf: Any) -> Input | None:
    name = kind(leaf)
    if name in {"LogicalRDD", "LocalRelation"}:
        return Input(
            f"rows of the program ({', '.join(each.name() for each in listed(leaf.output()))})", {}, True
        )
    table = _table(leaf)
    if table is not None:
        return table
    if name != "LogicalRelation" or kind(leaf.relation()) != "HadoopFsRelation":
        return None
    location = leaf.relation().location()
    if kind(location) == "CatalogFileIndex":
        location = location.filterPartitions(jvm.seq([]))
    if kind(location) not in LISTED:
        raise UntraceableError(kind(location), "what it reads cannot be compared later")
    return Input(called(leaf), _files(location))


def called(leaf: Any) -> str:
    """The name of a table, or else the paths that are read."""
    if kind(leaf) != "LogicalRelation":
        return str(leaf.name())
    table = optional(leaf.catalogTable())
    roots = [each.toString() for each in listed(leaf.relation().location().rootPaths())]
    return str(table.identifier().unquotedString()) if table is not None else ", ".join(roots)


def at_versions(inputs: Sequence[Input]) -> dict[str, str]:
    """By the root of each table with versions the one that was read, where the program has named none."""
    return {each.root: each.version for each in inputs if each.root and not each.named}


def at_one(given: Input, read: dict[str, set[str]]) -> Input:
    """An input at the version that was read of its table; an UntraceableError if that is not certain."""
    found = read.get(given.root, {UNKNOWN})
    if len(found) > 1 or UNKNOWN in found:
        reason = f"which version of {given.name} was read is not known: name it (VERSION AS OF)"
        raise UntraceableError("read", reason)
    return replace(given, version=next(iter(found)))


def as_read(jvm: Jvm, inputs: list[Input], execution: Any) -> list[Input]:
    """The inputs, with the versions that the execution has read where the program has named none."""
    if not at_versions(inputs):
        return inputs
    read = versions_read(jvm, execution)
    return [each if not each.root or each.named else at_one(each, read) for each in inputs]


def _files(index: Any) -> Files:
    """What an index of files lists, in one call."""
    found = {}
    for each in index.allFiles().mkString("\0").split("\0"):
        status = _STATUS.search(each)
        if status:
            found[status[1]] = (int(status[2]), int(status[3]))
    return found


def listing(jvm: Jvm, paths: Sequence[str]) -> Files:
    """The files in these folders as they are now, also in those of partitions; none where there is nothing.

    Other folders in them are of others, and need not be laid out alike.
    """
    nothing = jvm.view.scala.Option.empty()
    options = getattr(jvm.type("scala.collection.immutable.Map$"), "MODULE$").empty()
    options = options.updated("recursiveFileLookup", "true")
    found: Files = {}
    path = jvm.type("org.apache.hadoop.fs.Path")
    there = [path(each) for each in paths]
    hadoop = jvm.spark._jsparkSession.sessionState().newHadoopConf()
    there = [each for each in there if each.getFileSystem(hadoop).exists(each)]
    if there:
        index = jvm.type(SOURCES + "InMemoryFileIndex")(
            jvm.spark._jsparkSession,
            jvm.seq(there),
            options,
            nothing,
            jvm.one(SOURCES + "NoopCache"),
            nothing,
            nothing,
        )
        roots = {file_name(each) for each in paths}
        found.update({file: stamp for file, stamp in _files(index).items() if _is_in(file, roots)})
    return found


def _is_in(file: str, roots: Collection[str]) -> bool:
    """Whether it is one of these, or a file in one of these folders, or in folders of partitions in it."""
    path = file_name(file)
    folder, _, _ = path.rpartition("/")
    while folder not in roots and "=" in folder.rpartition("/")[2]:
        folder, _, _ = folder.rpartition("/")
    return path in roots or folder in roots


def file_name(path: str) -> str:
    """A path in one way to write it: ``file:/a``, ``file:///a`` and ``/a`` are one file."""
    scheme, colon, rest = path.partition(":/")
    if not colon:
        return f"file:/{path.lstrip('/')}" if path.startswith("/") else path
    return f"{scheme}:/{rest.lstrip('/')}"


def check(jvm: Jvm, inputs: Sequence[Input]) -> None:
    """Raise a ChangedInputError that names the first file, or the table, that is not what it was."""
    for each in inputs:
        if is_anew(jvm, each.read):
            raise ChangedInputError(each.name, each.root, "was made anew")
    now = listing(jvm, sorted({file.rpartition("/")[0] for each in inputs for file in each.files}))
    for each in inputs:
        for file, before in sorted(each.files.items()):
            if file not in now:
                raise ChangedInputError(each.name, file, "is gone")
            if now[file] != before:
                raise ChangedInputError(each.name, file, "was changed")


@contextmanager
def unchanged(jvm: Jvm, inputs: Sequence[Input]) -> Iterator[None]:
    """Raise a ChangedInputError if after what is done in here an input is not what it was when it was listed."""
    try:
        yield
    finally:
        check(jvm, inputs)
