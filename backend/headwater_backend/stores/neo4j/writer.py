"""Merging records into Neo4j.

Rows are written in batches, sorted by key, so that writers of several processes take locks in the same order;
after a deadlock, the driver runs the whole transaction again.

A SET that repeats the key comes first where a later SET compares with what is stored: it takes the node's
lock, so that writers of several processes compare one after the other.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.records import (
    MOST_CONDITIONS,
    TOO_MANY,
    Batch,
    EdgeRow,
    FacetSeen,
    Observation,
    Version,
)
from headwater_backend.stores.answers import folded
from headwater_backend.stores.neo4j.transaction import Neo4jTransaction

_LOCK: Final = "UNWIND $rows AS r MERGE (n:"
_SPAN: Final = """
SET n.first = CASE WHEN n.first IS NULL OR r.first < n.first THEN r.first ELSE n.first END,
    n.last = CASE WHEN n.last IS NULL OR r.last > n.last THEN r.last ELSE n.last END
"""
DATASETS: Final = (
    _LOCK
    + "Dataset {key: r.key}) SET n.namespace = r.namespace, n.name = r.name, n.folded = r.folded WITH n, r"
    + _SPAN
)
JOBS: Final = _LOCK + "Job {key: r.key}) SET n.namespace = r.namespace, n.name = r.name WITH n, r" + _SPAN
RUNS: Final = (
    _LOCK
    + "Run {key: r.key}) SET n.job = r.job, n.run_id = r.run_id WITH n, r"
    + _SPAN
    + """
SET n.started = CASE WHEN r.started < n.started OR n.started IS NULL THEN r.started ELSE n.started END,
    n.running = CASE WHEN r.running < n.running OR n.running IS NULL THEN r.running ELSE n.running END,
    n.completed = CASE WHEN r.completed < n.completed OR n.completed IS NULL
                       THEN r.completed ELSE n.completed END,
    n.failed = CASE WHEN r.failed < n.failed OR n.failed IS NULL THEN r.failed ELSE n.failed END,
    n.aborted = CASE WHEN r.aborted < n.aborted OR n.aborted IS NULL THEN r.aborted ELSE n.aborted END,
    n.other = CASE WHEN r.other < n.other OR n.other IS NULL THEN r.other ELSE n.other END,
    n.ended = CASE WHEN r.ended > n.ended OR n.ended IS NULL THEN r.ended ELSE n.ended END,
    n.settled = CASE WHEN r.settled < n.settled OR n.settled IS NULL THEN r.settled ELSE n.settled END,
    n.refuted = CASE WHEN r.refuted < n.refuted OR n.refuted IS NULL THEN r.refuted ELSE n.refuted END
"""
)
IO: Final = (
    _LOCK
    + "Io {key: r.key}) SET n.run = r.run, n.direction = r.direction, n.dataset = r.dataset WITH n, r"
    + _SPAN
    + ", n.known = CASE WHEN n.known IS NULL OR r.known < n.known THEN r.known ELSE n.known END"
)
FACETS: Final = (
    _LOCK
    + """Facet {key: r.key}) SET n.key = r.key
WITH n, r WHERE n.time IS NULL OR n.time < r.time OR (n.time = r.time AND n.digest < r.digest)
SET n = r
"""
)
PATHS: Final = "UNWIND $rows AS key MERGE (:Path {key: key})"
SYMLINKS: Final = (
    _LOCK
    + """Symlink {key: r.key}) SET n.name = r.name, n.dataset = r.dataset
WITH n, r WHERE n.time IS NULL OR n.time < r.time
SET n.time = r.time
"""
)
SLOTS: Final = "UNWIND $rows AS r MERGE (s:Slot {key: r.key}) SET s.job = r.job, s.output = r.output"
VERSIONS: Final = """
UNWIND $rows AS r
MERGE (v:Version {key: r.key})
ON CREATE SET v.slot = r.slot, v.rank = r.rank, v.gaps = r.gaps, v.untold = r.untold, v.fresh = true
WITH v WHERE v.fresh
REMOVE v.fresh
RETURN v.key
"""
OBSERVATIONS: Final = (
    _LOCK
    + """Observation {key: r.key})
SET n.slot = r.slot, n.run = r.run, n.version = r.version, n.static = r.static, n.rank = r.rank,
    n.keeps = r.keeps OR coalesce(n.keeps, false)
WITH n, r, COLLECT {
    UNWIND split(r.conditions, ' ') + split(coalesce(n.conditions, r.conditions), ' ') AS each
    RETURN DISTINCT each ORDER BY each
} AS united
SET n.conditions = CASE WHEN r.too_many IN united OR size(united) > r.most THEN r.too_many
                        ELSE reduce(text = united[0], each IN united[1..] | text + ' ' + each) END
WITH n, r"""
    + _SPAN
    + """WITH n, r WHERE n.known IS NULL OR r.known < n.known OR (r.known = n.known AND r.who < n.who)
SET n.known = r.known, n.who = r.who
"""
)
CONDITIONS: Final = "UNWIND $rows AS r MERGE (n:Conditions {digest: r.digest}) ON CREATE SET n.body = r.body"
EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path {key: r.target})
UNWIND r.sources AS source
MATCH (s:Path {key: source})
CREATE (s)-[:FLOWS_TO {
    version: r.version, current: r.current, direct: r.direct, indirect: r.indirect,
    transformations: r.transformations
}]->(t)
"""


class Neo4jWriter(Neo4jTransaction):
    """A transaction that writes."""

    def write_records(self, batch: Batch) -> None:
        datasets = (
            {**_named(d.key), "folded": folded(d.key), "first": d.first, "last": d.last}
            for d in batch.datasets
        )
        self.write(RUNS, map(asdict, batch.runs))
        self.write(DATASETS, datasets)
        self.write(JOBS, ({**_named(j.key), "first": j.first, "last": j.last} for j in batch.jobs))
        self.write(IO, ({**asdict(i), "key": f"{i.direction} {i.run}{i.dataset}"} for i in batch.io))
        self.write(FACETS, map(_facet, batch.facets))
        self.write(PATHS, batch.paths)
        self.write(CONDITIONS, map(asdict, batch.conditions))
        self.write(SYMLINKS, ({**asdict(s), "key": s.name + s.dataset} for s in batch.symlinks))

    def write_versions(self, versions: Collection[Version]) -> set[str]:
        slots = {v.job + v.output: {"job": v.job, "output": v.output} for v in versions}
        self.write(SLOTS, ({"key": key, **slot} for key, slot in sorted(slots.items())))
        rows = list(map(_version, versions))
        return {key for (key,) in self.rows(VERSIONS, rows=rows)} if rows else set()

    def write_observations(self, observations: Collection[Observation]) -> None:
        self.write(OBSERVATIONS, map(_observation, map(asdict, observations)))

    def write_edges(self, versions: Collection[Version], current: Collection[str]) -> None:
        self.write(EDGES, (row for version in versions for row in _edges(version, current)))


def _named(key: Sequence[str]) -> dict[str, Any]:
    namespace, name = key
    return {"key": named_text(key), "namespace": namespace, "name": name}


def _facet(facet: FacetSeen) -> dict[str, Any]:
    """The facet as properties; ``parent`` has the parent run's id, by which the run is found, ``size`` and ``rows``
    what is counted, by which copies are.
    """
    counted = facet.counted
    return {
        "key": f"{facet.owner}{facet.name}",
        "owner": facet.owner,
        "name": facet.name,
        "time": facet.time,
        "digest": facet.digest,
        "body": facet.body,
        "parent": facet.parent_run_id,
        "size": counted.size,
        "rows": counted.rows,
    }


def _version(version: Version) -> dict[str, Any]:
    return {
        "key": version.key,
        "slot": version.job + version.output,
        "rank": int(version.rank),
        "gaps": [json.dumps(gap, ensure_ascii=False) for gap in version.gaps],
        "untold": version.has_unlisted_reads or None,
    }


def _edges(version: Version, current: Collection[str]) -> Iterator[dict[str, Any]]:
    """The version's edges, with equal edges into one target in one row: each target is looked up once, and the common
    values are sent once.
    """
    alike: dict[tuple[Any, ...], list[str]] = {}
    for edge in version.edges:
        alike.setdefault(edge[1:], []).append(edge.source)
    shared = {"version": version.key, "current": version.key in current}
    for common, sources in alike.items():
        yield {**dict(zip(EdgeRow._fields[1:], common, strict=True)), "sources": sources, **shared}


def _observation(row: dict[str, Any]) -> dict[str, Any]:
    slot = row["job"] + row["output"]
    return {
        **row,
        "slot": slot,
        "key": f"{row['version']} {row['run']}",
        "rank": int(row["rank"]),
        "too_many": TOO_MANY,
        "most": MOST_CONDITIONS,
    }
