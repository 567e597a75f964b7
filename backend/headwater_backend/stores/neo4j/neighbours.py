"""The edges around a frontier in Neo4j, and around the nodes that come next, in two statements.

Theory of operation
===================

A question traverses the graph level by level, and each level would be a statement with a round trip of its own.
So the first statement reads ahead, as far as the caller may need it (``Ahead``): from the nodes that are
comparable with the frontier (``start``) it follows the edges from end to end, level by level (``levels``). Each node
found on these levels is *opened*: the statement finds its ancestors and descendants, under all names of its dataset.
The edges of all these are returned, those of the opened nodes with a mark. Other nodes at the ends of edges are not
opened: the caller asks for them when it reaches them.

Two rules keep the statement cheap for every graph: no subquery runs after a list of what was found, because
Neo4j counts the list's memory again for each of its rows; and long texts (transformations, versions) are returned
once for all the edges that have them.

The second statement looks up the slots of the versions and the other names of the datasets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headwater_backend.domain.model import Ahead, Direction, LineageType, Neighbours, NodeKey
from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.stores import answers
from headwater_backend.stores.neo4j.layouts import read_by
from headwater_backend.stores.rows.current import chosen_at
from headwater_backend.stores.rows.transaction import Transaction, moment_of

if TYPE_CHECKING:
    from typing_extensions import LiteralString

READS_BEHIND_WRITERS = 10
MOST_AHEAD = 20_000
"""The largest number of nodes that are opened ahead."""

# The comparable paths of a dataset, under all its names: ``asked`` is a map of the dataset's key and, as texts that
# follow it, the nodes to match exactly and the subtrees to match whole.
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
# Of a/b/c/, split into its steps, a/ and a/b/ are the ancestors, beside the dataset.
_FOUND_NODES: Final = (
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
RETURN version, how, collect([near.key, opened, fars]) AS ends
"""
_EDGES: Final[dict[Direction, LiteralString]] = {
    Direction.BACKWARD: "MATCH (near)<-[e:FLOWS_TO|READ_AS]-(far)",
    Direction.FORWARD: "MATCH (near)-[e:FLOWS_TO|READ_AS]->(far)",
}
_WANTED: Final = " WHERE ($direct AND e.direct OR $indirect AND e.indirect) AND (e.current OR $past)"
FOUND: Final[dict[Direction, LiteralString]] = {
    direction: _START + _LEVELS + edges + _WANTED + _NEXT + _FOUND_NODES + edges + _WANTED + _GATHERED
    for direction, edges in _EDGES.items()
}
"""By direction. What else is wanted is a parameter, because each of these takes Neo4j long to plan."""
BEHIND: Final = """
RETURN COLLECT {
           UNWIND $versions AS key
           MATCH (v:Version {key: key})
           RETURN [key, v.slot, EXISTS { MATCH (:Chosen {version: key}) }]
       } AS versions,
       COLLECT { UNWIND $names AS name MATCH (a:Alias {name: name}) RETURN [name, a.canonical] } AS aliases
"""


class _Found(NamedTuple):
    """The rows of both statements, all of one state."""

    edges: Sequence[Any]
    """Rows of version, transformations, (near key, whether it was opened, far keys)…"""
    slots: dict[str, str]
    """The slot of each version. A path read by another name has a job instead, and a version that names it
    (``read_by``).
    """
    current: set[str]
    """The versions that are current in these slots."""
    own: dict[str, str]
    """From other names of datasets to the canonical ones."""


def neighbours(
    tx: Transaction,
    frontier: Sequence[NodeKey],
    direction: Direction,
    types: frozenset[LineageType],
    *,
    as_of: datetime | None,
    ahead: Ahead,
) -> Neighbours:
    """The result of ``PathGraph.neighbours``. With ``as_of``, nothing is read ahead: what was current then is known
    only after the statement.
    """
    at = moment_of(tx, as_of)
    asked = {
        "frontier": [each._asdict() for each in answers.asked_of(frontier)],
        "hops": ahead.hops if at is None else 0,
        "nodes": min(ahead.nodes, MOST_AHEAD),
        "direct": LineageType.DIRECT in types,
        "indirect": LineageType.INDIRECT in types,
        "past": at is not None,
    }
    found = _settled(tx, FOUND[direction], asked, wait=at is None)
    current = found.current
    if at is not None:
        slots_of_versions = {slot for version, slot in found.slots.items() if read_by(version) is None}
        then = chosen_at(tx, sorted(slots_of_versions), at)
        reads = {version for version in found.slots if (read := read_by(version)) and read.since <= at}
        current = reads.union(seen.version for observed in then.values() for seen in observed)
    slots = {version: slot for version, slot in found.slots.items() if version in current}
    groups = (
        (slots[version], "" if read_by(version) else version, how, ((near, fars) for near, _, fars in ends))
        for version, how, ends in found.edges
        if version in slots
    )
    fans = answers.fans_of(groups, types, partial(answers.node_named, own=found.own))
    opened = (near for _, _, ends in found.edges for near, opened, _ in ends if opened)
    return Neighbours(fans, {*frontier, *(answers.node_named(key, found.own) for key in opened)})


def _settled(tx: Transaction, query: LiteralString, asked: dict[str, Any], *, wait: bool) -> _Found:
    """The rows of both statements, all of one state.

    Neo4j reads whatever is committed, so a statement may see half of a writer's change. The second statement returns
    which versions are current: where the first saw edges of another, both run again.
    """
    found = _Found([], {}, set(), {})
    for _ in range(READS_BEHIND_WRITERS):
        found = _found(tx, query, asked)
        if not wait or found.slots.keys() <= found.current:
            break
    return found


def _found(tx: Transaction, query: LiteralString, asked: dict[str, Any]) -> _Found:
    edges = tx.rows(query, **asked)
    names = {dataset_part(key) for key in set(_keys(edges))}
    versions = {version for version, _, _ in edges if version is not None}
    if not names:
        return _Found([], {}, set(), {})
    reads = {version: read.job for version in versions if (read := read_by(version))}
    of_jobs = list(versions - reads.keys())
    ((known, aliases),) = tx.rows(BEHIND, versions=of_jobs, names=list(names))
    slots = {version: slot for version, slot, _ in known}
    chosen = {version for version, _, is_current in known if is_current}
    return _Found(edges, {**slots, **reads}, {*reads, *chosen}, dict(aliases))


def _keys(edges: Iterable[Any]) -> Iterable[str]:
    for _, _, ends in edges:
        yield from chain.from_iterable((near, *fars) for near, _, fars in ends)
