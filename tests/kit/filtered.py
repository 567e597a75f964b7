"""Events of jobs that copy rows of some regions: data of Europe gets to ``a5``, and no further."""

from __future__ import annotations

from typing import Any

from headwater_facets.producer import FACET_PRODUCER
from headwater_facets.schemas import CONDITIONS
from kit.openlineage import NAMESPACE, dataset, event, facet, paths

REGION = {"row": 0, "path": ["region"], "type": "string"}
X = {"row": 0, "path": ["x"], "type": "string"}
BOTH = ("Europe", "Americas")


def literal(value: str) -> dict[str, Any]:
    return {"literal": value, "type": "string"}


def copied(
    minute: int, source: str, target: str, *regions: str, known: bool = True, producer: str = FACET_PRODUCER
) -> dict[str, Any]:
    """A run that copies the rows of the regions; of all, if none is given."""
    lineage = paths((["x"], source, ["x"], "IDENTITY"), (["region"], source, ["region"], "IDENTITY"))
    out, name = dataset(target, "x", "region", headwater_pathLineage=lineage), f"{source} to {target}"
    found = event("COMPLETE", minute, f"{name} {minute}", [dataset(source, "x", "region")], [out], name)
    if known:
        listed = {"op": "in", "args": [REGION, *map(literal, regions)]}
        sql = f"region IN {regions}"
        stated = [{"operator": 1, "sql": sql, "expression": listed}] if regions else []
        population = {
            "rows": [{"row": 0, "datasets": [{"namespace": NAMESPACE, "name": source}], "kept": True}],
            "conditions": stated,
            "values": [
                {"path": ["x"], "type": "string", "expression": X},
                {"path": ["region"], "type": "string", "expression": REGION},
            ],
        }
        body = {**facet(conditions=[], populations=[population]), "_producer": producer}
        found["job"]["facets"] = {CONDITIONS: body}
    return found


REGIONS = [
    copied(1, "a8", "a6", "Americas"),
    copied(2, "a9", "a7", "Europe"),
    copied(3, "a6", "a4", *BOTH),
    copied(4, "a7", "a5", *BOTH),
    copied(5, "a4", "a2", "Americas"),
    copied(6, "a5", "a3", "Americas"),
    copied(7, "a2", "a0", *BOTH),
    copied(8, "a3", "a1", *BOTH),
]
