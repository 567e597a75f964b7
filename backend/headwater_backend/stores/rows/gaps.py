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
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from headwater_backend.domain.model import EARLIER_LINEAGE, DatasetKey, Incomplete
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import dataset_of, dataset_part, job_of, named_text, slot_parts
from headwater_backend.domain.records import unlisted
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import FOREVER, Observed
from headwater_backend.in_force.earlier import EdgeOfSlot, left_of_earlier
from headwater_backend.stores.answers import node_named
from headwater_backend.stores.rows.catalog import seen_aliases
from headwater_backend.stores.rows.current import closed, decided_at
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Row, Transaction, column

NO_LINEAGE_FACET: Final = "NO_LINEAGE_FACET"
_MAY_BE_LEFT: Final = (
    "an earlier run of the job, or one that failed, brought values from here or to here that it does not bring now, "
    "and they may be left there, or in what was made of them"
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
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None, *, earlier: bool = False
) -> list[Incomplete]:
    """The gaps of the lineage into the datasets."""
    found = _incomplete(tx, datasets, as_of)
    if not earlier:
        return found
    names = {name for name, _ in tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets)))}
    slots = column(tx.rows(tx.statements.gaps.earlier_into, names=sorted(names)))
    before = _earlier(tx, slots, FOREVER if as_of is None else micros(as_of))
    rows = [_gap_at(edge.target, edge) for edge in before if dataset_part(edge.target) in names]
    return _in_order({*found, *_sorted_gaps(rows, seen_aliases(tx))}) if rows else found


def _incomplete(tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None) -> list[Incomplete]:
    statements = tx.statements.gaps
    keys = list(map(named_text, datasets))
    if as_of is None:
        rows = tx.rows(statements.incomplete, keys=keys, at=FOREVER)
    else:
        at = micros(as_of)
        decided = decided_at(tx, tx.rows(tx.statements.current.slots_among, keys=keys), at)
        rows = tx.rows(statements.incomplete_then, keys=keys, at=at, decided=decided)
    found = [gap for row in rows for gap in OutputRow(*row).rows()]
    return _sorted_gaps(found, seen_aliases(tx))


def possible_outputs(
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None, *, earlier: bool = False
) -> dict[DatasetKey, list[Incomplete]]:
    """The gaps at which anything of the datasets may have arrived, by the dataset asked for."""
    found = _possible_outputs(tx, datasets, as_of)
    if not earlier:
        return found
    asked = dict(tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets))))
    slots = column(tx.rows(tx.statements.gaps.earlier_from, names=sorted(asked)))
    before = _earlier(tx, slots, FOREVER if as_of is None else micros(as_of))
    rows: dict[str, list[GapRow]] = defaultdict(list)
    for edge in before:
        if (name := dataset_part(edge.source)) in asked:
            rows[asked[name]].append(_gap_at(edge.source, edge))
    own = seen_aliases(tx) if rows else {}
    more = {dataset_of(key): _sorted_gaps(gaps, own) for key, gaps in rows.items()}
    return found | {key: _in_order({*found.get(key, ()), *gaps}) for key, gaps in more.items()}


def _possible_outputs(
    tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None
) -> dict[DatasetKey, list[Incomplete]]:
    statements = tx.statements.gaps
    names = tx.rows(tx.statements.names.names_of, keys=list(map(named_text, datasets)))
    wanted = [name for name, _ in names]
    if as_of is None:
        rows = tx.rows(statements.unlisted, names=wanted, at=FOREVER)
    else:
        at = micros(as_of)
        decided = decided_at(tx, tx.rows(tx.statements.current.slots_unlisted), at)
        rows = tx.rows(statements.unlisted_then, names=wanted, at=at, decided=decided)
    return _by_reads(names, (OutputRow(*row) for row in rows), seen_aliases(tx)) if rows else {}


def _gap_at(node: str, edge: EdgeOfSlot) -> GapRow:
    return GapRow(EARLIER_LINEAGE, node, _MAY_BE_LEFT, slot_parts(edge.slot)[0])


def _earlier(tx: Transaction, slots: Sequence[str], at: int) -> list[EdgeOfSlot]:
    if not slots:
        return []
    observed = list(map(Observed._make, tx.rows(tx.statements.current.observed, slots=list(slots))))
    edges = map(EdgeOfSlot._make, tx.rows(tx.statements.gaps.edges_of_slots, slots=list(slots)))
    return left_of_earlier(observed, edges, closed(tx, slots), Copies(StoredHistory(tx), at), at)


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
