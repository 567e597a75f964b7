"""The states of datasets in SQLite: creations, renames and drops, and the names that follow from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple
from typing import Final

from headwater_backend.domain.records import Batch
from headwater_backend.stores.aliases import Link, canonical_names, links_around
from headwater_backend.stores.answers import ChangeRow
from headwater_backend.stores.closing import Drop, closings
from headwater_backend.stores.current import Closed
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.sqlite import naming

CHANGE: Final = "INSERT OR IGNORE INTO change (dataset, change, time, run, previous) VALUES (?, ?, ?, ?, ?)"
OF_RUNS: Final = """
SELECT DISTINCT c.dataset, c.previous FROM json_each(:runs) f CROSS JOIN change c ON c.run = f.value
WHERE c.change IN ('CREATE', 'RENAME', 'DROP')
"""
LINKS_AT: Final = """
SELECT s.name, s.dataset, s.time, 'SYMLINK' FROM json_each(:names) f CROSS JOIN symlink s ON s.name = f.value
UNION
SELECT s.name, s.dataset, s.time, 'SYMLINK' FROM json_each(:names) f CROSS JOIN symlink s ON s.dataset = f.value
UNION
SELECT c.previous, c.dataset, c.time, c.change
FROM json_each(:names) f CROSS JOIN change c ON c.dataset = f.value AND c.change = 'RENAME'
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
AND c.previous <> ''
UNION
SELECT c.previous, c.dataset, c.time, c.change
FROM json_each(:names) f CROSS JOIN change c ON c.previous = f.value AND c.previous <> ''
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
UNION
SELECT c.dataset, c.dataset, max(c.time), c.change
FROM json_each(:names) f CROSS JOIN change c ON c.dataset = f.value AND c.change = 'CREATE'
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
GROUP BY c.dataset
UNION
SELECT d.name, d.dataset, 0, d.kind FROM json_each(:names) f CROSS JOIN decided_link d ON d.name = f.value
UNION
SELECT d.name, d.dataset, 0, d.kind FROM json_each(:names) f CROSS JOIN decided_link d ON d.dataset = f.value
"""
FORGET_ALIASES: Final = "DELETE FROM alias WHERE name = ?"
ALIAS: Final = "INSERT INTO alias (name, canonical) VALUES (?, ?)"
SLOTS_WITH_DROPS: Final = """
SELECT s.key FROM json_each(:names) f CROSS JOIN slot s ON s.output = f.value
WHERE EXISTS (
    SELECT 1 FROM json_each(:names) n CROSS JOIN change c ON c.dataset = n.value AND c.change = 'DROP'
)
"""
# Of each slot, what was dropped among all names of its output, as they are now.
DROPS: Final = """
WITH output (slot, name, own) AS (
    SELECT s.key, s.output, coalesce(a.canonical, s.output)
    FROM json_each(:slots) f CROSS JOIN slot s ON s.key = f.value LEFT JOIN alias a ON a.name = s.output
), names (slot, output, name) AS (
    SELECT slot, name, own FROM output
    UNION SELECT o.slot, o.name, a.name FROM output o CROSS JOIN alias a ON a.canonical = o.own
)
SELECT n.slot, n.output, c.dataset, c.time, c.run
FROM names n CROSS JOIN change c ON c.dataset = n.name AND c.change = 'DROP'
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
"""
CHANGES_OF: Final = """
SELECT f.key, c.dataset, c.change, c.time, c.run, c.previous, r.run_id
FROM (SELECT value AS key FROM json_each(:keys)) f
CROSS JOIN change c ON c.dataset IN (
    SELECT f.key UNION SELECT name FROM alias WHERE canonical = f.key
)
LEFT JOIN run r ON r.key = c.run WHERE r.failed IS NULL AND r.aborted IS NULL
"""
SLOTS_OF: Final = """
SELECT s.key, f.value FROM json_each(:keys) f
CROSS JOIN slot s ON s.output IN (SELECT f.value UNION SELECT name FROM alias WHERE canonical = f.value)
"""
ALIVE: Final = """
SELECT f.key FROM (SELECT value AS key FROM json_each(:keys)) f
WHERE EXISTS (
    SELECT 1 FROM slot s WHERE s.version IS NOT NULL
    AND s.output IN (SELECT f.key UNION SELECT name FROM alias WHERE canonical = f.key)
)
"""


def write(db: sqlite3.Connection, batch: Batch, known: KnownNaming) -> set[str]:
    """Store the changes and decisions of the batch, resolve the names of all datasets that they may concern, and return
    those names.
    """
    db.executemany(CHANGE, map(astuple, batch.changes))
    changed = db.execute(OF_RUNS, {"runs": json.dumps(batch.run_keys())}).fetchall()
    changed += [(seen.dataset, seen.previous) for seen in batch.changes]
    linked = [(link.name, link.dataset) for link in batch.symlinks]
    names = {name for pair in (*changed, *linked) for name in pair if name}
    names |= naming.write(db, batch, known)
    return _follow(db, names) if names else names


def settle(db: sqlite3.Connection) -> None:
    """Compute again what follows from decisions about names, after names were deleted."""
    names = naming.relinked(db)
    if names:
        _follow(db, names)


def slots_with_drops(db: sqlite3.Connection, names: Collection[str]) -> list[str]:
    """The slots of these datasets, if any of them was ever dropped."""
    rows = db.execute(SLOTS_WITH_DROPS, {"names": json.dumps(sorted(names))}) if names else ()
    return [slot for (slot,) in rows]


def closed(db: sqlite3.Connection, slots: Iterable[str]) -> dict[str, list[Closed]]:
    """The times at which the outputs of the slots were dropped; slots without any are left out."""
    rows = db.execute(DROPS, {"slots": json.dumps(list(slots))}).fetchall()
    if not rows:
        return {}
    outputs = {slot: output for slot, output, *_ in rows}
    links, _ = _links_around(db, {*outputs.values(), *(row[2] for row in rows)})
    return closings(outputs, (Drop(*row[2:]) for row in rows), sorted(links))


def of_datasets(db: sqlite3.Connection, keys: Sequence[str]) -> list[ChangeRow]:
    """The changes of the datasets under all their names; ``keys`` are canonical."""
    return [ChangeRow._make(row) for row in db.execute(CHANGES_OF, {"keys": json.dumps(list(keys))})]


def alive(db: sqlite3.Connection, keys: Sequence[str]) -> set[str]:
    """The datasets that have current lineage or were at least written to; ``keys`` are canonical."""
    rows = db.execute(ALIVE, {"keys": json.dumps(list(keys))}) if keys else ()
    return {key for (key,) in rows}


def slots_of(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, str]:
    """From each slot of the datasets to its dataset; ``keys`` are canonical."""
    return dict(db.execute(SLOTS_OF, {"keys": json.dumps(list(keys))}).fetchall()) if keys else {}


def _follow(db: sqlite3.Connection, names: set[str]) -> set[str]:
    """Compute the canonical names in the components to which the names belong, and return all names in these."""
    links, around = _links_around(db, names)
    db.executemany(FORGET_ALIASES, [(name,) for name in sorted(around)])
    canonical = canonical_names(links)
    db.executemany(ALIAS, sorted(canonical.items()))
    naming.keep_nameless(db, around, links, canonical)
    return around


def _links_around(db: sqlite3.Connection, names: set[str]) -> tuple[set[Link], set[str]]:
    """All links of the components to which the names belong, and the names in them."""
    return links_around(lambda some: db.execute(LINKS_AT, {"names": json.dumps(some)}), names)
