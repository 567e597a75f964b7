"""From numbers of paths to nodes in SQLite.

A row of ``path`` is never changed or deleted, so its number keeps its meaning, and nodes are cached: a search finds a
path first as a far end and then as a near end, and popular paths occur in many searches. Canonical names may change,
and are looked up each time.
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
"""About 50 MB, when the cache is full."""
NODES: Final = "SELECT p.id, p.key FROM json_each(:ids) f CROSS JOIN path p ON p.id = f.value"


class Nodes:
    """A cache of nodes by number, which several threads may use."""

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
    """From each of the keys that is not canonical to the canonical one."""
    return dict(db.execute(sql.CANONICALS, {"keys": json.dumps(sorted(keys))}).fetchall())
