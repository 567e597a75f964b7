"""The Cypher of datasets, their labels, and searches."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import CatalogStatements

NAMES: Final = """
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
_SPANS: Final = """
WITH asked, own, collect(name) AS names
CALL (names) {
    UNWIND names AS name MATCH (d:Dataset {key: name}) RETURN min(d.first) AS first, max(d.last) AS last
}
WITH * WHERE first IS NOT NULL
"""
_EACH_SPAN: Final = "RETURN asked, own, first, last"
_EACH_DATASET: Final = """
CALL (names) {
    UNWIND names AS name
    MATCH (f:Facet {owner: 'dataset ' + name})
    RETURN collect([f.owner, f.name, f.time, f.digest, f.body]) AS facets
}
RETURN asked, own, first, last, facets
"""
_PATHS: Final = "MATCH (p:Path) WHERE p.key STARTS WITH name AND p.key <> name RETURN asked, p.key"
_OWN_NAMES: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
AND ($search = '' OR d.folded CONTAINS $search)
"""
BEHIND: Final = (
    "($namespace IS NULL OR d.namespace > $namespace OR (d.namespace = $namespace AND d.name > $name))"
)
ORDERED: Final = " RETURN d.namespace, d.name ORDER BY d.namespace, d.name LIMIT $count"
# Neo4j knows the number of all nodes with a label.
_TOTAL: Final = """
RETURN COUNT { (:Dataset) } - COUNT { MATCH (a:Alias) WHERE EXISTS { MATCH (:Dataset {key: a.name}) } }
"""
_KEYS: Final = """
MATCH (d:Dataset) WHERE NOT EXISTS { MATCH (:Alias {name: d.key}) }
RETURN d.namespace, d.name ORDER BY d.namespace, d.name
"""

# The functions of stores/labels.py: $nul is a text that Cypher cannot write.
_UNESCAPED: Final = "'%00', $nul), '%2F', '/'), '%25', '%'))"
_NAMES_SEARCHED: Final = "toLower(replace(replace(replace(replace(left(key, size(key) - 1), '/', '\n'), "
_STEPS_SEARCHED: Final = "toLower(replace(replace(replace(replace(left(steps, size(steps) - 1), '/', '.'), "

_DATASETS_LIKE: Final = (
    """
CALL () {
    MATCH (d:Dataset)
    OPTIONAL MATCH (a:Alias {name: d.key})
    RETURN d.key AS key, coalesce(a.canonical, d.key) AS own
    UNION
    MATCH (a:Alias)
    RETURN a.name AS key, a.canonical AS own
}
WITH key, own WHERE """
    + _NAMES_SEARCHED
    + _UNESCAPED
    + """ CONTAINS $text
WITH DISTINCT own
MATCH (d:Dataset {key: own}) WHERE """
    + BEHIND
    + ORDERED
)
_JOBS_LIKE: Final = (
    "MATCH (d:Job) WITH d, d.key AS key WHERE "
    + _NAMES_SEARCHED
    + _UNESCAPED
    + " CONTAINS $text AND "
    + BEHIND
    + ORDERED
)
_PATHS_LIKE: Final = (
    """
MATCH (p:Path) WHERE toLower(p.key) CONTAINS $piece
WITH p.key AS key, split(p.key, '/') AS parts
WITH key, parts[0] + '/' + parts[1] + '/' AS part WHERE key <> part
WITH part, substring(key, size(part)) AS steps
WHERE """
    + _STEPS_SEARCHED
    + _UNESCAPED
    + """ CONTAINS $text
OPTIONAL MATCH (a:Alias {name: part})
WITH DISTINCT coalesce(a.canonical, part) + steps AS key WHERE key > $after
RETURN key ORDER BY key LIMIT $count
"""
)
_LABELS: Final = """
UNWIND ['tags', 'ownership'] AS name
MATCH (f:Facet {name: name}) WHERE f.owner STARTS WITH $kind
RETURN f.owner, f.name, f.time, f.digest, f.body
"""
_CLAIMS: Final = """
UNWIND $starts AS start MATCH (f:Facet) WHERE f.owner STARTS WITH start AND f.body IS NOT NULL
AND (f.owner > $owner OR f.owner = $owner AND f.name > $name)
RETURN f.owner, f.name, f.time, f.body ORDER BY f.owner, f.name LIMIT $count
"""
_TAGS: Final = """
MATCH (t:Facet {name: 'tags'}) WHERE t.owner STARTS WITH 'dataset '
MATCH (f:Facet {owner: t.owner}) WHERE f.name IN ['tags', 'schema']
RETURN f.owner, f.name, f.time, f.digest, f.body
"""

CATALOG: Final = CatalogStatements(
    datasets=NAMES + _SPANS + _EACH_DATASET,
    spans=NAMES + _SPANS + _EACH_SPAN,
    paths=NAMES + _PATHS,
    page=_OWN_NAMES + " AND " + BEHIND + ORDERED,
    total=_TOTAL,
    found=_OWN_NAMES + "RETURN count(d)",
    dataset_keys=_KEYS,
    datasets_like=_DATASETS_LIKE,
    jobs_like=_JOBS_LIKE,
    paths_like=_PATHS_LIKE,
    labels=_LABELS,
    tags=_TAGS,
    claims=_CLAIMS,
)
