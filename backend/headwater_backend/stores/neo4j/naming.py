"""Decisions about names in Neo4j, and the links that follow from them, see ``stores.dataset_names``.

Processes that write at the same time do not see each other's transactions. So a batch of events may add a name while
another process stores a decision about it. The process that added the name finds with its next batch that the number of
decisions has grown (``KnownNaming.is_behind``), and computes all links again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from neo4j import ManagedTransaction

from headwater_backend.domain.node_keys import dataset_of
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.decisions import standing
from headwater_backend.stores.aliases import Link
from headwater_backend.stores.answers import folded
from headwater_backend.stores.dataset_names import (
    DecidedLink,
    KnownNaming,
    ends_of,
    links_of,
    nameless,
    names_in,
    rule_links,
)

DECISION: Final = "UNWIND $rows AS r MERGE (n:Decision {key: r.key}) SET n = r"
DECISIONS: Final = """
MATCH (n:Decision)
RETURN n.subject, n.time, n.content, n.actor, n.reason ORDER BY n.time, n.subject, n.content
"""
NAMES: Final = """
MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key AS name
UNION
MATCH (n:Symlink) RETURN n.name AS name
UNION
MATCH (n:Change) WHERE n.previous <> '' RETURN n.previous AS name
"""
NAMES_SEEN: Final = "MATCH (n:Dataset) WHERE n.first IS NOT NULL RETURN n.key"
LINKS: Final = "MATCH (n:DecidedLink) RETURN n.name, n.dataset, n.kind"
LINK: Final = """
UNWIND $rows AS r
MERGE (n:DecidedLink {key: r.key})
ON CREATE SET n.name = r.name, n.dataset = r.dataset, n.kind = r.kind, n.fresh = true
WITH n WHERE n.fresh
REMOVE n.fresh
RETURN n.name, n.dataset, n.kind
"""
FORGET_LINKS: Final = "UNWIND $keys AS key MATCH (n:DecidedLink {key: key}) DELETE n"
SEEN: Final = (
    "UNWIND $names AS name MATCH (d:Dataset {key: name}) WHERE d.first IS NOT NULL RETURN DISTINCT d.key"
)
# A dataset that holds nothing has no times.
FORGET_NAMELESS: Final = "UNWIND $names AS name MATCH (d:Dataset {key: name}) WHERE d.first IS NULL DELETE d"
NAMELESS: Final = """
UNWIND $rows AS r
MERGE (d:Dataset {key: r.key})
ON CREATE SET d.namespace = r.namespace, d.name = r.name, d.folded = r.folded
"""
NAMELESS_OF: Final = """
UNWIND $names AS name
MATCH (a:Alias {name: name}) WHERE NOT EXISTS { MATCH (:Dataset {key: a.canonical}) }
RETURN DISTINCT a.canonical
"""
ALIASES: Final = "MATCH (a:Alias) RETURN a.name, a.canonical"


def write(tx: ManagedTransaction, batch: Batch, count: int, known: KnownNaming) -> set[str]:
    """Store the decisions of the batch, link its names by those in force, and return the names whose links changed.

    ``count`` is the number of decisions before the batch.
    """
    if batch.decisions:
        tx.run(DECISION, rows=list(map(_decision, batch.decisions))).consume()
        return relinked(tx)
    behind = known.is_behind(count)
    naming = known.of(count, lambda: decisions(tx))
    if behind:
        return relinked(tx)
    if not naming:
        return set()
    names = names_in(batch)
    fresh = _link(tx, rule_links(naming, names))
    _keep(tx, tx.run(NAMELESS_OF, names=sorted(names)).value())
    return ends_of(fresh)


def decisions(tx: ManagedTransaction) -> list[DecisionMade]:
    """All decisions, oldest first."""
    return [DecisionMade(*row) for row in tx.run(DECISIONS).values()]


def names(tx: ManagedTransaction) -> list[str]:
    """The names of all datasets in events."""
    return tx.run(NAMES_SEEN).value()


def aliases(tx: ManagedTransaction) -> dict[str, str]:
    """From each name that is not canonical to the one that is."""
    return dict(tx.run(ALIASES).values())


def keep_nameless(
    tx: ManagedTransaction, around: Collection[str], links: Collection[Link], canonical: Mapping[str, str]
) -> None:
    """Keep an empty dataset for each canonical name among those ``around`` that needs one, and delete other empty
    ones.
    """
    found = sorted(around)
    tx.run(FORGET_NAMELESS, names=found).consume()
    _keep(tx, nameless(canonical, links, set(tx.run(SEEN, names=found).value())))


def relinked(tx: ManagedTransaction) -> set[str]:
    """Compute all links again, and return the names whose links changed."""
    wanted = links_of(standing(decisions(tx)), tx.run(NAMES).value())
    stored = {DecidedLink(*row) for row in tx.run(LINKS).values()}
    tx.run(FORGET_LINKS, keys=[_key(link) for link in sorted(stored - wanted)]).consume()
    _link(tx, wanted - stored)
    return ends_of(stored ^ wanted)


def _link(tx: ManagedTransaction, links: Collection[DecidedLink]) -> list[DecidedLink]:
    """Store the links, and return those that are new."""
    rows = [{**link._asdict(), "key": _key(link)} for link in sorted(links)]
    return [DecidedLink(*row) for row in tx.run(LINK, rows=rows).values()] if rows else []


def _keep(tx: ManagedTransaction, keys: Iterable[str]) -> None:
    rows = [
        {"key": key, **named._asdict(), "folded": folded(named)}
        for key in keys
        for named in [dataset_of(key)]
    ]
    if rows:
        tx.run(NAMELESS, rows=rows).consume()


def _decision(made: DecisionMade) -> dict[str, Any]:
    return {**asdict(made), "key": _digest(made.key)}


def _key(link: DecidedLink) -> str:
    return _digest(link)


def _digest(parts: Iterable[object]) -> str:
    """A key of bounded length: an index takes no longer one, and names may be long."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()
