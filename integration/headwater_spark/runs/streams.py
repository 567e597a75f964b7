"""Streaming queries: one run for each dataset that a query writes, over all its micro-batches.

Spark executes each micro-batch as an execution, whose description identifies the query. The first batch that writes a
dataset causes START, each batch that ends causes RUNNING with the statistics so far, and the end of the query causes
COMPLETE, or FAIL with the query's error. A write inside ``foreachBatch`` is an execution nested in that of the batch,
with the same description, so it belongs to the query as well. What the query keeps for its next batches is a dataset
that it writes, too (``decode.states``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from openlineage.client.event_v2 import RunEvent

from headwater_facets.kinds import IncompleteReason
from headwater_facets.locations import DatasetId
from headwater_spark.capture.execution import Outcome
from headwater_spark.decode import content_of
from headwater_spark.emit import events
from headwater_spark.executions.execution import Execution
from headwater_spark.tracing.result import Gap, unversioned

Send = Callable[[Execution, Callable[[Execution], RunEvent]], None]
LEFT_OUT: Final = Gap(
    IncompleteReason.TRUNCATED,
    "batches of a query wrote the dataset by different names: those of one are listed",
)
_COUNTED: Final = ("rows", "bytes", "files")


@dataclass(slots=True)
class Stream:
    """A query's run for one dataset: the lineage of the batch with the most reads, and the first batch's run id."""

    execution: Execution
    written: dict[str, int] = field(default_factory=dict)
    version: str | None = None
    """The version of the dataset that the last batch created."""
    content: Mapping[str, Any] | None = None
    """What the last batch found in the dataset, and left there."""
    dropped: int = 0
    is_partial: bool = False
    """Whether some batch read what the lineage does not have: batches that name what they write differently."""

    def add(self, execution: Execution, outcome: Outcome) -> None:
        """Add a batch that has ended. A batch without new input, which only advances the state, has fewer reads."""
        known = self.execution
        if len(execution.lineage.reads) >= len(known.lineage.reads):
            line = execution.called_from or known.called_from  # a batch without a Spark job has none
            self.execution = replace(execution, run_id=known.run_id, started=known.started, called_from=line)
        if _reads(known) - _reads(execution) and _reads(execution):
            self.is_partial = True
        if self.is_partial and LEFT_OUT not in self.execution.lineage.incomplete:
            self.execution = self.execution.with_gap(LEFT_OUT)
        self.version = outcome.version
        self.content = outcome.content
        self.dropped = max(self.dropped, outcome.dropped)
        for name in _COUNTED:
            counted = (outcome.output or {}).get(name)
            if counted is not None:
                self.written[name] = self.written.get(name, 0) + int(counted)

    def outcome(self, time: int, error: Mapping[str, Any] | None = None, *, aborted: bool = False) -> Outcome:
        """The outcome over all batches until now."""
        output = self.written or None
        return Outcome(
            time,
            error=error,
            output=output,
            version=self.version,
            content=self.content,
            dropped=self.dropped,
            aborted=aborted,
        )


class Streams:
    """The streaming queries of one application."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._running: dict[tuple[str, frozenset[DatasetId]], Stream] = {}

    def start_batch(self, query: str, execution: Execution) -> None:
        """Process the start of a batch that writes; emits START for the first one of its dataset."""
        key = _key(query, execution)
        if key not in self._running:
            self._running[key] = Stream(execution)
            self._send(execution, events.started)

    def end_batch(self, query: str, execution: Execution, outcome: Outcome) -> None:
        """Process the end of a batch; emits RUNNING, unless it failed, which the end of the query reports."""
        self.start_batch(query, execution)
        stream = self._running[_key(query, execution)]
        stream.add(execution, outcome)
        if not outcome.error:
            self._send(stream.execution, lambda e: events.running(e, stream.outcome(outcome.ended)))

    def keep(self, query: str, batch: Execution, outcome: Outcome) -> None:
        """Process what a batch that has ended left in the query's states, each of which is a dataset."""
        for each in batch.of_states():
            target = each.lineage.target
            content = content_of(target.source, failed=bool(outcome.error)) if target else None
            ended = Outcome(outcome.ended, outcome.error, content=content, dropped=outcome.dropped)
            self.end_batch(query, each, ended)

    def end_query(self, query: str, time: int, error: Mapping[str, Any] | None) -> None:
        """Emit the last events of the query's runs."""
        for key in [key for key in self._running if key[0] == query]:
            stream = self._running.pop(key)
            self._end(stream, stream.outcome(time, error))

    def abort(self, time: int) -> None:
        """Abort all running queries, because the application ends."""
        for stream in self._running.values():
            self._end(stream, stream.outcome(time, aborted=True))
        self._running.clear()

    def _end(self, stream: Stream, outcome: Outcome) -> None:
        self._send(stream.execution, lambda execution: events.ended(execution, outcome))


def _reads(execution: Execution) -> frozenset[str]:
    return frozenset(repr(unversioned(read.source)) for read in execution.lineage.reads)


def _key(query: str, execution: Execution) -> tuple[str, frozenset[DatasetId]]:
    return query, frozenset(each.id for each in execution.targets())
