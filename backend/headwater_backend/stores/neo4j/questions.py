"""Searches, and questions about runs and about use, in Neo4j."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, Final, TypeVar

from neo4j import ManagedTransaction

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
from headwater_backend.domain.node_keys import named_text, node_of, node_text, run_text
from headwater_backend.stores import answers, claims, labels, readings
from headwater_backend.stores.answers import FacetRow, RunRow
from headwater_backend.stores.claims import ClaimRow
from headwater_backend.stores.current import FOREVER, Observed, chosen
from headwater_backend.stores.neo4j import changes
from headwater_backend.stores.neo4j import statements as cypher
from headwater_backend.stores.readings import MovedRow

T = TypeVar("T")

# The functions of stores/labels.py: $nul is a text that Cypher cannot write.
_UNESCAPED: Final = "'%00', $nul), '%2F', '/'), '%25', '%'))"
_NAMES_SEARCHED: Final = "toLower(replace(replace(replace(replace(left(key, size(key) - 1), '/', '\n'), "
_STEPS_SEARCHED: Final = "toLower(replace(replace(replace(replace(left(steps, size(steps) - 1), '/', '.'), "

_BEHIND: Final = (
    "($namespace IS NULL OR d.namespace > $namespace OR (d.namespace = $namespace AND d.name > $name))"
)
_ORDERED: Final = " RETURN d.namespace, d.name ORDER BY d.namespace, d.name LIMIT $count"
DATASETS_LIKE: Final = (
    """
CALL () {
    MATCH (d:Dataset)
    OPTIONAL MATCH (a:Alias {name: d.key})
    RETURN d.key AS key, coalesce(a.canonical, d.key) AS own
    UNION
    MATCH (a:Alias)
    RETURN a.name AS key, a.canonical AS own
}
WITH key, own WHERE """
    + _NAMES_SEARCHED
    + _UNESCAPED
    + """ CONTAINS $text
WITH DISTINCT own
MATCH (d:Dataset {key: own}) WHERE """
    + _BEHIND
    + _ORDERED
)
JOBS_LIKE: Final = (
    "MATCH (d:Job) WITH d, d.key AS key WHERE "
    + _NAMES_SEARCHED
    + _UNESCAPED
    + " CONTAINS $text AND "
    + _BEHIND
    + _ORDERED
)
PATHS_LIKE: Final = (
    """
MATCH (p:Path) WHERE toLower(p.key) CONTAINS $piece
WITH p.key AS key, split(p.key, '/') AS parts
WITH key, parts[0] + '/' + parts[1] + '/' AS part WHERE key <> part
WITH part, substring(key, size(part)) AS steps
WHERE """
    + _STEPS_SEARCHED
    + _UNESCAPED
    + """ CONTAINS $text
OPTIONAL MATCH (a:Alias {name: part})
WITH DISTINCT coalesce(a.canonical, part) + steps AS key WHERE key > $after
RETURN key ORDER BY key LIMIT $count
"""
)
LABELS: Final = """
UNWIND ['tags', 'ownership'] AS name
MATCH (f:Facet {name: name}) WHERE f.owner STARTS WITH $kind
RETURN f.owner, f.name, f.time, f.digest, f.body
"""
CLAIMS: Final = """
UNWIND $starts AS start MATCH (f:Facet) WHERE f.owner STARTS WITH start AND f.body IS NOT NULL
AND (f.owner > $owner OR f.owner = $owner AND f.name > $name)
RETURN f.owner, f.name, f.time, f.body ORDER BY f.owner, f.name LIMIT $count
"""

_PAGE: Final = """
WHERE $time IS NULL OR r.first < $time OR (r.first = $time AND r.key < $key)
WITH r ORDER BY r.first DESC, r.key DESC LIMIT $count
"""
_RUN: Final = """
RETURN r.key, r.job, r.run_id, r.first, r.last, r.started, r.running, r.completed, r.failed, r.aborted,
       r.other, r.ended,
       COLLECT { MATCH (t:Facet {owner: 'run ' + r.key}) RETURN [t.owner, t.name, t.time, t.digest, t.body] }
"""
_NEWEST_FIRST: Final = " ORDER BY r.first DESC, r.key DESC"
_OWN_AND_OTHERS: Final = """
OPTIONAL MATCH (known:Alias {name: $dataset})
WITH coalesce(known.canonical, $dataset) AS own
WITH [own] + COLLECT { MATCH (a:Alias {canonical: own}) RETURN a.name } AS names
UNWIND names AS name
"""
RUNS: Final = "MATCH (r:Run {job: $job})" + _PAGE + _RUN + _NEWEST_FIRST
RUNS_WITH: Final = (
    _OWN_AND_OTHERS
    + """
MATCH (i:Io {dataset: name}) WHERE $use IS NULL OR i.direction = $use
WITH DISTINCT i.run AS run
MATCH (r:Run {key: run})
"""
    + _PAGE
    + _RUN
    + _NEWEST_FIRST
)
CHILD_RUNS: Final = (
    "MATCH (f:Facet {parent: $run_id}) MATCH (r:Run {key: substring(f.owner, 4)})"
    + _PAGE
    + _RUN
    + _NEWEST_FIRST
)
RUNS_OF_KEYS: Final = "UNWIND $keys AS key MATCH (r:Run {key: key})" + _RUN
NEWEST_RUNS: Final = (
    """
UNWIND $keys AS job
CALL (job) { MATCH (n:Run {job: job}) RETURN n AS r ORDER BY n.first DESC, n.key DESC LIMIT 1 }
"""
    + _RUN
)

_CANDIDATES: Final = (
    """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
AND ($among IS NULL OR d.key IN $among) AND """
    + _BEHIND
    + """
WITH d, [d.key] + COLLECT { MATCH (a:Alias {canonical: d.key}) RETURN a.name } AS names
"""
)
# Which run and version decide an output's lineage, now or as was chosen for a moment.
_DECIDED: Final = "MATCH (s:Slot {output: name}) WHERE s.version IS NOT NULL"
_DECIDED_THEN: Final = "UNWIND coalesce($decided[name], []) AS s WITH name, names, s WHERE true"
_NO_INPUTS: Final = """ AND (
        EXISTS {
            MATCH (i:Io {run: s.run})
            WHERE i.direction = 'INPUT' AND i.first <= $at AND NOT i.dataset IN names
        } OR EXISTS {
            MATCH (t:Path) WHERE t.key STARTS WITH name
            MATCH (t)<-[e:FLOWS_TO]-(f:Path)
            WHERE e.version = s.version AND none(each IN names WHERE f.key STARTS WITH each)
        }
    )
    RETURN s
}
"""
_EACH_NAME: Final = "WHERE NOT EXISTS { UNWIND names AS name "
SOURCES: Final = _CANDIDATES + _EACH_NAME + _DECIDED + _NO_INPUTS + _ORDERED
SOURCES_THEN: Final = _CANDIDATES + _EACH_NAME + _DECIDED_THEN + _NO_INPUTS + _ORDERED
SLOTS: Final = "MATCH (s:Slot) RETURN s.key, s.output"
SLOTS_AMONG: Final = """
UNWIND $among AS key
UNWIND [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS name
MATCH (s:Slot {output: name})
RETURN s.key, s.output
"""
UNUSED: Final = (
    _CANDIDATES
    + """
WHERE NOT EXISTS {
    UNWIND names AS name
    MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.last >= $since
    MATCH (r:Run {key: i.run})
    RETURN r
}
"""
    + _ORDERED
)
LAST_USED: Final = """
UNWIND $keys AS key
WITH key, [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS names
UNWIND names AS name
MATCH (i:Io {dataset: name}) WHERE EXISTS { MATCH (:Run {key: i.run}) }
RETURN key, max(CASE i.direction WHEN 'INPUT' THEN i.last END), max(CASE i.direction WHEN 'OUTPUT' THEN i.last END)
"""

MOVED: Final = (
    _OWN_AND_OTHERS
    + """
MATCH (p:Path) WHERE p.key STARTS WITH name
MATCH (p)-[e:FLOWS_TO]->()
WITH e.version AS version, collect(DISTINCT [p.key, e.transformations]) AS moved
MATCH (v:Version {key: version})
WHERE EXISTS {
    MATCH (o:Observation {slot: v.slot})
    WHERE o.version = version AND NOT o.static AND o.last >= $since AND o.first < $until
}
UNWIND moved AS way
RETURN version, way[0] AS source, way[1] AS how ORDER BY version, source, how LIMIT $most
"""
)
RUNS_OF_VERSIONS: Final = """
UNWIND $versions AS version
MATCH (v:Version {key: version})
MATCH (o:Observation {slot: v.slot})
WHERE o.version = version AND NOT o.static AND o.last >= $since AND o.first < $until
MATCH (r:Run {key: o.run})
RETURN version, r.key AS run, r.run_id, o.last AS last ORDER BY last DESC, run, version LIMIT $most
"""
LOOKED_AT: Final = (
    _OWN_AND_OTHERS
    + """
MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.last >= $since AND i.first < $until
MATCH (r:Run {key: i.run})
MATCH (f:Facet {owner: 'input ' + i.run + i.dataset})
WHERE f.name = 'headwater_access' AND f.body IS NOT NULL
RETURN r.key AS run, r.run_id, i.last AS last, f.digest, f.body ORDER BY last DESC, run, f.owner LIMIT $most
"""
)
STORED: Final = (
    _OWN_AND_OTHERS
    + """
MATCH (s:Path)-[e:READ_AS]->(t:Path) USING INDEX e:READ_AS(dataset) WHERE e.dataset = name AND e.since < $until
RETURN DISTINCT e.job AS job, s.key AS source, t.key AS target, e.transformations AS how
ORDER BY job, source, target, how LIMIT $most
"""
)


class Questions:
    """The part of the store that answers these questions; ``_read`` reads in one transaction."""

    def _read(self, reading: Callable[[ManagedTransaction], T]) -> T:
        raise NotImplementedError

    def datasets_like(
        self, text: str, first: int = 50, after: DatasetKey | None = None
    ) -> Sequence[DatasetKey]:
        wanted = {"text": text.lower(), "nul": labels.NUL, **_behind(after), "count": first}
        return self._read(lambda tx: [DatasetKey(*row) for row in tx.run(DATASETS_LIKE, wanted).values()])

    def jobs_like(self, text: str, first: int = 50, after: JobKey | None = None) -> Sequence[JobKey]:
        wanted = {"text": text.lower(), "nul": labels.NUL, **_behind(after), "count": first}
        return self._read(lambda tx: [JobKey(*row) for row in tx.run(JOBS_LIKE, wanted).values()])

    def paths_like(self, text: str, first: int = 50, after: NodeKey | None = None) -> Sequence[NodeKey]:
        wanted = {
            "text": text.lower(),
            "piece": labels.in_the_key(text),
            "nul": labels.NUL,
            "after": node_text(after) if after else "",
            "count": first,
        }
        return self._read(lambda tx: [node_of(row[0]) for row in tx.run(PATHS_LIKE, wanted).values()])

    def claims(
        self, first: int = 50, after: ClaimPlace | None = None, among: Sequence[DatasetKey] | None = None
    ) -> Sequence[Claim]:
        wanted = claims.parameters(first, after, among)
        return self._read(lambda tx: [ClaimRow._make(row).claim() for row in tx.run(CLAIMS, wanted).values()])

    def labelled_datasets(self) -> Mapping[DatasetKey, Mapping[str, Any]]:
        def read(tx: ManagedTransaction) -> dict[DatasetKey, dict[str, Any]]:
            own = dict(tx.run(cypher.SEEN_ALIASES).values())
            return labels.of_datasets(_labels(tx, "dataset "), own)

        return self._read(read)

    def labelled_jobs(self) -> Mapping[JobKey, Mapping[str, Any]]:
        return self._read(lambda tx: labels.of_jobs(_labels(tx, "job ")))

    def runs(self, job: JobKey, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        wanted = {"job": named_text(job), **_place(after), "count": first}
        return self._read(lambda tx: _runs(tx.run(RUNS, wanted).values()))

    def runs_with(
        self, dataset: DatasetKey, use: Use | None = None, first: int = 50, after: RunPlace | None = None
    ) -> Sequence[Run]:
        wanted = {"dataset": named_text(dataset), "use": use.value if use else None, "count": first}
        return self._read(lambda tx: _runs(tx.run(RUNS_WITH, {**wanted, **_place(after)}).values()))

    def child_runs(self, run_id: str, first: int = 50, after: RunPlace | None = None) -> Sequence[Run]:
        wanted = {"run_id": run_id.lower(), **_place(after), "count": first}
        return self._read(lambda tx: _runs(tx.run(CHILD_RUNS, wanted).values()))

    def get_runs(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        asked = {run_text(key.job, key.run_id.lower()): key for key in keys}
        runs = self._read(lambda tx: _runs(tx.run(RUNS_OF_KEYS, keys=list(asked)).values()))
        return {asked[run_text(run.job, run.run_id)]: run for run in runs}

    def newest_runs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Run]:
        keys = [named_text(job) for job in jobs]
        return self._read(lambda tx: {run.job: run for run in _runs(tx.run(NEWEST_RUNS, keys=keys).values())})

    def sources(
        self,
        first: int = 50,
        after: DatasetKey | None = None,
        among: Sequence[DatasetKey] | None = None,
        as_of: datetime | None = None,
    ) -> Sequence[DatasetKey]:
        some = None if among is None else [named_text(key) for key in among]
        at = FOREVER if as_of is None else micros(as_of)
        wanted = {**_behind(after), "among": some, "count": first, "at": at}

        def read(tx: ManagedTransaction) -> list[DatasetKey]:
            if as_of is None:
                return [DatasetKey(*row) for row in tx.run(SOURCES, wanted).values()]
            outputs = dict(tx.run(SLOTS if some is None else SLOTS_AMONG, among=some).values())
            decided: dict[str, list[dict[str, str]]] = {}
            for slot, seen in chosen_at(tx, list(outputs), at).items():
                decided.setdefault(outputs[slot], []).append({"version": seen.version, "run": seen.run})
            return [DatasetKey(*row) for row in tx.run(SOURCES_THEN, wanted, decided=decided).values()]

        return self._read(read)

    def existing(self, keys: Sequence[DatasetKey], as_of: datetime | None = None) -> Set[DatasetKey]:
        at = FOREVER if as_of is None else micros(as_of)

        def read(tx: ManagedTransaction) -> set[DatasetKey]:
            spans = tx.run(cypher.SPANS_OF, keys=[named_text(key) for key in keys]).values()
            own = {asked: key for asked, key, first, _ in spans if first <= at}
            made = changes.of_datasets(tx, sorted(set(own.values())))
            gone = answers.dropped(row for row in made if row.time <= at)
            slots = changes.slots_of(tx, gone)
            alive = {slots[slot] for slot in chosen_at(tx, list(slots), at)}
            missing = {None, *gone} - alive
            return {key for key in keys if own.get(named_text(key)) not in missing}

        return self._read(read)

    def unused(self, since: datetime, first: int = 50, after: DatasetKey | None = None) -> Sequence[Unused]:
        wanted = {**_behind(after), "among": None, "since": micros(since), "count": first}

        def read(tx: ManagedTransaction) -> list[Unused]:
            keys = [DatasetKey(*row) for row in tx.run(UNUSED, wanted).values()]
            rows = tx.run(LAST_USED, keys=[named_text(key) for key in keys]).values()
            used = {key: times for key, *times in rows}
            return [Unused(key, *map(maybe_moment, used.get(named_text(key), (None, None)))) for key in keys]

        return self._read(read)

    def readings(
        self, dataset: DatasetKey, since: datetime, until: datetime, most: int
    ) -> tuple[Sequence[Reading], bool]:
        window = {"since": micros(since), "until": micros(until), "most": most}
        asked = {"dataset": named_text(dataset), **window}

        def read(tx: ManagedTransaction) -> tuple[Sequence[Reading], bool]:
            moved = [MovedRow._make(row) for row in tx.run(MOVED, asked).values()]
            versions = sorted({row.version for row in moved})
            runs = tx.run(RUNS_OF_VERSIONS, {"versions": versions, **window}).values()
            facets = tx.run(LOOKED_AT, asked).values()
            stored = tx.run(STORED, asked).values()
            return readings.readings(moved, runs, facets, stored, most)

        return self._read(read)


def chosen_at(tx: ManagedTransaction, slots: Sequence[str], at: int) -> dict[str, Observed]:
    """The observation of each slot that was current at that moment."""
    seen = tx.run(cypher.OBSERVED, slots=list(slots)).values()
    return chosen(map(Observed._make, seen), at, changes.closed(tx, slots))


def _behind(after: DatasetKey | JobKey | None) -> dict[str, str | None]:
    return {"namespace": after.namespace if after else None, "name": after.name if after else None}


def _place(after: RunPlace | None) -> dict[str, Any]:
    if after is None:
        return {"time": None, "key": None}
    return {"time": micros(after.first_seen), "key": run_text(after.key.job, after.key.run_id)}


def _labels(tx: ManagedTransaction, kind: str) -> list[FacetRow]:
    return [FacetRow._make(row) for row in tx.run(LABELS, kind=kind).values()]


def _runs(rows: Sequence[Sequence[Any]]) -> list[Run]:
    return [answers.run_of(RunRow._make(row[:12]), map(FacetRow._make, row[12])) for row in rows]
