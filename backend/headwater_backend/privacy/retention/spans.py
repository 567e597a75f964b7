"""The times in which datasets may have held data that were written before a moment.

Lineage knows when runs wrote a dataset, and when its whole content was replaced. So for each cutoff and each dataset
that declares attributes, every dataset that holds these has at most one *span*, the time in which it may have held data
that are overdue:

- it begins with a run that wrote the dataset before the cutoff, and ends when the content was replaced after that;
- or it begins with the span of a dataset from which a job brings the data: what was written from there within that span
  may be overdue, whenever that was. It ends when the content was replaced after the last such write.

Spans of a dataset are joined to one, so it may be too long and is never too short. A dataset is overdue if its span has
not ended. Example, with a limit of a year on ``orders``, which was emptied last month after two years: ``archive``, to
which a job has appended orders since the spring, is overdue; so is ``report``, which is written anew from ``archive``
each night, although no run before today's has written what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from headwater_backend.domain.model import DatasetKey, JobKey, Run
from headwater_backend.privacy.retention.writes import Writes, began, ended


@dataclass(frozen=True, slots=True)
class Span:
    """The time in which a dataset may have held overdue data; ``until`` is None if it still may.

    The data are those that ``job`` wrote into ``origin`` at ``written``; ``source`` is the dataset from which they came
    here, None at the origin.
    """

    begin: datetime
    until: datetime | None
    origin: DatasetKey
    job: JobKey
    written: datetime
    source: DatasetKey | None = None


class Spans:
    """The spans of one exposure; with ``certain``, an OVERWRITE is not taken to replace the whole content."""

    def __init__(
        self,
        writes: Writes,
        declared: Mapping[DatasetKey, int],
        holders: Mapping[DatasetKey, Sequence[DatasetKey]],
        flows: Mapping[DatasetKey, Mapping[DatasetKey, int]],
        *,
        certain: bool = False,
    ) -> None:
        self._writes = writes
        self._declared = declared
        self._holders = holders
        self._flows = flows
        self._ends = writes.certain_ends if certain else writes.ends
        self._known: dict[tuple[DatasetKey, datetime], dict[DatasetKey, Span]] = {}

    def of(self, source: DatasetKey, before: datetime) -> dict[DatasetKey, Span]:
        """The spans of all datasets that may have held data of a source that were written before a moment."""
        if (source, before) not in self._known:
            self._known[source, before] = self._new_spans(source, before)
        return self._known[source, before]

    def _new_spans(self, source: DatasetKey, before: datetime) -> dict[DatasetKey, Span]:
        own = ((dataset, self._own(dataset, before)) for dataset in self._holders.get(source, ()))
        found = {dataset: span for dataset, span in own if span is not None}
        mask, open_ones = self._declared[source], list(found)
        while open_ones:
            near = open_ones.pop()
            for far, bits in self._flows.get(near, {}).items():
                span = self._passed(near, found[near], far) if bits & mask else None
                joined = _joined(found.get(far), span)
                if joined is not None and joined != found.get(far):
                    found[far] = joined
                    open_ones.append(far)
        return found

    def _own(self, dataset: DatasetKey, before: datetime) -> Span | None:
        """The span that begins with what was written into the dataset before that moment."""
        run = self._writes.last(dataset, before)
        if run is None:
            return None
        return Span(began(run), self._gone(dataset, run), dataset, run.job, began(run))

    def _passed(self, near: DatasetKey, span: Span, far: DatasetKey) -> Span | None:
        """The span that begins with what was written from a dataset within its span."""
        run = self._writes.last(far, span.until)
        if run is None:
            return None if self._writes.last(far) else replace(span, until=None, source=near)
        if ended(run) < span.begin:
            return None
        return replace(span, until=self._gone(far, run), source=near)

    def _gone(self, dataset: DatasetKey, run: Run) -> datetime | None:
        """When what the run wrote was gone; None if it may still be there."""
        written = ended(run)
        return next((end for end in self._ends.get(dataset, ()) if end > written), None)


def _joined(one: Span | None, other: Span | None) -> Span | None:
    """The span over both; it keeps the origin of the one that ends later."""
    if one is None or other is None:
        return one or other
    kept = one if one.until is None or (other.until is not None and other.until <= one.until) else other
    return replace(kept, begin=min(one.begin, other.begin))


def route(dataset: DatasetKey, spans: Mapping[DatasetKey, Span]) -> Sequence[DatasetKey]:
    """The datasets from the origin of the data to this one."""
    found = [dataset]
    while (source := spans[found[0]].source) is not None and source not in found:
        found.insert(0, source)
    return found
