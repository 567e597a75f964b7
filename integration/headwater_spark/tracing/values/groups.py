"""Statistics of groups whose values are all alike, because the groups are made by them.

``SELECT salary, avg(salary) … GROUP BY salary`` writes each salary twice: nothing of it is lost among many. Measures of
how values differ from each other show nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from headwater_facets.kinds import LineageType, Retains
from headwater_spark.tracing.values.value import Edge, Origin, Steps, Value, collapse

Place: TypeAlias = tuple[Origin, Steps]

_OF_SIZE: Final = frozenset({"sum", "try_sum", "avg", "mean", "try_avg", "product", "vector_sum", "vector_avg"})
"""Functions whose result for equal values is the value, or some times it."""


def places_of(keys: Iterable[Value]) -> frozenset[Place]:
    """Where the values are that can be read from the keys of groups."""
    return frozenset(
        (e.origin, e.path)
        for key in keys
        for e in collapse(key).edges
        if e.how.type is LineageType.DIRECT and e.how.retains.readable
    )


def of_groups(value: Value, places: frozenset[Place]) -> Value:
    """A column of groups that are made by the values at the places: a statistic of them is of one value each."""
    edges = tuple(e._replace(how=replace(e.how, retains=Retains.OF_FEW)) if _is_alike(e, places) else e
                  for e in value.edges)  # fmt: skip
    members = {step: of_groups(member, places) for step, member in value.members.items()}
    return replace(value, edges=edges, members=members)


def _is_alike(edge: Edge, places: frozenset[Place]) -> bool:
    how = edge.how
    if how.type is LineageType.INDIRECT or how.retains is not Retains.STATISTIC:
        return False
    ends = range(len(edge.path) + 1)
    return not _OF_SIZE.isdisjoint(how.functions) and any((edge.origin, edge.path[:n]) in places for n in ends)
