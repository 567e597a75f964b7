"""Statistics of an application's events: counted by the agent's process, added up and printed by ``headwater run``.

The agent's process writes them to a file of its own in the folder of ``spark.headwater.marker``, once at its start and
again after the delivery: ``isRunning`` is true in the file of a process that was ended before.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openlineage.client.event_v2 import RunEvent

from headwater_facets import schemas
from headwater_facets.facets import PathLineageDatasetFacet

MARKER_KEY = "spark.headwater.marker"
_SUFFIX = ".seen.json"
_FAILED = "extractionError"


@dataclass
class Summary:
    """The events of an application, the datasets in them, and the gaps in their lineage."""

    events: int = 0
    waiting: int = 0
    """The number of undelivered events, which are kept."""
    lost: int = 0
    is_running: bool = True
    datasets: set[tuple[str, str]] = field(default_factory=set)
    gaps: set[tuple[str, str, str]] = field(default_factory=set)
    """A run, an output, and the reason why its lineage is incomplete."""

    def add(self, event: RunEvent) -> None:
        """Add an event."""
        self.events += 1
        for dataset in (*(event.inputs or ()), *(event.outputs or ())):
            self.datasets.add((dataset.namespace, dataset.name))
        for output in event.outputs or ():
            lineage = (output.facets or {}).get(schemas.PATH_LINEAGE)
            if isinstance(lineage, PathLineageDatasetFacet):
                self.gaps |= {
                    (event.run.runId, output.name, str(entry.reason)) for entry in lineage.incomplete
                }
        if _FAILED in (event.run.facets or {}):
            self.gaps.add((event.run.runId, "", "FAILED"))

    def line(self) -> str:
        """The statistics as one readable line."""
        reasons = sorted({reason for _, _, reason in self.gaps})
        parts = [
            _counted(self.events, "event"),
            _counted(len(self.datasets), "dataset"),
            _counted(len(self.gaps), "gap") + (f" ({', '.join(reasons)})" if reasons else ""),
        ]
        if self.waiting:
            parts.append(f"{self.waiting} not delivered yet (headwater spool flush)")
        if self.lost:
            parts.append(f"{self.lost} lost")
        if self.is_running:
            parts.append("and what the agent did not count before it was ended")
        return ", ".join(parts)


class SummaryFile:
    """The file for the statistics of one process; without a configured folder, nothing is written."""

    def __init__(self, conf: Mapping[str, str]) -> None:
        folder = conf.get(MARKER_KEY)
        self._path = Path(folder) / f"{uuid.uuid4()}{_SUFFIX}" if folder else None

    def write(self, summary: Summary) -> None:
        """Replace the contents of the file; errors are ignored."""
        if self._path is not None:
            unfinished = self._path.with_suffix(".new")
            with suppress(OSError):
                unfinished.write_text(json.dumps(_document(summary)), "utf-8")
                unfinished.replace(self._path)


def read_summaries(folder: Path) -> Summary | None:
    """The sum of all statistics in the folder; None if none exist."""
    documents = [json.loads(path.read_text("utf-8")) for path in folder.glob(f"*{_SUFFIX}")]
    return _sum(documents) if documents else None


def _document(summary: Summary) -> dict[str, Any]:
    return {
        "events": summary.events,
        "waiting": summary.waiting,
        "lost": summary.lost,
        "isRunning": summary.is_running,
        "datasets": sorted(summary.datasets),
        "gaps": sorted(summary.gaps),
    }


def _sum(documents: Iterable[Mapping[str, Any]]) -> Summary:
    total = Summary(is_running=False)
    for each in documents:
        total.events += each["events"]
        total.waiting += each["waiting"]
        total.lost += each["lost"]
        total.is_running |= each["isRunning"]
        total.datasets |= {(namespace, name) for namespace, name in each["datasets"]}
        total.gaps |= {(run, output, reason) for run, output, reason in each["gaps"]}
    return total


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
