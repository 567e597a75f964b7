"""The history of datasets, as the search for copies asks a store for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import starmap

from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.copies import Copied, End, Reads
from headwater_backend.in_force.current import FOREVER
from headwater_backend.stores.rows.current import accepted, all_links
from headwater_backend.stores.rows.transaction import Transaction, column


class StoredHistory:
    """A ``copies.History`` out of a transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def names_of(self, dataset: str) -> list[str]:
        return column(self._tx.rows(self._tx.statements.names.names_of, keys=[dataset]))

    def links_around(self, names: set[str]) -> set[Link]:
        return all_links(self._tx, names)[0]

    def ends(self, names: Sequence[str]) -> list[End]:
        found = starmap(End, self._tx.rows(self._tx.statements.gaps.ends, names=names))
        until = max((self._accepted.get(name, 0) for name in names), default=0)
        known = (end for end in found if end.known <= self._tx.known)
        return [end if end.known > until else end._replace(known=0) for end in known]

    def copied(self, names: Sequence[str], reads: Reads) -> list[Copied]:
        moments = {"forever": FOREVER, "received": self._tx.known, **reads._asdict()}
        rows = self._tx.rows(self._tx.statements.gaps.copied, names=names, **moments)
        return [Copied(output, began, ended, bool(late)) for output, began, ended, late in rows]

    @cached_property
    def _accepted(self) -> dict[str, int]:
        return accepted(self._tx)
