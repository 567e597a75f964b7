"""The shapes of OpenLineage events: what is required, and what may be missing.

Tolerated, because real producers do it: no ``schemaURL``, no ``eventType``, times without a zone (UTC) or in small
letters, leap seconds (the end of the second before), null instead of an empty list or object, facets of any content.
Not tolerated: no ``eventTime``, no ``producer``, a ``runId`` that is not a UUID, names that are not strings.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

_ISO = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")
_LEAP_SECOND = re.compile(r"(?<=^.{16}):60(\.\d+)?")
_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


def _iso_text(value: Any) -> Any:
    if not isinstance(value, str) or not _ISO.match(value):
        raise ValueError("a date and time like 2026-11-20T23:26:22.441Z is expected")
    # RFC 3339 has small letters and leap seconds, which pydantic and datetime do not.
    return _LEAP_SECOND.sub(":59.999999", value.upper())


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        return value.replace(tzinfo=timezone.utc)
    try:
        return value.astimezone(timezone.utc)
    except OverflowError:
        raise ValueError("the time is out of range") from None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: entry for key, entry in value.items() if entry is not None}
    return {} if value is None else value


def _list_of_null(value: Any) -> Any:
    return [] if value is None else value


EventTime: TypeAlias = Annotated[datetime, BeforeValidator(_iso_text), AfterValidator(_utc)]
Facets: TypeAlias = Annotated[dict[str, dict[str, Any]], BeforeValidator(_without_nulls)]
EventType: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False, frozen=True)


class DatasetPart(_Part):
    """An input or output, or the dataset of a dataset event."""

    namespace: Annotated[str, Field(strict=True)]
    name: Annotated[str, Field(strict=True)]
    facets: Facets = Field(default_factory=dict)
    input_facets: Facets = Field(default_factory=dict, alias="inputFacets")
    output_facets: Facets = Field(default_factory=dict, alias="outputFacets")


Datasets: TypeAlias = Annotated[list[DatasetPart], BeforeValidator(_list_of_null)]


class JobPart(_Part):
    """The job."""

    namespace: Annotated[str, Field(strict=True)]
    name: Annotated[str, Field(strict=True)]
    facets: Facets = Field(default_factory=dict)


class RunPart(_Part):
    """The run."""

    run_id: Annotated[str, Field(alias="runId", strict=True, pattern=_UUID)]
    facets: Facets = Field(default_factory=dict)


class _Event(_Part):
    event_time: Annotated[EventTime, Field(alias="eventTime")]
    producer: Annotated[str, Field(strict=True, min_length=1)]
    schema_url: Annotated[str | None, Field(alias="schemaURL")] = None


class RunEvent(_Event):
    """Something that happened in a run of a job."""

    event_type: Annotated[EventType | None, Field(alias="eventType")] = None
    run: RunPart
    job: JobPart
    inputs: Datasets = Field(default_factory=list)
    outputs: Datasets = Field(default_factory=list)


class JobEvent(_Event):
    """A description of a job without a run."""

    job: JobPart
    inputs: Datasets = Field(default_factory=list)
    outputs: Datasets = Field(default_factory=list)


class DatasetEvent(_Event):
    """A description of a dataset without a job."""

    dataset: DatasetPart


Event: TypeAlias = RunEvent | JobEvent | DatasetEvent


def shape_of(document: dict[str, Any]) -> type[RunEvent] | type[JobEvent] | type[DatasetEvent]:
    """The kind of event that the document claims to be."""
    if "run" in document:
        return RunEvent
    if "dataset" in document and "job" not in document:
        return DatasetEvent
    return JobEvent if "job" in document else RunEvent
