"""The Cypher of the names of datasets, of decisions about them, and of changes of states."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.neo4j.catalog import NAMES
from headwater_backend.stores.rows.statements import NameStatements

OUTCOME: Final = "r.started, r.running, r.completed, r.failed, r.aborted"
_SEEN: Final = "MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key"
_KNOWN: Final = """
MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key AS name
UNION
MATCH (n:Symlink) RETURN n.name AS name
UNION
MATCH (n:Change) WHERE n.previous <> '' AND NOT n.change IN ['BASE', 'STATE', 'READ'] RETURN n.previous AS name
"""
_SEEN_ALIASES: Final = """
MATCH (a:Alias) WHERE EXISTS { MATCH (:Dataset {key: a.name}) } RETURN a.name, a.canonical
"""
_ALIASES_OF: Final = "UNWIND $keys AS key MATCH (a:Alias {canonical: key}) RETURN DISTINCT a.name, key"
_LINKS_AT: Final = """
UNWIND $names AS at
CALL (at) {
    MATCH (s:Symlink {name: at})
    RETURN s.name AS name, s.dataset AS dataset, s.time AS time, 'SYMLINK' AS kind, null AS failed, null AS aborted
    UNION
    MATCH (s:Symlink {dataset: at})
    RETURN s.name AS name, s.dataset AS dataset, s.time AS time, 'SYMLINK' AS kind, null AS failed, null AS aborted
    UNION
    MATCH (c:Change {dataset: at, change: 'RENAME'}) WHERE c.previous <> ''
    OPTIONAL MATCH (r:Run {key: c.run})
    RETURN c.previous AS name, c.dataset AS dataset, c.time AS time, c.change AS kind,
           r.failed AS failed, r.aborted AS aborted
    UNION
    MATCH (c:Change {previous: at}) WHERE c.previous <> '' AND NOT c.change IN ['BASE', 'STATE', 'READ']
    OPTIONAL MATCH (r:Run {key: c.run})
    RETURN c.previous AS name, c.dataset AS dataset, c.time AS time, c.change AS kind,
           r.failed AS failed, r.aborted AS aborted
    UNION
    MATCH (c:Change {dataset: at, change: 'CREATE'})
    OPTIONAL MATCH (r:Run {key: c.run})
    WITH c.dataset AS dataset, c.change AS kind, r.failed IS NULL AS no_fail, r.aborted IS NULL AS no_abort,
         max(c.time) AS time, max(r.failed) AS failed, max(r.aborted) AS aborted
    RETURN dataset AS name, dataset, time, kind, failed, aborted
    UNION
    MATCH (d:DecidedLink {name: at})
    RETURN d.name AS name, d.dataset AS dataset, 0 AS time, d.kind AS kind, null AS failed, null AS aborted
    UNION
    MATCH (d:DecidedLink {dataset: at})
    RETURN d.name AS name, d.dataset AS dataset, 0 AS time, d.kind AS kind, null AS failed, null AS aborted
}
RETURN DISTINCT name, dataset, time, kind, failed, aborted
"""
_DECISIONS: Final = """
MATCH (n:Decision) WHERE $since IS NULL OR n.time > $since
RETURN n.subject, n.time, n.content, n.actor, n.reason ORDER BY n.time, n.subject, n.content
"""
_DECIDE: Final = """
UNWIND $rows AS r
MERGE (n:Decision {key: r.key})
SET n = r
WITH n
WHERE n.subject STARTS WITH 'alias ' OR n.subject STARTS WITH 'separation ' OR n.subject STARTS WITH 'namespaces '
SET n:NameDecision
"""
_LINK: Final = """
UNWIND $rows AS r
MERGE (n:DecidedLink {key: r.key})
ON CREATE SET n.name = r.name, n.dataset = r.dataset, n.kind = r.kind, n.fresh = true
WITH n WHERE n.fresh
REMOVE n.fresh
RETURN n.name, n.dataset, n.kind
"""
_SEEN_AMONG: Final = (
    "UNWIND $names AS name MATCH (d:Dataset {key: name}) WHERE d.first IS NOT NULL RETURN DISTINCT d.key"
)
# A dataset that holds nothing has no times.
_FORGET_NAMELESS: Final = "UNWIND $names AS name MATCH (d:Dataset {key: name}) WHERE d.first IS NULL DELETE d"
_KEEP_NAMELESS: Final = """
UNWIND $rows AS r
MERGE (d:Dataset {key: r.key})
ON CREATE SET d.namespace = r.namespace, d.name = r.name, d.folded = r.folded
"""
_NAMELESS: Final = """
UNWIND $names AS name
MATCH (a:Alias {name: name}) WHERE NOT EXISTS { MATCH (:Dataset {key: a.canonical}) }
RETURN DISTINCT a.canonical
"""
CHANGE_KEY: Final = "r.dataset + ' ' + r.change + ' ' + toString(r.time) + ' ' + r.run + ' ' + r.previous"
_CHANGE: Final = (
    """
UNWIND $rows AS r
WITH r, """
    + CHANGE_KEY
    + """ AS key
MERGE (c:Change {key: key})
WITH c, r, key, CASE WHEN r.replaced = 'PART' OR coalesce(c.replaced, '') = '' THEN r.replaced
                     ELSE c.replaced END AS replaced,
     CASE WHEN c.known < r.known OR (c.known = r.known AND c.who < r.who) THEN c.known ELSE r.known END AS known,
     CASE WHEN c.known < r.known OR (c.known = r.known AND c.who < r.who) THEN c.who ELSE r.who END AS who
SET c = r, c.key = key, c.replaced = replaced, c.known = known, c.who = who
"""
)
# The number of decisions about names comes along, because a round trip of its own would cost more.
_CHANGED: Final = """
RETURN COLLECT {
           UNWIND $runs AS run
           MATCH (c:Change {run: run}) WHERE c.change IN ['CREATE', 'RENAME', 'DROP']
           RETURN DISTINCT [c.dataset, c.previous]
       } AS pairs,
       COUNT { MATCH (:NameDecision) } AS decisions
"""
_SLOTS_WITH_DROPS: Final = """
MATCH (c:Change {change: 'DROP'}) WHERE c.dataset IN $names
WITH DISTINCT 1 AS any
UNWIND $names AS name MATCH (s:Slot {output: name}) RETURN s.key
"""
_DROPS: Final = (
    """
UNWIND $slots AS key
MATCH (s:Slot {key: key})
CALL (s) {
    OPTIONAL MATCH (a:Alias {name: s.output})
    WITH coalesce(a.canonical, s.output) AS own
    CALL (own) {
        RETURN own AS name
        UNION
        MATCH (a:Alias {canonical: own}) RETURN a.name AS name
    }
    RETURN name
}
MATCH (c:Change {dataset: name, change: 'DROP'})
OPTIONAL MATCH (r:Run {key: c.run})
RETURN DISTINCT s.key, s.output, c.dataset, c.time, c.run, c.known, """
    + OUTCOME
)
# Each canonical key with all names that lead to it.
_NAMES_OF_KEYS: Final = """
UNWIND $keys AS key
CALL (key) {
    RETURN key AS name
    UNION
    MATCH (a:Alias {canonical: key}) RETURN a.name AS name
}
"""
_CHANGES_OF: Final = (
    """
MATCH (c:Change {dataset: name})
OPTIONAL MATCH (r:Run {key: c.run})
RETURN DISTINCT key, c.dataset, c.change, c.time, c.run, c.previous, r.run_id, c.replaced, """
    + OUTCOME
)
_ALIVE: Final = "MATCH (:Chosen {output: name}) RETURN DISTINCT key"

NAMES_AND_STATES: Final = NameStatements(
    seen=_SEEN,
    known=_KNOWN,
    aliases="MATCH (a:Alias) RETURN a.name, a.canonical",
    seen_aliases=_SEEN_ALIASES,
    aliases_of=_ALIASES_OF,
    names_of=NAMES + "RETURN name, asked",
    links_at=_LINKS_AT,
    forget_aliases="UNWIND $names AS name MATCH (a:Alias {name: name}) DELETE a",
    alias="UNWIND $rows AS r MERGE (a:Alias {name: r.name}) SET a.canonical = r.canonical",
    decisions=_DECISIONS,
    count_of_decisions="MATCH (n:Decision) RETURN count(n)",
    decide=_DECIDE,
    links="MATCH (n:DecidedLink) RETURN n.name, n.dataset, n.kind",
    link=_LINK,
    forget_link="UNWIND $rows AS r MATCH (n:DecidedLink {key: r.key}) DELETE n",
    seen_among=_SEEN_AMONG,
    forget_nameless=_FORGET_NAMELESS,
    keep_nameless=_KEEP_NAMELESS,
    nameless=_NAMELESS,
    change=_CHANGE,
    changed=_CHANGED,
    slots_with_drops=_SLOTS_WITH_DROPS,
    drops=_DROPS,
    changes_of=_NAMES_OF_KEYS + _CHANGES_OF,
    alive=_NAMES_OF_KEYS + _ALIVE,
)
