"""The mapping from stored paths to a reader's paths, where writer and reader of a dataset name them differently.

Theory of operation
===================

A *layout* is the schema with which a job reads or writes a dataset (``domain.layouts``). A dataset whose layouts are
all equal needs nothing. Any other pair of a written and a read layout is compared, with three results (``compared``):

*ways*
    Pairs of paths, written and read, that are the same stored value under two names. They are kept as edges of the
    reading job from the written path to the read one, whose transformations have READ_AS; questions follow them for
    what that job reads alone (``questions.around.readers``).
*unwritten*
    Read paths that are none of the written ones: a backward search reports a gap at them.
*unread*
    Written paths that are none of the read ones: in a forward search, one of them may be read under another name.

Readers among each other
------------------------
What no known writer wrote is known by the names that readers give it (``among_readers``). Where one of them contradicts
an earlier one, that is a drift of it, at these names.

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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from headwater_backend.domain.layouts import Layout, layout_of
from headwater_backend.domain.model import PathSteps
from headwater_backend.domain.node_keys import dataset_of, path_text
from headwater_backend.in_force.among_readers import (
    StandIn,
    compared_in,
    contradicted,
    in_all,
    layouts_beside,
    ways_from,
)
from headwater_backend.in_force.compared import Compared, Way
from headwater_backend.in_force.layouts import LayoutKind, LayoutRow, by_dataset
from headwater_facets.databases import is_database

SHOWN: Final = 8
"""The number of names of a schema that a text lists."""


class ReadAsRow(NamedTuple):
    """A job that reads as ``target`` what is written as ``source``, from ``since`` on; both are node keys."""

    source: str
    target: str
    job: str
    transformations: str
    since: int
    current: bool


def in_use(ways: Iterable[ReadAsRow], at: int | None) -> Iterator[ReadAsRow]:
    """The ways that jobs read by now (None), or read by at the moment."""
    return (each for each in ways if (each.current if at is None else each.since <= at))


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
    for key, group in by_dataset(rows, own).items():
        found = _of_dataset(key, group, texts, others.get(key, ()))
        ways.update(found.ways)
        drifts.update(found.drifts)
    return Derived(tuple(sorted(ways)), tuple(sorted(drifts)))


def differing(kinds: Iterable[LayoutKind], own: Mapping[str, str]) -> list[LayoutKind]:
    """The layouts of datasets that are read and written with more than one."""
    return [
        kind
        for group in by_dataset(kinds, own).values()
        if len({each.digest for each in group}) > 1
        for kind in group
    ]


def read_otherwise(
    kinds: Iterable[LayoutKind],
    own: Mapping[str, str],
    texts: Mapping[str, str],
    others: Mapping[str, Sequence[StandIn]],
) -> list[str]:
    """The digests of the read layouts that do not find all their columns by name in each written one."""
    found: set[str] = set()
    for key, group in by_dataset(kinds, own).items():
        written = {each.digest for each in group if each.use == "OUTPUT"}
        beside = layouts_beside(group, texts)
        for read in {each.digest for each in group if each.use == "INPUT"} - found:
            pairs = (compared_in(key, texts[one], texts[read]) for one in written)
            if (
                any(pair.ways or pair.unwritten for pair in pairs)
                or any(ways_from(key, other, texts[read]) for other in others.get(key, ()))
                or any(contradicted(key, other, texts[read]) for other in beside)
            ):
                found.add(read)
    return sorted(found)


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
            found = compared_in(key, texts[writer.digest], texts[reader.digest])
            alive = current and writer.last >= replaced
            _add(ways, writer.dataset, reader, found.ways, max(writer.first, reader.first), alive=alive)
            if alive and writer.last >= maybe_replaced:
                fitting.append((writer, found))
        for other in others:
            found_ways = ways_from(key, other, texts[reader.digest])
            _add(ways, other.dataset, reader, found_ways, reader.first, alive=current)
        if not _superseded(reader, group):
            drifts += _drifts(reader, fitting, texts)
            drifts += _contradictions(key, reader, group, texts)
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
    unwritten = in_all([found.unwritten for _, found in fitting])
    if not unwritten or is_database(namespace):
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


def _contradictions(
    key: str, reader: LayoutRow, group: Sequence[LayoutRow], texts: Mapping[str, str]
) -> Iterator[DriftRow]:
    """What an earlier reader, who may be right, has at the positions of the reader's names: it may be read as these,
    and what these hold may be read as something else. Nobody changes what answers say of readers before.
    """
    if reader.use != "INPUT":
        return
    before = (row for row in group if (row.first, row.job) < (reader.first, reader.job))
    present = {texts[row.digest] for row in before if not _superseded(row, group)}
    read = layout_of(texts[reader.digest])
    for other in present.intersection(layouts_beside(group, texts)):
        text = f"read as {_listed(layout_of(other), ())} by others, as {_listed(read, ())} here"
        for way in contradicted(key, other, texts[reader.digest]):
            for use, path in (("INPUT", way.read), ("OUTPUT", way.written)):
                yield DriftRow(reader.dataset, reader.job, use, reader.dataset + path_text(path), text)


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
