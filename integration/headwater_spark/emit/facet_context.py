"""The argument of facet builders: one execution with its resolved datasets, and its outcome if it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from headwater_facets.locations import DatasetId
from headwater_plan.types import StructType
from headwater_spark.capture.application import Application
from headwater_spark.capture.execution import Outcome
from headwater_spark.executions.execution import Execution
from headwater_spark.naming.datasets import ResolvedDataset
from headwater_spark.redaction import redact
from headwater_spark.tracing.collected import NOWHERE, Places
from headwater_spark.tracing.result import COLLECTED, IN_ROWS, InputPath, PathSteps, PlanLineage


@dataclass(frozen=True, slots=True)
class FacetContext:
    """An execution at the time of an event; ``outcome`` is None at its start."""

    execution: Execution
    outcome: Outcome | None
    reads: tuple[tuple[ResolvedDataset, ...], ...]
    targets: tuple[ResolvedDataset, ...]
    collected: Places = NOWHERE
    """What the program had collected, or was shown, that may be in the output, or decide about it."""

    @classmethod
    def of(cls, execution: Execution, outcome: Outcome | None) -> FacetContext:
        """The context of an execution, whose datasets are resolved once here."""
        collected = NOWHERE if execution.lineage.target is None else _held(execution)
        return cls(execution, outcome, execution.reads(), execution.targets(), collected)

    @property
    def unnamed_target(self) -> str | None:
        """What is known of a target without a known name; None for any other."""
        target = self.lineage.target
        if target is None or any(each.is_named for each in self.targets):
            return None
        return f"the target of {target.command} has no name: {target.source.get('class') or 'a query'}"

    @property
    def application(self) -> Application:
        """The application of the execution."""
        return self.execution.application

    @property
    def lineage(self) -> PlanLineage:
        """The result of the analysis."""
        return self.execution.lineage

    @property
    def target_schema(self) -> StructType:
        """The written columns."""
        return self.lineage.target.schema if self.lineage.target else StructType()

    def inputs(self) -> dict[DatasetId, tuple[ResolvedDataset, list[int]]]:
        """Each input dataset, with the indices of its reads: none of what was only collected before."""
        found: dict[DatasetId, tuple[ResolvedDataset, list[int]]] = {}
        for index, each in enumerate(self.reads):
            for dataset in each:
                found.setdefault(dataset.id, (dataset, []))[1].append(index)
        for collected in sorted(self.collected.since):
            found.setdefault(collected, (ResolvedDataset(collected), []))
        return found

    def paths_collected(self, dataset: DatasetId) -> list[PathSteps]:
        """The paths of an input that were collected before, and may be in the output, or decide about it."""
        return [path for each, path in self.collected.places if each == dataset]

    def moments(self, dataset: DatasetId, reads: Iterable[int]) -> frozenset[int]:
        """When the rows of an input were read, in epoch milliseconds."""
        since = self.collected.since
        collected = {since[dataset]} if dataset in since else set()
        return frozenset({*map(self.execution.read_at, reads), *collected})

    def dataset_paths(self, each: InputPath) -> Iterable[tuple[DatasetId, PathSteps]]:
        """The datasets' paths for which an input path of the plan stands."""
        if each.read == COLLECTED:
            return self.execution.collected.collected.places
        if each.read == IN_ROWS:
            return self.execution.collected.in_rows.places
        return ((dataset.id, each.path) for dataset in self.reads[each.read])

    def unnamed_reads(self) -> Iterator[int]:
        """Yield the indices of reads that are no dataset: data in memory, and sources without a name."""
        return (index for index, each in enumerate(self.reads) if not each)

    def shorten(self, text: str) -> str:
        """The text without credentials, limited to the configured length with a note of what is cut off."""
        text = redact(text)
        limit = self.application.size("spark.headwater.text.maxLength", 4096)
        return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


def _held(execution: Execution) -> Places:
    """What the program held of which the execution may make use."""
    lineage = execution.lineage
    listed = (each for field in lineage.fields for each in field.inputs)
    used = {each.read for each in chain(lineage.dataset, listed)}
    if IN_ROWS in used:
        return execution.collected.in_rows
    return execution.collected.collected if COLLECTED in used else NOWHERE
