"""The SQL of the questions. Every text is a constant; values are parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from headwater_backend.domain.model import Direction

if TYPE_CHECKING:
    from typing_extensions import LiteralString

SEEN_ALIASES: Final = "SELECT a.name, a.canonical FROM alias a JOIN dataset d ON d.key = a.name"
CANONICALS: Final = """
SELECT a.name, a.canonical FROM json_each(:keys) f CROSS JOIN alias a ON a.name = f.value
"""
ALIASES_OF: Final = """
SELECT a.name, a.canonical FROM json_each(:keys) f CROSS JOIN alias a ON a.canonical = f.value
"""

_NEAR: Final = """
WITH near (id) AS (
    SELECT p.id FROM json_each(:exact) f CROSS JOIN path p ON p.key = f.value
    UNION
    SELECT p.id FROM json_each(:subtrees) f
    CROSS JOIN path p ON p.key >= f.value AND p.key < substr(f.value, 1, length(f.value) - 1) || '0'
), found (version, way, near, fars) AS (
"""
_INTO: Final = """
SELECT e.version, e.way, e.target, json_group_array(e.source) FROM edge e WHERE e.target IN (SELECT id FROM near)
"""
_OUT_OF: Final = """
SELECT e.version, e.way, e.source, json_group_array(e.target) FROM edge e WHERE e.source IN (SELECT id FROM near)
"""
_OF_TYPES: Final = " AND ((:direct AND e.direct) OR (:indirect AND e.indirect))"
_CURRENT: Final = " AND e.current = 1"
# In the order of the index, so that nothing has to be sorted.
_GATHERED: Final = """
GROUP BY 3, e.current, e.direct, e.indirect, e.way, e.version)
SELECT v.slot, w.transformations, found.near, found.fars, v.key
FROM found CROSS JOIN version v ON v.id = found.version CROSS JOIN way w ON w.id = found.way
UNION ALL
"""
# A path read by another name belongs to a job, and to no version.
_WRITTEN_AS: Final = """
SELECT r.job, w.transformations, r.target, json_array(r.source), NULL
FROM near CROSS JOIN read_as r ON r.target = near.id CROSS JOIN way w ON w.id = r.way
"""
_READ_AS: Final = """
SELECT r.job, w.transformations, r.source, json_array(r.target), NULL
FROM near CROSS JOIN read_as r ON r.source = near.id CROSS JOIN way w ON w.id = r.way
"""
_READ_NOW: Final = " WHERE :direct AND r.current"
_READ_THEN: Final = " WHERE :direct AND r.since <= :at"

NEIGHBOURS: Final[dict[tuple[Direction, bool], LiteralString]] = {
    (Direction.BACKWARD, True): _NEAR + _INTO + _OF_TYPES + _CURRENT + _GATHERED + _WRITTEN_AS + _READ_NOW,
    (Direction.BACKWARD, False): _NEAR + _INTO + _OF_TYPES + _GATHERED + _WRITTEN_AS + _READ_THEN,
    (Direction.FORWARD, True): _NEAR + _OUT_OF + _OF_TYPES + _CURRENT + _GATHERED + _READ_AS + _READ_NOW,
    (Direction.FORWARD, False): _NEAR + _OUT_OF + _OF_TYPES + _GATHERED + _READ_AS + _READ_THEN,
}
"""By direction, and whether only current edges are wanted.

Ends are numbers, and the far ends of a fan are JSON: rows and texts cost more than their content.
"""

_OBSERVED: Final = """
SELECT o.slot, o.run, o.version, v.rank, o.static, o.first, o.last, r.completed,
       coalesce(min(r.failed, r.aborted), r.failed, r.aborted)
FROM json_each(:slots) f
CROSS JOIN observation o ON o.slot = f.value
JOIN version v ON v.key = o.version
LEFT JOIN run r ON r.key = o.run
"""
_OF_DECIDING_RUN: Final = """
WHERE o.run = (
    SELECT n.run FROM observation n WHERE n.slot = f.value AND n.standing IS NOT NULL
    ORDER BY n.standing DESC, n.last DESC, n.run DESC LIMIT 1
)
"""
OBSERVATIONS: Final = _OBSERVED
NEWEST: Final = _OBSERVED + _OF_DECIDING_RUN
"""The observations of each slot's deciding run, which include the current one."""

# A dataset that is known under several names is one: the earliest and latest of all of them.
_NAMES: Final = """
WITH own (asked, own) AS (
    SELECT f.value, coalesce(a.canonical, f.value) FROM json_each(:keys) f LEFT JOIN alias a ON a.name = f.value
), names (asked, own, name) AS (
    SELECT asked, own, own FROM own
    UNION SELECT o.asked, o.own, a.name FROM own o CROSS JOIN alias a ON a.canonical = o.own
)
"""
_DATASETS: Final = """
SELECT n.asked, n.own, min(d.first), max(d.last)
FROM names n CROSS JOIN dataset d ON d.key = n.name GROUP BY n.asked, n.own
"""
_FACETS_OF_DATASETS: Final = """
SELECT n.asked, f.owner, f.name, f.time, f.digest, f.body
FROM names n CROSS JOIN facet f ON f.owner = 'dataset ' || n.name
"""
_PATHS: Final = """
SELECT n.asked, p.key FROM names n
CROSS JOIN path p ON p.key > n.name AND p.key < substr(n.name, 1, length(n.name) - 1) || '0'
"""
DATASETS: Final = _NAMES + _DATASETS
DATASET_FACETS: Final = _NAMES + _FACETS_OF_DATASETS
PATHS: Final = _NAMES + _PATHS

_OWN_NAMES: Final = """
FROM dataset d WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)
AND (:search = '' OR instr(d.folded, :search) > 0)
"""
DATASETS_TOTAL: Final = "SELECT count(*) " + _OWN_NAMES
DATASETS_PAGE: Final = (
    "SELECT d.namespace, d.name "
    + _OWN_NAMES
    + """
AND (:namespace IS NULL OR (d.namespace, d.name) > (:namespace, :name))
ORDER BY d.namespace, d.name LIMIT :count
"""
)
DATASET_KEYS: Final = """
SELECT namespace, name FROM dataset WHERE key NOT IN (SELECT name FROM alias) ORDER BY namespace, name
"""

_EACH_NAME: Final = " SELECT name, asked FROM names"
NAMES_OF: Final = _NAMES + _EACH_NAME
TAGS: Final = """
SELECT f.owner, f.name, f.time, f.digest, f.body
FROM (SELECT owner FROM facet WHERE name = 'tags') t
CROSS JOIN facet f ON f.owner = t.owner AND f.name IN ('tags', 'schema')
WHERE f.owner LIKE 'dataset %'
"""

CONTENTS: Final[dict[str, LiteralString]] = {
    "dataset": "SELECT key, first, last FROM dataset WHERE first <= last ORDER BY key",
    "symlink": "SELECT name, dataset, time FROM symlink ORDER BY name, dataset",
    "change": "SELECT dataset, change, time, run, previous FROM change ORDER BY dataset, change, time, run, previous",
    "decision": "SELECT subject, time, content, actor, reason FROM decision ORDER BY subject, time, content",
    "decided_link": "SELECT name, dataset, kind FROM decided_link ORDER BY name, dataset, kind",
    "alias": "SELECT name, canonical FROM alias ORDER BY name",
    "job": "SELECT key, first, last FROM job ORDER BY key",
    "run": """SELECT key, job, run_id, first, last, started, running, completed, failed, aborted, other, ended
              FROM run ORDER BY key""",
    "io": "SELECT run, direction, dataset, first, last FROM io ORDER BY run, direction, dataset",
    "facet": "SELECT owner, name, time, digest, body FROM facet ORDER BY owner, name",
    "path": "SELECT key FROM path ORDER BY key",
    "slot": "SELECT key, version, run FROM slot ORDER BY key",
    "version": "SELECT key, slot, rank FROM version ORDER BY key",
    "gap": """SELECT v.key, g.reason, g.path, g.detail FROM gap g JOIN version v ON v.id = g.version
              ORDER BY v.key, g.reason, g.path, g.detail""",
    "observation": """SELECT slot, run, version, static, first, last FROM observation
                      ORDER BY slot, run, version""",
    "layout": """SELECT dataset, use, job, digest, body, first, last, replaced, replaced_last
                 FROM layout ORDER BY dataset, use, job, digest""",
    "read_as": """SELECT s.key, t.key, r.job, w.transformations, r.since, r.current
                  FROM read_as r JOIN way w ON w.id = r.way
                  JOIN path s ON s.id = r.source JOIN path t ON t.id = r.target ORDER BY t.key, s.key, r.job, 4""",
    "drift": "SELECT dataset, job, use, path, detail FROM drift ORDER BY dataset, job, use, path, detail",
    "edge": """SELECT v.key, s.key, t.key, w.transformations, e.current FROM edge e JOIN way w ON w.id = e.way
               JOIN version v ON v.id = e.version JOIN path s ON s.id = e.source JOIN path t ON t.id = e.target
               ORDER BY v.key, t.key, s.key""",
}
