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
from typing import Final, NamedTuple, TypeVar

from headwater_backend.domain.layouts import Layout, layout_of
from headwater_backend.domain.model import PathSteps
from headwater_backend.domain.node_keys import dataset_of, path_text
from headwater_backend.in_force.compared import Compared, compared

SHOWN: Final = 8
"""The number of names of a schema that a text lists."""

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
