"""Merging a batch into Neo4j, within one transaction.

Rows are written in batches, sorted by key, so that writers of several processes take locks in the same order;
after a deadlock, the driver runs the whole transaction again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from neo4j import ManagedTransaction

from headwater_backend.domain.node_keys import named_text
from headwater_backend.domain.records import Batch, EdgeRow, FacetSeen, Version
from headwater_backend.stores.answers import folded
from headwater_backend.stores.current import Observed, chosen
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.neo4j import changes, layouts
from headwater_backend.stores.neo4j import statements as cypher

if TYPE_CHECKING:
    from typing_extensions import LiteralString

ROWS = 10_000


class Writer:
    """Merges batches in one transaction."""

    def __init__(self, transaction: ManagedTransaction, naming: KnownNaming) -> None:
        self._tx = transaction
        self._naming = naming

    def apply(self, batch: Batch) -> None:
        self._runs(batch)
        self._named_things(batch)
        self._write(cypher.SYMLINKS, ({**asdict(s), "key": s.name + s.dataset} for s in batch.symlinks))
        names = changes.write(self._tx, batch, self._naming)
        fresh = self._versions(batch)
        self._write(cypher.OBSERVATIONS, (_observation(row) for row in map(asdict, batch.observations)))
        self._write(cypher.STANDING, batch.run_keys())
        current = self._choose_current(batch, names, fresh)
        unwritten = (version for version in batch.versions if version.key in fresh)
        self._write(cypher.EDGES, (row for version in unwritten for row in _edges(version, current)))
        layouts.write(self._tx, batch, names)

    def _write(self, statement: LiteralString, rows: Iterable[Any]) -> None:
        waiting = iter(rows)
        while chunk := list(islice(waiting, ROWS)):
            self._tx.run(statement, rows=chunk).consume()

    def _runs(self, batch: Batch) -> None:
        """Store the runs first, because these locks order writers about the same runs."""
        self._write(cypher.RUNS, map(asdict, batch.runs))

    def _named_things(self, batch: Batch) -> None:
        datasets = (
            {**_named(d.key), "folded": folded(d.key), "first": d.first, "last": d.last}
            for d in batch.datasets
        )
        self._write(cypher.DATASETS, datasets)
        self._write(cypher.JOBS, ({**_named(j.key), "first": j.first, "last": j.last} for j in batch.jobs))
        self._write(cypher.IO, ({**asdict(i), "key": f"{i.direction} {i.run}{i.dataset}"} for i in batch.io))
        self._write(cypher.FACETS, map(_facet, batch.facets))
        self._write(cypher.PATHS, batch.paths)

    def _versions(self, batch: Batch) -> set[str]:
        """Store the versions that are new, and return their keys."""
        slots = {v.job + v.output: {"job": v.job, "output": v.output} for v in batch.versions}
        self._write(cypher.SLOTS, ({"key": key, **slot} for key, slot in sorted(slots.items())))
        rows = [_version(version) for version in batch.versions]
        if not rows:
            return set()
        return {key for (key,) in self._tx.run(cypher.VERSIONS, rows=rows)}

    def _choose_current(self, batch: Batch, names: Collection[str], fresh: set[str]) -> set[str]:
        """Choose again in each slot that a run of the batch ever reported, or whose names may have changed.

        Returns the versions that are current in those.
        """
        run_keys = batch.run_keys()
        slots = set(self._tx.run(cypher.SLOTS_OF_RUNS, runs=run_keys).value()) if run_keys else set()
        slots.update(changes.slots_with_drops(self._tx, names))
        if not slots:
            return set()
        asked = sorted(slots)
        old = {slot: (version, run) for slot, version, run in self._tx.run(cypher.LOCKED_SLOTS, slots=asked)}
        new = {slot: (seen.version, seen.run) for slot, seen in self._current(asked).items()}
        self._set_current(old, new, fresh)
        return {version for version, _ in new.values()}

    def _current(self, slots: Sequence[str]) -> dict[str, Observed]:
        closed = changes.closed(self._tx, slots)
        rows = self._tx.run(cypher.NEWEST, slots=[slot for slot in slots if slot not in closed]).values()
        rows += self._tx.run(cypher.OBSERVED, slots=list(closed)).values() if closed else []
        return chosen(map(Observed._make, rows), closed=closed)

    def _set_current(
        self,
        old: Mapping[str, tuple[str | None, str | None]],
        new: Mapping[str, tuple[str, str]],
        fresh: set[str],
    ) -> None:
        changed = [(slot, was, new.get(slot, (None, None))) for slot, was in sorted(old.items())]
        changed = [(slot, was, now) for slot, was, now in changed if was != now]
        rows = ({"slot": slot, "version": now[0], "run": now[1]} for slot, _, now in changed)
        self._write(cypher.SET_CURRENT, rows)
        marks = (mark for slot, was, now in changed for mark in _marks(slot, was[0], now[0], fresh))
        self._write(cypher.MARK_EDGES, marks)


def _named(key: Sequence[str]) -> dict[str, Any]:
    namespace, name = key
    return {"key": named_text(key), "namespace": namespace, "name": name}


def _facet(facet: FacetSeen) -> dict[str, Any]:
    """The facet as properties; ``parent`` has the parent run's id, by which the run is found."""
    return {
        "key": f"{facet.owner}{facet.name}",
        "owner": facet.owner,
        "name": facet.name,
        "time": facet.time,
        "digest": facet.digest,
        "body": facet.body,
        "parent": facet.parent_run_id,
    }


def _version(version: Version) -> dict[str, Any]:
    return {
        "key": version.key,
        "slot": version.job + version.output,
        "rank": int(version.rank),
        "gaps": [json.dumps(gap, ensure_ascii=False) for gap in version.gaps],
        "untold": version.has_unlisted_reads or None,
    }


def _edges(version: Version, current: set[str]) -> Iterator[dict[str, Any]]:
    """The version's edges, with equal edges into one target in one row: each target is looked up once, and the common
    values are sent once.
    """
    alike: dict[tuple[Any, ...], list[str]] = {}
    for edge in version.edges:
        alike.setdefault(edge[1:], []).append(edge.source)
    shared = {"version": version.key, "current": version.key in current}
    for common, sources in alike.items():
        yield {**dict(zip(EdgeRow._fields[1:], common, strict=True)), "sources": sources, **shared}


def _observation(row: dict[str, Any]) -> dict[str, Any]:
    slot = row["job"] + row["output"]
    return {**row, "slot": slot, "key": f"{row['version']} {row['run']}", "rank": int(row["rank"])}


def _marks(slot: str, old: str | None, new: str | None, fresh: set[str]) -> Iterator[dict[str, Any]]:
    """The marks to change on stored edges; new ones are written with their mark."""
    if old == new:
        return
    output = "/".join(slot.split("/")[2:])
    for version, current in ((old, False), (new, True)):
        if version is not None and version not in fresh:
            yield {"output": output, "version": version, "current": current}
