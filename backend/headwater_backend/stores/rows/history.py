"""The history of datasets, as the search for copies asks a store for it, and the conditions under which what may be in
them was made (``in_force.making``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import DatasetKey, Making, Writer
from headwater_backend.domain.node_keys import dataset_of, dataset_part, job_of, named_text
from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.copies import Copied, Copies, End, Reads
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.datasets.changes import copied, end_row, ends
from headwater_backend.in_force.drift import ReadAsRow, in_use
from headwater_backend.in_force.making import UNKNOWN, MadeUnder, ReportedUnder, alike, made_under
from headwater_backend.stores.rows.current import (
    accepted,
    all_links,
    closed,
    corrections_of,
    observed,
    traced_at,
)
from headwater_backend.stores.rows.transaction import Transaction, column, moment_of


class StoredHistory:
    """A ``copies.History`` out of a transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def names_of(self, dataset: str) -> list[str]:
        return column(self._tx.rows(self._tx.statements.names.names_of, keys=[dataset]))

    def links_around(self, names: set[str]) -> set[Link]:
        return all_links(self._tx, names)[0]

    def ends(self, names: Sequence[str]) -> list[End]:
        rows = map(end_row, self._tx.rows(self._tx.statements.gaps.ends, names=names))
        return ends(rows, self._tx.known, max((self._accepted.get(name, 0) for name in names), default=0))

    def copied(self, names: Sequence[str], reads: Reads) -> list[Copied]:
        moments = {"forever": FOREVER, "received": self._tx.known, **reads._asdict()}
        return copied(self._tx.rows(self._tx.statements.gaps.copied, names=names, **moments))

    @cached_property
    def _accepted(self) -> dict[str, int]:
        return accepted(self._tx)


def writers_of(tx: Transaction, datasets: Sequence[DatasetKey], as_of: datetime | None) -> list[Writer]:
    """The versions that lead into the datasets, and the jobs that read a path of these by another name."""
    statements, at = tx.statements, moment_of(tx, as_of)
    keys = list(map(named_text, datasets))
    asked = dict(tx.rows(statements.names.names_of, keys=keys))
    if at is None:
        found = tx.rows(statements.current.traced, keys=keys)
    else:
        found = traced_at(tx, tx.rows(statements.current.slots_among, keys=keys), at)
    ways = in_use(map(ReadAsRow._make, tx.rows(statements.layouts.ways, names=sorted(asked))), at)
    read = ((dataset_part(each.target), each.job, "") for each in ways)
    known = dict.fromkeys((*map(tuple, found), *read))
    return [Writer(job_of(job), dataset_of(asked[output]), version) for output, job, version in known]


def makings_of(tx: Transaction, versions: Collection[str], as_of: datetime | None) -> dict[str, list[Making]]:
    """Under which conditions each version was made that is in the output now, or was at the moment."""
    rows = tx.rows(tx.statements.current.reported_under, versions=sorted(versions))
    reported = list(map(ReportedUnder._make, rows))
    found = alike(reported)
    others = sorted({each.slot for each in reported if each.version not in found})
    if others:
        found = _made_under(tx, others, moment_of(tx, as_of)) | found
    digests = sorted({made.digest for some in found.values() for made in some})
    bodies = dict(tx.rows(tx.statements.current.conditions, digests=digests)) if digests else {}
    return {
        version: [_making(made, bodies) for made in found.get(version, [UNKNOWN])] for version in versions
    }


def _made_under(tx: Transaction, slots: list[str], at: int | None) -> dict[str, list[MadeUnder]]:
    seen, until = observed(tx, slots), FOREVER if at is None else at
    copies = Copies(StoredHistory(tx), until)
    return made_under(seen, closed(tx, slots), copies, until, corrections_of(tx, seen))


def _making(made: MadeUnder, bodies: Mapping[str, str]) -> Making:
    body = bodies.get(made.digest)
    return Making(None if body is None else facet_readers.conditions(body), made.by, made.left)
