"""What lineage claims of a pair of paths, to hold against what was seen to change (`kit.perturbation`).

An input path that changes an output path must be among its lineage: directly, or as an influence on it or on the whole
output. An entry whose manipulations only move values covers just the same relative path; any other covers its whole
subtree.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater_facets.kinds import MOVES, LineageType
from headwater_spark.tracing.result import PathSteps, PlanLineage, Transformation


@dataclass(frozen=True)
class Claims:
    """What a plan's lineage claims, asked path by path."""

    lineage: PlanLineage
    names: list[str]

    def covers(self, table: str, source: PathSteps, target: PathSteps) -> bool:
        """Whether the output path is reported to depend on the input path."""
        whole = (entry for entry in self.lineage.dataset)
        if any(self.names[e.read] == table and _within(source, e.path) for e in whole):
            return True
        return any(
            self.names[entry.read] == table and _reaches(source, entry.path, target, field.path, way)
            for field in self.lineage.fields
            for entry in field.inputs
            for way in entry.transformations
        )


def _reaches(
    source: PathSteps, entry: PathSteps, target: PathSteps, field: PathSteps, way: Transformation
) -> bool:
    if not _within(target, field) or not _within(source, entry):
        return False
    if way.type is LineageType.INDIRECT or not MOVES.issuperset(way.manipulation):
        return True
    return source[len(entry) :] == target[len(field) :]


def _within(path: PathSteps, ancestor: PathSteps) -> bool:
    return path[: len(ancestor)] == ancestor
