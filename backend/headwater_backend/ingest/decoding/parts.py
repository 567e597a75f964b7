"""What the parts of an event say: names of jobs and datasets, and how a run used a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_backend.domain import facet_readers, layouts
from headwater_backend.domain.errors import EventError
from headwater_backend.domain.model import DatasetKey, JobKey
from headwater_backend.domain.node_keys import named_text
from headwater_backend.ingest.decoding.documents import DatasetPart, JobEvent, RunEvent
from headwater_facets.schemas import ACCESS, EXTENT


def makes_anew(event: RunEvent | JobEvent) -> bool:
    """Whether the run certainly replaced all that its job ever wrote to its outputs, without what it read there."""
    if isinstance(event, RunEvent) and event.event_type == "START":
        return False
    read = set(map(dataset_of_part, event.inputs))
    return bool(event.outputs) and all(
        layouts.replaces_all(part.facets) and dataset_of_part(part) not in read for part in event.outputs
    )


def job_of(event: RunEvent | JobEvent) -> JobKey:
    return JobKey(event.job.namespace, event.job.name)


def dataset_of_part(part: DatasetPart) -> DatasetKey:
    return DatasetKey(part.namespace, part.name)


def former_name(key: DatasetKey, facets: facet_readers.Facets) -> DatasetKey | None:
    """The name that the dataset had until it was renamed, if the facets say that it was."""
    change, before = facet_readers.state_change(facets.get("lifecycleStateChange")) or ("", None)
    return before if change == "RENAME" and before != key else None


def read_at(part: DatasetPart) -> int | None:
    """When the rows that this run used were read, if they were kept since then: cached, checkpointed or collected."""
    facet = part.input_facets.get(ACCESS) or part.facets.get(ACCESS) or {}
    return facet_readers.time_of(facet.get("readAt"))


def facets_of_read(part: DatasetPart) -> dict[str, Mapping[str, Any]]:
    """The facets of an input dataset that describe only how this run read it."""
    return {name: facet for name, facet in part.facets.items() if name in {ACCESS, EXTENT}}


def names_of(part: DatasetPart, pointer: str) -> set[str]:
    """The dataset's key, and the keys of its other names."""
    return set(map(named_text, [dataset_of_part(part), *other_names(part, pointer)]))


def other_names(part: DatasetPart, pointer: str) -> list[DatasetKey]:
    """The names that the dataset's symlinks say, in their order."""
    place = f"{pointer}/facets/symlinks/identifiers"
    identifiers = part.facets.get("symlinks", {}).get("identifiers")
    if not isinstance(identifiers, list | None):
        raise EventError("FACET_SHAPE", place, "expected an array")
    return [_identified(entry, f"{place}/{index}") for index, entry in enumerate(identifiers or ())]


def _identified(entry: Any, place: str) -> DatasetKey:
    match entry:
        case {"namespace": str(namespace), "name": str(name)}:
            return DatasetKey(namespace, name)
        case _:
            raise EventError("FACET_SHAPE", place, "expected namespace and name")
