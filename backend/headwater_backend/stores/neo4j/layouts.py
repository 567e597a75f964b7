"""Layouts of datasets in Neo4j, and the ways and drifts between them (``stores.drift``)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from neo4j import ManagedTransaction

from headwater_backend.domain.model import SCHEMA_DRIFT
from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.domain.records import Batch, LayoutSeen
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

LAYOUTS: Final = """
UNWIND $rows AS r
MERGE (n:Layout {key: r.key})
ON CREATE SET n = r
SET n.key = r.key
WITH n, r
SET n.first = CASE WHEN r.first < n.first THEN r.first ELSE n.first END,
    n.last = CASE WHEN r.last > n.last THEN r.last ELSE n.last END,
    n.replaced = CASE WHEN r.replaced < n.replaced OR n.replaced IS NULL THEN r.replaced ELSE n.replaced END,
    n.replaced_last = CASE WHEN r.replaced_last > n.replaced_last OR n.replaced_last IS NULL
                           THEN r.replaced_last ELSE n.replaced_last END
"""
# Writers about one of the names wait for this transaction: each sees what the other wrote about the dataset.
KINDS: Final = """
UNWIND $names AS asked
OPTIONAL MATCH (a:Alias {name: asked})
WITH DISTINCT coalesce(a.canonical, asked) AS own
CALL (own) {
    RETURN own AS name
    UNION
    MATCH (a:Alias {canonical: own}) RETURN a.name AS name
}
WITH own, name ORDER BY name
CALL (own, name) {
    MATCH (d:Dataset {key: name}) WHERE own <> name OR EXISTS { MATCH (:Alias {canonical: own}) } SET d.key = name
}
CALL (name) {
    MATCH (n:Layout {dataset: name}) RETURN collect(DISTINCT [n.use, n.digest]) AS kinds
}
RETURN own, name, kinds, EXISTS { MATCH (:Drift {dataset: name}) },
       EXISTS { MATCH ()-[e:READ_AS]->() USING INDEX e:READ_AS(dataset) WHERE e.dataset = name }
"""
TEXTS: Final = """
UNWIND $datasets AS name
MATCH (n:Layout {dataset: name}) WHERE n.digest IN $digests
RETURN n.digest, head(collect(n.body))
"""
ROWS: Final = """
UNWIND $datasets AS name
MATCH (n:Layout {dataset: name})
WHERE n.use = 'OUTPUT' OR EXISTS {
    UNWIND $datasets AS other
    MATCH (m:Layout {dataset: other}) WHERE m.job = n.job AND m.digest IN $digests
}
RETURN n.dataset, n.use, n.job, n.digest, n.first, n.last, n.replaced, n.replaced_last
"""
FORGET: Final = (
    "UNWIND $names AS name MATCH ()-[e:READ_AS]->() WHERE e.dataset = name DELETE e",
    "UNWIND $names AS name MATCH (d:Drift {dataset: name}) DELETE d",
)
READ_AS: Final = """
UNWIND $rows AS r
MATCH (s:Path {key: r.source})
MATCH (t:Path {key: r.target})
CREATE (s)-[:READ_AS {
    dataset: r.dataset, job: r.job, since: r.since, current: r.current, direct: true, indirect: false,
    transformations: r.transformations, version: r.version
}]->(t)
"""
DRIFTS: Final = "UNWIND $rows AS r CREATE (d:Drift) SET d = r"
ALL_DRIFTS: Final = "MATCH (d:Drift) RETURN d.dataset, d.job, d.use, d.path, d.detail"


class Read(NamedTuple):
    """A job that reads a path by another name, and since when."""

    job: str
    since: int


def read_by(version: str) -> Read | None:
    """The reading job behind an edge of that version; None where it is a version of a job's lineage."""
    if not version.startswith("@"):
        return None
    since, _, job = version[1:].partition(" ")
    return Read(job, int(since))


def write(tx: ManagedTransaction, batch: Batch, names: Collection[str]) -> None:
    """Store the layouts of the batch, and compare those of their datasets and of datasets whose ``names`` may have
    changed.
    """
    if batch.layouts:
        tx.run(LAYOUTS, rows=list(map(_layout, batch.layouts))).consume()
    touched = {seen.dataset for seen in batch.layouts}.union(names)
    if not touched:
        return
    rows = tx.run(KINDS, names=sorted(touched)).values()
    own = {name: key for key, name, *_ in rows}
    kinds = differing([LayoutKind(name, *kind) for _, name, each, *_ in rows for kind in each], own)
    known = any(drifts or ways for *_, drifts, ways in rows)
    if kinds or known:
        _replace(tx, touched.union(own), _derived(tx, kinds, own), known=known)


def all_drifts(tx: ManagedTransaction) -> list[DriftRow]:
    """The drifts of all datasets."""
    return [DriftRow._make(row) for row in tx.run(ALL_DRIFTS).values()]


def _derived(tx: ManagedTransaction, kinds: Collection[LayoutKind], own: Mapping[str, str]) -> Derived:
    if not kinds:
        return Derived()
    datasets = sorted({kind.dataset for kind in kinds})
    digests = sorted({kind.digest for kind in kinds})
    texts = dict(tx.run(TEXTS, datasets=datasets, digests=digests).values())
    read = read_otherwise(kinds, own, texts)
    if not read:
        return Derived()
    rows = tx.run(ROWS, datasets=datasets, digests=read).values()
    return derived(map(LayoutRow._make, rows), own, texts)


def _replace(tx: ManagedTransaction, datasets: Iterable[str], found: Derived, *, known: bool) -> None:
    if known:
        for statement in FORGET:
            tx.run(statement, names=sorted(datasets)).consume()
    if found.ways:
        tx.run(READ_AS, rows=list(map(_way, found.ways))).consume()
    if found.drifts:
        tx.run(DRIFTS, rows=list(map(_drift, found.drifts))).consume()


def _layout(seen: LayoutSeen) -> dict[str, Any]:
    return {**asdict(seen), "key": f"{seen.use} {seen.digest} {seen.job}{seen.dataset}"}


def _way(row: ReadAsRow) -> dict[str, Any]:
    return {**row._asdict(), "dataset": dataset_part(row.target), "version": f"@{row.since} {row.job}"}


def _drift(row: DriftRow) -> dict[str, Any]:
    key = f"{row.use} {row.job}{row.path} {row.detail}"
    return {**row._asdict(), "key": key, "gap": json.dumps([SCHEMA_DRIFT, row.path, row.detail])}
