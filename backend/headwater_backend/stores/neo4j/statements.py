"""The Cypher of the store. Every text is a constant; values are parameters.

A SET that repeats the key comes first where a later SET compares with what is stored: it takes the node's
lock, so that writers of several processes compare one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing_extensions import LiteralString

# Migrations

APPLIED: Final = "MATCH (m:Migration) RETURN coalesce(max(m.number), 0) AS number"
HAS_APPLIED: Final = "MERGE (:Migration {number: $number})"
AWAIT_INDEXES: Final = "CALL db.awaitIndexes(120)"

# Writing: $rows are maps

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
    n.ended = CASE WHEN r.ended > n.ended OR n.ended IS NULL THEN r.ended ELSE n.ended END
"""
)
IO: Final = (
    _LOCK
    + "Io {key: r.key}) SET n.run = r.run, n.direction = r.direction, n.dataset = r.dataset WITH n, r"
    + _SPAN
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
SET n.slot = r.slot, n.run = r.run, n.version = r.version, n.static = r.static, n.rank = r.rank
WITH n, r"""
    + _SPAN
)
STANDING: Final = """
UNWIND $rows AS run
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run)
OPTIONAL MATCH (r:Run {key: run})
SET o.standing = CASE
    WHEN r.failed IS NOT NULL OR r.aborted IS NOT NULL THEN NULL
    WHEN o.static OR r.completed IS NOT NULL OR o.rank > 0 THEN 1
    ELSE 0
END
"""
SLOTS_OF_RUNS: Final = """
UNWIND $runs AS run
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run)
RETURN DISTINCT o.slot AS slot ORDER BY slot
"""
LOCKED_SLOTS: Final = """
UNWIND $slots AS key MATCH (s:Slot {key: key}) SET s.key = key RETURN s.key, s.version, s.run
"""
SET_CURRENT: Final = """
UNWIND $rows AS r MATCH (s:Slot {key: r.slot}) SET s.version = r.version, s.run = r.run
"""
MARK_EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path) WHERE t.key STARTS WITH r.output
MATCH (t)<-[e:FLOWS_TO]-() WHERE e.version = r.version
SET e.current = r.current
"""
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

# Reading

SEEN_ALIASES: Final = """
MATCH (a:Alias) WHERE EXISTS { MATCH (:Dataset {key: a.name}) } RETURN a.name, a.canonical
"""

_OBSERVED: Final = """
OPTIONAL MATCH (r:Run {key: o.run})
RETURN o.slot, o.run, o.version, o.rank, o.static, o.first, o.last, r.completed,
       CASE WHEN r.aborted < r.failed OR r.failed IS NULL THEN r.aborted ELSE r.failed END
"""
OBSERVED: Final = "UNWIND $slots AS slot MATCH (o:Observation {slot: slot})" + _OBSERVED
NEWEST: Final = (
    """
UNWIND $slots AS slot
CALL (slot) {
    MATCH (n:Observation {slot: slot}) USING INDEX SEEK n:Observation(slot, standing, last, run)
    WHERE n.standing IS NOT NULL AND n.last IS NOT NULL AND n.run IS NOT NULL
    RETURN n.run AS run ORDER BY n.slot DESC, n.standing DESC, n.last DESC, n.run DESC LIMIT 1
}
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run) WHERE o.slot = slot
"""
    + _OBSERVED
)
"""The observations of each slot's deciding run, which include the current one.

The statement names its indexes and has them sought in: a plan that was made while the store was almost empty may ignore
them, or scan them.
"""

_NAMES: Final = """
UNWIND $keys AS asked
CALL (asked) {
    OPTIONAL MATCH (a:Alias {name: asked})
    WITH coalesce(a.canonical, asked) AS own
    CALL (own) {
        RETURN own AS name
        UNION ALL
        MATCH (a:Alias {canonical: own}) RETURN a.name AS name
    }
    RETURN own, name
}
"""
ALIASES_OF: Final = "UNWIND $keys AS key MATCH (a:Alias {canonical: key}) RETURN DISTINCT a.name, key"
_SPANS: Final = (
    _NAMES
    + """
WITH asked, own, collect(name) AS names
CALL (names) {
    UNWIND names AS name MATCH (d:Dataset {key: name}) RETURN min(d.first) AS first, max(d.last) AS last
}
WITH * WHERE first IS NOT NULL
"""
)
SPANS_OF: Final = _SPANS + "RETURN asked, own, first, last"
DATASETS_OF: Final = (
    _SPANS
    + """
CALL (names) {
    UNWIND names AS name
    MATCH (f:Facet {owner: 'dataset ' + name})
    RETURN collect([f.owner, f.name, f.time, f.digest, f.body]) AS facets
}
RETURN asked, own, first, last, facets
"""
)
PATHS_OF: Final = _NAMES + "MATCH (p:Path) WHERE p.key STARTS WITH name AND p.key <> name RETURN asked, p.key"

_OWN_NAMES: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
AND ($search = '' OR d.folded CONTAINS $search)
"""
DATASETS_TOTAL: Final = _OWN_NAMES + "RETURN count(d)"
DATASETS_PAGE: Final = (
    _OWN_NAMES
    + """
AND ($namespace IS NULL OR d.namespace > $namespace OR (d.namespace = $namespace AND d.name > $name))
RETURN d.namespace, d.name ORDER BY d.namespace, d.name LIMIT $count
"""
)
DATASET_KEYS: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
RETURN d.namespace, d.name ORDER BY d.namespace, d.name
"""

NAMES_OF: Final = _NAMES + "RETURN name, asked"
TAGS: Final = """
MATCH (t:Facet {name: 'tags'}) WHERE t.owner STARTS WITH 'dataset '
MATCH (f:Facet {owner: t.owner}) WHERE f.name IN ['tags', 'schema']
RETURN f.owner, f.name, f.time, f.digest, f.body
"""
PING: Final = "MATCH (m:Migration) RETURN count(m)"

CONTENTS: Final[dict[str, LiteralString]] = {
    "dataset": "MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key, n.first, n.last",
    "symlink": "MATCH (n:Symlink) RETURN n.name, n.dataset, n.time",
    "change": "MATCH (n:Change) RETURN n.dataset, n.change, n.time, n.run, n.previous",
    "decision": "MATCH (n:Decision) RETURN n.subject, n.time, n.content, n.actor, n.reason",
    "decided_link": "MATCH (n:DecidedLink) RETURN n.name, n.dataset, n.kind",
    "alias": "MATCH (n:Alias) RETURN n.name, n.canonical",
    "job": "MATCH (n:Job) RETURN n.key, n.first, n.last",
    "run": """MATCH (n:Run) RETURN n.key, n.job, n.run_id, n.first, n.last, n.started, n.running, n.completed,
              n.failed, n.aborted, n.other, n.ended""",
    "io": "MATCH (n:Io) RETURN n.run, n.direction, n.dataset, n.first, n.last",
    "facet": "MATCH (n:Facet) RETURN n.owner, n.name, n.time, n.digest, n.body",
    "path": "MATCH (n:Path) RETURN n.key",
    "layout": """MATCH (n:Layout) RETURN n.dataset, n.use, n.job, n.digest, n.body, n.first, n.last,
                 n.replaced, n.replaced_last""",
    "read_as": """MATCH (s:Path)-[e:READ_AS]->(t:Path)
                  RETURN s.key, t.key, e.job, e.transformations, e.since, e.current""",
    "drift": "MATCH (n:Drift) RETURN n.dataset, n.job, n.use, n.path, n.detail",
    "slot": "MATCH (n:Slot) RETURN n.key, n.version, n.run",
    "version": "MATCH (n:Version) RETURN n.key, n.slot, n.rank",
    "gap": "MATCH (n:Version) UNWIND n.gaps AS gap RETURN n.key, gap",
    "observation": "MATCH (n:Observation) RETURN n.slot, n.run, n.version, n.static, n.first, n.last",
    "edge": "MATCH (s:Path)-[e:FLOWS_TO]->(t:Path) RETURN e.version, s.key, t.key, e.transformations, e.current",
}
