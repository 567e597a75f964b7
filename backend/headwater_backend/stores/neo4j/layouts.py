"""The Cypher of layouts, and of the ways and drifts between them."""

from __future__ import annotations

from typing import Final, NamedTuple

from headwater_backend.stores.rows.statements import LayoutStatements

_LAYOUT: Final = """
UNWIND $rows AS r
WITH r, r.use + ' ' + r.digest + ' ' + r.job + r.dataset AS key
MERGE (n:Layout {key: key})
ON CREATE SET n = r
SET n.key = key
WITH n, r
SET n.first = CASE WHEN r.first < n.first THEN r.first ELSE n.first END,
    n.last = CASE WHEN r.last > n.last THEN r.last ELSE n.last END,
    n.replaced = CASE WHEN r.replaced < n.replaced OR n.replaced IS NULL THEN r.replaced ELSE n.replaced END,
    n.replaced_last = CASE WHEN r.replaced_last > n.replaced_last OR n.replaced_last IS NULL
                           THEN r.replaced_last ELSE n.replaced_last END,
    n.whole = CASE WHEN r.whole < n.whole OR n.whole IS NULL THEN r.whole ELSE n.whole END,
    n.whole_last = CASE WHEN r.whole_last > n.whole_last OR n.whole_last IS NULL THEN r.whole_last ELSE n.whole_last END
"""
# Writers about one of the names wait for this transaction: each sees what the other wrote about the dataset.
_KINDS: Final = """
UNWIND $names AS asked
OPTIONAL MATCH (a:Alias {name: asked})
WITH DISTINCT coalesce(a.canonical, asked) AS own
CALL (own) {
    RETURN own AS name
    UNION
    MATCH (a:Alias {canonical: own}) RETURN a.name AS name
}
WITH own, name ORDER BY name
CALL (own, name) {
    MATCH (d:Dataset {key: name}) WHERE own <> name OR EXISTS { MATCH (:Alias {canonical: own}) } SET d.key = name
}
CALL (name) {
    MATCH (n:Layout {dataset: name}) RETURN collect(DISTINCT [n.use, n.digest]) AS kinds
}
RETURN own, name, kinds, EXISTS { MATCH (:Drift {dataset: name}) },
       EXISTS { MATCH ()-[e:READ_AS]->() USING INDEX e:READ_AS(dataset) WHERE e.dataset = name }
"""
_TEXTS: Final = """
UNWIND $datasets AS name
MATCH (n:Layout {dataset: name}) WHERE n.digest IN $digests
RETURN n.digest, head(collect(n.body))
"""
_LAYOUTS: Final = """
UNWIND $datasets AS name
MATCH (n:Layout {dataset: name})
WHERE n.use = 'OUTPUT' OR EXISTS {
    UNWIND $datasets AS other
    MATCH (m:Layout {dataset: other}) WHERE m.job = n.job AND m.digest IN $digests
}
RETURN n.dataset, n.use, n.job, n.digest, n.first, n.last, n.replaced, n.replaced_last,
       n.whole, n.whole_last
"""
_WAYS: Final = """
UNWIND $names AS name
MATCH (s:Path)-[e:READ_AS]->(t:Path) USING INDEX e:READ_AS(dataset) WHERE e.dataset = name
RETURN s.key, t.key, e.job, e.transformations, e.since, e.current
"""
_DRIFTS: Final = """
UNWIND $names AS name MATCH (d:Drift {dataset: name}) RETURN d.dataset, d.job, d.use, d.path, d.detail
"""
_FORGET_WAYS: Final = "UNWIND $names AS name MATCH ()-[e:READ_AS]->() WHERE e.dataset = name DELETE e"
_WAY: Final = """
UNWIND $rows AS r
MATCH (s:Path {key: r.source})
MATCH (t:Path {key: r.target})
CREATE (s)-[:READ_AS {
    dataset: r.dataset, job: r.job, since: r.since, current: r.current, direct: true, indirect: false,
    transformations: r.transformations, version: '@' + toString(r.since) + ' ' + r.job
}]->(t)
"""
_DRIFT: Final = """
UNWIND $rows AS r CREATE (d:Drift) SET d = r, d.key = r.use + ' ' + r.job + r.path + ' ' + r.detail
"""

LAYOUTS: Final = LayoutStatements(
    layout=_LAYOUT,
    of_datasets="MATCH (n:Layout) RETURN DISTINCT n.dataset AS name ORDER BY name",
    kinds=_KINDS,
    texts=_TEXTS,
    layouts=_LAYOUTS,
    ways=_WAYS,
    drifts=_DRIFTS,
    all_drifts="MATCH (d:Drift) RETURN d.dataset, d.job, d.use, d.path, d.detail",
    forget_ways=_FORGET_WAYS,
    forget_drifts="UNWIND $names AS name MATCH (d:Drift {dataset: name}) DELETE d",
    path="UNWIND $rows AS r MERGE (:Path {key: r.key})",
    way=_WAY,
    drift=_DRIFT,
)


class Read(NamedTuple):
    """A job that reads a path by another name, and since when."""

    job: str
    since: int


def read_by(version: str) -> Read | None:
    """The reading job behind an edge of that version; None where it is a version of a job's lineage."""
    if not version.startswith("@"):
        return None
    since, _, job = version[1:].partition(" ")
    return Read(job, int(since))
