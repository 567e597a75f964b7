"""The content of a Neo4j store as batches, see ``stores.copying.batches``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from neo4j import Session

from headwater_backend.domain.records import Batch, EdgeRow, Gap, LineageRank, Version
from headwater_backend.stores.copying.batches import (
    AFTER_VERSIONS,
    BEFORE_VERSIONS,
    batches_of,
    parts_of,
    version_batches,
)
from headwater_backend.stores.neo4j import statements as cypher

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
OBSERVATIONS: Final = (
    "MATCH (n:Observation) RETURN n.slot, n.run, n.version, n.rank, n.static, n.first, n.last"
)


def batches(session: Session) -> Iterator[Batch]:
    """All records, in an order in which any store can apply them."""
    for kind in BEFORE_VERSIONS:
        yield from _of_kind(session, kind)
    yield from version_batches(_versions(session))
    yield from batches_of("observation", (row.values() for row in session.run(OBSERVATIONS)))
    for kind in AFTER_VERSIONS:
        yield from _of_kind(session, kind)


def _of_kind(session: Session, kind: str) -> Iterator[Batch]:
    return batches_of(kind, (row.values() for row in session.run(cypher.CONTENTS[kind])))


def _versions(session: Session) -> Iterator[Version]:
    after = ""
    while rows := session.run(VERSIONS, after=after, count=VERSIONS_AT_ONCE).values():
        edges = _edges(session, rows)
        for key, slot, rank, gaps in rows:
            known = tuple(Gap(*json.loads(gap)) for gap in gaps)
            yield Version(key, *parts_of(slot), LineageRank(rank), tuple(edges.pop(key, ())), known)
        after = rows[-1][0]


def _edges(session: Session, versions: list[list[Any]]) -> dict[str, list[EdgeRow]]:
    """The edges of each version. They are found at their outputs, because relationships have no index."""
    outputs: dict[str, list[str]] = {}
    for key, slot, *_ in versions:
        outputs.setdefault(parts_of(slot)[1], []).append(key)
    found: dict[str, list[EdgeRow]] = {}
    rows = [{"output": output, "versions": keys} for output, keys in outputs.items()]
    for version, *edge in session.run(EDGES, rows=rows):
        found.setdefault(version, []).append(EdgeRow._make(edge))
    return found
