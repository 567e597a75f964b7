"""The Cypher of pruning."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.neo4j.names import CHANGE_KEY, OUTCOME
from headwater_backend.stores.rows.statements import PruningStatements

_CANDIDATES: Final = """
MATCH (r:Run) WHERE r.last < $before AND r.key > $after AND NOT EXISTS { MATCH (:Chosen {run: r.key}) }
RETURN r.key ORDER BY r.key LIMIT $count
"""
_NEWEST_OF_JOBS: Final = """
UNWIND $runs AS key
MATCH (r:Run {key: key})
WITH DISTINCT r.job AS job
CALL (job) { MATCH (n:Run {job: job}) RETURN max(n.first) AS first }
MATCH (n:Run {job: job}) WHERE n.first = first
RETURN n.key, job, first
"""
_LAST_READS: Final = """
UNWIND $runs AS run
MATCH (i:Io {run: run}) WHERE i.direction = 'INPUT'
WITH DISTINCT i.dataset AS dataset
CALL (dataset) { MATCH (o:Io {dataset: dataset}) WHERE o.direction = 'INPUT' RETURN max(o.last) AS last }
MATCH (o:Io {dataset: dataset}) WHERE o.direction = 'INPUT' AND o.last = last
RETURN dataset, o.run, last
"""
_LOCKED_RUNS: Final = """
UNWIND $runs AS key MATCH (r:Run {key: key}) SET r.key = key WITH r WHERE r.last < $before RETURN r.key
"""
_VERSIONS: Final = "UNWIND $runs AS run MATCH (o:Observation {run: run}) RETURN DISTINCT o.version"
_RECENT: Final = "UNWIND $runs AS key MATCH (r:Run {key: key}) WHERE r.last >= $before RETURN r.key"
_COPYING: Final = """
UNWIND $names AS name
MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT'
MATCH (r:Run {key: i.run}) WHERE r.last >= $since AND (r.first <= $until OR i.first <= $until)
AND EXISTS { MATCH (o:Io {run: r.key}) WHERE o.direction = 'OUTPUT' AND o.dataset = $output }
RETURN DISTINCT r.key, CASE WHEN i.first < r.first THEN i.first ELSE r.first END, r.last
"""
_FORGET: Final = (
    "UNWIND $runs AS run MATCH (f:Facet {owner: 'run ' + run}) DELETE f",
    """
    UNWIND $runs AS run
    MATCH (i:Io {run: run})
    MATCH (f:Facet {owner: toLower(i.direction) + ' ' + i.run + i.dataset}) DELETE f
    """,
    "UNWIND $runs AS run MATCH (i:Io {run: run}) DELETE i",
    "UNWIND $runs AS run MATCH (o:Observation {run: run}) DELETE o",
    "UNWIND $runs AS run MATCH (r:Run {key: run}) DELETE r",
)
_CHANGES: Final = (
    """
UNWIND $runs AS run
MATCH (c:Change {run: run})
OPTIONAL MATCH (r:Run {key: run})
RETURN c.dataset, c.change, c.time, c.run, c.previous, """
    + OUTCOME
)
_FORGET_CHANGE: Final = (
    "UNWIND $rows AS r WITH r, " + CHANGE_KEY + " AS key MATCH (c:Change {key: key}) DELETE c"
)
_ORPHANS: Final = """
UNWIND $versions AS key
MATCH (v:Version {key: key})
WHERE NOT EXISTS { MATCH (o:Observation {slot: v.slot}) WHERE o.version = key }
RETURN v.key, v.slot
"""
_FORGET_CONDITIONS: Final = """
WITH COLLECT {
    MATCH (o:Observation) WITH DISTINCT o.conditions AS these UNWIND split(these, ' ') AS digest RETURN DISTINCT digest
} AS known
MATCH (c:Conditions) WHERE NOT c.digest IN known DELETE c
"""
_FORGET_EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path) WHERE t.key STARTS WITH r.output
MATCH (t)<-[e:FLOWS_TO]-() WHERE e.version IN r.versions
DELETE e
"""

PRUNING: Final = PruningStatements(
    candidates=_CANDIDATES,
    newest_of_jobs=_NEWEST_OF_JOBS,
    last_reads=_LAST_READS,
    locked=_LOCKED_RUNS,
    recent=_RECENT,
    copying=_COPYING,
    versions=_VERSIONS,
    changes=_CHANGES,
    forget_change=_FORGET_CHANGE,
    forget=_FORGET,
    orphans=_ORPHANS,
    forget_conditions=_FORGET_CONDITIONS,
    forget_edges=_FORGET_EDGES,
    forget_versions=("UNWIND $versions AS key MATCH (v:Version {key: key}) DELETE v",),
)
