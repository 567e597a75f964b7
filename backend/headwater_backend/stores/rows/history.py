"""The history of datasets, as the search for copies asks a store for it."""

from __future__ import annotations

from collections.abc import Sequence

from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.copies import Copied, End
from headwater_backend.in_force.current import FOREVER
from headwater_backend.stores.rows.current import all_links
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
        return list(map(End._make, self._tx.rows(self._tx.statements.gaps.ends, names=names)))

    def copied(self, names: Sequence[str], since: int, until: int) -> list[Copied]:
        moments = {"since": since, "until": until, "forever": FOREVER}
        return list(map(Copied._make, self._tx.rows(self._tx.statements.gaps.copied, names=names, **moments)))
