"""The content of an SQLite store as batches, see ``stores.copying.batches``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from headwater_backend.domain.records import Batch, EdgeRow, Gap, LineageRank, Version
from headwater_backend.stores.copying.batches import (
    AFTER_VERSIONS,
    BEFORE_VERSIONS,
    batches_of,
    parts_of,
    version_batches,
)
from headwater_backend.stores.sqlite import statements as sql

VERSIONS: Final = "SELECT id, key, slot, rank FROM version ORDER BY id"
GAPS: Final = "SELECT reason, path, detail FROM gap WHERE version = ? ORDER BY reason, path, detail"
EDGES: Final = """
SELECT s.key, t.key, w.transformations, e.direct, e.indirect
FROM edge e JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target JOIN way w ON w.id = e.way
WHERE e.version = ?
"""
OBSERVATIONS: Final = """
SELECT o.slot, o.run, o.version, v.rank, o.static, o.first, o.last
FROM observation o JOIN version v ON v.key = o.version
"""


def batches(db: sqlite3.Connection) -> Iterator[Batch]:
    """All records, in an order in which any store can apply them."""
    for kind in BEFORE_VERSIONS:
        yield from batches_of(kind, db.execute(sql.CONTENTS[kind]))
    yield from version_batches(_versions(db))
    yield from batches_of("observation", db.execute(OBSERVATIONS))
    for kind in AFTER_VERSIONS:
        yield from batches_of(kind, db.execute(sql.CONTENTS[kind]))


def _versions(db: sqlite3.Connection) -> Iterator[Version]:
    for number, key, slot, rank in db.execute(VERSIONS):
        gaps = tuple(Gap._make(row) for row in db.execute(GAPS, (number,)))
        edges = tuple(
            EdgeRow(source, target, how, bool(direct), bool(indirect))
            for source, target, how, direct, indirect in db.execute(EDGES, (number,))
        )
        yield Version(key, *parts_of(slot), LineageRank(rank), edges, gaps)
