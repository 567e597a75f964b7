"""Searches, and questions about runs and about use, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final

from headwater_backend.domain.model import (
    Claim,
    ClaimPlace,
    DatasetKey,
    JobKey,
    NodeKey,
    Reading,
    Run,
    RunKey,
    RunPlace,
    Unused,
    Use,
)
from headwater_backend.domain.moments import maybe_moment, micros
from headwater_backend.domain.node_keys import dataset_part, named_text, node_of, node_text, run_text
from headwater_backend.stores import answers, claims, labels, readings
from headwater_backend.stores.answers import FacetRow, RunRow
from headwater_backend.stores.claims import ClaimRow
from headwater_backend.stores.current import FOREVER, Observed, chosen
from headwater_backend.stores.readings import MovedRow
from headwater_backend.stores.sqlite import changes
from headwater_backend.stores.sqlite import statements as sql

DATASETS_LIKE: Final = """
WITH found (own) AS (
    SELECT coalesce(a.canonical, d.key) FROM dataset d LEFT JOIN alias a ON a.name = d.key
    WHERE instr(names_searched(d.key), :text)
    UNION
    SELECT a.canonical FROM alias a WHERE instr(names_searched(a.name), :text)
)
SELECT d.namespace, d.name FROM found JOIN dataset d ON d.key = own
WHERE :namespace IS NULL OR (d.namespace, d.name) > (:namespace, :name)
ORDER BY d.namespace, d.name LIMIT :count
"""
JOBS_LIKE: Final = """
SELECT namespace, name FROM job
WHERE instr(names_searched(key), :text) AND (:namespace IS NULL OR (namespace, name) > (:namespace, :name))
ORDER BY namespace, name LIMIT :count
"""
# LIKE ignores case in ASCII alone: keys with other characters are all examined.
PATHS_LIKE: Final = """
WITH found (key, part) AS (
    SELECT p.key, dataset_part(p.key) FROM path p
    WHERE (p.key LIKE :like ESCAPE '!' OR p.key GLOB '*[^ -~]*') AND instr(steps_searched(p.key), :text)
), named (key) AS (
    SELECT coalesce(a.canonical, f.part) || substr(f.key, length(f.part) + 1)
    FROM found f LEFT JOIN alias a ON a.name = f.part WHERE f.key <> f.part
)
SELECT DISTINCT key FROM named WHERE key > :after ORDER BY key LIMIT :count
"""
LABELS: Final = """
SELECT owner, name, time, digest, body FROM facet WHERE name = 'tags' AND owner >= :kind AND owner < :behind
UNION ALL
SELECT owner, name, time, digest, body FROM facet
WHERE name = 'ownership' AND owner >= :kind AND owner < :behind
"""
# Each beginning ends with a blank or a slash, so that the next character ends its range.
CLAIMS: Final = """
SELECT f.owner, f.name, f.time, f.body FROM json_each(:starts) s
CROSS JOIN facet f ON f.owner >= s.value
    AND f.owner < substr(s.value, 1, length(s.value) - 1) || char(unicode(substr(s.value, -1)) + 1)
WHERE f.body IS NOT NULL AND (f.owner, f.name) > (:owner, :name) ORDER BY f.owner, f.name LIMIT :count
"""

_RUN: Final = """
r.key, r.job, r.run_id, r.first, r.last, r.started, r.running, r.completed, r.failed, r.aborted, r.other, r.ended
"""
_PAGE: Final = """
AND (:time IS NULL OR (r.first, r.key) < (:time, :key)) ORDER BY r.first DESC, r.key DESC LIMIT :count
"""
_OWN_AND_OTHERS: Final = """
WITH own (key) AS (SELECT coalesce((SELECT canonical FROM alias WHERE name = :dataset), :dataset)),
names (key) AS (SELECT key FROM own UNION SELECT a.name FROM own CROSS JOIN alias a ON a.canonical = own.key)
"""
_OF_JOB: Final = "FROM run r WHERE r.job = :job"
_BELOW: Final = """
FROM facet f JOIN run r ON r.key = substr(f.owner, 5)
WHERE f.name = 'parent' AND lower(json_extract(f.body, '$.run.runId')) = :run_id AND f.owner LIKE 'run %'
"""
_WITH_DATASET: Final = """
FROM names n
CROSS JOIN io i ON i.dataset = n.key AND (:use IS NULL OR i.direction = :use)
CROSS JOIN run r ON r.key = i.run
WHERE true
"""
_OF_KEYS: Final = "FROM json_each(:keys) f CROSS JOIN run r ON r.key = f.value"
_NEWEST: Final = """
FROM json_each(:keys) f CROSS JOIN run r ON r.key = (
    SELECT n.key FROM run n WHERE n.job = f.value ORDER BY n.first DESC, n.key DESC LIMIT 1
)
"""
RUNS: Final = "SELECT " + _RUN + _OF_JOB + _PAGE
RUNS_WITH: Final = _OWN_AND_OTHERS + "SELECT DISTINCT " + _RUN + _WITH_DATASET + _PAGE
CHILD_RUNS: Final = "SELECT " + _RUN + _BELOW + _PAGE
RUNS_OF_KEYS: Final = "SELECT " + _RUN + _OF_KEYS
NEWEST_RUNS: Final = "SELECT " + _RUN + _NEWEST
FACETS_OF_RUNS: Final = """
SELECT f.value, t.owner, t.name, t.time, t.digest, t.body
FROM json_each(:keys) f CROSS JOIN facet t ON t.owner = 'run ' || f.value
"""

# With the names of each candidate, its canonical one among them.
_NAMES: Final = """
WITH names (key, name) AS MATERIALIZED (
    SELECT key, key FROM dataset UNION SELECT canonical, name FROM alias
)
"""
_CANDIDATES: Final = """
SELECT d.namespace, d.name FROM dataset d
WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)
AND (:namespace IS NULL OR (d.namespace, d.name) > (:namespace, :name))
AND (:among IS NULL OR d.key IN (SELECT value FROM json_each(:among)))
"""
_NOW: Final = """
AND NOT EXISTS (
    SELECT 1 FROM names n CROSS JOIN slot s ON s.output = n.name AND s.version IS NOT NULL WHERE n.key = d.key AND
"""
_THEN: Final = """
AND d.key NOT IN (
    SELECT n.key FROM decided s CROSS JOIN names n ON n.name = s.output WHERE
"""
# Of an output's deciding run and version s, and one of its names n; the last bracket is that of _NOW or _THEN.
_MADE_OF_OTHERS: Final = """
(
    EXISTS (
        SELECT 1 FROM io i WHERE i.run = s.run AND i.direction = 'INPUT' AND i.first <= :at
        AND i.dataset NOT IN (SELECT name FROM names WHERE key = n.key)
    ) OR EXISTS (
        SELECT 1 FROM version v CROSS JOIN edge e ON e.version = v.id CROSS JOIN path p ON p.id = e.source
        WHERE v.key = s.version AND dataset_part(p.key) NOT IN (SELECT name FROM names WHERE key = n.key)
    )
))
"""
_DECIDED: Final = """
, decided (output, version, run) AS MATERIALIZED (
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM json_each(:decided)
)
"""
_NOT_READ: Final = """
AND NOT EXISTS (
    SELECT 1 FROM names n
    CROSS JOIN io i ON i.dataset = n.name AND i.direction = 'INPUT' AND i.last >= :since
    CROSS JOIN run r ON r.key = i.run
    WHERE n.key = d.key
)
"""
_ORDERED: Final = " ORDER BY d.namespace, d.name LIMIT :count"
SOURCES: Final = _NAMES + _CANDIDATES + _NOW + _MADE_OF_OTHERS + _ORDERED
SOURCES_THEN: Final = _NAMES + _DECIDED + _CANDIDATES + _THEN + _MADE_OF_OTHERS + _ORDERED
SLOTS_AMONG: Final = """
SELECT key, output FROM slot
WHERE :among IS NULL OR output IN (
    SELECT value FROM json_each(:among)
    UNION SELECT a.name FROM json_each(:among) f CROSS JOIN alias a ON a.canonical = f.value
)
"""
UNUSED: Final = _NAMES + _CANDIDATES + _NOT_READ + _ORDERED
LAST_USED: Final = """
SELECT f.value, max(i.last) FILTER (WHERE i.direction = 'INPUT'), max(i.last) FILTER (WHERE i.direction = 'OUTPUT')
FROM json_each(:keys) f
CROSS JOIN io i ON i.dataset IN (SELECT f.value UNION ALL SELECT name FROM alias WHERE canonical = f.value)
CROSS JOIN run r ON r.key = i.run
GROUP BY f.value
"""

_MOVED: Final = """
SELECT DISTINCT v.key, p.key, w.transformations
FROM names n
CROSS JOIN path p ON p.key >= n.key AND p.key < substr(n.key, 1, length(n.key) - 1) || '0'
CROSS JOIN edge e ON e.source = p.id
CROSS JOIN version v ON v.id = e.version
CROSS JOIN way w ON w.id = e.way
WHERE EXISTS (
    SELECT 1 FROM observation o
    WHERE o.slot = v.slot AND o.version = v.key AND NOT o.static AND o.last >= :since AND o.first < :until
)
ORDER BY v.key, p.key, w.transformations LIMIT :most
"""
MOVED: Final = _OWN_AND_OTHERS + _MOVED
RUNS_OF_VERSIONS: Final = """
SELECT v.key, r.key, r.run_id, o.last
FROM json_each(:versions) f
CROSS JOIN version v ON v.key = f.value
CROSS JOIN observation o ON o.slot = v.slot AND o.version = v.key
CROSS JOIN run r ON r.key = o.run
WHERE NOT o.static AND o.last >= :since AND o.first < :until
ORDER BY o.last DESC, r.key, v.key LIMIT :most
"""
_LOOKED_AT: Final = """
SELECT r.key, r.run_id, i.last, t.digest, t.body
FROM names n
CROSS JOIN io i ON i.dataset = n.key AND i.direction = 'INPUT' AND i.last >= :since AND i.first < :until
CROSS JOIN run r ON r.key = i.run
CROSS JOIN facet t ON t.owner = 'input ' || i.run || i.dataset AND t.name = 'headwater_access'
WHERE t.body IS NOT NULL
ORDER BY i.last DESC, r.key, t.owner LIMIT :most
"""
LOOKED_AT: Final = _OWN_AND_OTHERS + _LOOKED_AT
_STORED: Final = """
SELECT DISTINCT r.job, s.key, t.key, w.transformations
FROM names n
CROSS JOIN read_as r ON r.dataset = n.key AND r.since < :until
CROSS JOIN path s ON s.id = r.source CROSS JOIN path t ON t.id = r.target CROSS JOIN way w ON w.id = r.way
ORDER BY 1, 2, 3, 4 LIMIT :most
"""
STORED: Final = _OWN_AND_OTHERS + _STORED


class Questions:
    """The part of the store that answers these questions; ``_reading`` is a connection whose reads all see one
    state.
    """

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        raise NotImplementedError

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        with self._reading() as db:
            rows = _searching(db).execute(
                DATASETS_LIKE, {"text": text.lower(), **_behind(after), "count": first}
            )
            return [DatasetKey(*row) for row in rows]

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        with self._reading() as db:
            rows = _searching(db).execute(JOBS_LIKE, {"text": text.lower(), **_behind(after), "count": first})
            return [JobKey(*row) for row in rows]

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        wanted = {
            "text": text.lower(),
            "like": f"%{_literally(labels.in_the_key(text))}%",
            "after": node_text(after) if after else "",
            "count": first,
        }
        with self._reading() as db:
            return [node_of(key) for (key,) in _searching(db).execute(PATHS_LIKE, wanted)]

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        wanted = claims.parameters(first, after, among)
        with self._reading() as db:
            rows = db.execute(CLAIMS, {**wanted, "starts": json.dumps(wanted["starts"])})
            return [ClaimRow._make(row).claim() for row in rows]

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        with self._reading() as db:
            own = dict(db.execute(sql.SEEN_ALIASES).fetchall())
            return labels.of_datasets(_labels(db, "dataset"), own)

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        with self._reading() as db:
            return labels.of_jobs(_labels(db, "job"))

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        with self._reading() as db:
            return _runs(db, RUNS, {"job": named_text(job), **_place(after), "count": first})

    def runs_with(
        self, dataset: DatasetKey, use: Use | None = None, first: int = 50, after: RunPlace | None = None
    ) -> Sequence[Run]:
        wanted = {"dataset": named_text(dataset), "use": use.value if use else None, "count": first}
        with self._reading() as db:
            return _runs(db, RUNS_WITH, {**wanted, **_place(after)})

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        with self._reading() as db:
            return _runs(db, CHILD_RUNS, {"run_id": run_id.lower(), **_place(after), "count": first})

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        asked = {run_text(key.job, key.run_id.lower()): key for key in keys}
        with self._reading() as db:
            runs = _runs(db, RUNS_OF_KEYS, _keys(asked))
        return {asked[run_text(run.job, run.run_id)]: run for run in runs}

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        with self._reading() as db:
            return {run.job: run for run in _runs(db, NEWEST_RUNS, _keys(map(named_text, jobs)))}

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        some = None if among is None else json.dumps([named_text(key) for key in among])
        at = FOREVER if as_of is None else micros(as_of)
        wanted = {**_behind(after), "among": some, "count": first, "at": at}
        with self._reading() as db:
            if as_of is None:
                return [DatasetKey(*row) for row in _searching(db).execute(SOURCES, wanted)]
            outputs = dict(db.execute(SLOTS_AMONG, {"among": some}).fetchall())
            then = chosen_at(db, list(outputs), at)
            decided = [[outputs[slot], seen.version, seen.run] for slot, seen in then.items()]
            rows = _searching(db).execute(SOURCES_THEN, {**wanted, "decided": json.dumps(decided)})
            return [DatasetKey(*row) for row in rows]

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        at = FOREVER if as_of is None else micros(as_of)
        with self._reading() as db:
            spans = db.execute(sql.DATASETS, _keys(map(named_text, keys)))
            own = {asked: key for asked, key, first, _ in spans if first <= at}
            made = changes.of_datasets(db, sorted(set(own.values())))
            gone = answers.dropped(row for row in made if row.time <= at)
            slots = changes.slots_of(db, gone)
            alive = {slots[slot] for slot in chosen_at(db, list(slots), at)}
        missing = {None, *gone} - alive
        return {key for key in keys if own.get(named_text(key)) not in missing}

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        wanted = {**_behind(after), "among": None, "since": micros(since), "count": first}
        with self._reading() as db:
            keys = [DatasetKey(*row) for row in db.execute(UNUSED, wanted)]
            used = {key: times for key, *times in db.execute(LAST_USED, _keys(map(named_text, keys)))}
        return [Unused(key, *map(maybe_moment, used.get(named_text(key), (None, None)))) for key in keys]

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        window = {"since": micros(since), "until": micros(until), "most": most}
        asked = {"dataset": named_text(dataset), **window}
        with self._reading() as db:
            moved = [MovedRow._make(row) for row in db.execute(MOVED, asked)]
            versions = json.dumps(sorted({row.version for row in moved}))
            runs = db.execute(RUNS_OF_VERSIONS, {"versions": versions, **window}).fetchall()
            facets = db.execute(LOOKED_AT, asked).fetchall()
            stored = db.execute(STORED, asked).fetchall()
        return readings.readings(moved, runs, facets, stored, most)


def chosen_at(db: sqlite3.Connection, slots: Sequence[str], at: int) -> dict[str, Observed]:
    """The observation of each slot that was current at that moment."""
    rows = db.execute(sql.OBSERVATIONS, {"slots": json.dumps(slots)})
    return chosen(map(Observed._make, rows), at, changes.closed(db, slots))


def _searching(db: sqlite3.Connection) -> sqlite3.Connection:
    """The connection with the functions that the statements use; to define them again costs microseconds."""
    for function in (labels.names_searched, labels.steps_searched, dataset_part):
        db.create_function(function.__name__, 1, function, deterministic=True)
    return db


def _literally(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _behind(after: DatasetKey | JobKey | None) -> dict[str, str | None]:
    return {"namespace": after.namespace if after else None, "name": after.name if after else None}


def _place(after: RunPlace | None) -> dict[str, Any]:
    if after is None:
        return {"time": None, "key": None}
    return {"time": micros(after.first_seen), "key": run_text(after.key.job, after.key.run_id)}


def _keys(keys: Iterable[str]) -> dict[str, str]:
    return {"keys": json.dumps(list(keys))}


def _labels(db: sqlite3.Connection, kind: str) -> list[FacetRow]:
    rows = db.execute(LABELS, {"kind": f"{kind} ", "behind": f"{kind}!"})
    return [FacetRow._make(row) for row in rows]


def _runs(db: sqlite3.Connection, query: str, wanted: Mapping[str, Any]) -> list[Run]:
    rows = [RunRow._make(row) for row in db.execute(query, wanted)]
    facets: dict[str, list[FacetRow]] = {}
    for key, *row in db.execute(FACETS_OF_RUNS, _keys(row.key for row in rows)):
        facets.setdefault(key, []).append(FacetRow._make(row))
    return [answers.run_of(row, facets.get(row.key, ())) for row in rows]
