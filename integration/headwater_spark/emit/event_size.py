"""Limits the size of an event to what receivers accept, and records what is left out.

The least valuable facets are removed first: conditions, then the operator graph, then access. Only then are entries of
the path lineage removed, and the column lineage and the schemas. The lineage of each output is marked as ``TRUNCATED``.
What an event without outputs accessed is all that it says: of each of its inputs, the whole rows stand for the paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde

from headwater_facets import schemas
from headwater_facets.facets import (
    AccessEntry,
    AccessInputDatasetFacet,
    IncompleteEntry,
    PathLineageDatasetFacet,
)
from headwater_facets.kinds import IncompleteReason
from headwater_spark.emit import wire

DEFAULT_MAX_BYTES: Final = 4_000_000


def size(event: RunEvent) -> int:
    """Bytes of the event as it is sent."""
    return len(wire.text(event))


def fit(event: RunEvent, limit: int) -> RunEvent:
    """Remove facets from the event until it fits the limit in bytes; returns the event."""
    left_out: list[str] = []
    for leave_out in _STEPS:
        excess = size(event) - limit
        if excess <= 0:
            break
        left_out += leave_out(event, excess)
        _mark_truncated(event, left_out)
    return event


def _mark_truncated(event: RunEvent, left_out: list[str]) -> None:
    for facet in _lineages(event):
        others = [e for e in facet.incomplete if e.reason != IncompleteReason.TRUNCATED]
        mine = IncompleteEntry(
            IncompleteReason.TRUNCATED, detail=f"the event was too large; left out: {', '.join(left_out)}"
        )
        facet.incomplete = [*others, mine]
        facet.complete = False


def _lineages(event: RunEvent) -> Iterator[PathLineageDatasetFacet]:
    for output in event.outputs or ():
        facet = (output.facets or {}).get(schemas.PATH_LINEAGE)
        if isinstance(facet, PathLineageDatasetFacet):
            yield facet


def _without_job_facet(key: str) -> Callable[[RunEvent, int], list[str]]:
    def leave_out(event: RunEvent, _: int) -> list[str]:
        return [key] if (event.job.facets or {}).pop(key, None) else []

    return leave_out


def _without_dataset_facet(key: str) -> Callable[[RunEvent, int], list[str]]:
    def leave_out(event: RunEvent, _: int) -> list[str]:
        found = [
            dataset.facets.pop(key, None)
            for dataset in (*(event.inputs or ()), *(event.outputs or ()))
            if dataset.facets
        ]
        return [key] if any(found) else []

    return leave_out


def _without_paths(event: RunEvent, excess: int) -> list[str]:
    """Remove the accessed paths; where no lineage has them, only as far as whole rows say it, too."""
    if event.outputs:
        return _without_dataset_facet(schemas.ACCESS)(event, excess)
    for dataset in event.inputs or ():
        facet = (dataset.facets or {}).get(schemas.ACCESS)
        if isinstance(facet, AccessInputDatasetFacet) and facet.paths:
            kinds = dict.fromkeys(kind for each in facet.paths for kind in each.access)
            facet.paths = [AccessEntry([], [*kinds], any(each.reachesOutput for each in facet.paths))]
    return []


def _cut_lineage(event: RunEvent, excess: int) -> list[str]:
    """Remove entries from the end of each list, columns first, until the event is small enough."""
    cut = 0
    reserve = excess + 2_000  # for the entry that records the truncation
    for facet in _lineages(event):
        lists: list[list[Any]] = [group.pairs for group in facet.alike or ()]
        lists += [facet.fields, facet.dataset, facet.generated, facet.opaque, facet.incomplete]
        for entries in lists:
            while entries and reserve > 0:
                reserve -= len(json.dumps(Serde.to_dict(entries.pop()))) + 2
                cut += 1
        facet.alike = [group for group in facet.alike or () if group.pairs] or None
    return [f"{cut} entries of {schemas.PATH_LINEAGE}"] if cut else []


def _without_texts(event: RunEvent, _: int) -> list[str]:
    """Remove the texts of the program and of errors."""
    found = [(event.job.facets or {}).pop("sql", None), (event.run.facets or {}).pop("errorMessage", None)]
    return ["sql and errorMessage"] if any(found) else []


_STEPS: Final = (
    _without_job_facet(schemas.CONDITIONS),
    _without_job_facet(schemas.OPERATORS),
    _without_job_facet(schemas.FUNCTIONS),
    _without_paths,
    _without_job_facet("sql"),
    _without_dataset_facet("columnLineage"),
    _cut_lineage,
    _without_dataset_facet("schema"),
    _without_texts,
)
