"""The completed writes of events, with their lineage as readable lines: ``name <- source:who IDENTITY``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kit.jobs import Job

LINEAGE = "headwater_pathLineage"
Event = Mapping[str, Any]


@dataclass(frozen=True)
class Write:
    """A completed write of one dataset: its lineage as lines, inputs by the last part of their names."""

    name: str
    command: str
    direct: set[str] = field(default_factory=set)
    influences: set[str] = field(default_factory=set)
    complete: bool = True
    facets: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Event] = field(default_factory=dict)


def writes(job: Job) -> list[Write]:
    """The completed writes in order of their ends."""
    ended = (event for event in job.events if event["eventType"] == "COMPLETE")
    return [_write(event, output) for event in ended for output in event.get("outputs", ())]


def written(job: Job, name: str) -> Write:
    """The last write of the dataset whose name ends so."""
    found = [write for write in writes(job) if write.name.endswith(f"/{name}") or write.name == name]
    assert found, f"nothing was written to {name}, only to {sorted({w.name for w in writes(job)})}"
    return found[-1]


def runs(job: Job) -> dict[str, list[str]]:
    """The types of the events of each job, in order, without the application's own."""
    found: dict[str, list[str]] = {}
    for event in job.events:
        if "." in event["job"]["name"]:
            found.setdefault(f"{event['job']['name']} {event['run']['runId']}", []).append(event["eventType"])
    return {name.rpartition(" ")[0]: types for name, types in found.items()}


def names(job: Job) -> dict[str, set[str]]:
    """The names of the datasets that each run writes, symlinks included, over all its events; correct if one each."""
    found: dict[str, set[str]] = {}
    for event in job.events:
        for output in event.get("outputs", ()):
            linked = output["facets"].get("symlinks", {}).get("identifiers", [])
            named = [output["namespace"], output["name"], *(each["name"] for each in linked)]
            found.setdefault(event["run"]["runId"], set()).add(" ".join(named))
    return found


def _write(event: Event, output: Event) -> Write:
    lineage = output["facets"][LINEAGE]
    return Write(
        output["name"],
        event["job"]["name"].split(".")[1],
        {f"{_path(f['path'])} <- {line}" for f in lineage["fields"] for line in _lines(f["inputFields"])},
        set(_lines(lineage.get("dataset", ()))),
        lineage["complete"],
        output["facets"],
        {each["name"].rpartition("/")[2]: each for each in event["inputs"]},
    )


def _lines(inputs: Iterable[Event]) -> Iterable[str]:
    for each in inputs:
        source = f"{each['name'].rpartition('/')[2]}:{_path(each['path'])}"
        yield from (f"{source} {how['subtype']}" for how in each["transformations"])


def _path(steps: list[str]) -> str:
    return ".".join(steps).replace("._element", "[]")
