"""Gaps of lineage.

A gap is kept with the version of an output's lineage that has it. It is looked up in two ways: by the output datasets
(``incomplete``), and by the datasets that a run read whose gap does not list which of them arrived there
(``possible_outputs``).

What a job wrote earlier, and no longer writes, may be a gap as well. Current lineage does not have it where a run
replaced it or may have, or where the run failed that wrote it (``in_force.current``); but it may be there until the
whole output was certainly replaced, and in what was made of it until then (``in_force.earlier``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, Final, NamedTuple

from headwater_backend.domain.model import (
    AFTER_THE_FACT,
    EARLIER_LINEAGE,
    Correction,
    DatasetKey,
    Incomplete,
    hides_origin,
)
from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.node_keys import dataset_of, dataset_part, job_of, named_text, slot_parts
from headwater_backend.domain.records import unlisted
from headwater_backend.in_force.copies import Copies, End
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.drift import ReadAsRow
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
from headwater_backend.stores.rows.current import closed, corrections_of, decided_at, observed
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Row, Transaction, column, moment_of

NO_LINEAGE_FACET: Final = "NO_LINEAGE_FACET"
_MAY_BE_LEFT: Final = (
    "an earlier run of the job, or one that failed, brought values from here or to here that it does not bring now, "
    "and they may be left there, or in what was made of them"
)
_SAID_ANEW: Final = (
    "{who} said anew (received {when}) what a run did that had ended: what was said before is listed as well"
)
_ENDED_BEFORE: Final = (
    "{who} said (received {when}) that {ended} had been dropped or replaced, with values from here or to here, before "
    "others read it, as was known until then"
)


class GapRow(NamedTuple):
    """Something of a current version that could not be traced; ``path`` is a node key."""

    reason: str
    path: str
    detail: str
    job: str


class OutputRow(NamedTuple):
    """An output, or a path of one, with its gaps (each JSON of reason, path and detail); ``reads`` are the datasets
    read for it.
    """

    output: str
    job: str
    gaps: Sequence[str]
    no_lineage: bool
    reads: Sequence[str] = ()

    def rows(self) -> list[GapRow]:
        known = json.loads(f"[{','.join(self.gaps)}]") if self.gaps else ()
        found = [GapRow(reason, path, detail, self.job) for reason, path, detail in known]
        return [*found, GapRow(NO_LINEAGE_FACET, self.output, "", self.job)] if self.no_lineage else found


def incomplete(
    tx: Transaction,
    datasets: Sequence[DatasetKey],
    as_of: datetime | None,
    *,
    earlier: bool = False,
    only: str | None = None,
) -> list[Incomplete]:
    """The gaps of the lineage into the datasets, all or those for one reason."""
    found = [gap for gap in _incomplete(tx, datasets, as_of) if only in (None, gap.reason)]
    if not earlier:
        return found
    names = {name for name, _ in tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets)))}
    rows = _earlier_into(tx, names, as_of) if only is None else _earlier_told(tx, names, as_of, only)
    return _in_order({*found, *_sorted_gaps(rows, seen_aliases(tx))}) if rows else found


def _earlier_into(tx: Transaction, names: Set[str], as_of: datetime | None) -> list[GapRow]:
    slots = column(tx.rows(tx.statements.gaps.earlier_into, names=sorted(names), past=_is_past(tx, as_of)))
    known = _earlier(tx, slots, as_of)
    edges = _edges(tx, slots, known)
    rows = [_gap_of(left.edge.target, left) for left in edges if dataset_part(left.edge.target) in names]
    rows += [
        _gap_at(left.way.target, left.way.job, left.late) for left in _earlier_readings(tx, names, as_of)
    ]
    return rows + [
        row for each in _gaps_left(tx, slots, known) for row in each.rows() if hides_origin(row.reason)
    ]


def _earlier_told(tx: Transaction, names: Set[str], as_of: datetime | None, reason: str) -> list[GapRow]:
    asked = {"names": sorted(names), "reason": reason, "past": _is_past(tx, as_of)}
    slots = column(tx.rows(tx.statements.gaps.earlier_told, **asked))
    found = _gaps_left(tx, slots, _earlier(tx, slots, as_of))
    return [row for each in found for row in each.rows() if row.reason == reason]


def _is_past(tx: Transaction, as_of: datetime | None) -> bool:
    """Whether what is current is another question than which versions are chosen in the store."""
    return moment_of(tx, as_of) is not None


def _incomplete(tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None) -> list[Incomplete]:
    statements = tx.statements.gaps
    keys = list(map(named_text, datasets))
    at = moment_of(tx, as_of)
    if at is None:
        rows = tx.rows(statements.incomplete, received=tx.known, keys=keys, at=FOREVER)
        cleared = [_said_anew(*row) for row in tx.rows(tx.statements.current.cleared, keys=keys)]
    else:
        decided = decided_at(tx, tx.rows(tx.statements.current.slots_among, keys=keys), at)
        rows = tx.rows(statements.incomplete_then, received=tx.known, keys=keys, at=at, decided=decided)
        cleared = _said_anew_of(decided)
    found = [gap for row in rows for gap in OutputRow(*row).rows()]
    return _sorted_gaps([*found, *cleared], seen_aliases(tx))


def _said_anew_of(decided: Mapping[str, Iterable[Mapping[str, Any]]]) -> list[GapRow]:
    return [
        _said_anew(each["output"], each["job"], each["cleared"], each["cleared_by"])
        for some in decided.values()
        for each in some
        if each["cleared"] is not None
    ]


def _said_anew(output: str, job: str, cleared: int, who: str) -> GapRow:
    return GapRow(AFTER_THE_FACT, output, _written(_SAID_ANEW, cleared, who), job)


def corrections(tx: Transaction) -> list[Correction]:
    """What is listed beside what was said anew, by the canonical names of the outputs."""
    own = seen_aliases(tx)
    rows = tx.rows(tx.statements.current.all_cleared)
    found = {
        Correction(dataset_of(own.get(output, output)), job_of(job), moment(cleared), who)
        for output, job, cleared, who in rows
    }
    return sorted(found)


def _written(text: str, when: int, who: str, **more: str) -> str:
    return text.format(who=who or "somebody", when=moment(when).isoformat(timespec="seconds"), **more)


def possible_outputs(
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None, *, earlier: bool = False
) -> dict[DatasetKey, list[Incomplete]]:
    """The gaps at which anything of the datasets may have arrived, by the dataset asked for."""
    found = _possible_outputs(tx, datasets, as_of)
    if not earlier:
        return found
    asked = dict(tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets))))
    slots = column(tx.rows(tx.statements.gaps.earlier_from, names=sorted(asked), past=_is_past(tx, as_of)))
    before = _edges(tx, slots, _earlier(tx, slots, as_of))
    rows: dict[str, list[GapRow]] = defaultdict(list)
    for left in before:
        if (name := dataset_part(left.edge.source)) in asked:
            rows[asked[name]].append(_gap_of(left.edge.source, left))
    for read in _earlier_readings(tx, asked, as_of):
        rows[asked[dataset_part(read.way.target)]].append(_gap_at(read.way.source, read.way.job, read.late))
    for name, gaps in _earlier_unlisted(tx, asked, as_of):
        rows[asked[name]] += gaps
    own = seen_aliases(tx) if rows else {}
    more = {dataset_of(key): _sorted_gaps(gaps, own) for key, gaps in rows.items()}
    return found | {key: _in_order({*found.get(key, ()), *gaps}) for key, gaps in more.items()}


def _possible_outputs(
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> dict[DatasetKey, list[Incomplete]]:
    statements = tx.statements.gaps
    names = tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets)))
    wanted = [name for name, _ in names]
    at = moment_of(tx, as_of)
    if at is None:
        rows = tx.rows(statements.unlisted, received=tx.known, names=wanted, at=FOREVER)
    else:
        decided = decided_at(tx, tx.rows(tx.statements.current.slots_unlisted), at)
        rows = tx.rows(statements.unlisted_then, received=tx.known, names=wanted, at=at, decided=decided)
    return _by_reads(names, (OutputRow(*row) for row in rows), seen_aliases(tx)) if rows else {}


def _gap_of(node: str, left: LeftEdge) -> GapRow:
    return _gap_at(node, slot_parts(left.edge.slot)[0], left.late)


def _gap_at(node: str, job: str, late: End | None) -> GapRow:
    if late is None:
        return GapRow(EARLIER_LINEAGE, node, _MAY_BE_LEFT, job)
    ended = " ".join(dataset_of(late.dataset))
    detail = _written(_ENDED_BEFORE, late.known, late.who, ended=ended)
    return GapRow(AFTER_THE_FACT, node, detail, job)


def _earlier_unlisted(
    tx: Transaction, names: Collection[str], as_of: datetime | None
) -> Iterator[tuple[str, list[GapRow]]]:
    """What is left of versions that do not list what was read for them, by a name that was."""
    reads: dict[str, set[str]] = defaultdict(set)
    for slot, name in tx.rows(
        tx.statements.gaps.earlier_unlisted, names=sorted(names), past=_is_past(tx, as_of)
    ):
        reads[slot].add(name)
    for each in _gaps_left(tx, list(reads), _earlier(tx, list(reads), as_of)):
        for name in reads[each.slot]:
            yield name, unlisted(each.output, each.rows())


class _GapsLeft(NamedTuple):
    """The gaps of an earlier version of a slot whose data may be left."""

    slot: str
    gaps: Sequence[str]

    @property
    def output(self) -> str:
        return slot_parts(self.slot)[1]

    def rows(self) -> list[GapRow]:
        return OutputRow(self.output, slot_parts(self.slot)[0], self.gaps, no_lineage=False).rows()


def _gaps_left(tx: Transaction, slots: Sequence[str], earlier: Earlier) -> list[_GapsLeft]:
    rows = tx.rows(tx.statements.gaps.gaps_of_slots, slots=list(slots)) if earlier.left else ()
    return [_GapsLeft(slot, gaps) for slot, version, gaps in rows if (slot, version) in earlier.left]


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
    asked = {
        "names": sorted({dataset_part(way.target) for way in ways}),
        "jobs": sorted({way.job for way in ways}),
    }
    readings = map(Reading._make, tx.rows(tx.statements.gaps.read_by, **asked, received=tx.known))
    anew = {(name, job): first for name, job, first in tx.rows(tx.statements.gaps.read_anew, **asked)}
    return left_of_readings(ways, readings, anew, Copies(StoredHistory(tx), FOREVER))


def _sorted_gaps(rows: Iterable[GapRow], own: Mapping[str, str]) -> list[Incomplete]:
    """Each gap once, in a fixed order."""
    found = {
        Incomplete(row.reason, node.dataset, node.path, job_of(row.job), row.detail)
        for row in rows
        for node in [node_named(row.path, own)]
    }
    return _in_order(found)


def _in_order(found: Iterable[Incomplete]) -> list[Incomplete]:
    """The gaps by place, reason, job and detail."""
    return sorted(found, key=lambda gap: (gap.dataset, gap.path, gap.reason, gap.job or (), gap.detail))


def _by_reads(
    names: Iterable[Row], rows: Iterable[OutputRow], own: Mapping[str, str]
) -> dict[DatasetKey, list[Incomplete]]:
    """The gaps by the dataset asked for: ``names`` are (name, asked), the rows are by name. Gaps whose reads are listed
    are left out.
    """
    of_name: dict[str, list[Incomplete]] = defaultdict(list)
    for row in rows:
        found = _sorted_gaps(unlisted(row.output, row.rows()), own)
        for name in row.reads:
            of_name[name] += found
    of_asked: dict[str, list[Incomplete]] = defaultdict(list)
    for name, asked in names:
        of_asked[asked] += of_name.get(name, ())
    return {dataset_of(asked): _in_order(set(gaps)) for asked, gaps in of_asked.items() if gaps}
