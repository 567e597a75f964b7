"""All Cypher of the ports, with that of small records. Every text is a constant; values are parameters."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.neo4j.catalog import CATALOG
from headwater_backend.stores.neo4j.gaps import ASKED, GAPS, UNLISTED
from headwater_backend.stores.neo4j.layouts import LAYOUTS
from headwater_backend.stores.neo4j.names import NAMES_AND_STATES
from headwater_backend.stores.neo4j.pruning import PRUNING
from headwater_backend.stores.neo4j.runs import RUNS
from headwater_backend.stores.neo4j.use import USE
from headwater_backend.stores.rows.statements import (
    AuditStatements,
    CurrentStatements,
    DeadLetterStatements,
    Statements,
)

_SLOTS_AMONG: Final = "MATCH (s:Slot {output: name}) RETURN s.key, s.job, s.output"
_SLOTS_UNLISTED: Final = """
WITH DISTINCT v.slot AS slot
MATCH (s:Slot {key: slot}) RETURN s.key, s.job, s.output
"""
_OBSERVED: Final = """
UNWIND $slots AS slot
MATCH (o:Observation {slot: slot})
OPTIONAL MATCH (r:Run {key: o.run})
"""
_RETURNED: Final = """
RETURN o.slot, o.run, o.version, o.rank, o.static, o.first, o.last, o.keeps, r.completed,
       CASE WHEN r.aborted < r.failed OR r.failed IS NULL THEN r.aborted ELSE r.failed END, r.first,
       coalesce(o.known, 0), coalesce(o.who, ''), r.settled, r.refuted, o.conditions
"""
# The statement names its indexes and has them sought in: a plan that was made while the store was almost empty may
# ignore them, or scan them. What no run with any standing kept is not sought for each version.
_NEWEST: Final = """
UNWIND $slots AS slot
CALL (slot) {
    MATCH (n:Observation {slot: slot, keeps: false})
    USING INDEX SEEK n:Observation(slot, keeps, standing, reported, run)
    WHERE n.standing IS NOT NULL AND n.reported IS NOT NULL AND n.run IS NOT NULL
    RETURN n.run AS run ORDER BY n.slot DESC, n.keeps DESC, n.standing DESC, n.reported DESC, n.run DESC LIMIT 1
    UNION
    CALL (slot) {
        MATCH (n:Observation {slot: slot, keeps: true})
        USING INDEX SEEK n:Observation(slot, keeps, standing, reported, run)
        WHERE n.standing IS NOT NULL AND n.reported IS NOT NULL AND n.run IS NOT NULL
        RETURN slot AS kept LIMIT 1
    }
    MATCH (v:Version {slot: kept}) USING INDEX SEEK v:Version(slot)
    CALL (v) {
        MATCH (n:Observation {version: v.key, keeps: true})
        USING INDEX SEEK n:Observation(version, keeps, standing, reported, run)
        WHERE n.standing IS NOT NULL AND n.reported IS NOT NULL AND n.run IS NOT NULL
        RETURN n.run AS run ORDER BY n.version DESC, n.keeps DESC, n.standing DESC, n.reported DESC, n.run DESC LIMIT 1
    }
    RETURN run
    UNION
    MATCH (n:Observation {slot: slot, late: true}) USING INDEX SEEK n:Observation(slot, late)
    RETURN n.run AS run
}
WITH DISTINCT slot, run
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run) WHERE o.slot = slot
OPTIONAL MATCH (r:Run {key: o.run})
"""
_OF_RUNS: Final = """
UNWIND $runs AS run
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run)
OPTIONAL MATCH (r:Run {key: run})
"""
_KEEP_BESIDE: Final = """
UNWIND $rows AS r
MATCH (o:Observation {key: r.version + ' ' + r.run})
SET o.standing = r.standing, o.reported = r.reported, o.keeps = r.keeps, o.late = CASE WHEN r.late THEN true END
"""
_SLOTS_OF_RUNS: Final = """
UNWIND $runs AS run
MATCH (o:Observation {run: run}) USING INDEX SEEK o:Observation(run)
RETURN DISTINCT o.slot AS slot ORDER BY slot
"""
_LOCKED_SLOTS: Final = """
UNWIND $slots AS key MATCH (s:Slot {key: key}) SET s.key = key
WITH s.key AS key
OPTIONAL MATCH (c:Chosen {slot: key})
RETURN key, c.version, c.run, c.cleared, coalesce(c.cleared_by, '')
"""
_UNCHOOSE: Final = "UNWIND $rows AS r MATCH (c:Chosen {version: r.version}) DELETE c"
_CHOOSE: Final = """
UNWIND $rows AS r
MATCH (s:Slot {key: r.slot})
MERGE (c:Chosen {version: r.version})
SET c.slot = r.slot, c.job = s.job, c.output = s.output, c.run = r.run,
    c.cleared = r.cleared, c.cleared_by = r.cleared_by
"""
_EDGES_OF: Final = """
UNWIND $versions AS key
MATCH (v:Version {key: key})
MATCH (s:Slot {key: v.slot})
MATCH (t:Path) WHERE t.key STARTS WITH s.output
MATCH (f:Path)-[e:FLOWS_TO]->(t) WHERE e.version = key
RETURN key, f.key, t.key, e.transformations
"""
_REPORTED_UNDER: Final = """
UNWIND $versions AS key
MATCH (v:Version {key: key})
MATCH (o:Observation {slot: v.slot}) WHERE o.version = key
RETURN DISTINCT key, o.slot, o.conditions, coalesce(o.who, '')
"""
_CONDITIONS: Final = "UNWIND $digests AS digest MATCH (c:Conditions {digest: digest}) RETURN c.digest, c.body"
_WITH_UNLISTED: Final = "UNWIND $versions AS key MATCH (v:Version {key: key}) WHERE v.untold RETURN key"
_DECIDING: Final = """
MATCH (c:Chosen {output: name}) RETURN c.output, c.job, c.version, c.run, c.cleared, coalesce(c.cleared_by, '')
"""
_TRACED: Final = """
MATCH (c:Chosen {output: name})
MATCH (v:Version {key: c.version}) WHERE v.rank > 0
RETURN c.output, c.job, c.version
"""
_ALL_CLEARED: Final = """
MATCH (c:Chosen) WHERE c.cleared IS NOT NULL RETURN c.output, c.job, c.cleared, c.cleared_by
"""
_MARK_EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path) WHERE t.key STARTS WITH r.output
MATCH (t)<-[e:FLOWS_TO]-() WHERE e.version = r.version
SET e.current = r.current
"""

# ``AuditEnd`` holds the number and hash of the newest entry. A writer locks it as the last of all its locks, so writers
# of several processes append one after the other, without deadlocks.
_END: Final = "MATCH (e:AuditEnd {name: 'end'}) RETURN e.number, e.hash"
_LOCKED_END: Final = "MERGE (e:AuditEnd {name: 'end'}) SET e.name = 'end' RETURN e.number, e.hash"
_APPEND: Final = """
UNWIND $rows AS entry
CREATE (n:AuditEntry) SET n = entry
WITH collect(entry)[-1] AS newest
MATCH (e:AuditEnd {name: 'end'})
SET e.number = newest.number, e.hash = newest.hash
"""
_OF_ACTION: Final = "MATCH (n:AuditEntry {action: $action})"
_ENTRIES: Final = "MATCH (n:AuditEntry) WHERE n.number > $after"
_ENTRY: Final = """
RETURN n.number, n.time, n.actor, n.action, n.result, n.request, n.details, n.previous, n.hash ORDER BY n.number
"""

_KEEP: Final = """
UNWIND $rows AS r MERGE (n:DeadLetter {key: r.key})
ON CREATE SET n = r
ON MATCH SET n.code = r.code, n.pointer = r.pointer, n.detail = r.detail, n.about = r.about
"""
_ONE: Final = """
MATCH (n:DeadLetter {key: $key})
RETURN n.key, n.received, n.origin, n.code, n.pointer, n.detail, n.body, n.sender
"""
_PAGE: Final = """
MATCH (n:DeadLetter)
WHERE $key IS NULL OR n.received > $received OR (n.received = $received AND n.key > $key)
RETURN n.key, n.received, n.origin, n.code, n.pointer, n.detail, coalesce(n.about, '')
ORDER BY n.received, n.key LIMIT $count
"""

STATEMENTS: Final = Statements(
    catalog=CATALOG,
    runs=RUNS,
    use=USE,
    gaps=GAPS,
    names=NAMES_AND_STATES,
    layouts=LAYOUTS,
    pruning=PRUNING,
    current=CurrentStatements(
        slots="MATCH (s:Slot) RETURN s.key, s.job, s.output",
        slots_among=ASKED + _SLOTS_AMONG,
        slots_unlisted=UNLISTED + _SLOTS_UNLISTED,
        observed=_OBSERVED + _RETURNED,
        newest=_NEWEST + _RETURNED,
        of_runs=_OF_RUNS + _RETURNED,
        keep=_KEEP_BESIDE,
        slots_of_runs=_SLOTS_OF_RUNS,
        locked=_LOCKED_SLOTS,
        unchoose=_UNCHOOSE,
        choose=_CHOOSE,
        mark_edges=_MARK_EDGES,
        edges_of=_EDGES_OF,
        reported_under=_REPORTED_UNDER,
        conditions=_CONDITIONS,
        with_unlisted=_WITH_UNLISTED,
        deciding=ASKED + _DECIDING,
        traced=ASKED + _TRACED,
        all_cleared=_ALL_CLEARED,
    ),
    audit=AuditStatements(
        end=_END,
        locked_end=_LOCKED_END,
        append=_APPEND,
        of_action=_OF_ACTION + _ENTRY,
        page=_ENTRIES + _ENTRY + "LIMIT $first",
    ),
    dead_letters=DeadLetterStatements(
        keep=_KEEP,
        places="MATCH (n:DeadLetter) RETURN n.received, n.key",
        forget="UNWIND $keys AS key MATCH (n:DeadLetter {key: key}) DELETE n",
        one=_ONE,
        page=_PAGE,
    ),
)
