"""The SQL of datasets, their labels, and searches."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import CatalogStatements

# A dataset that is known under several names is one: the earliest and latest of all of them.
NAMES: Final = """
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
_FACETS: Final = """
SELECT n.asked, f.owner, f.name, f.time, f.digest, f.body
FROM names n CROSS JOIN facet f ON f.owner = 'dataset ' || n.name
"""
_PATHS: Final = """
SELECT n.asked, p.key FROM names n
CROSS JOIN path p ON p.key > n.name AND p.key < substr(n.name, 1, length(n.name) - 1) || '0'
"""
_OWN_NAMES: Final = """
FROM dataset d WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)
AND (:search = '' OR instr(d.folded, :search) > 0)
"""
_PAGE: Final = """
AND (:namespace IS NULL OR (d.namespace, d.name) > (:namespace, :name))
ORDER BY d.namespace, d.name LIMIT :count
"""
_KEYS: Final = """
SELECT namespace, name FROM dataset WHERE key NOT IN (SELECT name FROM alias) ORDER BY namespace, name
"""
_DATASETS_LIKE: Final = """
WITH found (own) AS (
    SELECT coalesce(a.canonical, d.key) FROM dataset d LEFT JOIN alias a ON a.name = d.key
    WHERE instr(names_searched(d.key), :text) > 0
    UNION
    SELECT a.canonical FROM alias a WHERE instr(names_searched(a.name), :text) > 0
)
SELECT d.namespace, d.name FROM found JOIN dataset d ON d.key = own WHERE true
"""
_JOBS_LIKE: Final = "SELECT d.namespace, d.name FROM job d WHERE instr(names_searched(d.key), :text) > 0"
# LIKE ignores case in ASCII alone: keys with other characters are all examined.
_PATHS_LIKE: Final = """
WITH found (key, part) AS (
    SELECT p.key, dataset_part(p.key) FROM path p
    WHERE (
        p.key LIKE '%' || replace(replace(replace(:piece, '!', '!!'), '%', '!%'), '_', '!_') || '%' ESCAPE '!'
        OR p.key GLOB '*[^ -~]*'
    ) AND instr(steps_searched(p.key), :text) > 0
), named (key) AS (
    SELECT coalesce(a.canonical, f.part) || substr(f.key, length(f.part) + 1)
    FROM found f LEFT JOIN alias a ON a.name = f.part WHERE f.key <> f.part
)
SELECT DISTINCT key FROM named WHERE key > :after ORDER BY key LIMIT :count
"""
# An exclamation mark follows the blank at which each kind ends.
_LABELS: Final = """
SELECT owner, name, time, digest, body FROM facet
WHERE name = 'tags' AND owner >= :kind AND owner < rtrim(:kind) || '!'
UNION ALL
SELECT owner, name, time, digest, body FROM facet
WHERE name = 'ownership' AND owner >= :kind AND owner < rtrim(:kind) || '!'
"""
_TAGS: Final = """
SELECT f.owner, f.name, f.time, f.digest, f.body
FROM (SELECT owner FROM facet WHERE name = 'tags') t
CROSS JOIN facet f ON f.owner = t.owner AND f.name IN ('tags', 'schema')
WHERE f.owner LIKE 'dataset %'
"""
# Each beginning ends with a blank or a slash, so that the next character ends its range.
_CLAIMS: Final = """
SELECT f.owner, f.name, f.time, f.body FROM json_each(:starts) s
CROSS JOIN facet f ON f.owner >= s.value
    AND f.owner < substr(s.value, 1, length(s.value) - 1) || char(unicode(substr(s.value, -1)) + 1)
WHERE f.body IS NOT NULL AND (f.owner, f.name) > (:owner, :name) ORDER BY f.owner, f.name LIMIT :count
"""

CATALOG: Final = CatalogStatements(
    datasets=NAMES + _DATASETS,
    facets_of_datasets=NAMES + _FACETS,
    spans=NAMES + _DATASETS,
    paths=NAMES + _PATHS,
    page="SELECT d.namespace, d.name " + _OWN_NAMES + _PAGE,
    total="SELECT count(*) FROM dataset d WHERE NOT EXISTS (SELECT 1 FROM alias a WHERE a.name = d.key)",
    found="SELECT count(*) " + _OWN_NAMES,
    dataset_keys=_KEYS,
    datasets_like=_DATASETS_LIKE + _PAGE,
    jobs_like=_JOBS_LIKE + _PAGE,
    paths_like=_PATHS_LIKE,
    labels=_LABELS,
    tags=_TAGS,
    claims=_CLAIMS,
)
