"""Pruning of old runs in SQLite, see ``stores.pruning``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from headwater_backend.domain.model import Pruned
from headwater_backend.stores.current import Observed
from headwater_backend.stores.pruning import RUNS_AT_ONCE, needed
from headwater_backend.stores.sqlite import changes
from headwater_backend.stores.sqlite import statements as sql

CANDIDATES: Final = """
SELECT r.key FROM run r WHERE r.last < :before AND r.key > :after
AND EXISTS (SELECT 1 FROM run n WHERE n.job = r.job AND (n.first, n.key) > (r.first, r.key))
AND NOT EXISTS (
    SELECT 1 FROM io i WHERE i.run = r.key AND i.direction = 'INPUT' AND NOT EXISTS (
        SELECT 1 FROM io o
        WHERE o.dataset = i.dataset AND o.direction = 'INPUT' AND (o.last, o.run) > (i.last, i.run)
    )
)
AND NOT EXISTS (SELECT 1 FROM observation o JOIN slot s ON s.key = o.slot WHERE o.run = r.key AND s.run = r.key)
ORDER BY r.key LIMIT :count
"""
SLOTS: Final = "SELECT DISTINCT o.slot FROM json_each(:runs) f CROSS JOIN observation o ON o.run = f.value"
VERSIONS: Final = (
    "SELECT DISTINCT o.version FROM json_each(:runs) f CROSS JOIN observation o ON o.run = f.value"
)
RECENT: Final = (
    "SELECT r.key FROM json_each(:runs) f CROSS JOIN run r ON r.key = f.value WHERE r.last >= :before"
)
FORGET: Final = (
    "DELETE FROM facet WHERE owner IN (SELECT 'run ' || value FROM json_each(:runs))",
    """
    DELETE FROM facet WHERE owner IN (
        SELECT lower(i.direction) || ' ' || i.run || i.dataset
        FROM json_each(:runs) f CROSS JOIN io i ON i.run = f.value
    )
    """,
    "DELETE FROM io WHERE run IN (SELECT value FROM json_each(:runs))",
    """
    DELETE FROM change WHERE run IN (SELECT value FROM json_each(:runs)) AND (
        change NOT IN ('CREATE', 'RENAME', 'DROP') OR EXISTS (
            SELECT 1 FROM run r WHERE r.key = change.run AND (r.failed IS NOT NULL OR r.aborted IS NOT NULL)
        )
    )
    """,
    "DELETE FROM observation WHERE run IN (SELECT value FROM json_each(:runs))",
    "DELETE FROM run WHERE key IN (SELECT value FROM json_each(:runs))",
)
ORPHANS: Final = """
SELECT v.id FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value
WHERE NOT EXISTS (SELECT 1 FROM observation o WHERE o.version = v.key)
"""
FORGET_EDGES: Final = "DELETE FROM edge WHERE version IN (SELECT value FROM json_each(:ids))"
FORGET_VERSIONS: Final = (
    "DELETE FROM gap WHERE version IN (SELECT value FROM json_each(:ids))",
    "DELETE FROM version WHERE id IN (SELECT value FROM json_each(:ids))",
)


def page(db: sqlite3.Connection, before: int, after: str, *, dry_run: bool) -> tuple[str | None, Pruned]:
    """Delete some runs after that key, and return the last key examined, None at the end, and what was (or would be)
    deleted.
    """
    wanted = {"before": before, "after": after, "count": RUNS_AT_ONCE}
    runs = [key for (key,) in db.execute(CANDIDATES, wanted)]
    if not runs:
        return None, Pruned()
    kept = _needed(db, runs, before)
    gone = [run for run in runs if run not in kept]
    return runs[-1], Pruned(len(gone)) if dry_run else _forget(db, gone)


def _needed(db: sqlite3.Connection, runs: Sequence[str], before: int) -> set[str]:
    slots = [slot for (slot,) in db.execute(SLOTS, {"runs": json.dumps(runs)})]
    seen = [Observed._make(row) for row in db.execute(sql.OBSERVATIONS, {"slots": json.dumps(slots)})]
    observed = json.dumps(sorted({each.run for each in seen}))
    recent = {key for (key,) in db.execute(RECENT, {"runs": observed, "before": before})}
    return needed(seen, recent, before, changes.closed(db, slots))


def _forget(db: sqlite3.Connection, runs: Sequence[str]) -> Pruned:
    deleted = {"runs": json.dumps(runs)}
    versions = json.dumps([key for (key,) in db.execute(VERSIONS, deleted)])
    for statement in FORGET:
        db.execute(statement, deleted)
    ids = [number for (number,) in db.execute(ORPHANS, {"versions": versions})]
    gone = {"ids": json.dumps(ids)}
    edges = db.execute(FORGET_EDGES, gone).rowcount
    for statement in FORGET_VERSIONS:
        db.execute(statement, gone)
    return Pruned(len(runs), len(ids), edges)
