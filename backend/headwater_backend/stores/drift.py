"""The mapping from stored paths to a reader's paths, where writer and reader of a dataset name them differently.

Theory of operation
===================

A *layout* is the schema with which a job reads or writes a dataset (``domain.layouts``). A dataset whose layouts are
all equal needs nothing. Any other pair of a written and a read layout is compared, with three results (``compared``):

*ways*
    Pairs of paths, written and read, that are the same stored value under two names. They are kept as edges of the
    reading job from the written path to the read one, whose transformations have READ_AS, and questions follow them
    like any other.
*unwritten*
    Read paths that are none of the written ones: a backward search reports a gap at them.
*unread*
    Written paths that are none of the read ones: in a forward search, one of them may be read under another name.

The rules are those of Spark's readers:

- CSV and text are read by position, whatever their names. Columns that are kept in the names
  of directories are read by name, and stand last. With another separator than the writer's, any may be in any.
- Text that is read as something else, and anything that is read as text: any column may be in any.
- All else is read by name, in small letters or capitals, unless the reading session distinguishes them. A column that
  the writer has in both is taken as it is written.
- A map that is read as a struct has its values in the struct's members, and the other way round.

Paths below a path without members in the other layout are found by containment, and get no way of their own.

Time
----
A reader can only have read existing data: a layout that was first written after the reader last read is not compared.
One that was last written before all of the dataset was certainly replaced, and read since, is not current: its ways
remain for questions about the past. Neither is a layout of a reader whose job later read with another one.

A path is unwritten where it is so for every current layout that was not overwritten since, in whole or in part: what is
left of it may have a lineage that is no longer current. Without any, nobody is known to write the dataset, and it is a
source. Databases and messages have columns of their own: none of their paths is ever unwritten.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from headwater_backend.domain.layouts import Column, Layout, layout_of
from headwater_backend.domain.model import READ_AS, PathSteps, Transformation
from headwater_backend.domain.node_keys import dataset_of, path_text
from headwater_backend.domain.transformations import text_of

SHOWN: Final = 8
"""The number of names of a schema that a text lists."""

_BY_POSITION: Final = frozenset({"csv", "text"})
_AS_TEXT: Final = frozenset({"text", "binaryfile"})
_NO_DATA: Final = frozenset({"path", "modificationTime", "length"})
_RAW: Final = "_corrupt_record"
"""Where Spark's readers keep a row that they could not parse."""
_OWN_COLUMNS: Final = re.compile(r"_change_type|_commit_(version|timestamp)|_metadata")
"""Columns that formats add when they are read."""
_UNNAMED: Final = re.compile(r"_c\d+")
_MESSAGES: Final = "kafka"
_DATABASES: Final = re.compile(
    r"(jdbc|postgres(ql)?|mysql|mariadb|sqlserver|mssql|oracle|db2|h2|derby|sqlite|teradata|redshift|snowflake|bigquery"
    r"|awsathena|trino|cassandra|azurecosmos|hana|synapse|clickhouse|duckdb)\b",
    re.IGNORECASE,
)


class LayoutKind(NamedTuple):
    """A layout with which any job used a dataset."""

    dataset: str
    use: str
    digest: str


class LayoutRow(NamedTuple):
    """A layout as stored; ``replaced`` and ``replaced_last`` are when a write with it first and last replaced the
    dataset or a part of it, ``whole`` and ``whole_last`` when it certainly replaced all.
    """

    dataset: str
    use: str
    job: str
    digest: str
    first: int
    last: int
    replaced: int | None
    replaced_last: int | None
    whole: int | None
    whole_last: int | None


R = TypeVar("R", LayoutKind, LayoutRow)


class ReadAsRow(NamedTuple):
    """A job that reads as ``target`` what is written as ``source``, from ``since`` on; both are node keys."""

    source: str
    target: str
    job: str
    transformations: str
    since: int
    current: bool


class DriftRow(NamedTuple):
    """A place where ``job`` reads the dataset by a schema that does not fit what is written: the node ``path`` is read
    and not written (``use`` is INPUT) or written and not read (OUTPUT).
    """

    dataset: str
    job: str
    use: str
    path: str
    detail: str


class Derived(NamedTuple):
    """The ways and drifts between the layouts of some datasets, each row once and in order."""

    ways: tuple[ReadAsRow, ...] = ()
    drifts: tuple[DriftRow, ...] = ()


class Way(NamedTuple):
    """The same stored value as it is written and as it is read."""

    written: PathSteps
    read: PathSteps
    transformations: str


class Compared(NamedTuple):
    """The comparison of a written layout with a read one; see the theory of operation."""

    ways: tuple[Way, ...] = ()
    unwritten: tuple[PathSteps, ...] = ()
    unread: tuple[PathSteps, ...] = ()


def derived(rows: Iterable[LayoutRow], own: Mapping[str, str], texts: Mapping[str, str]) -> Derived:
    """The ways and drifts between the layouts; ``own`` leads from other names of datasets to the canonical ones,
    ``texts`` from digests to the layouts' texts.
    """
    ways: set[ReadAsRow] = set()
    drifts: set[DriftRow] = set()
    for group in _by_dataset(rows, own):
        found = _of_dataset(group, texts)
        ways.update(found.ways)
        drifts.update(found.drifts)
    return Derived(tuple(sorted(ways)), tuple(sorted(drifts)))


def differing(kinds: Iterable[LayoutKind], own: Mapping[str, str]) -> list[LayoutKind]:
    """The layouts of datasets that are read and written with more than one."""
    return [
        kind
        for group in _by_dataset(kinds, own)
        if len({each.digest for each in group}) > 1
        for kind in group
    ]


def read_otherwise(
    kinds: Iterable[LayoutKind], own: Mapping[str, str], texts: Mapping[str, str]
) -> list[str]:
    """The digests of the read layouts that do not find all their columns by name in each written one."""
    found: set[str] = set()
    for group in _by_dataset(kinds, own):
        written = {each.digest for each in group if each.use == "OUTPUT"}
        for read in {each.digest for each in group if each.use == "INPUT"} - found:
            pairs = (compared(texts[one], texts[read]) for one in written)
            if any(pair.ways or pair.unwritten for pair in pairs):
                found.add(read)
    return sorted(found)


def _by_dataset(rows: Iterable[R], own: Mapping[str, str]) -> Iterable[list[R]]:
    """The rows of each dataset under all its names, without datasets of messages."""
    groups: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        groups[own.get(row.dataset, row.dataset)].append(row)
    return [group for key, group in groups.items() if not key.startswith(_MESSAGES)]


def _of_dataset(group: Sequence[LayoutRow], texts: Mapping[str, str]) -> Derived:
    writers = [row for row in group if row.use == "OUTPUT"]
    ways: dict[tuple[str, str, str, str], tuple[int, bool]] = {}
    drifts: list[DriftRow] = []
    for reader in (row for row in group if row.use == "INPUT"):
        current = not _superseded(reader, group)
        known = [row for row in writers if row.first <= reader.last]
        replaced = _last(reader.last, (time for row in known for time in (row.whole, row.whole_last)))
        maybe_replaced = _last(
            reader.last, (time for row in known for time in (row.replaced, row.replaced_last))
        )
        fitting: list[tuple[LayoutRow, Compared]] = []
        for writer in known:
            found = compared(texts[writer.digest], texts[reader.digest])
            alive = current and writer.last >= replaced
            _add(ways, writer, reader, found, alive)
            if alive and writer.last >= maybe_replaced:
                fitting.append((writer, found))
        drifts += _drifts(reader, fitting, texts)
    return Derived(tuple(ReadAsRow(*key, *value) for key, value in ways.items()), tuple(drifts))


def _add(
    ways: dict[tuple[str, str, str, str], tuple[int, bool]],
    writer: LayoutRow,
    reader: LayoutRow,
    found: Compared,
    alive: bool,
) -> None:
    since = max(writer.first, reader.first)
    for way in found.ways:
        source, target = writer.dataset + path_text(way.written), reader.dataset + path_text(way.read)
        key = (source, target, reader.job, way.transformations)
        known = ways.get(key, (since, False))
        ways[key] = (min(known[0], since), known[1] or alive)


def _superseded(reader: LayoutRow, group: Iterable[LayoutRow]) -> bool:
    """Whether the job later read with another layout instead."""
    return any(row.use == reader.use and row.job == reader.job and row.first > reader.last for row in group)


def _last(until: int, times: Iterable[int | None]) -> int:
    """The last of the times up to ``until``; 0 if there is none."""
    return max((time for time in times if time is not None and time <= until), default=0)


def _drifts(
    reader: LayoutRow, fitting: Sequence[tuple[LayoutRow, Compared]], texts: Mapping[str, str]
) -> Iterator[DriftRow]:
    namespace = dataset_of(reader.dataset).namespace
    unwritten = _in_all([found.unwritten for _, found in fitting])
    if not unwritten or _DATABASES.match(namespace):
        return
    read = layout_of(texts[reader.digest])
    for path in unwritten:
        writer = max(fitting, key=lambda each: (each[0].last, each[0].digest))[0]
        detail = _detail(layout_of(texts[writer.digest]), read, path[:-1])
        yield DriftRow(reader.dataset, reader.job, "INPUT", reader.dataset + path_text(path), detail)
    for writer, found in fitting:
        written = layout_of(texts[writer.digest])
        for path in found.unread:
            detail = _detail(written, read, path[:-1])
            yield DriftRow(reader.dataset, reader.job, "OUTPUT", writer.dataset + path_text(path), detail)


def _in_all(sets: Sequence[tuple[PathSteps, ...]]) -> list[PathSteps]:
    """The paths that each of the sets has, itself or as an ancestor."""
    return sorted(
        path
        for path in {path for each in sets for path in each}
        if all(any(path[: len(above)] == above for above in each) for each in sets)
    )


def _detail(written: Layout, read: Layout, above: PathSteps) -> str:
    """A description of both schemas at the level at which they differ."""
    place = f" in {'.'.join(above)}" if above else ""
    return f"written as {_listed(written, above)}, read as {_listed(read, above)}{place}"


def _listed(layout: Layout, above: PathSteps) -> str:
    columns = layout.columns
    for step in above:
        columns = next((column.members for column in columns if column.name == step), ())
    names = [column.name for column in columns]
    if not names:
        return "nothing"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"({', '.join(names[:SHOWN])}{more})"


@lru_cache(maxsize=4_096)
def compared(written: str, read: str) -> Compared:
    """The comparison of two layouts, by their texts."""
    if written == read:
        return Compared()
    one, other = layout_of(written), layout_of(read)
    found = _Comparison(other.case_sensitive)
    if _mixes(one, other):
        found.mix(one, other)
    elif _by_position(one, other):
        found.by_position(one, other)
    else:
        found.by_name((), one.columns, (), _readable(other.columns))
    found.raw(one, other)
    return Compared(tuple(dict.fromkeys(found.ways)), tuple(found.unwritten), tuple(found.unread))


def _mixes(written: Layout, read: Layout) -> bool:
    """Whether any written column may be in any read one."""
    if not written.format or not read.format:
        return False
    if written.format != read.format:
        return read.format in _AS_TEXT or written.format == "text"
    return read.format == "csv" and written.separator != read.separator


def _by_position(written: Layout, read: Layout) -> bool:
    if not read.format:
        return all(_UNNAMED.fullmatch(column.name) for column in read.columns)
    return read.format in _BY_POSITION and written.format in (read.format, "")


def _readable(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that hold data of one column of the writer each."""
    return tuple(
        column for column in columns if column.name != _RAW and not _OWN_COLUMNS.fullmatch(column.name)
    )


class _Comparison:
    """The comparison of two layouts, while it is made."""

    def __init__(self, case_sensitive: bool) -> None:
        self._exact = case_sensitive
        self.ways: list[Way] = []
        self.unwritten: list[PathSteps] = []
        self.unread: list[PathSteps] = []

    def by_position(self, written: Layout, read: Layout) -> None:
        """Pair the columns in files by position, those in directories by name."""
        kept = self._kept(written, read)
        readable = _readable(read.columns)
        in_files, in_names = self._parted(written.columns, kept)
        read_from_files, read_by_name = self._parted(readable, kept)
        self.by_name((), in_names, (), read_by_name)
        for one, other in zip(in_files, read_from_files, strict=False):
            self._pair((one.name,), one, (other.name,), other)
        self.unwritten += [(other.name,) for other in read_from_files[len(in_files) :]]
        self.unread += [(one.name,) for one in in_files[len(read_from_files) :]]

    def mix(self, written: Layout, read: Layout) -> None:
        """Pair each column in files with each other one, those in directories by name."""
        kept = self._kept(written, read)
        in_files, in_names = self._parted(written.columns, kept)
        read_from_files, read_by_name = self._parted(_readable(read.columns), kept)
        self.by_name((), in_names, (), read_by_name)
        own = _NO_DATA if read.format == "binaryfile" else frozenset[str]()
        how = "SERIALIZE" if read.format in _AS_TEXT else "PARSE"
        self._all_in_all(in_files, [column for column in read_from_files if column.name not in own], how)

    def raw(self, written: Layout, read: Layout) -> None:
        """Pair each written column with the column for text that could not be parsed."""
        self._all_in_all(written.columns, [each for each in read.columns if each.name == _RAW], "SERIALIZE")

    def by_name(
        self, above: PathSteps, written: Sequence[Column], read_above: PathSteps, read: Sequence[Column]
    ) -> None:
        """Pair each read column with the written one of its name."""
        exact = {column.name: column for column in written}
        folded = {self._folded(column.name): column for column in reversed(written)}
        taken: set[str] = set()
        for other in read:
            one = exact.get(other.name) or folded.get(self._folded(other.name))
            if one is None:
                self.unwritten.append((*read_above, other.name))
            else:
                taken.add(one.name)
                self._pair((*above, one.name), one, (*read_above, other.name), other)
        self.unread += [(*above, one.name) for one in written if one.name not in taken]

    def _pair(self, path: PathSteps, one: Column, read_path: PathSteps, other: Column) -> None:
        """Pair a written and a read column that are the same, with all their members."""
        if not one.members or not other.members or one[1:] == other[1:]:
            self._way(path, read_path)
        elif (one.kind, other.kind) == ("map", "struct"):
            values = next((each for each in one.members if each.name == "value"), Column("value"))
            for member in other.members:
                self._pair((*path, "value"), values, (*read_path, member.name), member)
        elif (one.kind, other.kind) == ("struct", "map"):
            values = next((each for each in other.members if each.name == "value"), Column("value"))
            for member in one.members:
                self._pair((*path, member.name), member, (*read_path, "value"), values)
        else:
            self.by_name(path, one.members, read_path, other.members)

    def _way(self, written: PathSteps, read: PathSteps) -> None:
        if written != read:
            how = Transformation(manipulation=(READ_AS,))
            self.ways.append(Way(written, read, text_of([how])))

    def _all_in_all(self, written: Iterable[Column], read: Sequence[Column], how: str) -> None:
        way = text_of([Transformation(subtype="TRANSFORMATION", manipulation=(READ_AS, how))])
        self.ways += [
            Way((one.name,), (other.name,), way)
            for one in written
            for other in read
            if one.name != other.name
        ]

    def _kept(self, written: Layout, read: Layout) -> set[str]:
        """The names of the columns that are kept in those of directories: of text that is read, all but the first."""
        beside = [column.name for column in read.columns[1:]] if read.format == "text" else []
        return {self._folded(name) for name in (*written.partitions, *read.partitions, *beside)}

    def _parted(self, columns: Iterable[Column], kept: set[str]) -> tuple[list[Column], list[Column]]:
        """The columns that are kept in files, and those in the names of directories."""
        parts: tuple[list[Column], list[Column]] = ([], [])
        for column in columns:
            parts[self._folded(column.name) in kept].append(column)
        return parts

    def _folded(self, name: str) -> str:
        return name if self._exact else name.casefold()
