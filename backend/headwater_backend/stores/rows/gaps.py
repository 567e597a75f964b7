"""Gaps of lineage, by the rules of ``in_force.datasets.gaps`` and ``in_force.earlier``.

What a job wrote earlier, and no longer writes, may be a gap as well. Current lineage does not have it where a run
replaced it or may have, or where the run failed that wrote it (``in_force.current``); but it may be there until the
whole output was certainly replaced, and in what was made of it until then (``in_force.earlier``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from itertools import starmap
from typing import Any

from headwater_backend.domain.model import Correction, DatasetKey, Incomplete, hides_origin
from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.node_keys import dataset_of, dataset_part, job_of, named_text, slot_parts
from headwater_backend.domain.records import Gap, unlisted
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.datasets.gaps import (
    GapRow,
    Hiding,
    LeftGaps,
    Untraced,
    by_read,
    drifts_into,
    drifts_out_of,
    hiding,
    left_at,
    left_of_versions,
    of_outputs,
)
from headwater_backend.in_force.datasets.use import Deciding, Input, inputs_then
from headwater_backend.in_force.drift import DriftRow, ReadAsRow
from headwater_backend.in_force.earlier import (
    Earlier,
    EdgeOfSlot,
    LeftEdge,
    LeftReading,
    Reading,
    earlier_versions,
    left_of_earlier,
    left_of_readings,
)
from headwater_backend.stores.answers import node_named
from headwater_backend.stores.rows.catalog import seen_aliases
from headwater_backend.stores.rows.current import closed, corrections_of, deciding_at, observed
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Row, Transaction, column, moment_of


def incomplete(
    tx: Transaction,
    datasets: Sequence[DatasetKey],
    as_of: datetime | None,
    *,
    earlier: bool = False,
    only: str | None = None,
) -> list[Incomplete]:
    """The gaps of the lineage into the datasets, all or those for one reason."""
    rows = [gap for gap in _incomplete(tx, datasets, as_of) if only in (None, gap.reason)]
    if earlier:
        keys = list(map(named_text, datasets))
        names = {name for name, _ in tx.rows(tx.statements.names.names_of, keys=keys)}
        if only is None:
            rows += _earlier_into(tx, names, as_of)
        else:
            rows += _earlier_with_gap(tx, names, as_of, only)
    return _sorted_gaps(rows, seen_aliases(tx)) if rows else []


def _incomplete(tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None) -> list[GapRow]:
    statements, keys = tx.statements.gaps, list(map(named_text, datasets))
    at = moment_of(tx, as_of)
    if at is None:
        deciding, untraced = _parted(tx.rows(statements.untraced_now, keys=keys))
    else:
        deciding = deciding_at(tx, tx.rows(tx.statements.current.slots_among, keys=keys), at)
        untraced = _untraced(tx, {each.version for each in deciding})
    runs = {each.run for each in deciding if each.version in untraced and not untraced[each.version].rank}
    read = _read_then(tx, runs, at) if runs else {}
    drifts = map(DriftRow._make, tx.rows(statements.drifts, keys=keys))
    return [*of_outputs(deciding, untraced, read), *drifts_into(drifts)]


def _parted(rows: Iterable[Row]) -> tuple[list[Deciding], dict[str, Untraced]]:
    """Versions that decide outputs, with rank and gaps, as two lists."""
    deciding: list[Deciding] = []
    untraced: dict[str, Untraced] = {}
    for output, job, version, run, cleared, cleared_by, rank, gaps in rows:
        deciding.append(Deciding(output, job, version, run, cleared, cleared_by))
        untraced[version] = Untraced(rank, _gaps(gaps))
    return deciding, untraced


def _untraced(tx: Transaction, versions: Iterable[str]) -> dict[str, Untraced]:
    rows = tx.rows(tx.statements.gaps.untraced, versions=sorted(versions))
    return {version: Untraced(rank, _gaps(gaps)) for version, rank, gaps in rows}


def _gaps(texts: Sequence[str]) -> tuple[Gap, ...]:
    """Gaps out of their JSON."""
    return tuple(starmap(Gap, json.loads(f"[{','.join(texts)}]"))) if texts else ()


def _read_then(tx: Transaction, runs: Iterable[str], at: int | None) -> dict[str, set[str]]:
    rows = tx.rows(tx.statements.use.inputs, runs=sorted(runs))
    return inputs_then(starmap(Input, rows), FOREVER if at is None else at, tx.known)


def corrections(tx: Transaction) -> list[Correction]:
    """What is listed beside what was reported again, by the canonical names of the outputs."""
    own = seen_aliases(tx)
    rows = tx.rows(tx.statements.current.all_cleared)
    found = {
        Correction(dataset_of(own.get(output, output)), job_of(job), moment(cleared), who)
        for output, job, cleared, who in rows
    }
    return sorted(found)


def possible_outputs(
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None, *, earlier: bool = False
) -> dict[DatasetKey, list[Incomplete]]:
    """The gaps at which anything of the datasets may have arrived, by the dataset asked for: under all its names."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, asked in tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets))):
        names[name].append(asked)
    found = by_read(_hiding(tx, names.keys(), as_of))
    if earlier:
        for name, gaps in _earlier_from(tx, names.keys(), as_of).items():
            found[name] += gaps
    rows: dict[str, list[GapRow]] = defaultdict(list)
    for name, gaps in found.items():
        for asked in names[name] if gaps else ():
            rows[asked] += gaps
    own = seen_aliases(tx) if rows else {}
    return {dataset_of(asked): _sorted_gaps(gaps, own) for asked, gaps in rows.items()}


def _hiding(tx: Transaction, names: Set[str], as_of: datetime | None) -> list[Hiding]:
    at, some = moment_of(tx, as_of), sorted(names)
    if at is None:
        rows = [
            (tuple(version), reads) for *version, reads in tx.rows(tx.statements.gaps.unlisted, names=some)
        ]
        deciding, untraced = _parted(version for version, _ in rows)
        inputs = [
            Input(each.run, *read) for each, (_, reads) in zip(deciding, rows, strict=True) for read in reads
        ]
        read = inputs_then(inputs, FOREVER, tx.known)
    else:
        deciding = deciding_at(tx, tx.rows(tx.statements.current.slots_unlisted), at)
        untraced = _untraced(tx, {each.version for each in deciding})
        read = _read_then(tx, {each.run for each in deciding}, at)
    drifts = map(DriftRow._make, tx.rows(tx.statements.layouts.drifts, names=some))
    return [*hiding(deciding, untraced, read, names), *drifts_out_of(drifts)]


def _earlier_from(tx: Transaction, names: Set[str], as_of: datetime | None) -> dict[str, list[GapRow]]:
    """What earlier lineage may have left of what is under each of the names."""
    rows: dict[str, list[GapRow]] = defaultdict(list)
    slots = column(tx.rows(tx.statements.gaps.earlier_from, names=sorted(names), past=_is_past(tx, as_of)))
    for left in _edges(tx, slots, _earlier(tx, slots, as_of)):
        if (name := dataset_part(left.edge.source)) in names:
            rows[name].append(_gap_of(left.edge.source, left))
    for read in _earlier_readings(tx, names, as_of):
        rows[dataset_part(read.way.target)].append(left_at(read.way.source, read.way.job, read.late))
    for name, gaps in _earlier_unlisted(tx, names, as_of):
        rows[name] += gaps
    return rows


def _earlier_into(tx: Transaction, names: Set[str], as_of: datetime | None) -> list[GapRow]:
    slots = column(tx.rows(tx.statements.gaps.earlier_into, names=sorted(names), past=_is_past(tx, as_of)))
    known = _earlier(tx, slots, as_of)
    edges = _edges(tx, slots, known)
    rows = [_gap_of(left.edge.target, left) for left in edges if dataset_part(left.edge.target) in names]
    rows += [
        left_at(left.way.target, left.way.job, left.late) for left in _earlier_readings(tx, names, as_of)
    ]
    return rows + [row for each in _gaps_left(tx, known) for row in each.gaps if hides_origin(row.reason)]


def _earlier_with_gap(tx: Transaction, names: Set[str], as_of: datetime | None, reason: str) -> list[GapRow]:
    asked = {"names": sorted(names), "reason": reason, "past": _is_past(tx, as_of)}
    slots = column(tx.rows(tx.statements.gaps.earlier_with_gap, **asked))
    found = _gaps_left(tx, _earlier(tx, slots, as_of))
    return [row for each in found for row in each.gaps if row.reason == reason]


def _is_past(tx: Transaction, as_of: datetime | None) -> bool:
    """Whether what is current is another question than which versions are chosen in the store."""
    return moment_of(tx, as_of) is not None


def _earlier_unlisted(
    tx: Transaction, names: Collection[str], as_of: datetime | None
) -> Iterator[tuple[str, list[GapRow]]]:
    """What is left of versions that do not list what was read for them, by a name that was."""
    reads: dict[str, set[str]] = defaultdict(set)
    for slot, name in tx.rows(
        tx.statements.gaps.earlier_unlisted, names=sorted(names), past=_is_past(tx, as_of)
    ):
        reads[slot].add(name)
    for each in _gaps_left(tx, _earlier(tx, list(reads), as_of)):
        for name in reads[each.slot]:
            yield name, unlisted(each.output, each.gaps)


def _gap_of(node: str, left: LeftEdge) -> GapRow:
    return left_at(node, slot_parts(left.edge.slot)[0], left.late)


def _gaps_left(tx: Transaction, earlier: Earlier) -> list[LeftGaps]:
    versions = {version for _, version in earlier.left}
    return list(left_of_versions(earlier, _untraced(tx, versions))) if versions else []


def _earlier(tx: Transaction, slots: Sequence[str], as_of: datetime | None) -> Earlier:
    if not slots:
        return Earlier(frozenset(), {})
    seen, at = observed(tx, slots), FOREVER if as_of is None else micros(as_of)
    copies = Copies(StoredHistory(tx), at)
    return earlier_versions(seen, closed(tx, slots), copies, at, corrections_of(tx, seen))


def _edges(tx: Transaction, slots: Sequence[str], earlier: Earlier) -> list[LeftEdge]:
    rows = tx.rows(tx.statements.gaps.edges_of_slots, slots=list(slots)) if earlier.left else ()
    return left_of_earlier(map(EdgeOfSlot._make, rows), earlier)


def _earlier_readings(tx: Transaction, names: Collection[str], as_of: datetime | None) -> list[LeftReading]:
    """The ways by which jobs no longer read the names; at a moment of the past, all known ones are followed."""
    if moment_of(tx, as_of) is not None:
        return []
    rows = map(ReadAsRow._make, tx.rows(tx.statements.layouts.ways, names=sorted(names)))
    ways = [way for way in rows if not way.current]
    if not ways:
        return []
    asked: dict[str, Any] = {
        "names": sorted({dataset_part(way.target) for way in ways}),
        "jobs": sorted({way.job for way in ways}),
    }
    readings = map(Reading._make, tx.rows(tx.statements.gaps.read_by, **asked, received=tx.known))
    anew = {(name, job): first for name, job, first in tx.rows(tx.statements.gaps.read_anew, **asked)}
    return left_of_readings(ways, readings, anew, Copies(StoredHistory(tx), FOREVER))


def _sorted_gaps(rows: Iterable[GapRow], own: Mapping[str, str]) -> list[Incomplete]:
    """Each gap once, by place, reason, job and detail."""
    found = {
        Incomplete(row.reason, node.dataset, node.path, job_of(row.job), row.detail)
        for row in rows
        for node in [node_named(row.path, own)]
    }
    return sorted(found, key=lambda gap: (gap.dataset, gap.path, gap.reason, gap.job or (), gap.detail))
