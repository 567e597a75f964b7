"""Which nodes the numbers of paths stand for in SQLite.

A row of ``path`` is never changed or deleted, so its number means the same for ever, and what was looked up once is
kept: a search meets a path as a far end first and as a near end then, and popular paths come in many searches.
Canonical names may change, and are looked up each time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Set
from typing import Final

from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.node_keys import dataset_of, named_text, node_of
from headwater_backend.stores.sqlite import statements as sql

MOST_KEPT: Final = 131_072
"""Some 50 MB, when as many paths were met."""
NODES: Final = "SELECT p.id, p.key FROM json_each(:ids) f CROSS JOIN path p ON p.id = f.value"


class Nodes:
    """Looks them up on the connection it is given; may be used by several threads."""

    def __init__(self) -> None:
        self._kept: dict[int, NodeKey] = {}

    def of(self, db: sqlite3.Connection, numbers: Set[int]) -> dict[int, NodeKey]:
        """The node of each number, its dataset by its canonical name."""
        found = {number: node for number in numbers if (node := self._kept.get(number))}
        if len(found) < len(numbers):
            found.update(self._looked_up(db, numbers - found.keys()))
        own = own_names(db, {named_text(dataset) for dataset, _ in found.values()})
        if not own:
            return found
        names = {dataset_of(name): dataset_of(canonical) for name, canonical in own.items()}
        return {n: NodeKey(names.get(dataset, dataset), path) for n, (dataset, path) in found.items()}

    def _looked_up(self, db: sqlite3.Connection, numbers: Set[int]) -> dict[int, NodeKey]:
        rows = db.execute(NODES, {"ids": json.dumps(list(numbers))})
        fresh = {number: node_of(key) for number, key in rows}
        if len(self._kept) + len(fresh) > MOST_KEPT:
            self._kept.clear()
        self._kept.update(fresh)
        return fresh


def own_names(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, str]:
    """The canonical names of those datasets that have another."""
    return dict(db.execute(sql.CANONICALS, {"keys": json.dumps(sorted(keys))}).fetchall())
