"""Pruning of old runs in Neo4j, see ``stores.pruning``.

The locks of runs come first and those of slots after them, as in ``stores.neo4j.writer``: so no other process reports a
version again while it is found that no run has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from neo4j import ManagedTransaction

from headwater_backend.domain.model import Pruned
from headwater_backend.stores.copying.batches import parts_of
from headwater_backend.stores.current import Observed
from headwater_backend.stores.neo4j import changes
from headwater_backend.stores.neo4j import statements as cypher
from headwater_backend.stores.pruning import RUNS_AT_ONCE, needed

CANDIDATES: Final = """
MATCH (r:Run) WHERE r.last < $before AND r.key > $after
AND EXISTS {
    MATCH (n:Run {job: r.job}) WHERE n.first > r.first OR (n.first = r.first AND n.key > r.key)
}
AND NOT EXISTS {
    MATCH (i:Io {run: r.key}) WHERE i.direction = 'INPUT' AND NOT EXISTS {
        MATCH (o:Io {dataset: i.dataset})
        WHERE o.direction = 'INPUT' AND (o.last > i.last OR (o.last = i.last AND o.run > i.run))
    }
}
AND NOT EXISTS { MATCH (o:Observation {run: r.key}) MATCH (s:Slot {key: o.slot}) WHERE s.run = r.key }
RETURN r.key ORDER BY r.key LIMIT $count
"""
LOCKED_RUNS: Final = """
UNWIND $runs AS key MATCH (r:Run {key: key}) SET r.key = key WITH r WHERE r.last < $before RETURN r.key
"""
VERSIONS: Final = "UNWIND $runs AS run MATCH (o:Observation {run: run}) RETURN DISTINCT o.version"
RECENT: Final = "UNWIND $runs AS key MATCH (r:Run {key: key}) WHERE r.last >= $before RETURN r.key"
FORGET: Final = (
    "UNWIND $runs AS run MATCH (f:Facet {owner: 'run ' + run}) DELETE f",
    """
    UNWIND $runs AS run
    MATCH (i:Io {run: run})
    MATCH (f:Facet {owner: toLower(i.direction) + ' ' + i.run + i.dataset}) DELETE f
    """,
    "UNWIND $runs AS run MATCH (i:Io {run: run}) DELETE i",
    """
    UNWIND $runs AS run
    MATCH (c:Change {run: run})
    MATCH (r:Run {key: run})
    WHERE r.failed IS NOT NULL OR r.aborted IS NOT NULL OR NOT c.change IN ['CREATE', 'RENAME', 'DROP']
    DELETE c
    """,
    "UNWIND $runs AS run MATCH (o:Observation {run: run}) DELETE o",
    "UNWIND $runs AS run MATCH (r:Run {key: run}) DELETE r",
)
ORPHANS: Final = """
UNWIND $versions AS key
MATCH (v:Version {key: key})
WHERE NOT EXISTS { MATCH (o:Observation {slot: v.slot}) WHERE o.version = key }
RETURN v.key, v.slot
"""
FORGET_EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path) WHERE t.key STARTS WITH r.output
MATCH (t)<-[e:FLOWS_TO]-() WHERE e.version IN r.versions
DELETE e
"""
FORGET_VERSIONS: Final = "UNWIND $versions AS key MATCH (v:Version {key: key}) DELETE v"


def page(tx: ManagedTransaction, before: int, after: str, *, dry_run: bool) -> tuple[str | None, Pruned]:
    """Delete some runs after that key, and return the last key examined, None at the end, and what was (or would be)
    deleted.
    """
    found = tx.run(CANDIDATES, before=before, after=after, count=RUNS_AT_ONCE).value()
    if not found:
        return None, Pruned()
    runs = found if dry_run else tx.run(LOCKED_RUNS, runs=found, before=before).value()
    slots = tx.run(cypher.SLOTS_OF_RUNS, runs=runs).value()
    if not dry_run:
        tx.run(cypher.LOCKED_SLOTS, slots=slots).consume()
    kept = _needed(tx, slots, before)
    gone = [run for run in runs if run not in kept]
    return found[-1], Pruned(len(gone)) if dry_run else _forget(tx, gone)


def _needed(tx: ManagedTransaction, slots: Sequence[str], before: int) -> set[str]:
    seen = [Observed._make(row) for row in tx.run(cypher.OBSERVED, slots=slots).values()]
    observed = sorted({each.run for each in seen})
    recent = set(tx.run(RECENT, runs=observed, before=before).value())
    return needed(seen, recent, before, changes.closed(tx, slots))


def _forget(tx: ManagedTransaction, runs: Sequence[str]) -> Pruned:
    versions = tx.run(VERSIONS, runs=runs).value()
    for statement in FORGET:
        tx.run(statement, runs=runs).consume()
    gone: dict[str, list[str]] = {}
    for key, slot in tx.run(ORPHANS, versions=versions).values():
        gone.setdefault(parts_of(slot)[1], []).append(key)
    rows = [{"output": output, "versions": keys} for output, keys in gone.items()]
    edges = tx.run(FORGET_EDGES, rows=rows).consume().counters.relationships_deleted
    orphans = [key for keys in gone.values() for key in keys]
    tx.run(FORGET_VERSIONS, versions=orphans).consume()
    return Pruned(len(runs), len(orphans), edges)
