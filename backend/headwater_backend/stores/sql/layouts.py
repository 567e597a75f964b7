"""The SQL of layouts, and of the ways and drifts between them."""

from __future__ import annotations

from typing import Final

from headwater_backend.stores.rows.statements import LayoutStatements

_LAYOUT: Final = """
INSERT INTO layout (dataset, use, job, digest, body, first, last, replaced, replaced_last, whole, whole_last)
VALUES (:dataset, :use, :job, :digest, :body, :first, :last, :replaced, :replaced_last, :whole, :whole_last)
ON CONFLICT (dataset, use, digest, job) DO UPDATE SET
    first = min(layout.first, excluded.first),
    last = max(layout.last, excluded.last),
    replaced = coalesce(min(layout.replaced, excluded.replaced), layout.replaced, excluded.replaced),
    replaced_last = coalesce(
        max(layout.replaced_last, excluded.replaced_last), layout.replaced_last, excluded.replaced_last
    ),
    whole = coalesce(min(layout.whole, excluded.whole), layout.whole, excluded.whole),
    whole_last = coalesce(max(layout.whole_last, excluded.whole_last), layout.whole_last, excluded.whole_last)
"""
_KINDS: Final = """
WITH own (key) AS (
    SELECT DISTINCT coalesce(a.canonical, f.value) FROM json_each(:names) f LEFT JOIN alias a ON a.name = f.value
), named (own, name) AS (
    SELECT key, key FROM own UNION SELECT o.key, a.name FROM own o CROSS JOIN alias a ON a.canonical = o.key
)
SELECT n.own, n.name, (
           SELECT json_group_array(json_array(use, digest)) FROM (
               SELECT DISTINCT use, digest FROM layout WHERE dataset = n.name
           ) kinds
       ) AS "kinds [json]",
       EXISTS (SELECT 1 FROM drift WHERE dataset = n.name),
       EXISTS (SELECT 1 FROM read_as WHERE dataset = n.name)
FROM named n
"""
_TEXTS: Final = """
SELECT digest, min(body) FROM layout
WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND digest IN (SELECT value FROM json_each(:digests))
GROUP BY digest
"""
_LAYOUTS: Final = """
SELECT dataset, use, job, digest, first, last, replaced, replaced_last, whole, whole_last FROM layout
WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND (use = 'OUTPUT' OR job IN (
    SELECT job FROM layout
    WHERE dataset IN (SELECT value FROM json_each(:datasets)) AND digest IN (SELECT value FROM json_each(:digests))
))
"""
_WAYS: Final = """
SELECT s.key, t.key, r.job, w.transformations, r.since, r.current
FROM json_each(:names) f CROSS JOIN read_as r ON r.dataset = f.value
JOIN path s ON s.id = r.source JOIN path t ON t.id = r.target JOIN way w ON w.id = r.way
"""
_ALL_DRIFTS: Final = "SELECT dataset, job, use, path, detail FROM drift"
_FORGET_WAYS: Final = "DELETE FROM read_as"
_FORGET_DRIFTS: Final = "DELETE FROM drift"
_AMONG: Final = " WHERE dataset IN (SELECT value FROM json_each(:names))"
_WAY: Final = """
INSERT INTO read_as (source, target, dataset, job, way, since, current)
SELECT s.id, t.id, :dataset, :job, w.id, :since, :current
FROM path s CROSS JOIN path t ON t.key = :target CROSS JOIN way w ON w.transformations = :transformations
WHERE s.key = :source
"""
_DRIFT: Final = """
INSERT INTO drift (dataset, job, use, path, detail) VALUES (:dataset, :job, :use, :path, :detail)
"""

LAYOUTS: Final = LayoutStatements(
    layout=_LAYOUT,
    of_datasets="SELECT DISTINCT dataset FROM layout ORDER BY dataset",
    kinds=_KINDS,
    texts=_TEXTS,
    layouts=_LAYOUTS,
    ways=_WAYS,
    drifts=_ALL_DRIFTS + _AMONG,
    all_drifts=_ALL_DRIFTS,
    forget_ways=_FORGET_WAYS + _AMONG,
    forget_drifts=_FORGET_DRIFTS + _AMONG,
    transformations="INSERT INTO way (transformations) VALUES (:transformations) ON CONFLICT DO NOTHING",
    path="INSERT INTO path (key) VALUES (:key) ON CONFLICT DO NOTHING",
    way=_WAY,
    drift=_DRIFT,
)
