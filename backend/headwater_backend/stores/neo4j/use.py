"""The Cypher of the use of datasets."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.neo4j.catalog import BEHIND, ORDERED
from headwater_backend.stores.rows.statements import UseStatements

_OWN_AND_OTHERS: Final = """
OPTIONAL MATCH (known:Alias {name: $dataset})
WITH coalesce(known.canonical, $dataset) AS own
WITH [own] + COLLECT { MATCH (a:Alias {canonical: own}) RETURN a.name } AS names
UNWIND names AS name
"""
_CANDIDATES: Final = (
    """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
AND ($among IS NULL OR d.key IN $among) AND """
    + BEHIND
    + """
WITH d, [d.key] + COLLECT { MATCH (a:Alias {canonical: d.key}) RETURN a.name } AS names
"""
)
_NOT_READ: Final = """
WHERE $since IS NULL OR NOT EXISTS {
    UNWIND names AS name
    MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.last >= $since
    MATCH (r:Run {key: i.run})
    RETURN r
}
"""
_INPUTS: Final = """
UNWIND $runs AS run
MATCH (i:Io {run: run}) USING INDEX SEEK i:Io(run) WHERE i.direction = 'INPUT'
RETURN run, i.dataset, i.first, i.known
"""
_FAR_ENDS: Final = """
UNWIND $versions AS version
MATCH (v:Version {key: version})
MATCH (s:Slot {key: v.slot})
MATCH (t:Path) WHERE t.key STARTS WITH s.output
MATCH (t)<-[e:FLOWS_TO]-(f:Path) WHERE e.version = version
WITH version, split(f.key, '/') AS parts
RETURN DISTINCT version, parts[0] + '/' + parts[1] + '/'
"""
# Without hints, a plan that was made of a small store looks through all of a larger one for each dataset.
_FIRST_USES: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) } AND ($among IS NULL OR d.key IN $among)
WITH d.key AS key, [d.key] + COLLECT { MATCH (a:Alias {canonical: d.key}) RETURN a.name } AS names
CALL (names) {
    UNWIND names AS name
    MATCH (o:Io {dataset: name}) USING INDEX SEEK o:Io(dataset, direction, first)
    WHERE o.direction = 'OUTPUT' AND o.first <= $at AND o.known <= $received
    RETURN min(o.first) AS written
}
CALL (names, written) {
    UNWIND names AS name
    MATCH (i:Io {dataset: name}) USING INDEX SEEK i:Io(dataset, direction, first)
    WHERE i.direction = 'INPUT' AND i.first <= coalesce(written, $at) AND i.first <= $at AND i.known <= $received
    AND i.first > 0 AND EXISTS { MATCH (:Run {key: i.run}) }
    AND NOT EXISTS { MATCH (c:Change {dataset: i.dataset, run: i.run}) WHERE c.change = 'EMPTY' }
    RETURN min(i.first) AS read
}
CALL (names, read) {
    UNWIND names AS name
    WITH name WHERE read IS NOT NULL
    MATCH (o:Io {dataset: name}) USING INDEX SEEK o:Io(dataset, direction, first)
    WHERE o.direction = 'OUTPUT' AND o.first <= $at AND o.known <= $received
    OPTIONAL MATCH (r:Run {key: o.run})
    RETURN min(CASE WHEN r.first < o.first THEN r.first ELSE o.first END) AS began
}
RETURN key, read, coalesce(began, written) AS began, EXISTS {
    UNWIND names AS name
    MATCH (o:Io {dataset: name}) USING INDEX SEEK o:Io(dataset, direction, first)
    WHERE o.direction = 'OUTPUT' AND o.first = written
    MATCH (i:Io {run: o.run}) WHERE i.direction = 'INPUT' AND i.dataset IN names
    AND NOT EXISTS { MATCH (c:Change {dataset: i.dataset, run: i.run}) WHERE c.change = 'EMPTY' }
    MATCH (r:Run {key: o.run})
    RETURN r
} AS itself ORDER BY key
"""
# A base, or what was read, that is the state of some run is known.
_OF_OTHERS: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) } AND ($among IS NULL OR d.key IN $among)
WITH d.key AS key, [d.key] + COLLECT { MATCH (a:Alias {canonical: d.key}) RETURN a.name } AS names
WHERE EXISTS {
    UNWIND names AS name
    MATCH (c:Change {dataset: name})
    WHERE c.change IN ['FOUND', 'BASE', 'READ'] AND c.time <= $at AND c.known <= $received
    AND (c.change = 'FOUND' OR NOT EXISTS {
        UNWIND names AS other
        MATCH (s:Change {dataset: other, change: 'STATE', previous: c.previous})
        WHERE s.time <= $at AND s.known <= $received
        RETURN s
    })
    RETURN c
}
RETURN key ORDER BY key
"""
_CONTENTS: Final = """
UNWIND $keys AS key
UNWIND [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS name
MATCH (c:Change {dataset: name})
WHERE c.change IN ['FOUND', 'BASE', 'READ', 'STATE', 'CREATE'] AND c.time <= $at AND c.known <= $received
RETURN key, c.change, c.time, c.run, c.previous, c.replaced ORDER BY key, c.time, c.run, c.change, c.previous
"""
_WRITINGS: Final = """
UNWIND $keys AS key
UNWIND [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS name
MATCH (o:Io {dataset: name}) WHERE o.direction = 'OUTPUT' AND o.first <= $at AND o.known <= $received
OPTIONAL MATCH (r:Run {key: o.run})
OPTIONAL MATCH (t:Facet {owner: 'output ' + o.run + o.dataset, name: 'outputStatistics'})
RETURN key, o.run, o.first, o.last, r.started, r.running, r.completed, r.failed, r.aborted, t.body
ORDER BY key, o.first, o.run
"""
_READ_LAYOUTS: Final = """
UNWIND $keys AS key
UNWIND [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS name
MATCH (l:Layout {dataset: name}) WHERE l.use = 'INPUT' AND l.first <= $at
RETURN DISTINCT key, l.body AS body ORDER BY key, body
"""
_LAST_USED: Final = """
UNWIND $keys AS key
WITH key, [key] + COLLECT { MATCH (a:Alias {canonical: key}) RETURN a.name } AS names
UNWIND names AS name
MATCH (i:Io {dataset: name})
WITH key, i.direction AS direction, EXISTS { MATCH (:Run {key: i.run}) } AS by_runs, i.last AS last
RETURN key, direction, by_runs, max(last)
"""
_MANIPULATED: Final = """
MATCH (p:Path) WHERE p.key STARTS WITH name
MATCH (p)-[e:FLOWS_TO]->()
WITH e.version AS version, collect(DISTINCT [p.key, e.transformations]) AS manipulated
MATCH (v:Version {key: version})
WHERE EXISTS {
    MATCH (o:Observation {slot: v.slot})
    WHERE o.version = version AND NOT o.static AND o.last >= $since AND o.first < $until
}
UNWIND manipulated AS way
RETURN version, way[0] AS source, way[1] AS how ORDER BY version, source, how LIMIT $most
"""
_RUNS_OF_VERSIONS: Final = """
UNWIND $versions AS version
MATCH (v:Version {key: version})
MATCH (o:Observation {slot: v.slot})
WHERE o.version = version AND NOT o.static AND o.last >= $since AND o.first < $until
MATCH (r:Run {key: o.run})
RETURN version, r.key AS run, r.run_id, o.last AS last ORDER BY last DESC, run, version LIMIT $most
"""
_ACCESSED: Final = """
MATCH (i:Io {dataset: name}) WHERE i.direction = 'INPUT' AND i.last >= $since AND i.first < $until
MATCH (r:Run {key: i.run})
MATCH (f:Facet {owner: 'input ' + i.run + i.dataset})
WHERE f.name = 'headwater_access' AND f.body IS NOT NULL
RETURN r.key AS run, r.run_id, i.last AS last, f.digest, f.body ORDER BY last DESC, run, f.owner LIMIT $most
"""
_STORED: Final = """
MATCH (s:Path)-[e:READ_AS]->(t:Path) USING INDEX e:READ_AS(dataset) WHERE e.dataset = name AND e.since < $until
RETURN DISTINCT e.job AS job, s.key AS source, t.key AS target, e.transformations AS how
ORDER BY job, source, target, how LIMIT $most
"""
# Of the prefixes that are open, those in a namespace are listed with the longest first.
_PLACED: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) } AND NOT d.key IN $without
WITH d, d.namespace IN $closed AS closed
WITH d, closed, CASE WHEN closed THEN null
    ELSE head([prefix IN coalesce($opened[d.namespace], []) WHERE d.name STARTS WITH prefix]) END AS within
WITH d, closed, within, CASE WHEN d.name CONTAINS '/' THEN '/' ELSE '.' END AS separator,
     substring(d.name, size(coalesce(within, ''))) AS rest
WITH d, CASE WHEN closed THEN $closed_name ELSE d.namespace END AS namespace, CASE
    WHEN within IS NULL THEN '' WHEN NOT rest CONTAINS separator THEN 'in ' + d.name
    ELSE 'in ' + within + split(rest, separator)[0] + separator
END AS place
"""
_GROUPS: Final = "RETURN namespace, place, count(*), min(d.name), max(d.name)"
# No event declares programs that collected what they read as outputs.
_CONNECTIONS: Final = """
WITH d, $numbers[namespace][place] AS number WHERE number IS NOT NULL
WITH d, number, [d.key] + COLLECT { MATCH (a:Alias {canonical: d.key}) RETURN a.name } AS names
CALL (d, names) {
    UNWIND names AS name
    MATCH (i:Io {dataset: name})
    WITH i.direction AS direction, split(i.run, '/') AS parts
    RETURN direction, parts[0] + '/' + parts[1] + '/' AS job
    UNION
    WITH d, names WHERE d.namespace STARTS WITH $programs
    UNWIND names AS name
    MATCH (c:Chosen {output: name})
    RETURN 'OUTPUT' AS direction, c.job AS job
}
WITH DISTINCT number, direction, job
WITH job, collect(CASE WHEN direction = 'INPUT' THEN number END) AS reads,
     collect(CASE WHEN direction = 'OUTPUT' THEN number END) AS writes
UNWIND reads AS source
UNWIND writes AS target
WITH source, target, job WHERE source <> target
RETURN source, target, count(*) AS jobs, min(job) ORDER BY jobs DESC, source, target LIMIT $count
"""

USE: Final = UseStatements(
    candidates=_CANDIDATES + _NOT_READ + ORDERED,
    inputs=_INPUTS,
    far_ends=_FAR_ENDS,
    first_uses=_FIRST_USES,
    of_others=_OF_OTHERS,
    contents=_CONTENTS,
    writings=_WRITINGS,
    read_layouts=_READ_LAYOUTS,
    last_used=_LAST_USED,
    manipulated=_OWN_AND_OTHERS + _MANIPULATED,
    runs_of_versions=_RUNS_OF_VERSIONS,
    accessed=_OWN_AND_OTHERS + _ACCESSED,
    stored=_OWN_AND_OTHERS + _STORED,
    groups=_PLACED + _GROUPS,
    connections=_PLACED + _CONNECTIONS,
)
