"""OpenLineage events made by hand, and what tests ask of a store that took them in."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from headwater_backend.domain.model import DatasetKey, Direction, JobKey, LineageType, NodeKey
from headwater_backend.ports import LineageStore
from headwater_backend.stores.copying.digest import BEFORE_RECEIPTS

NAMESPACE = "test"
JOB = JobKey(NAMESPACE, "job")
BOTH = frozenset(LineageType)
DIRECT = frozenset({LineageType.DIRECT})
START_OF_TIME = datetime(2026, 1, 1, tzinfo=timezone.utc)
_RUNS = uuid.UUID("00000000-0000-4000-8000-000000000000")
_FACET = {"_producer": "https://example.org/test", "_schemaURL": "https://example.org/facet.json"}


def at(minute: int) -> datetime:
    """A time, in minutes from the start of time."""
    return START_OF_TIME + timedelta(minutes=minute)


def run_id(name: str) -> str:
    """The same UUID for the same name."""
    return str(uuid.uuid5(_RUNS, name))


def facet(**content: Any) -> dict[str, Any]:
    """A facet with that content."""
    return {**_FACET, **content}


def fields(*names: str | tuple[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Schema fields: a name, or a name with the fields below it."""
    return [
        {"name": name, "type": "string"}
        if isinstance(name, str)
        else {"name": name[0], "type": "struct", "fields": fields(*name[1])}
        for name in names
    ]


def dataset(name: str, *schema: str | tuple[str, Sequence[Any]], **facets: Any) -> dict[str, Any]:
    """A dataset with that schema and other facets."""
    known = {"schema": facet(fields=fields(*schema))} if schema else {}
    return {"namespace": NAMESPACE, "name": name, "facets": {**known, **facets}}


def columns(mapping: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, Any]:
    """A ``columnLineage`` facet: output column to (dataset, column) pairs, declared identical."""
    identical = [{"type": "DIRECT", "subtype": "IDENTITY"}]
    return facet(
        fields={
            column: {
                "inputFields": [
                    {"namespace": NAMESPACE, "name": name, "field": field, "transformations": identical}
                    for name, field in sources
                ]
            }
            for column, sources in mapping.items()
        }
    )


def paths(*entries: tuple[Sequence[str], str, Sequence[str], str], **more: Any) -> dict[str, Any]:
    """A ``headwater_pathLineage`` facet of (output path, dataset, input path, subtype).

    ``manipulation`` and ``functions`` are those of each.
    """
    how = {key: more.pop(key) for key in ("manipulation", "functions") if key in more}
    return facet(
        fields=[
            {
                "path": list(target),
                "inputFields": [
                    {
                        "namespace": NAMESPACE,
                        "name": name,
                        "path": list(source),
                        "transformations": [{"type": "DIRECT", "subtype": subtype, "masking": False, **how}],
                    }
                ],
            }
            for target, name, source, subtype in entries
        ],
        **{"complete": True, "incomplete": [], **more},
    )


def event(
    kind: str | None = "COMPLETE",
    minute: int = 0,
    run: str = "run",
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    job: str = "job",
    **more: Any,
) -> dict[str, Any]:
    """A run event; without ``kind`` it has no eventType."""
    return {
        **({"eventType": kind} if kind else {}),
        "eventTime": at(minute).isoformat(),
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": {}},
        "job": {"namespace": NAMESPACE, "name": job, "facets": {}},
        "inputs": list(inputs),
        "outputs": list(outputs),
        **more,
    }


REPLACED = {
    "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
    "headwater_extent": facet(replaced="WHOLE"),
}
"""Facets of an output that a run replaced as a whole."""


def lines(file: Path) -> list[bytes]:
    """The events of a file, one a line."""
    return [line for line in file.read_bytes().splitlines() if line.strip()]


def node(name: str, *path: str, namespace: str = NAMESPACE) -> NodeKey:
    """A path of a dataset."""
    return NodeKey(DatasetKey(namespace, name), path)


def near(store: LineageStore, start: NodeKey, direction: Direction, **options: Any) -> set[tuple[str, str]]:
    """The (source, target) of each edge at a node, as ``dataset:step/step``."""
    edges = store.neighbours([start], direction, options.pop("types", BOTH), **options).edges(direction)
    return {(written(edge.source), written(edge.target)) for edge in edges}


def written(key: NodeKey) -> str:
    """``dataset:step/step``."""
    return f"{key.dataset.name}:{'/'.join(key.path)}"


def closure(store: LineageStore, start: NodeKey, direction: Direction) -> set[NodeKey]:
    """All that is reached over edges of both types, without the start."""
    seen, frontier = {start}, [start]
    while frontier:
        far = {far for fan in store.neighbours(frontier, direction, BOTH).fans for far in fan.fars}
        frontier = sorted(far - seen)
        seen |= far
    return seen - {start}


def digest(store: LineageStore, *, receipts: bool = False) -> str:
    """Equal for stores with equal contents, of whichever sort; with ``receipts``, if they were received alike, too."""
    kept = {} if receipts else BEFORE_RECEIPTS
    rows = sorted(json.dumps(row[: kept.get(row[0])], ensure_ascii=True) for row in store.contents())
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()
