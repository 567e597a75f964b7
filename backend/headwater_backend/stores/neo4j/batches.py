"""The content of a Neo4j store as rows, and as batches, see ``stores.copying.batches``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from neo4j import Session

from headwater_backend.domain.node_keys import slot_parts
from headwater_backend.domain.records import Batch, EdgeRow, Gap, LineageRank, Version
from headwater_backend.stores.copying.batches import (
    AFTER_VERSIONS,
    BEFORE_VERSIONS,
    batches_of,
    version_batches,
)

if TYPE_CHECKING:
    from typing_extensions import LiteralString

CONTENTS: Final[dict[str, LiteralString]] = {
    "dataset": "MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key, n.first, n.last",
    "symlink": "MATCH (n:Symlink) RETURN n.name, n.dataset, n.time",
    "change": "MATCH (n:Change) RETURN n.dataset, n.change, n.time, n.run, n.previous, n.replaced, n.known, n.who",
    "decision": "MATCH (n:Decision) RETURN n.subject, n.time, n.content, n.actor, n.reason",
    "decided_link": "MATCH (n:DecidedLink) RETURN n.name, n.dataset, n.kind",
    "alias": "MATCH (n:Alias) RETURN n.name, n.canonical",
    "job": "MATCH (n:Job) RETURN n.key, n.first, n.last",
    "run": """MATCH (n:Run) RETURN n.key, n.job, n.run_id, n.first, n.last, n.started, n.running, n.completed,
              n.failed, n.aborted, n.other, n.ended, n.settled, n.refuted""",
    "io": "MATCH (n:Io) RETURN n.run, n.direction, n.dataset, n.first, n.last, n.known",
    "facet": "MATCH (n:Facet) RETURN n.owner, n.name, n.time, n.digest, n.body",
    "path": "MATCH (n:Path) RETURN n.key",
    "layout": """MATCH (n:Layout) RETURN n.dataset, n.use, n.job, n.digest, n.body, n.first, n.last,
                 n.replaced, n.replaced_last, n.whole, n.whole_last""",
    "read_as": """MATCH (s:Path)-[e:READ_AS]->(t:Path)
                  RETURN s.key, t.key, e.job, e.transformations, e.since, e.current""",
    "drift": "MATCH (n:Drift) RETURN n.dataset, n.job, n.use, n.path, n.detail",
    "slot": """MATCH (n:Slot) OPTIONAL MATCH (c:Chosen {slot: n.key})
               RETURN n.key, c.version, c.run, c.cleared, c.cleared_by""",
    "version": "MATCH (n:Version) RETURN n.key, n.slot, n.rank",
    "gap": "MATCH (n:Version) UNWIND n.gaps AS gap RETURN n.key, gap",
    "observation": """MATCH (n:Observation)
                      RETURN n.slot, n.run, n.version, n.static, n.first, n.last, n.keeps, n.conditions, n.known,
                             n.who""",
    "conditions": "MATCH (n:Conditions) RETURN n.digest, n.body",
    "edge": "MATCH (s:Path)-[e:FLOWS_TO]->(t:Path) RETURN e.version, s.key, t.key, e.transformations, e.current",
}
"""By kind, see ``Contents.contents``."""
VERSIONS_AT_ONCE: Final = 100
VERSIONS: Final = """
MATCH (v:Version) WHERE v.key > $after RETURN v.key, v.slot, v.rank, v.gaps ORDER BY v.key LIMIT $count
"""
EDGES: Final = """
UNWIND $rows AS r
MATCH (t:Path) WHERE t.key STARTS WITH r.output
MATCH (t)<-[e:FLOWS_TO]-(s) WHERE e.version IN r.versions
RETURN e.version, s.key, t.key, e.transformations, e.direct, e.indirect
"""
OBSERVATIONS: Final = """
MATCH (n:Observation)
RETURN n.slot, n.run, n.version, n.rank, n.static, n.first, n.last, n.keeps, n.conditions, n.known, n.who
"""


def batches(session: Session) -> Iterator[Batch]:
    """All records, in an order in which any store can apply them."""
    for kind in BEFORE_VERSIONS:
        yield from _of_kind(session, kind)
    yield from version_batches(_versions(session))
    yield from batches_of("observation", (row.values() for row in session.run(OBSERVATIONS)))
    for kind in AFTER_VERSIONS:
        yield from _of_kind(session, kind)


def _of_kind(session: Session, kind: str) -> Iterator[Batch]:
    return batches_of(kind, (row.values() for row in session.run(CONTENTS[kind])))


def _versions(session: Session) -> Iterator[Version]:
    after = ""
    while rows := session.run(VERSIONS, after=after, count=VERSIONS_AT_ONCE).values():
        edges = _edges(session, rows)
        for key, slot, rank, gaps in rows:
            known = tuple(Gap(*json.loads(gap)) for gap in gaps)
            yield Version(key, *slot_parts(slot), LineageRank(rank), tuple(edges.pop(key, ())), known)
        after = rows[-1][0]


def _edges(session: Session, versions: list[list[Any]]) -> dict[str, list[EdgeRow]]:
    """The edges of each version. They are found at their outputs, because relationships have no index."""
    outputs: dict[str, list[str]] = {}
    for key, slot, *_ in versions:
        outputs.setdefault(slot_parts(slot)[1], []).append(key)
    found: dict[str, list[EdgeRow]] = {}
    rows = [{"output": output, "versions": keys} for output, keys in outputs.items()]
    for version, *edge in session.run(EDGES, rows=rows):
        found.setdefault(version, []).append(EdgeRow._make(edge))
    return found
