"""Merging a batch into SQLite, within a transaction that the caller holds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.records import Batch, Version
from headwater_backend.stores.answers import folded
from headwater_backend.stores.current import Observed, chosen
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.sqlite import changes, layouts
from headwater_backend.stores.sqlite import statements as sql

if TYPE_CHECKING:
    from typing_extensions import LiteralString

DATASET: Final = """
INSERT INTO dataset (key, namespace, name, folded, first, last) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
"""
JOB: Final = """
INSERT INTO job (key, namespace, name, first, last) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
"""
RUN: Final = """
INSERT INTO run (key, job, run_id, first, last, started, running, completed, failed, aborted, other, ended)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    first = min(first, excluded.first),
    last = max(last, excluded.last),
    started = coalesce(min(started, excluded.started), started, excluded.started),
    running = coalesce(min(running, excluded.running), running, excluded.running),
    completed = coalesce(min(completed, excluded.completed), completed, excluded.completed),
    failed = coalesce(min(failed, excluded.failed), failed, excluded.failed),
    aborted = coalesce(min(aborted, excluded.aborted), aborted, excluded.aborted),
    other = coalesce(min(other, excluded.other), other, excluded.other),
    ended = coalesce(max(ended, excluded.ended), ended, excluded.ended)
"""
IO: Final = """
INSERT INTO io (run, direction, dataset, first, last) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (run, direction, dataset)
DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
"""
FACET: Final = """
INSERT INTO facet (owner, name, time, digest, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (owner, name) DO UPDATE SET time = excluded.time, digest = excluded.digest, body = excluded.body
WHERE (excluded.time, excluded.digest) > (time, digest)
"""
PATH: Final = "INSERT INTO path (key) VALUES (?) ON CONFLICT (key) DO NOTHING"
SYMLINK: Final = """
INSERT INTO symlink (name, dataset, time) VALUES (?, ?, ?)
ON CONFLICT (name, dataset) DO UPDATE SET time = max(time, excluded.time)
"""
SLOT: Final = "INSERT INTO slot (key, job, output) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
KNOWN_VERSIONS: Final = "SELECT v.key FROM json_each(?) f CROSS JOIN version v ON v.key = f.value"
VERSION: Final = "INSERT INTO version (key, slot, rank, untold) VALUES (?, ?, ?, ?) RETURNING id"
GAP: Final = "INSERT INTO gap (version, reason, path, detail) VALUES (?, ?, ?, ?)"
PATH_IDS: Final = "SELECT p.key, p.id FROM json_each(?) f CROSS JOIN path p ON p.key = f.value"
WAY: Final = "INSERT INTO way (transformations) VALUES (?) ON CONFLICT (transformations) DO NOTHING"
WAY_IDS: Final = """
SELECT w.transformations, w.id FROM json_each(?) f CROSS JOIN way w ON w.transformations = f.value
"""
EDGE: Final = """
INSERT INTO edge (version, source, target, direct, indirect, way) VALUES (?, ?, ?, ?, ?, ?)
"""
OBSERVATION: Final = """
INSERT INTO observation (slot, run, version, static, first, last) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (slot, run, version)
DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
"""
STANDING: Final = """
UPDATE observation SET standing = (
    SELECT CASE
        WHEN r.failed IS NOT NULL OR r.aborted IS NOT NULL THEN NULL
        WHEN observation.static OR r.completed IS NOT NULL OR v.rank > 0 THEN 1
        ELSE 0
    END
    FROM version v LEFT JOIN run r ON r.key = observation.run
    WHERE v.key = observation.version
)
WHERE run IN (SELECT value FROM json_each(?))
"""
SLOTS_OF_RUNS: Final = """
SELECT DISTINCT o.slot FROM json_each(?) f CROSS JOIN observation o ON o.run = f.value ORDER BY o.slot
"""
CURRENT_OF_SLOTS: Final = """
SELECT s.key, s.version, s.run FROM json_each(?) f CROSS JOIN slot s ON s.key = f.value
"""
SET_CURRENT: Final = "UPDATE slot SET version = :version, run = :run WHERE key = :slot"
MARK_EDGES: Final = """
UPDATE edge SET current = :current WHERE version = (SELECT id FROM version WHERE key = :version)
"""


class Writer:
    """Merges batches over one connection."""

    def __init__(self, connection: sqlite3.Connection, naming: KnownNaming) -> None:
        self._db = connection
        self._naming = naming

    def apply(self, batch: Batch) -> None:
        self._named_things(batch)
        names = changes.write(self._db, batch, self._naming)
        self._versions(batch)
        self._observations(batch)
        self._choose_current(batch, names)
        layouts.write(self._db, batch, names)

    def _named_things(self, batch: Batch) -> None:
        many = self._db.executemany
        many(DATASET, ((named_text(d.key), *d.key, folded(d.key), d.first, d.last) for d in batch.datasets))
        many(JOB, ((named_text(j.key), *j.key, j.first, j.last) for j in batch.jobs))
        many(
            RUN,
            (
                (
                    r.key,
                    r.job,
                    r.run_id,
                    r.first,
                    r.last,
                    r.started,
                    r.running,
                    r.completed,
                    r.failed,
                    r.aborted,
                    r.other,
                    r.ended,
                )
                for r in batch.runs
            ),
        )
        many(IO, ((i.run, i.direction, i.dataset, i.first, i.last) for i in batch.io))
        many(FACET, ((f.owner, f.name, f.time, f.digest, f.body) for f in batch.facets))
        many(SYMLINK, ((s.name, s.dataset, s.time) for s in batch.symlinks))
        many(PATH, ((path,) for path in batch.paths))

    def _versions(self, batch: Batch) -> None:
        slots = ((v.job + v.output, v.job, v.output) for v in batch.versions)
        self._db.executemany(SLOT, slots)
        keys = json.dumps([version.key for version in batch.versions])
        known = {key for (key,) in self._db.execute(KNOWN_VERSIONS, (keys,))}
        fresh = [version for version in batch.versions if version.key not in known]
        ids = self._ids(PATH_IDS, {end for version in fresh for edge in version.edges for end in edge[:2]})
        kinds = {edge.transformations for version in fresh for edge in version.edges}
        self._db.executemany(WAY, ((how,) for how in sorted(kinds)))
        ways = self._ids(WAY_IDS, kinds)
        for version in fresh:
            self._version(version, ids, ways)

    def _ids(self, query: LiteralString, keys: Iterable[str]) -> dict[str, int]:
        return dict(self._db.execute(query, (json.dumps(sorted(keys)),)).fetchall())

    def _version(self, version: Version, ids: Mapping[str, int], ways: Mapping[str, int]) -> None:
        row = (version.key, version.job + version.output, int(version.rank), version.has_unlisted_reads)
        number = self._db.execute(VERSION, row).fetchone()[0]
        self._db.executemany(GAP, ((number, *gap) for gap in version.gaps))
        self._db.executemany(
            EDGE,
            (
                (number, ids[source], ids[target], direct, indirect, ways[how])
                for source, target, how, direct, indirect in version.edges
            ),
        )

    def _observations(self, batch: Batch) -> None:
        rows = ((o.job + o.output, o.run, o.version, o.static, o.first, o.last) for o in batch.observations)
        self._db.executemany(OBSERVATION, rows)
        self._db.execute(STANDING, (json.dumps(batch.run_keys()),))

    def _choose_current(self, batch: Batch, names: Collection[str]) -> None:
        """Choose again in each slot that a run of the batch ever reported, or whose names may have changed."""
        run_keys = json.dumps(batch.run_keys())
        slots = {slot for (slot,) in self._db.execute(SLOTS_OF_RUNS, (run_keys,))}
        slots.update(changes.slots_with_drops(self._db, names))
        found = self._current(sorted(slots))
        for slot, version, run in self._db.execute(CURRENT_OF_SLOTS, (json.dumps(sorted(slots)),)).fetchall():
            seen = found.get(slot)
            self._set_current(slot, (version, run), (seen.version, seen.run) if seen else (None, None))

    def _current(self, slots: Sequence[str]) -> dict[str, Observed]:
        closed = changes.closed(self._db, slots)
        never = json.dumps([slot for slot in slots if slot not in closed])
        rows = self._db.execute(sql.NEWEST, {"slots": never}).fetchall()
        rows += self._db.execute(sql.OBSERVATIONS, {"slots": json.dumps(list(closed))}).fetchall()
        return chosen(map(Observed._make, rows), closed=closed)

    def _set_current(
        self, slot: str, old: tuple[str | None, str | None], new: tuple[str | None, str | None]
    ) -> None:
        if old == new:
            return
        self._db.execute(SET_CURRENT, {"slot": slot, "version": new[0], "run": new[1]})
        if old[0] != new[0]:
            self._db.execute(MARK_EDGES, {"version": old[0], "current": 0})
            self._db.execute(MARK_EDGES, {"version": new[0], "current": 1})
