"""The mapping from stored paths to a reader's paths, where writer and reader of a dataset name them differently.

Theory of operation
===================

A *layout* is the schema with which a job reads or writes a dataset (``domain.layouts``). A dataset whose layouts are
all equal needs nothing. Any other pair of a written and a read layout is compared, with three results (``compared``):

*ways*
    Pairs of paths, written and read, that are the same stored value under two names. They are kept as edges of the
    reading job from the written path to the read one, whose transformations have READ_AS; questions follow them for
    what that job reads alone (``questions.readers``).
*unwritten*
    Read paths that are none of the written ones: a backward search reports a gap at them.
*unread*
    Written paths that are none of the read ones: in a forward search, one of them may be read under another name.

Readers among each other
------------------------
What no known writer wrote is known by the names that readers give it. There the readers' own layouts stand in for the
writer's (``stand_ins``), without drifts: all columns that are found by name, of CSV the widest layout, and whole
records, each for its format. A way leads from the finer to the coarser reading.

Time
----
A reader can only have read existing data: a layout that was first written after the reader last read is not compared,
nor one that the same run wrote over what it read. Rows that were kept since then (``readAt``) were read then. A layout
that was last written before all of the dataset was certainly replaced, and read since, is not current: its ways remain
for questions about the past. Neither are those of a reader whose job later read with another layout and certainly made
all of its outputs anew. Drifts of a reader end with any later layout of its job.

A path is unwritten where it is so for every current layout that was not overwritten since, in whole or in part: what is
left of it may have a lineage that is no longer current. Without any, nobody is known to write the dataset, and it is a
source. Databases and messages have columns of their own: none of their paths is ever unwritten.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from headwater_backend.domain.layouts import Layout, joined, layout_of
from headwater_backend.domain.model import PathSteps
from headwater_backend.domain.node_keys import dataset_of, path_text
from headwater_backend.in_force.compared import (
    Compared,
    Way,
    compared,
    is_positional,
    is_whole,
    otherwise_read,
)

SHOWN: Final = 8
"""The number of names of a schema that a text lists."""

_MESSAGES: Final = "kafka"
"""How namespaces of messages begin."""
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
    dataset or a part of it, ``whole`` and ``whole_last`` when it certainly replaced all; of a read layout, when the
    reading run certainly replaced all of its outputs.
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


class StandIn(NamedTuple):
    """A layout that stands in for the one by which others wrote the ``paths`` of the dataset, which no writer is known
    of; the empty path is all of it. ``rank`` grows with how coarse it is.
    """

    rank: tuple[int, str, str]
    dataset: str
    text: str
    paths: tuple[PathSteps, ...]


def derived(
    rows: Iterable[LayoutRow],
    own: Mapping[str, str],
    texts: Mapping[str, str],
    others: Mapping[str, Sequence[StandIn]],
) -> Derived:
    """The ways and drifts between the layouts; ``own`` leads from other names of datasets to the canonical ones,
    ``texts`` from digests to the layouts' texts. ``others`` are the ``stand_ins``.
    """
    ways: set[ReadAsRow] = set()
    drifts: set[DriftRow] = set()
    for key, group in _by_dataset(rows, own).items():
        found = _of_dataset(key, group, texts, others.get(key, ()))
        ways.update(found.ways)
        drifts.update(found.drifts)
    return Derived(tuple(sorted(ways)), tuple(sorted(drifts)))


def differing(kinds: Iterable[LayoutKind], own: Mapping[str, str]) -> list[LayoutKind]:
    """The layouts of datasets that are read and written with more than one."""
    return [
        kind
        for group in _by_dataset(kinds, own).values()
        if len({each.digest for each in group}) > 1
        for kind in group
    ]


def stand_ins(
    kinds: Iterable[LayoutKind], own: Mapping[str, str], texts: Mapping[str, str]
) -> dict[str, list[StandIn]]:
    """The layouts that stand in for unknown writers', by the canonical name of the dataset."""
    return {
        key: found
        for key, group in _by_dataset(kinds, own).items()
        if (found := sorted(_stand_ins(key, group, texts)))
    }


def read_otherwise(
    kinds: Iterable[LayoutKind],
    own: Mapping[str, str],
    texts: Mapping[str, str],
    others: Mapping[str, Sequence[StandIn]],
) -> list[str]:
    """The digests of the read layouts that do not find all their columns by name in each written one."""
    found: set[str] = set()
    for key, group in _by_dataset(kinds, own).items():
        written = {each.digest for each in group if each.use == "OUTPUT"}
        for read in {each.digest for each in group if each.use == "INPUT"} - found:
            pairs = (_compared(key, texts[one], texts[read]) for one in written)
            if any(pair.ways or pair.unwritten for pair in pairs) or any(
                _ways_from(key, other, texts[read]) for other in others.get(key, ())
            ):
                found.add(read)
    return sorted(found)


def _by_dataset(rows: Iterable[R], own: Mapping[str, str]) -> dict[str, list[R]]:
    """The rows of each dataset under all its names, by the canonical one."""
    groups: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        groups[own.get(row.dataset, row.dataset)].append(row)
    return groups


def _compared(dataset: str, written: str, read: str) -> Compared:
    return compared(written, read, messages=dataset.startswith(_MESSAGES))


def _stand_ins(key: str, group: Sequence[LayoutKind], texts: Mapping[str, str]) -> Iterator[StandIn]:
    written = sorted({each.digest for each in group if each.use == "OUTPUT"})
    alike: dict[tuple[tuple[int, str, str], str], set[str]] = defaultdict(set)
    for each in group:
        if each.use == "INPUT":
            alike[_rank(key, layout_of(texts[each.digest])), each.dataset].add(texts[each.digest])
    if len({text for each in alike.values() for text in each}) == 1:
        return
    for (rank, dataset), layouts in alike.items():
        text = _widest(layouts) if rank[0] else joined(sorted(layouts))
        unknown = [_compared(key, texts[one], text).unwritten for one in written]
        if paths := tuple(_in_all(unknown)) if written else ((),):
            yield StandIn(rank, dataset, text, paths)


def _rank(key: str, layout: Layout) -> tuple[int, str, str]:
    rank = 2 if is_whole(layout, messages=key.startswith(_MESSAGES)) else 1 if is_positional(layout) else 0
    return rank, layout.format, layout.separator


def _widest(texts: Iterable[str]) -> str:
    """The layout with the most columns, of these one with names of its own."""
    return max(texts, key=lambda text: (len(layout_of(text).columns), '"_c0"' not in text, text))


def _ways_from(key: str, other: StandIn, read: str) -> list[Way]:
    """The ways to a read layout from what another reader's stands in for."""
    rank = _rank(key, layout_of(read))
    if other.text == read or other.rank > rank:
        return []
    by_name = other.rank == rank and not rank[0]
    ways = otherwise_read(other.text, read) if by_name else _compared(key, other.text, read).ways
    own = set() if by_name else {column.name for column in layout_of(read).columns}
    return [
        way
        for way in ways
        if way.written[0] not in own
        and any(way.written[: len(path)] == path[: len(way.written)] for path in other.paths)
    ]


def _of_dataset(
    key: str, group: Sequence[LayoutRow], texts: Mapping[str, str], others: Iterable[StandIn]
) -> Derived:
    writers = [row for row in group if row.use == "OUTPUT"]
    ways: dict[tuple[str, str, str, str], tuple[int, bool]] = {}
    drifts: list[DriftRow] = []
    for reader in (row for row in group if row.use == "INPUT"):
        current = not _made_anew(reader, group)
        known = [row for row in writers if _was_there(row, reader)]
        replaced = _last(reader.last, (time for row in known for time in (row.whole, row.whole_last)))
        maybe_replaced = _last(
            reader.last, (time for row in known for time in (row.replaced, row.replaced_last))
        )
        fitting: list[tuple[LayoutRow, Compared]] = []
        for writer in known:
            found = _compared(key, texts[writer.digest], texts[reader.digest])
            alive = current and writer.last >= replaced
            _add(ways, writer.dataset, reader, found.ways, max(writer.first, reader.first), alive=alive)
            if alive and writer.last >= maybe_replaced:
                fitting.append((writer, found))
        for other in others:
            found_ways = _ways_from(key, other, texts[reader.digest])
            _add(ways, other.dataset, reader, found_ways, reader.first, alive=current)
        if not _superseded(reader, group):
            drifts += _drifts(reader, fitting, texts)
    return Derived(tuple(ReadAsRow(*key, *value) for key, value in ways.items()), tuple(drifts))


def _was_there(writer: LayoutRow, reader: LayoutRow) -> bool:
    """Whether anything was written with the layout before the reader last read: a run reads before it writes."""
    return writer.first < reader.last or (writer.first == reader.last and writer.job != reader.job)


def _add(
    ways: dict[tuple[str, str, str, str], tuple[int, bool]],
    dataset: str,
    reader: LayoutRow,
    found: Iterable[Way],
    since: int,
    *,
    alive: bool,
) -> None:
    for way in found:
        source, target = dataset + path_text(way.written), reader.dataset + path_text(way.read)
        key = (source, target, reader.job, way.transformations)
        known = ways.get(key, (since, False))
        ways[key] = (min(known[0], since), known[1] or alive)


def _superseded(reader: LayoutRow, group: Iterable[LayoutRow]) -> bool:
    """Whether the job later read with another layout instead."""
    return any(_later_readings(reader, group))


def _made_anew(reader: LayoutRow, group: Iterable[LayoutRow]) -> bool:
    """Whether the job later read with another layout instead, and nothing is left of what it wrote before."""
    return any((row.whole_last or 0) > reader.last for row in _later_readings(reader, group))


def _later_readings(reader: LayoutRow, group: Iterable[LayoutRow]) -> Iterator[LayoutRow]:
    return (
        row for row in group if row.use == reader.use and row.job == reader.job and row.first > reader.last
    )


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
