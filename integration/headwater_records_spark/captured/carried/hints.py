"""Joins that Spark is asked to run in the way that it would without ids, which make rows wider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater_records_spark.jvm import LOGICAL, Jvm, kind, listed

STRATEGIES = {
    "BroadcastHashJoin": "BROADCAST",
    "BroadcastNestedLoopJoin": "BROADCAST",
    "SortMergeJoin": "SHUFFLE_MERGE",
    "ShuffledHashJoin": "SHUFFLE_HASH",
    "CartesianProduct": "SHUFFLE_REPLICATE_NL",
}
"""The hints that stand for physical joins."""
LEFT = "BuildLeft"


def as_before(jvm: Jvm, plan: Any, operators: Sequence[str]) -> Any:
    """The plan with hints to its joins, from the top, to be run by these physical operators.

    Each is a name, with the side that is built, if it has one. A plan of another number of joins stays as it is.
    """
    before = [each.split() for each in operators if each.split()[0] in STRATEGIES]
    if len(before) != _joins(plan):
        return plan
    return _hinted(jvm, plan, iter([_hint(jvm, *each) for each in before]))


def _joins(plan: Any) -> int:
    return (kind(plan) == "Join") + sum(map(_joins, listed(plan.children())))


def _hint(jvm: Jvm, name: str, side: str = "") -> Any:
    some, none = jvm.view.scala.Option.apply, jvm.view.scala.Option.empty()
    given = some(jvm.type(LOGICAL + "HintInfo")(some(jvm.one(LOGICAL + STRATEGIES[name]))))
    return jvm.type(LOGICAL + "JoinHint")(*((given, none) if side == LEFT else (none, given)))


def _hinted(jvm: Jvm, node: Any, hints: Iterator[Any]) -> Any:
    own = next(hints) if kind(node) == "Join" else None
    children = listed(node.children())
    if children:
        node = node.withNewChildren(jvm.seq([_hinted(jvm, each, hints) for each in children]))
    return node if own is None else jvm.copy(node, _4=own)
