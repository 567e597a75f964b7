"""The edges around a frontier in Neo4j: those of its nodes, and of what comes next, in two statements.

Theory of operation
===================

A question goes through the graph level by level, and each level would be a statement, with its way there and back.
So the first statement reads on by itself, as far as the caller may come (``Ahead``): from the nodes that are
comparable with the frontier (``start``) it follows the edges from end to end, level by level (``levels``). Each node
met there is *opened*: the statement finds what holds it and what it holds, under all names of its dataset. Of all
these the edges are told, those of the opened nodes with the remark that they were. What else is met at the ends of
edges was not opened: the caller asks for it when it comes there, if it does.

Two rules keep the statement cheap, whatever the graph: no subquery is run behind a list of what was found, because
Neo4j counts the list's memory again for each of its rows; and what is long (texts of transformations, versions) is told
once for all the edges that have it.

The second statement looks up what stands behind the versions and which other names the datasets have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neo4j import ManagedTransaction

from headwater_backend.domain.model import Ahead, Direction, LineageType, Neighbours, NodeKey
from headwater_backend.domain.moments import micros
from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.stores import answers
from headwater_backend.stores.neo4j.layouts import read_by
from headwater_backend.stores.neo4j.questions import chosen_at

if TYPE_CHECKING:
    from typing_extensions import LiteralString

READS_BEHIND_WRITERS = 10
MOST_AHEAD = 20_000
"""Nodes that are opened ahead at most."""

# What of a dataset, under all its names, is comparable: ``asked`` is a map of the dataset's key and, as texts behind
# it, the nodes to meet exactly and the subtrees to meet whole.
_NEAR: Final = """
CALL (asked) {
    OPTIONAL MATCH (a:Alias {name: asked.dataset})
    WITH coalesce(a.canonical, asked.dataset) AS own
    CALL (own) {
        RETURN own AS name
        UNION ALL
        MATCH (a:Alias {canonical: own}) RETURN a.name AS name
    }
    RETURN name
}
CALL (asked, name) {
    UNWIND asked.exact AS rest
    MATCH (near:Path {key: name + rest}) RETURN near
    UNION ALL
    UNWIND asked.subtrees AS rest
    MATCH (near:Path) WHERE near.key STARTS WITH name + rest RETURN near
}
"""
_START: Final = "WITH COLLECT { UNWIND $frontier AS asked" + _NEAR + "RETURN DISTINCT near } AS start\n"
_LEVELS: Final = """
WITH start, reduce(levels = [start], hop IN range(1, $hops) | levels + [COLLECT {
    WITH reduce(known = [], level IN levels | known + level) AS known WHERE size(known) < $nodes
    UNWIND levels[-1] AS near
"""
_NEXT: Final = """
    AND NOT far IN known
    RETURN DISTINCT far LIMIT $nodes
}])[1..] AS levels
"""
# Of a/b/c/, split into its steps, a/ and a/b/ are what holds it, beside the dataset.
_MET: Final = (
    """
CALL (start, levels) {
    UNWIND start AS near RETURN near, false AS opened
    UNION ALL
    UNWIND levels AS level UNWIND level AS near RETURN near, true AS opened
    UNION ALL
    UNWIND levels AS level UNWIND level AS far
    WITH far.key AS key, split(far.key, '/') AS parts
    WITH key, parts[0] + '/' + parts[1] + '/' AS dataset, parts[2..-2] AS above
    WITH dataset, collect(substring(key, size(dataset))) AS subtrees, collect(DISTINCT above) AS aboves
    WITH {dataset: dataset, subtrees: subtrees, exact: reduce(all = [''], steps IN aboves |
        all + reduce(holders = [''], step IN steps | holders + [holders[-1] + step + '/'])[1..]
    )} AS asked
"""
    + _NEAR
    + """
    RETURN near, false AS opened
}
WITH near, max(opened) AS opened
OPTIONAL
"""
)
_GATHERED: Final = """
WITH near, opened, e.version AS version, e.transformations AS how, collect(far.key) AS fars
WHERE opened OR version IS NOT NULL
RETURN version, how, collect([near.key, opened, fars]) AS met
"""
_EDGES: Final[dict[Direction, LiteralString]] = {
    Direction.BACKWARD: "MATCH (near)<-[e:FLOWS_TO|READ_AS]-(far)",
    Direction.FORWARD: "MATCH (near)-[e:FLOWS_TO|READ_AS]->(far)",
}
_OF_TYPES: Final[dict[frozenset[LineageType], LiteralString]] = {
    frozenset({LineageType.DIRECT}): " WHERE e.direct",
    frozenset({LineageType.INDIRECT}): " WHERE e.indirect",
    frozenset(LineageType): " WHERE true",
}
_WHEN: Final[dict[bool, LiteralString]] = {True: " AND e.current", False: ""}
FOUND: Final[dict[tuple[Direction, frozenset[LineageType], bool], LiteralString]] = {
    (direction, types, now): _START
    + _LEVELS
    + edges
    + kinds
    + when
    + _NEXT
    + _MET
    + edges
    + kinds
    + when
    + _GATHERED
    for direction, edges in _EDGES.items()
    for types, kinds in _OF_TYPES.items()
    for now, when in _WHEN.items()
}
"""By direction, types, and whether only current edges are wanted."""
BEHIND: Final = """
RETURN COLLECT {
           UNWIND $versions AS key
           MATCH (v:Version {key: key})
           MATCH (s:Slot {key: v.slot})
           RETURN [key, s.key, s.version]
       } AS versions,
       COLLECT { UNWIND $names AS name MATCH (a:Alias {name: name}) RETURN [name, a.canonical] } AS aliases
"""


class _Found(NamedTuple):
    """What the statements told, all of one state."""

    met: list[Any]
    """Rows of version, transformations, (near key, whether it was opened, far keys)…"""
    slots: dict[str, str]
    """Of each version. What is read by another name is a job's, and of a version that says so (``read_version``)."""
    current: set[str]
    """The versions that are current in these slots."""
    own: dict[str, str]
    """From other names of datasets to the canonical ones."""


def neighbours(
    tx: ManagedTransaction,
    frontier: Sequence[NodeKey],
    direction: Direction,
    types: frozenset[LineageType],
    *,
    as_of: datetime | None,
    ahead: Ahead,
) -> Neighbours:
    """What ``LineageStore.neighbours`` answers. Nothing is read ahead of another time: what was current then is known
    only behind the statement.
    """
    query = FOUND[direction, types, as_of is None]
    asked = {
        "frontier": [each._asdict() for each in answers.asked_of(frontier)],
        "hops": ahead.hops if as_of is None else 0,
        "nodes": min(ahead.nodes, MOST_AHEAD),
    }
    found = _settled(tx, query, asked, wait=as_of is None)
    current = found.current
    if as_of is not None:
        at = micros(as_of)
        slots_of_versions = {slot for version, slot in found.slots.items() if read_by(version) is None}
        then = chosen_at(tx, sorted(slots_of_versions), at)
        reads = {version for version in found.slots if (read := read_by(version)) and read.since <= at}
        current = reads.union(seen.version for seen in then.values())
    slots = {version: slot for version, slot in found.slots.items() if version in current}
    groups = (
        (slots[version], how, ((near, fars) for near, _, fars in met))
        for version, how, met in found.met
        if version in slots
    )
    fans = answers.fans_of(groups, types, partial(answers.node_named, own=found.own))
    opened = (near for _, _, met in found.met for near, opened, _ in met if opened)
    return Neighbours(fans, {*frontier, *(answers.node_named(key, found.own) for key in opened)})


def _settled(tx: ManagedTransaction, query: LiteralString, asked: dict[str, Any], *, wait: bool) -> _Found:
    """What the statements find, all of one state.

    Neo4j reads what is committed by then, so a statement may see a writer's change half. The second statement says
    which versions are current: where the first saw edges of another, it is run again.
    """
    found = _Found([], {}, set(), {})
    for _ in range(READS_BEHIND_WRITERS):
        found = _found(tx, query, asked)
        if not wait or found.slots.keys() <= found.current:
            break
    return found


def _found(tx: ManagedTransaction, query: LiteralString, asked: dict[str, Any]) -> _Found:
    met = tx.run(query, asked).values()
    names = {dataset_part(key) for key in set(_keys(met))}
    versions = {version for version, _, _ in met if version is not None}
    if not names:
        return _Found([], {}, set(), {})
    reads = {version: read.job for version in versions if (read := read_by(version))}
    told = list(versions - reads.keys())
    known, aliases = tx.run(BEHIND, versions=told, names=list(names)).single(strict=True)
    slots = {version: slot for version, slot, _ in known}
    return _Found(met, {**slots, **reads}, {*reads, *(current for _, _, current in known)}, dict(aliases))


def _keys(met: Iterable[Any]) -> Iterable[str]:
    for _, _, of_version in met:
        yield from chain.from_iterable((near, *fars) for near, _, fars in of_version)
