"""The edges around a frontier in an SQL database.

A row of ``path`` is never changed or deleted, so its number keeps its meaning, and nodes are cached: a search finds a
path first as a far end and then as a near end, and popular paths occur in many searches. Canonical names may change,
and are looked up each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Final

from headwater_backend.domain.model import Direction, LineageType, Neighbours, NodeKey
from headwater_backend.domain.node_keys import dataset_of, named_text, node_of
from headwater_backend.in_force.current import FOREVER
from headwater_backend.stores import answers
from headwater_backend.stores.answers import Asked
from headwater_backend.stores.rows.current import chosen_at
from headwater_backend.stores.rows.transaction import Transaction, moment_of

if TYPE_CHECKING:
    from typing_extensions import LiteralString

MOST_KEPT: Final = 131_072
"""About 50 MB, when the cache is full."""
CANONICALS: Final = """
SELECT a.name, a.canonical FROM json_each(:keys) f CROSS JOIN alias a ON a.name = f.value
"""
NODES: Final = "SELECT p.id, p.key FROM json_each(:ids) f CROSS JOIN path p ON p.id = f.value"


_NEAR: Final = """
WITH near (id) AS (
    SELECT p.id FROM json_each(:exact) f CROSS JOIN path p ON p.key = f.value
    UNION ALL
    SELECT p.id FROM json_each(:subtrees) f
    CROSS JOIN path p ON p.key >= f.value AND p.key < substr(f.value, 1, length(f.value) - 1) || '0'
), found (version, way, near, fars) AS (
"""
_INTO: Final = """
SELECT e.version, e.way, e.target, json_group_array(e.source) FROM edge e WHERE e.target IN (SELECT id FROM near)
"""
_OUT_OF: Final = """
SELECT e.version, e.way, e.source, json_group_array(e.target) FROM edge e WHERE e.source IN (SELECT id FROM near)
"""
_OF_TYPES: Final = " AND ((:direct AND e.direct) OR (:indirect AND e.indirect))"
_CURRENT: Final = " AND e.current = 1"
# Edges are gathered in the order of the index, so that only their fans have to be sorted.
_GATHERED: Final = """
GROUP BY 3, e.current, e.direct, e.indirect, e.way, e.version
), gathered (version, way, nears, fars) AS (
    SELECT version, way, group_concat(near), group_concat(fars) FROM found GROUP BY version, way
)
SELECT v.slot, w.transformations, g.nears, g.fars, v.key
FROM gathered g CROSS JOIN version v ON v.id = g.version CROSS JOIN way w ON w.id = g.way
UNION ALL
"""
# A path read by another name belongs to a job, and to no version.
_WRITTEN_AS: Final = """
SELECT r.job, w.transformations, r.target, json_array(r.source), CAST(NULL AS TEXT)
FROM read_as r CROSS JOIN way w ON w.id = r.way WHERE r.target IN (SELECT id FROM near)
"""
_READ_AS: Final = """
SELECT r.job, w.transformations, r.source, json_array(r.target), CAST(NULL AS TEXT)
FROM read_as r CROSS JOIN way w ON w.id = r.way WHERE r.source IN (SELECT id FROM near)
"""
_READ_NOW: Final = " AND :direct AND r.current"
_READ_THEN: Final = " AND :direct AND r.since <= :at"

NEIGHBOURS: Final[dict[tuple[Direction, bool], LiteralString]] = {
    (Direction.BACKWARD, True): _NEAR + _INTO + _OF_TYPES + _CURRENT + _GATHERED + _WRITTEN_AS + _READ_NOW,
    (Direction.BACKWARD, False): _NEAR + _INTO + _OF_TYPES + _GATHERED + _WRITTEN_AS + _READ_THEN,
    (Direction.FORWARD, True): _NEAR + _OUT_OF + _OF_TYPES + _CURRENT + _GATHERED + _READ_AS + _READ_NOW,
    (Direction.FORWARD, False): _NEAR + _OUT_OF + _OF_TYPES + _GATHERED + _READ_AS + _READ_THEN,
}
"""By direction, and whether only current edges are wanted.

A row has all fans of one version with the same transformations: their near ends, and for each its far ends, both as
the items of a JSON array. Ends are numbers. Rows and texts cost more than their content.
"""


class Nodes:
    """A cache of nodes by number, which several threads may use."""

    def __init__(self) -> None:
        self._kept: dict[int, NodeKey] = {}

    def of(self, tx: Transaction, numbers: Set[int]) -> dict[int, NodeKey]:
        """The node of each number, its dataset by its canonical name."""
        known = zip(numbers, map(self._kept.get, numbers), strict=True)
        found = {number: node for number, node in known if node}
        if len(found) < len(numbers):
            found.update(self._looked_up(tx, numbers - found.keys()))
        own = own_names(tx, map(named_text, {dataset for dataset, _ in found.values()}))
        if not own:
            return found
        names = {dataset_of(name): dataset_of(canonical) for name, canonical in own.items()}
        return {n: NodeKey(names.get(dataset, dataset), path) for n, (dataset, path) in found.items()}

    def _looked_up(self, tx: Transaction, numbers: Set[int]) -> dict[int, NodeKey]:
        rows = tx.rows(NODES, ids=list(numbers))
        fresh = {number: node_of(key) for number, key in rows}
        if len(self._kept) + len(fresh) > MOST_KEPT:
            self._kept.clear()
        self._kept.update(fresh)
        return fresh


def own_names(tx: Transaction, keys: Iterable[str]) -> dict[str, str]:
    """From each of the keys that is not canonical to the canonical one."""
    return dict(tx.rows(CANONICALS, keys=sorted(keys)))


def neighbours(
    tx: Transaction,
    frontier: Sequence[NodeKey],
    direction: Direction,
    types: frozenset[LineageType],
    *,
    as_of: datetime | None,
    nodes: Nodes,
) -> Neighbours:
    """The result of ``PathGraph.neighbours``, without what comes next."""
    asked, at = list(_under_all_names(tx, answers.asked_of(frontier))), moment_of(tx, as_of)
    rows = tx.rows(
        NEIGHBOURS[direction, at is None],
        exact=[name + path for name, exact, _ in asked for path in exact],
        subtrees=[name + path for name, _, subtrees in asked for path in subtrees],
        direct=LineageType.DIRECT in types,
        indirect=LineageType.INDIRECT in types,
        at=FOREVER if at is None else at,
    )
    if at is not None:
        slots = sorted({row[0] for row in rows if row[-1] is not None})
        chosen = chosen_at(tx, slots, at).values()
        then = {None, *(seen.version for observed in chosen for seen in observed)}
        rows = [row for row in rows if row[-1] in then]
    ends = json.loads(f"[{','.join([f'[[{nears}],[{fars}]]' for _, _, nears, fars, _ in rows])}]")
    numbers = chain.from_iterable((nears, *fars) for nears, fars in ends)
    named = nodes.of(tx, set(chain.from_iterable(numbers)))
    groups = (
        (slot, version or "", how, zip(*both, strict=True))
        for (slot, how, _, _, version), both in zip(rows, ends, strict=True)
    )
    return Neighbours(answers.fans_of(groups, types, named.__getitem__), set(frontier))


def _under_all_names(tx: Transaction, asked: Sequence[Asked]) -> Iterator[Asked]:
    """The same paths under every name of the datasets."""
    own = own_names(tx, (each.dataset for each in asked))
    canonical = sorted({own.get(each.dataset, each.dataset) for each in asked})
    names: dict[str, list[str]] = {}
    for name, of in tx.rows(tx.statements.names.aliases_of, keys=canonical):
        names.setdefault(of, [of]).append(name)
    for each in asked:
        key = own.get(each.dataset, each.dataset)
        yield from (each._replace(dataset=name) for name in names.get(key, [key]))
