"""Streaming queries: one run for a query and each dataset it writes, however many micro-batches it takes.

Spark executes a micro-batch as an execution of its own; what identifies the query stands in its description. The
first batch that writes a dataset is its START, every batch that ends is RUNNING with what was written so far, and the
end of the query is COMPLETE, or FAIL with what the query said. A write inside ``foreachBatch`` is an execution below
the batch's, with the same description, and so belongs to the query as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent

from headwater_spark.capture.application import Execution, Outcome
from headwater_spark.emit import events
from headwater_spark.naming.datasets import DatasetId

Send = Callable[[Execution, Callable[[Execution], RunEvent]], None]
_COUNTED: Final = ("rows", "bytes", "files")


@dataclass(slots=True)
class Stream:
    """A query's run for one dataset: the fullest batch's lineage under the first batch's run id."""

    execution: Execution
    written: dict[str, int] = field(default_factory=dict)
    version: str | None = None
    """That the last batch has made."""
    dropped: int = 0

    def add(self, execution: Execution, outcome: Outcome) -> None:
        """One more batch. One that only advances the state, without new input, names fewer sources."""
        known = self.execution
        if len(execution.lineage.reads) >= len(known.lineage.reads):
            line = execution.called_from or known.called_from  # a batch without a job tells none
            self.execution = replace(execution, run_id=known.run_id, started=known.started, called_from=line)
        self.version = outcome.version
        self.dropped = max(self.dropped, outcome.dropped)
        for name in _COUNTED:
            counted = (outcome.output or {}).get(name)
            if counted is not None:
                self.written[name] = self.written.get(name, 0) + int(counted)

    def outcome(self, time: int, error: Mapping[str, Any] | None = None, *, aborted: bool = False) -> Outcome:
        """All that was written until now."""
        output = self.written or None
        return Outcome(
            time, error=error, output=output, version=self.version, dropped=self.dropped, aborted=aborted
        )


class Streams:
    """The streaming queries of one application."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._running: dict[tuple[str, frozenset[DatasetId]], Stream] = {}

    def began(self, query: str, execution: Execution) -> None:
        """A batch that writes has begun; START for the first one of its dataset."""
        key = _key(query, execution)
        if key not in self._running:
            self._running[key] = Stream(execution)
            self._send(execution, events.started)

    def advanced(self, query: str, execution: Execution, outcome: Outcome) -> None:
        """A batch has ended. What failed is told with the end of the query."""
        self.began(query, execution)
        stream = self._running[_key(query, execution)]
        stream.add(execution, outcome)
        if not outcome.error:
            self._send(stream.execution, lambda e: events.running(e, stream.outcome(outcome.ended)))

    def ended(self, query: str, time: int, error: Mapping[str, Any] | None) -> None:
        """The query has stopped."""
        for key in [key for key in self._running if key[0] == query]:
            stream = self._running.pop(key)
            self._end(stream, stream.outcome(time, error))

    def abort(self, time: int) -> None:
        """The application ends, and with it every query that nobody stopped."""
        for stream in self._running.values():
            self._end(stream, stream.outcome(time, aborted=True))
        self._running.clear()

    def _end(self, stream: Stream, outcome: Outcome) -> None:
        self._send(stream.execution, lambda execution: events.ended(execution, outcome))


def _key(query: str, execution: Execution) -> tuple[str, frozenset[DatasetId]]:
    return query, frozenset(each.id for each in execution.targets())
