"""Layouts of datasets in SQLite, and the ways and drifts between them (``stores.drift``)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import astuple
from typing import Final

from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.domain.records import Batch
from headwater_backend.stores.drift import (
    Derived,
    DriftRow,
    LayoutKind,
    LayoutRow,
    ReadAsRow,
    derived,
    differing,
    read_otherwise,
)

LAYOUT: Final = """
INSERT INTO layout (dataset, use, job, digest, body, first, last, replaced, replaced_last)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (dataset, use, digest, job) DO UPDATE SET
    first = min(first, excluded.first),
    last = max(last, excluded.last),
    replaced = coalesce(min(replaced, excluded.replaced), replaced, excluded.replaced),
    replaced_last = coalesce(max(replaced_last, excluded.replaced_last), replaced_last, excluded.replaced_last)
"""
# Each dataset under all its names, with the canonical one.
_NAMES: Final = """
WITH own (key) AS (
    SELECT DISTINCT coalesce(a.canonical, f.value) FROM json_each(:names) f LEFT JOIN alias a ON a.name = f.value
), named (own, name) AS (
    SELECT key, key FROM own UNION SELECT o.key, a.name FROM own o CROSS JOIN alias a ON a.canonical = o.key
)
"""
KINDS: Final = (
    _NAMES
    + """
SELECT DISTINCT n.own, l.dataset, l.use, l.digest FROM named n CROSS JOIN layout l ON l.dataset = n.name
"""
)
TEXTS: Final = """
SELECT digest, body FROM layout
WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND digest IN (SELECT value FROM json_each(:digests))
GROUP BY digest
"""
ROWS: Final = """
SELECT dataset, use, job, digest, first, last, replaced, replaced_last FROM layout
WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND (use = 'OUTPUT' OR job IN (
    SELECT job FROM layout
    WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND digest IN (SELECT value FROM json_each(:digests))
))
"""
KNOWN: Final = """
SELECT 1 FROM read_as WHERE dataset IN (SELECT value FROM json_each(?))
UNION ALL SELECT 1 FROM drift WHERE dataset IN (SELECT value FROM json_each(?)) LIMIT 1
"""
WAYS: Final = """
SELECT s.key, t.key, r.job, w.transformations, r.since, r.current
FROM json_each(?) f CROSS JOIN read_as r ON r.dataset = f.value
JOIN path s ON s.id = r.source JOIN path t ON t.id = r.target JOIN way w ON w.id = r.way
"""
DRIFTS: Final = """
SELECT dataset, job, use, path, detail FROM drift WHERE dataset IN (SELECT value FROM json_each(?))
"""
FORGET: Final = (
    "DELETE FROM read_as WHERE dataset IN (SELECT value FROM json_each(?))",
    "DELETE FROM drift WHERE dataset IN (SELECT value FROM json_each(?))",
)
WAY: Final = "INSERT INTO way (transformations) VALUES (?) ON CONFLICT (transformations) DO NOTHING"
READ_AS: Final = """
INSERT INTO read_as (source, target, dataset, job, way, since, current)
SELECT s.id, t.id, :dataset, :job, w.id, :since, :current
FROM path s CROSS JOIN path t ON t.key = :target CROSS JOIN way w ON w.transformations = :how WHERE s.key = :source
"""
DRIFT: Final = "INSERT INTO drift (dataset, job, use, path, detail) VALUES (?, ?, ?, ?, ?)"


def write(db: sqlite3.Connection, batch: Batch, names: Collection[str]) -> None:
    """Store the layouts of the batch, and compare those of their datasets and of datasets whose ``names`` may have
    changed.
    """
    db.executemany(LAYOUT, map(astuple, batch.layouts))
    touched = {seen.dataset for seen in batch.layouts}.union(names)
    if not touched:
        return
    rows = db.execute(KINDS, {"names": json.dumps(sorted(touched))}).fetchall()
    own = {name: key for key, name, *_ in rows}
    kinds = differing([LayoutKind(*row[1:]) for row in rows], own)
    datasets = (json.dumps(sorted(touched.union(own))),)
    if kinds or db.execute(KNOWN, datasets * 2).fetchone():
        _replace(db, datasets, _derived(db, kinds, own))


def all_drifts(db: sqlite3.Connection) -> list[DriftRow]:
    """The drifts of all datasets."""
    return [DriftRow._make(row) for row in db.execute("SELECT dataset, job, use, path, detail FROM drift")]


def _derived(db: sqlite3.Connection, kinds: Collection[LayoutKind], own: Mapping[str, str]) -> Derived:
    if not kinds:
        return Derived()
    datasets = json.dumps(sorted({kind.dataset for kind in kinds}))
    digests = json.dumps(sorted({kind.digest for kind in kinds}))
    texts = dict(db.execute(TEXTS, {"datasets": datasets, "digests": digests}).fetchall())
    read = read_otherwise(kinds, own, texts)
    if not read:
        return Derived()
    rows = db.execute(ROWS, {"datasets": datasets, "digests": json.dumps(read)})
    return derived(map(LayoutRow._make, rows), own, texts)


def _replace(db: sqlite3.Connection, names: tuple[str], found: Derived) -> None:
    ways = {ReadAsRow._make((*row, bool(current))) for *row, current in db.execute(WAYS, names)}
    drifts = {DriftRow._make(row) for row in db.execute(DRIFTS, names)}
    if (ways, drifts) == (set(found.ways), set(found.drifts)):
        return
    for statement in FORGET:
        db.execute(statement, names)
    db.executemany(WAY, ((how,) for how in sorted({row.transformations for row in found.ways})))
    db.executemany(READ_AS, map(_named, found.ways))
    db.executemany(DRIFT, found.drifts)


def _named(row: ReadAsRow) -> dict[str, str | int]:
    source, target, job, how, since, current = row
    return {
        "source": source,
        "target": target,
        "dataset": dataset_part(target),
        "job": job,
        "how": how,
        "since": since,
        "current": current,
    }
