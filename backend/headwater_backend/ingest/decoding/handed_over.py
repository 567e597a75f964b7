"""Values that were handed over to the program: they left Spark, according to an access event.

The ``headwater_access`` facet of an input marks such paths with DRIVER. No event has their further use, but their
target is known: the driver of the application. It is kept as a dataset (``driver://<namespace>`` and the application's
name) that the access's job writes: so each forward search from such a path finds it and its job, as long as the job
still does so, and reports that the further way is unknown.

    patients.csv ssn [PROJECT, DRIVER] by j1.collect.patients   →   driver://default j1: ssn, with a gap DRIVER at it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from headwater_backend.domain import facet_readers
from headwater_backend.domain.model import (
    DRIVER_NAMESPACE,
    HANDED_OVER,
    DatasetKey,
    JobKey,
    LineageType,
    NodeKey,
    PathSteps,
    Transformation,
)
from headwater_backend.domain.records import LineageRank
from headwater_backend.ingest.decoding.documents import DatasetPart, RunEvent
from headwater_backend.ingest.decoding.lineage import FacetLineage
from headwater_backend.ingest.decoding.mapped import Mapped, shared
from headwater_facets.kinds import Access, Manipulation, Subtype
from headwater_facets.schemas import ACCESS

_UNKNOWN: Final = "values were handed to the program; where they went from its driver is not known"
_HANDED: Final[Transformation] = shared(
    LineageType.DIRECT,
    Subtype.TRANSFORMATION.value,
    False,
    (Manipulation.OPAQUE.value,),
    Access.DRIVER.value,
    (),
    (),
)


def driver_of(event: RunEvent) -> DatasetKey:
    """The driver of the event's application, as a dataset.

    The application is the parent, unless that is in another namespace: what started an application has another driver.
    """
    job = JobKey(event.job.namespace, event.job.name)
    parent = facet_readers.parent(event.run.facets)
    if parent and parent.job.namespace == job.namespace:
        job = parent.job
    return DatasetKey(f"{DRIVER_NAMESPACE}{job.namespace}", job.name)


def handed_over(event: RunEvent) -> FacetLineage | None:
    """The lineage into the driver out of the event's inputs; None without any."""
    mapped = tuple(_mapped(event.inputs))
    gaps = dict.fromkeys((HANDED_OVER, each.target, _UNKNOWN) for each in mapped)
    return FacetLineage(LineageRank.PATH_LINEAGE, mapped, tuple(gaps)) if mapped else None


def _mapped(inputs: Iterable[DatasetPart]) -> Iterator[Mapped]:
    for part in inputs:
        dataset = DatasetKey(part.namespace, part.name)
        for path in _paths(part.facets.get(ACCESS) or part.input_facets.get(ACCESS) or {}):
            yield Mapped(NodeKey(dataset, path), path, (_HANDED,), identical=False)


def _paths(facet: Mapping[str, Any]) -> Iterator[PathSteps]:
    """The marked paths; entries of another form than the facet's are skipped."""
    entries = facet.get("paths")
    for entry in entries if isinstance(entries, list) else ():
        known = entry if isinstance(entry, Mapping) else {}
        path, access = known.get("path"), known.get("access")
        if isinstance(access, list) and Access.DRIVER.value in access and isinstance(path, list):
            yield tuple(step for step in path if isinstance(step, str))
