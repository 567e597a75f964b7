"""The states of datasets in Neo4j: creations, renames and drops, and the names that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from neo4j import ManagedTransaction

from headwater_backend.domain.records import Batch, ChangeSeen
from headwater_backend.stores.aliases import Link, canonical_names, links_around
from headwater_backend.stores.answers import ChangeRow
from headwater_backend.stores.closing import Drop, closings
from headwater_backend.stores.current import Closed
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.neo4j import naming

CHANGES: Final = "UNWIND $rows AS r MERGE (c:Change {key: r.key}) SET c = r"
OF_RUNS: Final = """
RETURN COLLECT {
           UNWIND $runs AS run
           MATCH (c:Change {run: run}) WHERE c.change IN ['CREATE', 'RENAME', 'DROP']
           RETURN DISTINCT [c.dataset, c.previous]
       } AS pairs,
       COUNT { MATCH (:Decision) } AS decisions
"""
"""Earlier changes by these runs, and the number of decisions about names, together in one round trip."""
LINKS_AT: Final = """
UNWIND $names AS at
CALL (at) {
    MATCH (s:Symlink {name: at}) RETURN s.name AS name, s.dataset AS dataset, s.time AS time, 'SYMLINK' AS kind
    UNION
    MATCH (s:Symlink {dataset: at}) RETURN s.name AS name, s.dataset AS dataset, s.time AS time, 'SYMLINK' AS kind
    UNION
    MATCH (c:Change {dataset: at, change: 'RENAME'})
    WHERE c.previous <> '' AND NOT EXISTS {
        MATCH (r:Run {key: c.run}) WHERE r.failed IS NOT NULL OR r.aborted IS NOT NULL
    }
    RETURN c.previous AS name, c.dataset AS dataset, c.time AS time, c.change AS kind
    UNION
    MATCH (c:Change {previous: at})
    WHERE c.previous <> '' AND NOT EXISTS {
        MATCH (r:Run {key: c.run}) WHERE r.failed IS NOT NULL OR r.aborted IS NOT NULL
    }
    RETURN c.previous AS name, c.dataset AS dataset, c.time AS time, c.change AS kind
    UNION
    MATCH (c:Change {dataset: at, change: 'CREATE'})
    WHERE NOT EXISTS { MATCH (r:Run {key: c.run}) WHERE r.failed IS NOT NULL OR r.aborted IS NOT NULL }
    RETURN c.dataset AS name, c.dataset AS dataset, max(c.time) AS time, c.change AS kind
    UNION
    MATCH (d:DecidedLink {name: at}) RETURN d.name AS name, d.dataset AS dataset, 0 AS time, d.kind AS kind
    UNION
    MATCH (d:DecidedLink {dataset: at}) RETURN d.name AS name, d.dataset AS dataset, 0 AS time, d.kind AS kind
}
RETURN DISTINCT name, dataset, time, kind
"""
FORGET_ALIASES: Final = "UNWIND $names AS name MATCH (a:Alias {name: name}) DELETE a"
ALIASES: Final = "UNWIND $rows AS r MERGE (a:Alias {name: r[0]}) SET a.canonical = r[1]"
SLOTS_WITH_DROPS: Final = """
MATCH (c:Change {change: 'DROP'}) WHERE c.dataset IN $names
WITH DISTINCT 1 AS any
UNWIND $names AS name MATCH (s:Slot {output: name}) RETURN s.key
"""
DROPS: Final = """
UNWIND $slots AS key
MATCH (s:Slot {key: key})
CALL (s) {
    OPTIONAL MATCH (a:Alias {name: s.output})
    WITH coalesce(a.canonical, s.output) AS own
    CALL (own) {
        RETURN own AS name
        UNION
        MATCH (a:Alias {canonical: own}) RETURN a.name AS name
    }
    RETURN name
}
MATCH (c:Change {dataset: name, change: 'DROP'})
WHERE NOT EXISTS { MATCH (r:Run {key: c.run}) WHERE r.failed IS NOT NULL OR r.aborted IS NOT NULL }
RETURN DISTINCT s.key, s.output, c.dataset, c.time, c.run
"""
# Each canonical key with all names that lead to it.
_NAMES_OF_KEYS: Final = """
UNWIND $keys AS key
CALL (key) {
    RETURN key AS name
    UNION
    MATCH (a:Alias {canonical: key}) RETURN a.name AS name
}
"""
CHANGES_OF: Final = (
    _NAMES_OF_KEYS
    + """
MATCH (c:Change {dataset: name})
OPTIONAL MATCH (r:Run {key: c.run})
WITH * WHERE r.failed IS NULL AND r.aborted IS NULL
RETURN DISTINCT key, c.dataset, c.change, c.time, c.run, c.previous, r.run_id
"""
)
ALIVE: Final = (
    _NAMES_OF_KEYS
    + """
MATCH (s:Slot {output: name}) WHERE s.version IS NOT NULL
RETURN DISTINCT key
"""
)
SLOTS_OF: Final = _NAMES_OF_KEYS + "MATCH (s:Slot {output: name}) RETURN DISTINCT s.key, key"


def write(tx: ManagedTransaction, batch: Batch, known: KnownNaming) -> set[str]:
    """Store the changes and decisions of the batch, resolve the names of all datasets that they may concern, and return
    those names.
    """
    if batch.changes:
        tx.run(CHANGES, rows=list(map(_change, batch.changes))).consume()
    changed, count = tx.run(OF_RUNS, runs=batch.run_keys()).single(strict=True)
    changed += [[seen.dataset, seen.previous] for seen in batch.changes]
    linked = [[link.name, link.dataset] for link in batch.symlinks]
    names = {name for pair in (*changed, *linked) for name in pair if name}
    names |= naming.write(tx, batch, count, known)
    return _follow(tx, names) if names else names


def settle(tx: ManagedTransaction) -> None:
    """Compute again what follows from decisions about names, after names were deleted."""
    names = naming.relinked(tx)
    if names:
        _follow(tx, names)


def slots_with_drops(tx: ManagedTransaction, names: Collection[str]) -> list[str]:
    """The slots of these datasets, if any of them was ever dropped."""
    return tx.run(SLOTS_WITH_DROPS, names=sorted(names)).value() if names else []


def closed(tx: ManagedTransaction, slots: Iterable[str]) -> dict[str, list[Closed]]:
    """The times at which the outputs of the slots were dropped; slots without any are left out."""
    rows = tx.run(DROPS, slots=list(slots)).values()
    if not rows:
        return {}
    outputs = {slot: output for slot, output, *_ in rows}
    links, _ = _links_around(tx, {*outputs.values(), *(row[2] for row in rows)})
    return closings(outputs, (Drop(*row[2:]) for row in rows), sorted(links))


def of_datasets(tx: ManagedTransaction, keys: Sequence[str]) -> list[ChangeRow]:
    """The changes of the datasets under all their names; ``keys`` are canonical."""
    return [ChangeRow._make(row) for row in tx.run(CHANGES_OF, keys=list(keys)).values()]


def alive(tx: ManagedTransaction, keys: Sequence[str]) -> set[str]:
    """The datasets that have current lineage or were at least written to; ``keys`` are canonical."""
    return set(tx.run(ALIVE, keys=list(keys)).value()) if keys else set()


def slots_of(tx: ManagedTransaction, keys: Sequence[str]) -> dict[str, str]:
    """From each slot of the datasets to its dataset; ``keys`` are canonical."""
    return dict(tx.run(SLOTS_OF, keys=list(keys)).values()) if keys else {}


def _follow(tx: ManagedTransaction, names: set[str]) -> set[str]:
    """Compute the canonical names in the components to which the names belong, and return all names in these."""
    links, around = _links_around(tx, names)
    tx.run(FORGET_ALIASES, names=sorted(around)).consume()
    canonical = canonical_names(links)
    tx.run(ALIASES, rows=[list(pair) for pair in sorted(canonical.items())]).consume()
    naming.keep_nameless(tx, around, links, canonical)
    return around


def _links_around(tx: ManagedTransaction, names: set[str]) -> tuple[set[Link], set[str]]:
    """All links of the components to which the names belong, and the names in them."""
    return links_around(lambda some: tx.run(LINKS_AT, names=some).values(), names)


def _change(seen: ChangeSeen) -> dict[str, Any]:
    return {**asdict(seen), "key": f"{seen.dataset} {seen.change} {seen.time} {seen.run} {seen.previous}"}
