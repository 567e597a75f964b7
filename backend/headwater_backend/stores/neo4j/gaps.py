"""The Cypher of gaps of lineage."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.neo4j.names import OUTCOME
from headwater_backend.stores.rows.statements import GapStatements

ASKED: Final = """
UNWIND $keys AS asked
CALL (asked) {
    RETURN asked AS name
    UNION MATCH (a:Alias {name: asked}) RETURN a.canonical AS name
    UNION MATCH (a:Alias {canonical: asked}) RETURN a.name AS name
}
WITH DISTINCT name
"""
_DECIDING: Final = "RETURN c.output, c.job, c.version, c.run, c.cleared, coalesce(c.cleared_by, '')"
_UNTRACED_NOW: Final = (
    """
MATCH (c:Chosen {output: name})
MATCH (v:Version {key: c.version}) WHERE size(v.gaps) > 0 OR v.rank = 0 OR c.cleared IS NOT NULL
"""
    + _DECIDING
    + ", v.rank, v.gaps"
)
_UNTRACED: Final = """
UNWIND $versions AS key
MATCH (v:Version {key: key}) WHERE size(v.gaps) > 0 OR v.rank = 0
RETURN key, v.rank, v.gaps
"""
_DRIFTS: Final = "MATCH (d:Drift {dataset: name}) RETURN d.dataset, d.job, d.use, d.path, d.detail"
UNLISTED: Final = "MATCH (v:Version) USING INDEX SEEK v:Version(untold) WHERE v.untold = true "
_UNLISTED_NOW: Final = (
    """
MATCH (c:Chosen {version: v.key})
MATCH (i:Io {run: c.run}) USING INDEX SEEK i:Io(run)
WHERE i.direction = 'INPUT' AND i.dataset IN $names
WITH c, v, collect([i.dataset, i.first, i.known]) AS reads
"""
    + _DECIDING
    + ", v.rank, v.gaps, reads"
)
_EARLIER_INTO: Final = """
UNWIND $names AS name
MATCH (s:Slot {output: name})
MATCH (v:Version {slot: s.key}) WHERE v.rank > 0 AND ($past OR NOT EXISTS { MATCH (:Chosen {version: v.key}) })
RETURN DISTINCT s.key
"""
_EARLIER_FROM: Final = """
UNWIND $names AS name
MATCH (p:Path) WHERE p.key STARTS WITH name
MATCH (p)-[e:FLOWS_TO]->() WHERE $past OR NOT e.current
WITH DISTINCT e.version AS key
MATCH (v:Version {key: key})
RETURN DISTINCT v.slot
"""
_EARLIER_WITH_GAP: Final = """
UNWIND $names AS name
MATCH (s:Slot {output: name})
MATCH (v:Version {slot: s.key}) WHERE v.rank > 0 AND ($past OR NOT EXISTS { MATCH (:Chosen {version: v.key}) })
AND any(gap IN v.gaps WHERE gap STARTS WITH '["' + $reason + '"')
RETURN DISTINCT s.key
"""
_EARLIER_UNLISTED: Final = (
    UNLISTED
    + """AND v.rank > 0 AND ($past OR NOT EXISTS { MATCH (:Chosen {version: v.key}) })
MATCH (o:Observation {slot: v.slot}) WHERE o.version = v.key
MATCH (i:Io {run: o.run}) WHERE i.direction = 'INPUT' AND i.dataset IN $names
RETURN DISTINCT v.slot, i.dataset
"""
)
_EDGES_OF_SLOTS: Final = """
UNWIND $slots AS slot
MATCH (s:Slot {key: slot})
CALL (s) {
    MATCH (v:Version {slot: s.key}) RETURN collect(v.key) AS versions
}
MATCH (t:Path) WHERE t.key STARTS WITH s.output
MATCH (f:Path)-[e:FLOWS_TO]->(t) WHERE e.version IN versions
RETURN slot, e.version, f.key, t.key, e.transformations
"""
_READ_BY: Final = """
UNWIND $names AS name
MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.known <= $received
MATCH (r:Run {key: i.run}) WHERE r.job IN $jobs
MATCH (o:Io {run: i.run}) WHERE o.direction = 'OUTPUT'
RETURN name, r.job AS job, i.first AS read, o.dataset AS output, r.first AS began, r.last AS ended
"""
_READ_ANEW: Final = """
UNWIND $names AS name
MATCH (l:Layout {dataset: name}) WHERE l.use = 'INPUT' AND l.job IN $jobs
RETURN name, l.job AS job, max(l.first) AS first
"""
_COPIED: Final = """
UNWIND $names AS name
MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.known <= $received
OPTIONAL MATCH (r:Run {key: i.run})
WITH i, r, CASE WHEN i.first < r.first THEN i.first ELSE r.first END AS began
WHERE r IS NULL OR (r.last >= $since AND (began <= $until OR (began <= $late AND i.known < $known)))
MATCH (o:Io {run: i.run}) WHERE o.direction = 'OUTPUT'
WITH o.dataset AS dataset, coalesce(began > $until, false) AS is_late,
     min(coalesce(r.first, $since)) AS first, max(coalesce(r.last, $forever)) AS last
RETURN dataset, first, last, is_late, null AS failed, null AS aborted
UNION ALL
UNWIND $names AS name
MATCH (c:Change {previous: name})
WHERE c.change = 'RENAME' AND c.time >= $since AND (c.time <= $until OR (c.time <= $late AND c.known < $known))
      AND c.known <= $received
OPTIONAL MATCH (r:Run {key: c.run})
RETURN c.dataset AS dataset, c.time AS first, c.time AS last, c.time > $until AS is_late,
       r.failed AS failed, r.aborted AS aborted
"""
_ENDS: Final = (
    """
UNWIND $names AS name
MATCH (c:Change {dataset: name}) WHERE c.change = 'DROP' OR c.replaced = 'WHOLE'
OPTIONAL MATCH (r:Run {key: c.run})
RETURN c.dataset, c.time, c.run, c.known, c.who, r.first, r.last, """
    + OUTCOME
)

GAPS: Final = GapStatements(
    untraced_now=ASKED + _UNTRACED_NOW,
    untraced=_UNTRACED,
    drifts=ASKED + _DRIFTS,
    unlisted=UNLISTED + _UNLISTED_NOW,
    earlier_into=_EARLIER_INTO,
    earlier_from=_EARLIER_FROM,
    earlier_with_gap=_EARLIER_WITH_GAP,
    earlier_unlisted=_EARLIER_UNLISTED,
    edges_of_slots=_EDGES_OF_SLOTS,
    read_by=_READ_BY,
    read_anew=_READ_ANEW,
    copied=_COPIED,
    ends=_ENDS,
)
