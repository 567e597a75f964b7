"""The agent's events of writes that are planned and have not run: those that it would emit if they ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent

from headwater_spark.activation.declared import DeclaredFunctions
from headwater_spark.capture.application import Application
from headwater_spark.capture.program_reads import ProgramReads
from headwater_spark.runs.lifecycle import Runs
from headwater_spark.runs.multi_inserts import MultiInserts
from headwater_spark.tracing import Analyst
from headwater_spark.tracing.collected import Collected

BEGAN: Final = 1_700_000_000_000
"""When planned executions would have begun, in epoch milliseconds: any time, which no answer shows."""

BATCH: Final = "id = {0}\nrunId = {0}\nbatch = 0"
"""How Spark describes a micro-batch of a streaming query, and what it executes within."""


class PlannedRuns:
    """The writes of one application, in their order.

    ``application`` is the document that introduces it. Of a program that is running, ``reads`` are what it has read by
    itself; of one that is only planned, nothing is to be reported of that.
    """

    def __init__(self, application: Mapping[str, Any], reads: ProgramReads | None = None) -> None:
        self._events: list[RunEvent] = []
        self._collected = Collected()
        self._writes = 0
        self._several = MultiInserts()
        conf = {**application.get("conf", {}), "spark.headwater.event.maxBytes": "64m"}
        known = Application.from_document({**application, "conf": conf})
        declared = DeclaredFunctions(known.conf).find
        analyst = Analyst(declared=declared, collected=self._collected)
        self._runs = Runs(known, analyst.analyse, self._events.append, None, self._collected, own_reads=reads)

    def note_values(self) -> None:
        """From here on, the program may hold any data."""
        self._collected.add_unnamed()

    def events_of(self, plan: Mapping[str, Any], at: int | None = None, stream: str = "") -> list[RunEvent]:
        """The events of a command's plan, as the agent's listener encodes it; ``at`` is in epoch milliseconds.

        ``stream`` is the run of the streaming query that the command is a part of.
        """
        self._writes += 1
        time = BEGAN + 1_000 * self._writes if at is None else at
        common = {"execution": self._writes, "root": self._writes, "time": time, "plan": plan}
        output = {"rows": 1, "files": 1, "bytes": 1}
        description = BATCH.format(stream) if stream else f"write {self._writes}"
        start = {**common, "kind": "execution-start", "description": description}
        end = {**common, "kind": "execution-end", "jobs": 1, "metrics": {"output": output}}
        before = len(self._events)
        for each in self._several.started(start):
            self._runs.start_execution(each)
        for each in self._several.ended(end):
            self._runs.end_execution(each)
        return self._events[before:]
