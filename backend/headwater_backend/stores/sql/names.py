"""The SQL of the names of datasets, of decisions about them, and of changes of states."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import NameStatements
from headwater_backend.stores.sql.catalog import NAMES

OUTCOME: Final = "r.started, r.running, r.completed, r.failed, r.aborted"
_KNOWN: Final = """
SELECT key FROM dataset WHERE first <= last
UNION SELECT name FROM symlink
UNION SELECT previous FROM change WHERE previous <> '' AND change NOT IN ('BASE', 'STATE', 'READ')
"""
_SEEN_ALIASES: Final = "SELECT a.name, a.canonical FROM alias a JOIN dataset d ON d.key = a.name"
_ALIASES_OF: Final = """
SELECT a.name, a.canonical FROM json_each(:keys) f CROSS JOIN alias a ON a.canonical = f.value
"""
_EACH_NAME: Final = "SELECT name, asked FROM names"
_LINKS_AT: Final = """
SELECT s.name, s.dataset, s.time, 'SYMLINK', CAST(NULL AS INTEGER), CAST(NULL AS INTEGER)
FROM json_each(:names) f CROSS JOIN symlink s ON s.name = f.value
UNION
SELECT s.name, s.dataset, s.time, 'SYMLINK', CAST(NULL AS INTEGER), CAST(NULL AS INTEGER)
FROM json_each(:names) f CROSS JOIN symlink s ON s.dataset = f.value
UNION
SELECT c.previous, c.dataset, c.time, c.change, r.failed, r.aborted
FROM json_each(:names) f CROSS JOIN change c ON c.dataset = f.value AND c.change = 'RENAME' AND c.previous <> ''
LEFT JOIN run r ON r.key = c.run
UNION
SELECT c.previous, c.dataset, c.time, c.change, r.failed, r.aborted
FROM json_each(:names) f
CROSS JOIN change c ON c.previous = f.value AND c.previous <> '' AND c.change NOT IN ('BASE', 'STATE', 'READ')
LEFT JOIN run r ON r.key = c.run
UNION
SELECT c.dataset, c.dataset, max(c.time), 'CREATE', max(r.failed), max(r.aborted)
FROM json_each(:names) f CROSS JOIN change c ON c.dataset = f.value AND c.change = 'CREATE'
LEFT JOIN run r ON r.key = c.run GROUP BY c.dataset, r.failed IS NULL, r.aborted IS NULL
UNION
SELECT d.name, d.dataset, 0, d.kind, CAST(NULL AS INTEGER), CAST(NULL AS INTEGER)
FROM json_each(:names) f CROSS JOIN decided_link d ON d.name = f.value
UNION
SELECT d.name, d.dataset, 0, d.kind, CAST(NULL AS INTEGER), CAST(NULL AS INTEGER)
FROM json_each(:names) f CROSS JOIN decided_link d ON d.dataset = f.value
"""
_DECISIONS: Final = (
    "SELECT subject, time, content, actor, reason FROM decision WHERE :since IS NULL OR time > :since "
    "ORDER BY time, subject, content"
)
_DECIDE: Final = """
INSERT INTO decision (subject, time, content, actor, reason)
VALUES (:subject, :time, :content, :actor, :reason)
ON CONFLICT DO NOTHING
"""
_LINK: Final = """
INSERT INTO decided_link (name, dataset, kind)
SELECT json_extract(value, '$.name'), json_extract(value, '$.dataset'), json_extract(value, '$.kind')
FROM json_each(:rows) WHERE true
ON CONFLICT DO NOTHING RETURNING name, dataset, kind
"""
_SEEN_AMONG: Final = (
    "SELECT d.key FROM json_each(:names) f CROSS JOIN dataset d ON d.key = f.value WHERE d.first <= d.last"
)
# A dataset that holds nothing has the earliest and the latest time of an empty set: any event's are kept instead.
_FORGET_NAMELESS: Final = """
DELETE FROM dataset WHERE key IN (SELECT value FROM json_each(:names)) AND first > last
"""
_KEEP_NAMELESS: Final = """
INSERT INTO dataset (key, namespace, name, folded, first, last)
VALUES (:key, :namespace, :name, :folded, 9223372036854775807, -9223372036854775807)
ON CONFLICT DO NOTHING
"""
_NAMELESS: Final = """
SELECT DISTINCT a.canonical FROM json_each(:names) f CROSS JOIN alias a ON a.name = f.value
WHERE NOT EXISTS (SELECT 1 FROM dataset d WHERE d.key = a.canonical)
"""
_CHANGE: Final = """
INSERT INTO change (dataset, change, time, run, previous, replaced, known, who)
VALUES (:dataset, :change, :time, :run, :previous, :replaced, :known, :who)
ON CONFLICT (dataset, change, time, run, previous) DO UPDATE SET
    replaced = CASE
        WHEN change.replaced = '' OR excluded.replaced = 'PART' THEN excluded.replaced ELSE change.replaced
    END,
    who = CASE WHEN (excluded.known, excluded.who) < (change.known, change.who) THEN excluded.who ELSE change.who END,
    known = min(change.known, excluded.known)
"""
_CHANGED: Final = """
SELECT (
    SELECT json_group_array(json_array(dataset, previous)) FROM (
        SELECT DISTINCT c.dataset, c.previous FROM json_each(:runs) f CROSS JOIN change c ON c.run = f.value
        WHERE c.change IN ('CREATE', 'RENAME', 'DROP')
    ) changed
) AS "changed [json]", (
    SELECT count(*) FROM decision
    WHERE subject GLOB 'alias *' OR subject GLOB 'separation *' OR subject GLOB 'namespaces *'
)
"""
_SLOTS_WITH_DROPS: Final = """
SELECT s.key FROM json_each(:names) f CROSS JOIN slot s ON s.output = f.value
WHERE EXISTS (
    SELECT 1 FROM json_each(:names) n CROSS JOIN change c ON c.dataset = n.value AND c.change = 'DROP'
)
"""
# Of each slot, what was dropped among all names of its output, as they are now.
_DROPS: Final = """
WITH output (slot, name, own) AS (
    SELECT s.key, s.output, coalesce(a.canonical, s.output)
    FROM json_each(:slots) f CROSS JOIN slot s ON s.key = f.value LEFT JOIN alias a ON a.name = s.output
), names (slot, output, name) AS (
    SELECT slot, name, own FROM output
    UNION SELECT o.slot, o.name, a.name FROM output o CROSS JOIN alias a ON a.canonical = o.own
)
SELECT n.slot, n.output, c.dataset, c.time, c.run, c.known,
"""
_OF_DROPS: Final = """
FROM names n CROSS JOIN change c ON c.dataset = n.name AND c.change = 'DROP' LEFT JOIN run r ON r.key = c.run
"""
_CHANGES_OF: Final = "SELECT f.key, c.dataset, c.change, c.time, c.run, c.previous, r.run_id, c.replaced, "
_OF_KEYS: Final = """
FROM (SELECT value AS key FROM json_each(:keys)) f
CROSS JOIN change c ON c.dataset IN (
    SELECT f.key UNION SELECT name FROM alias WHERE canonical = f.key
)
LEFT JOIN run r ON r.key = c.run
"""
_ALIVE: Final = """
SELECT f.key FROM (SELECT value AS key FROM json_each(:keys)) f
WHERE EXISTS (
    SELECT 1 FROM slot s CROSS JOIN chosen c ON c.slot = s.key
    WHERE s.output IN (SELECT f.key UNION SELECT name FROM alias WHERE canonical = f.key)
)
"""

NAMES_AND_STATES: Final = NameStatements(
    seen="SELECT key FROM dataset WHERE first <= last",
    known=_KNOWN,
    aliases="SELECT name, canonical FROM alias",
    seen_aliases=_SEEN_ALIASES,
    aliases_of=_ALIASES_OF,
    names_of=NAMES + _EACH_NAME,
    links_at=_LINKS_AT,
    forget_aliases="DELETE FROM alias WHERE name IN (SELECT value FROM json_each(:names))",
    alias="INSERT INTO alias (name, canonical) VALUES (:name, :canonical)",
    decisions=_DECISIONS,
    count_of_decisions="SELECT count(*) FROM decision",
    decide=_DECIDE,
    links="SELECT name, dataset, kind FROM decided_link",
    link=_LINK,
    forget_link="DELETE FROM decided_link WHERE name = :name AND dataset = :dataset AND kind = :kind",
    seen_among=_SEEN_AMONG,
    forget_nameless=_FORGET_NAMELESS,
    keep_nameless=_KEEP_NAMELESS,
    nameless=_NAMELESS,
    change=_CHANGE,
    changed=_CHANGED,
    slots_with_drops=_SLOTS_WITH_DROPS,
    drops=_DROPS + OUTCOME + _OF_DROPS,
    changes_of=_CHANGES_OF + OUTCOME + _OF_KEYS,
    alive=_ALIVE,
)
