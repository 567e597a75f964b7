"""What functions of the program are given where nothing else comes of a plan: of a count, or a write to nowhere."""

from __future__ import annotations

from dataclasses import replace

from headwater_facets.kinds import Known
from headwater_spark.executions.actions import RETURNS_NO_VALUES
from headwater_spark.tracing.result import PlanLineage


def with_handed_over(lineage: PlanLineage, action: str) -> PlanLineage:
    """The lineage of an execution; a function in it that nobody has read may send elsewhere what it is given.

    Of an action that returns nothing, all that its plan looks at counts as returned then: to the program's own code.
    What an action inside a micro-batch is called is not known.
    """
    are_read = all(each.known is Known.ANALYSED for each in lineage.functions)
    if are_read or not _comes_to_nothing(lineage, action):
        return lineage
    seen = ((each.read, each.path) for each in lineage.access)
    returned = tuple(dict.fromkeys((*lineage.returned, *seen)))
    return replace(lineage, target=None, returned=returned, is_handed_over=True)


def _comes_to_nothing(lineage: PlanLineage, action: str) -> bool:
    """Whether nothing but what functions do comes of it."""
    if lineage.target is not None:
        return lineage.target.source.get("keeps") == "nothing"
    return action in RETURNS_NO_VALUES or not lineage.returned
