"""Recursive CTEs: the least solution of columns that are made of themselves, round by round."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater_spark.tracing.values.value import NOTHING, Origin, Steps, Value, collapse, column, substitute

MOST_ROUNDS = 12
"""Rounds of a recursion that are followed; paths that still grow after them are taken at their last length."""


def closing(operator: int, columns: Mapping[int, Value]) -> Callable[[Origin], Value]:
    """Puts in these columns for one operator's, and leaves all others."""

    def resolve(origin: Origin) -> Value:
        return columns.get(origin.column, NOTHING) if origin.operator == operator else column(origin)

    return resolve


def solved(operator: int, anchor: Mapping[int, Value], round_: Mapping[int, Value]) -> Mapping[int, Value]:
    """What a recursion's columns are made of, from the anchor's and one round over the operator's own columns."""
    found = anchor
    for _ in range(MOST_ROUNDS):
        closed = closing(operator, found)
        following = {k: substitute(v, closed) for k, v in round_.items()}
        if _extent(following) == _extent(found):
            return following
        found = following
    return found


def _extent(columns: Mapping[int, Value]) -> set[tuple[int, Origin, Steps]]:
    return {(k, e.origin, e.path) for k, v in columns.items() for e in collapse(v).edges}
