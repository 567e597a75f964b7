"""The work for a plan grows as the plan does, in steps and in memory; counted, not timed."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import pytest

from headwater_spark.decode import decode
from headwater_spark.tracing import trace
from headwater_spark.tracing.deep import DEEPEST, with_deep_stack
from headwater_spark.tracing.result import PlanLineage
from kit.large_plans import filters, projections

SMALL, LARGE = 400, 1_600
LINEAR = 1.25 * LARGE / SMALL


def calls(plan: Mapping[str, Any]) -> int:
    """Functions that are called for the plan's lineage, the interpreter's own included."""
    count = 0

    def counts(_: FrameType, what: str, __: Any) -> None:
        nonlocal count
        count += what in ("call", "c_call")

    def counted() -> None:
        sys.setprofile(counts)
        try:
            trace(decode(plan))
        finally:
            sys.setprofile(None)

    with_deep_stack(counted)
    return count


def memory(plan: Mapping[str, Any]) -> int:
    """Bytes that are held at most at one time for the plan's lineage: the least of three, as other threads allocate."""
    return min(held(plan) for _ in range(3))


def held(plan: Mapping[str, Any]) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        with_deep_stack(lambda: trace(decode(plan)))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("chain", [filters, projections])
@pytest.mark.parametrize("cost", [calls, memory])
def test_four_times_the_operators_cost_four_times_as_much(
    cost: Callable[[Mapping[str, Any]], int], chain: Callable[[int], dict[str, Any]]
) -> None:
    assert cost(chain(LARGE)) < LINEAR * cost(chain(SMALL))


@pytest.mark.parametrize("chain", [filters, projections])
def test_every_operator_on_the_way_is_named(chain: Callable[[int], dict[str, Any]]) -> None:
    lineage: PlanLineage = trace(decode(chain(300)))

    assert len(lineage.operators) == 302
    ways = (*lineage.dataset, *lineage.fields[0].inputs)
    named = {operator for path in ways for way in path.transformations for operator in way.operators}
    assert named == set(range(1, 301))


def test_the_recursion_limit_is_raised_only_while_an_analysis_runs() -> None:
    before, ended = sys.getrecursionlimit(), threading.Event()
    longer = threading.Thread(target=with_deep_stack, args=[ended.wait])
    longer.start()
    assert with_deep_stack(sys.getrecursionlimit) >= DEEPEST
    assert sys.getrecursionlimit() >= DEEPEST
    ended.set()
    longer.join()
    assert sys.getrecursionlimit() == before
