"""What facet builders look at: one execution with its datasets named, and how it ended if it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from headwater_spark.capture.application import Application, Execution, Outcome
from headwater_spark.naming.datasets import DatasetId, Identity
from headwater_spark.redaction import redact
from headwater_spark.tracing.result import COLLECTED, InputPath, PathSteps, PlanLineage
from headwater_spark.types import StructType


@dataclass(frozen=True, slots=True)
class Scene:
    """An execution at the moment of an event; ``outcome`` is None at its start."""

    execution: Execution
    outcome: Outcome | None
    reads: tuple[tuple[Identity, ...], ...]
    targets: tuple[Identity, ...]

    @classmethod
    def of(cls, execution: Execution, outcome: Outcome | None) -> Scene:
        """The scene of an execution: names are looked up once."""
        return cls(execution, outcome, execution.reads(), execution.targets())

    @property
    def application(self) -> Application:
        """The application that executes."""
        return self.execution.application

    @property
    def lineage(self) -> PlanLineage:
        """What the analysis said."""
        return self.execution.lineage

    @property
    def target_schema(self) -> StructType:
        """The columns that are written."""
        return self.lineage.target.schema if self.lineage.target else StructType()

    def sources(self) -> dict[DatasetId, tuple[Identity, list[int]]]:
        """Each input dataset once, with the reads of it."""
        found: dict[DatasetId, tuple[Identity, list[int]]] = {}
        for index, each in enumerate(self.reads):
            for identity in each:
                found.setdefault(identity.id, (identity, []))[1].append(index)
        return found

    def places(self, each: InputPath) -> Iterable[tuple[DatasetId, PathSteps]]:
        """The paths of datasets that an input path of the plan is."""
        if each.read == COLLECTED:
            return self.execution.collected.places
        return ((dataset.id, each.path) for dataset in self.reads[each.read])

    def nameless(self) -> Iterator[int]:
        """The reads that are no dataset: data in memory, and what could not be named."""
        return (index for index, each in enumerate(self.reads) if not each)

    def cut(self, text: str) -> str:
        """The text without credentials, at its configured length, saying so when it is cut."""
        text = redact(text)
        limit = self.application.size("spark.headwater.text.maxLength", 4096)
        return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"
