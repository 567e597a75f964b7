"""The comparison of a written layout with a read one: which stored path is which read path.

The rules are those of Spark's readers:

- A column that is a whole record (``value`` of text, ``content`` of a binary file, an image, the only column of CSV
  that others read more of, key and value of a message) holds every column of anybody else, and the other way round.
- Files of lines that are read in another format than they were written: any column may be in any. A line of JSON that
  is read as a text has each column packed under its name, and a text that is read as JSON is taken apart by name.
- CSV is read by position, whatever its names. Columns that are kept in the names of directories are read by name, and
  stand last. With another separator than the writer's, or one that is not stated, any may be in any. ORC whose columns
  Hive numbered is read by position as well, and what a reader says to read so (``matching``), with its members if it
  is Avro.
- By ids of fields any column may be in any: what ids the files have is not known.
- A column that writer and reader know by the same identifier (``Column.id``) is the same one, whatever its names are.
  It may be one of its name as well.
- All else is read by name, in small letters or capitals, unless the reading session distinguishes them. A column that
  the writer has in both is taken as it is written.
- Names of files (``_metadata.file_path``, ``path`` of a binary file) hold the columns that are kept in the names of
  directories, whether or not the reader knows these.
- A map that is read as a struct has its values in the struct's members, and its keys decide which member has one. A
  struct that is read as a map has its members in the map's values, and which of them are null decides the keys.

Paths below a path without members in the other layout are found by containment, and get no way of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from headwater_backend.domain.layouts import Column, Layout, layout_of
from headwater_backend.domain.model import PACKED, READ_AS, LineageType, PathSteps, Transformation
from headwater_backend.domain.transformations import text_of
from headwater_facets.kinds import Access, Subtype

_BY_POSITION: Final = frozenset({"csv", "text"})
_RAW_FORMATS: Final = frozenset({"text", "binaryfile", "image"})
"""Formats whose rows are whole records in one column."""
_LINES: Final = frozenset({"csv", "json", "xml"})
"""Formats as which a file of any other can be read."""
_OF_LINES: Final = frozenset({"text", "csv"})
"""Formats that read a line of JSON as a text, if they read a single column."""
_AS_TABLES: Final = frozenset({"hive"})
"""Formats that say nothing of the files."""
_ENVELOPE: Final = frozenset({"key", "value", "headers"})
_OF_MESSAGES: Final = _ENVELOPE | {"topic", "partition", "offset", "timestamp", "timestampType"}
_NO_DATA: Final = frozenset({"path", "modificationTime", "length"})
_UNPARSED: Final = "_corrupt_record"
"""Where Spark's readers keep a row that they could not parse."""
_OWN_COLUMNS: Final = re.compile(r"_change_type|_commit_(version|timestamp)|_metadata")
"""Columns that formats add when they are read."""
_FILE_NAMES: Final = ("_metadata", "file_path")
_NAMES_OF: Final = {"binaryfile": ("path",), "image": ("image", "origin")}
"""By format, the path of its own that has the files' names."""
_UNNAMED: Final = re.compile(r"_c\d+")
_NUMBERED: Final = re.compile(r"_col\d+")
"""The names that Hive gives to columns of ORC, which are then read by position."""


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


@lru_cache(maxsize=4_096)
def compared(written: str, read: str, *, messages: bool = False) -> Compared:
    """The comparison of two layouts, by their texts; ``messages`` are not kept in files, and have no drift."""
    if written == read:
        return Compared()
    one, other = layout_of(written), layout_of(read)
    found = _Comparison(other.case_sensitive)
    if messages:
        found.messages(one, other)
    elif _mixes(one, other):
        found.mix(one, other)
    elif _by_position(one, other):
        found.by_position(one, other)
    else:
        found.by_name((), one.columns, (), _readable(other.columns))
    found.unparsed(one, other)
    found.file_names(one, other)
    return Compared(tuple(dict.fromkeys(found.ways)), tuple(found.unwritten), tuple(found.unread))


@lru_cache(maxsize=4_096)
def otherwise_read(known: str, read: str) -> tuple[Way, ...]:
    """The ways to the columns of a layout from those that other readers, by name and in the same format, spell with
    other capitals, take for maps or structs where this one does not, or know to be in the names of directories.
    """
    other = layout_of(read)
    found = _Comparison(other.case_sensitive)
    found.otherwise_read((), layout_of(known).columns, _readable(other.columns))
    found.unparsed(layout_of(known), other)
    found.file_names(layout_of(known), other)
    return tuple(dict.fromkeys(found.ways))


def is_whole(layout: Layout, *, messages: bool = False) -> bool:
    """Whether a column of the layout is a whole record."""
    if messages:
        return bool(_holding(layout))
    names = [column.name for column in _readable(layout.columns) if column.name not in layout.partitions]
    return layout.format in _RAW_FORMATS or (layout.format == "csv" and names == ["_c0"])


def is_positional(layout: Layout) -> bool:
    """Whether the columns of the layout are found by position, and have names of the reader's own."""
    return layout.format == "csv" or layout.matching == "position"


def _mixes(written: Layout, read: Layout) -> bool:
    """Whether any written column may be in any read one."""
    if read.matching == "id":
        return True
    if written.format == read.format:
        one_in_all = is_whole(read) and not is_whole(written)
        other = written.separator != read.separator or not read.separator
        return read.format == "csv" and (other or one_in_all)
    if written.format in _RAW_FORMATS or read.format in _RAW_FORMATS:
        return True
    return bool(written.format) and written.format not in _AS_TABLES and read.format in _LINES


def _by_position(written: Layout, read: Layout) -> bool:
    if read.matching == "position":
        return True
    if read.format == "orc" and written.format == "orc":
        return all(_NUMBERED.fullmatch(column.name) for column in written.columns)
    if not read.format:
        return all(_UNNAMED.fullmatch(column.name) for column in _readable(read.columns))
    return read.format in _BY_POSITION and written.format in (read.format, "")


def _holding(layout: Layout) -> list[Column]:
    """The columns that hold messages as a whole; none where the layout has the messages' own columns."""
    names = {column.name for column in layout.columns}
    return [each for each in layout.columns if each.name in _ENVELOPE] if names <= _OF_MESSAGES else []


def _readable(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that hold data of one column of the writer each."""
    return tuple(
        column for column in columns if column.name != _UNPARSED and not _OWN_COLUMNS.fullmatch(column.name)
    )


def _has(columns: Sequence[Column], path: PathSteps) -> bool:
    """Whether the columns have the path; no path is in none."""
    found = next((column for column in columns if path and column.name == path[0]), None)
    return found is not None and (len(path) == 1 or _has(found.members, path[1:]))


def _alike(one: Column, other: Column) -> bool:
    """Whether both have the same members, in order, and none that is another by its identifier."""
    same = one.kind == other.kind and len(one.members) == len(other.members)
    return same and all(
        a.name == b.name and a.id in ("", b.id or a.id) and _alike(a, b)
        for a, b in zip(one.members, other.members, strict=True)
    )


def _packing(written: PathSteps, read: PathSteps, how: str) -> Way:
    known = Transformation(subtype="TRANSFORMATION", manipulation=(READ_AS, how))
    return Way(written, read, text_of([known]))


def _leaves(columns: Iterable[Column], above: PathSteps = ()) -> Iterator[PathSteps]:
    """The paths of the columns, those of structs member by member."""
    for column in columns:
        path = (*above, column.name)
        if column.kind == "struct" and column.members:
            yield from _leaves(column.members, path)
        else:
            yield path


class _Comparison:
    """The comparison of two layouts, while it is made."""

    def __init__(self, case_sensitive: bool) -> None:
        self._exact = case_sensitive
        self._members_too = False
        self.ways: list[Way] = []
        self.unwritten: list[PathSteps] = []
        self.unread: list[PathSteps] = []

    def by_position(self, written: Layout, read: Layout) -> None:
        """Pair the columns in files by position, those in directories by name; of Avro the members, too."""
        self._members_too = read.format == "avro"
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
        how = "SERIALIZE" if is_whole(read) else "PARSE"
        into = [column for column in read_from_files if column.name not in own]
        if written.format == "json" and read.format in _OF_LINES and len(into) == 1:
            self.ways += [
                _packing(path, (into[0].name, PACKED, *path), "SERIALIZE") for path in _leaves(in_files)
            ]
        elif written.format == "text" and read.format == "json" and len(in_files) == 1:
            self.ways += [
                _packing((in_files[0].name, PACKED, *path), path, "PARSE") for path in _leaves(into)
            ]
        else:
            self._all_in_all(in_files, into, how)

    def messages(self, written: Layout, read: Layout) -> None:
        """Pair the columns of messages that somebody knows the content of with those that hold messages as a whole."""
        one, other = _holding(written), _holding(read)
        if one and not other:
            self._all_in_all(one, read.columns, "PARSE")
        elif other and not one:
            self._all_in_all(written.columns, other, "SERIALIZE")

    def unparsed(self, written: Layout, read: Layout) -> None:
        """Pair each written column with the column for text that could not be parsed."""
        self._all_in_all(
            written.columns, [each for each in read.columns if each.name == _UNPARSED], "SERIALIZE"
        )

    def file_names(self, written: Layout, read: Layout) -> None:
        """Pair the columns in the names of directories that the reader does not know with the names of files."""
        known = {self._folded(name) for name in read.partitions}
        hidden = [name for name in written.partitions if self._folded(name) not in known]
        how = Transformation(subtype="TRANSFORMATION", manipulation=(READ_AS, "SERIALIZE"))
        places = [path for path in (_FILE_NAMES, _NAMES_OF.get(read.format, ())) if _has(read.columns, path)]
        self.ways += [Way((name,), path, text_of([how])) for name in hidden for path in places]

    def by_name(
        self, above: PathSteps, written: Sequence[Column], read_above: PathSteps, read: Sequence[Column]
    ) -> None:
        """Pair each read column with the written one of its identifier, else with that of its name."""
        by_id = {column.id: column for column in written if column.id}
        exact = {column.name: column for column in written}
        folded = {self._folded(column.name): column for column in reversed(written)}
        taken: set[str] = set()
        for other in read:
            one = by_id.get(other.id) or exact.get(other.name) or folded.get(self._folded(other.name))
            if one is None:
                self.unwritten.append((*read_above, other.name))
            else:
                taken.add(one.name)
                self._pair((*above, one.name), one, (*read_above, other.name), other)
        self.unread += [(*above, one.name) for one in written if one.name not in taken]

    def otherwise_read(self, above: PathSteps, known: Iterable[Column], read: Iterable[Column]) -> None:
        """Pair the columns that have the same name but for capitals, in one direction, and those of other kinds."""
        alike: dict[str, list[Column]] = {}
        for one in known:
            alike.setdefault(self._folded(one.name), []).append(one)
        for other in read:
            for one in alike.get(self._folded(other.name), ()):
                if one.name < other.name or (one.name == other.name and one.kind != other.kind):
                    self._pair((*above, one.name), one, (*above, other.name), other)
                elif one.name == other.name:
                    self.otherwise_read((*above, one.name), one.members, other.members)

    def _pair(self, path: PathSteps, one: Column, read_path: PathSteps, other: Column) -> None:
        """Pair a written and a read column that are the same, with all their members."""
        if not one.members or not other.members or _alike(one, other):
            self._way(path, read_path)
        elif (one.kind, other.kind) == ("map", "struct"):
            values = next((each for each in one.members if each.name == "value"), Column("value"))
            for member in other.members:
                self._pair((*path, "value"), values, (*read_path, member.name), member)
                self._decides((*path, "key"), (*read_path, member.name), Access.INDEX)
        elif (one.kind, other.kind) == ("struct", "map"):
            values = next((each for each in other.members if each.name == "value"), Column("value"))
            for member in one.members:
                self._pair((*path, member.name), member, (*read_path, "value"), values)
                self._decides((*path, member.name), (*read_path, "key"), Access.NULL_TEST)
        elif self._members_too:
            for member, read in zip(one.members, other.members, strict=False):
                self._pair((*path, member.name), member, (*read_path, read.name), read)
        else:
            self.by_name(path, one.members, read_path, other.members)

    def _way(self, written: PathSteps, read: PathSteps) -> None:
        if written != read:
            how = Transformation(manipulation=(READ_AS,))
            self.ways.append(Way(written, read, text_of([how])))

    def _decides(self, written: PathSteps, read: PathSteps, access: Access) -> None:
        how = Transformation(
            LineageType.INDIRECT, Subtype.CONDITIONAL, manipulation=(READ_AS,), access=access
        )
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
