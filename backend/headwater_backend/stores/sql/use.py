"""The SQL of the use of datasets."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import UseStatements

_OWN_AND_OTHERS: Final = """
WITH own (key) AS (SELECT coalesce((SELECT canonical FROM alias WHERE name = :dataset), :dataset)),
names (key) AS (SELECT key FROM own UNION SELECT a.name FROM own CROSS JOIN alias a ON a.canonical = own.key)
"""
# With the names of each candidate, its canonical one among them.
_NAMES: Final = """
WITH names (key, name) AS MATERIALIZED (
    SELECT key, key FROM dataset UNION SELECT canonical, name FROM alias
)
"""
_CANDIDATES: Final = """
SELECT d.namespace, d.name FROM dataset d
WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)
AND (:namespace IS NULL OR (d.namespace, d.name) > (:namespace, :name))
AND (:among IS NULL OR d.key IN (SELECT value FROM json_each(:among)))
"""
_NOT_READ: Final = """
AND (:since IS NULL OR NOT EXISTS (
    SELECT 1 FROM names n
    CROSS JOIN io i ON i.dataset = n.name AND i.direction = 'INPUT' AND i.last >= :since
    CROSS JOIN run r ON r.key = i.run
    WHERE n.key = d.key
))
ORDER BY d.namespace, d.name LIMIT :count
"""
_INPUTS: Final = """
SELECT i.run, i.dataset, i.first, i.known
FROM json_each(:runs) f CROSS JOIN io i ON i.run = f.value AND i.direction = 'INPUT'
"""
_FAR_ENDS: Final = """
SELECT DISTINCT v.key, dataset_part(p.key)
FROM json_each(:versions) f CROSS JOIN version v ON v.key = f.value
CROSS JOIN edge e ON e.version = v.id CROSS JOIN path p ON p.id = e.source
"""
_FIRST_USES: Final = """
, first_uses (key, written) AS (
    SELECT d.key, (
        SELECT min((
            SELECT min(o.first) FROM io o
            WHERE o.dataset = n.name AND o.direction = 'OUTPUT' AND o.first <= :at AND o.known <= :received
        )) FROM names n WHERE n.key = d.key
    )
    FROM dataset d WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)
    AND (:among IS NULL OR d.key IN (SELECT value FROM json_each(:among)))
)
, seen (key, read, written, itself) AS (
    SELECT u.key, (
           SELECT min(i.first) FROM names n CROSS JOIN io i ON i.dataset = n.name AND i.direction = 'INPUT'
           CROSS JOIN run r ON r.key = i.run
           WHERE n.key = u.key AND i.first <= coalesce(u.written, :at) AND i.first <= :at AND i.known <= :received
           AND i.first > 0 AND NOT EXISTS (
               SELECT 1 FROM change c WHERE c.dataset = i.dataset AND c.run = i.run AND c.change = 'EMPTY'
           )
       ), u.written, EXISTS (
           SELECT 1 FROM names n
           CROSS JOIN io o ON o.dataset = n.name AND o.direction = 'OUTPUT' AND o.first = u.written
           CROSS JOIN run r ON r.key = o.run
           CROSS JOIN names m ON m.key = n.key
           CROSS JOIN io i ON i.run = o.run AND i.direction = 'INPUT' AND i.dataset = m.name
           WHERE n.key = u.key AND NOT EXISTS (
               SELECT 1 FROM change c WHERE c.dataset = i.dataset AND c.run = i.run AND c.change = 'EMPTY'
           )
       )
    FROM first_uses u
)
SELECT s.key, s.read, CASE WHEN s.read IS NULL THEN s.written ELSE (
    SELECT min(coalesce(min(r.first, o.first), o.first))
    FROM names n CROSS JOIN io o ON o.dataset = n.name AND o.direction = 'OUTPUT'
    LEFT JOIN run r ON r.key = o.run
    WHERE n.key = s.key AND o.first <= :at AND o.known <= :received
) END, s.itself
FROM seen s ORDER BY s.key
"""
# A base, or what was read, that is the state of some run is known.
_OF_OTHERS: Final = """
SELECT DISTINCT n.key FROM names n
CROSS JOIN change c ON c.dataset = n.name AND c.change IN ('FOUND', 'BASE', 'READ')
WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = n.key)
AND (:among IS NULL OR n.key IN (SELECT value FROM json_each(:among)))
AND c.time <= :at AND c.known <= :received
AND (c.change = 'FOUND' OR NOT EXISTS (
    SELECT 1 FROM names m CROSS JOIN change s INDEXED BY change_by_state
    ON s.dataset = m.name AND s.change = 'STATE' AND s.previous = c.previous
    WHERE m.key = n.key AND s.time <= :at AND s.known <= :received
))
ORDER BY n.key
"""
_CONTENTS: Final = """
SELECT n.key, c.change, c.time, c.run, c.previous, c.replaced
FROM json_each(:keys) f CROSS JOIN names n ON n.key = f.value
CROSS JOIN change c ON c.dataset = n.name AND c.change IN ('FOUND', 'BASE', 'READ', 'STATE', 'CREATE')
WHERE c.time <= :at AND c.known <= :received ORDER BY n.key, c.time, c.run, c.change, c.previous
"""
_WRITINGS: Final = """
SELECT n.key, o.run, o.first, o.last, r.started, r.running, r.completed, r.failed, r.aborted, t.body
FROM json_each(:keys) f CROSS JOIN names n ON n.key = f.value
CROSS JOIN io o ON o.dataset = n.name AND o.direction = 'OUTPUT'
LEFT JOIN run r ON r.key = o.run
LEFT JOIN facet t ON t.owner = 'output ' || o.run || o.dataset AND t.name = 'outputStatistics'
WHERE o.first <= :at AND o.known <= :received ORDER BY n.key, o.first, o.run
"""
_READ_LAYOUTS: Final = """
, asked (key) AS (SELECT value FROM json_each(:keys))
SELECT DISTINCT n.key, l.body FROM asked f CROSS JOIN names n ON n.key = f.key
CROSS JOIN layout l ON l.dataset = n.name AND l.use = 'INPUT'
WHERE l.first <= :at ORDER BY n.key, l.body
"""
_LAST_USED: Final = """
SELECT f.value, i.direction, r.key IS NOT NULL AS by_runs, max(i.last)
FROM json_each(:keys) f
CROSS JOIN io i ON i.dataset IN (SELECT f.value UNION ALL SELECT name FROM alias WHERE canonical = f.value)
LEFT JOIN run r ON r.key = i.run
GROUP BY f.value, i.direction, by_runs
"""
_MANIPULATED: Final = """
SELECT DISTINCT v.key, p.key, w.transformations
FROM names n
CROSS JOIN path p ON p.key >= n.key AND p.key < substr(n.key, 1, length(n.key) - 1) || '0'
CROSS JOIN edge e ON e.source = p.id
CROSS JOIN version v ON v.id = e.version
CROSS JOIN way w ON w.id = e.way
WHERE EXISTS (
    SELECT 1 FROM observation o
    WHERE o.slot = v.slot AND o.version = v.key AND NOT o.static AND o.last >= :since AND o.first < :until
)
ORDER BY v.key, p.key, w.transformations LIMIT :most
"""
_RUNS_OF_VERSIONS: Final = """
SELECT v.key, r.key, r.run_id, o.last
FROM json_each(:versions) f
CROSS JOIN version v ON v.key = f.value
CROSS JOIN observation o ON o.slot = v.slot AND o.version = v.key
CROSS JOIN run r ON r.key = o.run
WHERE NOT o.static AND o.last >= :since AND o.first < :until
ORDER BY o.last DESC, r.key, v.key LIMIT :most
"""
_ACCESSED: Final = """
SELECT r.key, r.run_id, i.last, t.digest, t.body
FROM names n
CROSS JOIN io i ON i.dataset = n.key AND i.direction = 'INPUT' AND i.last >= :since AND i.first < :until
CROSS JOIN run r ON r.key = i.run
CROSS JOIN facet t ON t.owner = 'input ' || i.run || i.dataset AND t.name = 'headwater_access'
WHERE t.body IS NOT NULL
ORDER BY i.last DESC, r.key, t.owner LIMIT :most
"""
_STORED: Final = """
SELECT DISTINCT r.job, s.key, t.key, w.transformations
FROM names n
CROSS JOIN read_as r ON r.dataset = n.key AND r.since < :until
CROSS JOIN path s ON s.id = r.source CROSS JOIN path t ON t.id = r.target CROSS JOIN way w ON w.id = r.way
ORDER BY 1, 2, 3, 4 LIMIT :most
"""
# Of the prefixes that are open, those in a namespace are listed with the longest first.
_PLACED: Final = """
, opened (namespace, prefix, number) AS MATERIALIZED (
    SELECT n.key, p.value, p.key FROM json_each(:opened) n CROSS JOIN json_each(n.value) p
), open (key, namespace, name, within, separator) AS (
    SELECT d.key, CASE
        WHEN d.namespace IN (SELECT value FROM json_each(:closed)) THEN :closed_name ELSE d.namespace
    END, d.name, (
        SELECT o.prefix FROM opened o
        WHERE o.namespace = d.namespace AND substr(d.name, 1, length(o.prefix)) = o.prefix
        AND d.namespace NOT IN (SELECT value FROM json_each(:closed))
        ORDER BY o.number LIMIT 1
    ), CASE WHEN instr(d.name, '/') > 0 THEN '/' ELSE '.' END
    FROM dataset d WHERE d.key NOT IN (SELECT name FROM alias)
    AND d.key NOT IN (SELECT value FROM json_each(:without))
), rest (key, namespace, name, within, until) AS (
    SELECT key, namespace, name, within, instr(substr(name, length(within) + 1), separator) FROM open
), placed (key, namespace, name, place) AS MATERIALIZED (
    SELECT key, namespace, name, CASE
        WHEN within IS NULL THEN '' WHEN until = 0 THEN 'in ' || name
        ELSE 'in ' || substr(name, 1, length(within) + until)
    END
    FROM rest
)
"""
_GROUPS: Final = """
SELECT namespace, place, count(*), min(name), max(name) FROM placed GROUP BY namespace, place
"""
# A run's key begins with its job's. No event declares programs that collected what they read as outputs.
_CONNECTIONS: Final = """
, numbered (namespace, place, number) AS MATERIALIZED (
    SELECT s.key, p.key, p.value FROM json_each(:numbers) s CROSS JOIN json_each(s.value) p
), used (job, direction, number) AS MATERIALIZED (
    SELECT substr(
        i.run, 1, instr(i.run, '/') + instr(substr(i.run, instr(i.run, '/') + 1), '/')
    ), i.direction, g.number
    FROM placed p JOIN numbered g ON g.namespace = p.namespace AND g.place = p.place
    JOIN names n ON n.key = p.key
    CROSS JOIN io i ON i.dataset = n.name
    UNION
    SELECT s.job, 'OUTPUT', g.number
    FROM dataset d JOIN placed p ON p.key = d.key
    JOIN numbered g ON g.namespace = p.namespace AND g.place = p.place
    JOIN names n ON n.key = p.key
    CROSS JOIN slot s ON s.output = n.name
    WHERE substr(d.namespace, 1, length(:programs)) = :programs
    AND EXISTS (SELECT 1 FROM chosen c WHERE c.slot = s.key)
)
SELECT r.number, w.number, count(*) AS jobs, min(r.job)
FROM used r JOIN used w ON w.job = r.job AND w.direction = 'OUTPUT' AND w.number <> r.number
WHERE r.direction = 'INPUT'
GROUP BY r.number, w.number ORDER BY jobs DESC, r.number, w.number LIMIT :count
"""

USE: Final = UseStatements(
    candidates=_NAMES + _CANDIDATES + _NOT_READ,
    inputs=_INPUTS,
    far_ends=_FAR_ENDS,
    first_uses=_NAMES + _FIRST_USES,
    of_others=_NAMES + _OF_OTHERS,
    contents=_NAMES + _CONTENTS,
    writings=_NAMES + _WRITINGS,
    read_layouts=_NAMES + _READ_LAYOUTS,
    last_used=_LAST_USED,
    manipulated=_OWN_AND_OTHERS + _MANIPULATED,
    runs_of_versions=_RUNS_OF_VERSIONS,
    accessed=_OWN_AND_OTHERS + _ACCESSED,
    stored=_OWN_AND_OTHERS + _STORED,
    groups=_NAMES + _PLACED + _GROUPS,
    connections=_NAMES + _PLACED + _CONNECTIONS,
)
