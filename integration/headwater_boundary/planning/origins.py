"""Where the records of an RDD come from."""

from __future__ import annotations

from typing import Any

from pyspark import RDD

OWN = ("ParallelCollectionRDD", "EmptyRDD")
"""The RDDs of values that the program has itself."""


def reads_data(rdd: RDD[Any]) -> bool:
    """Whether its records are read from anywhere, and not all values of the program."""
    pending, seen = [rdd._jrdd.rdd()], set()
    while pending:
        each = pending.pop()
        if each.id() in seen:
            continue
        seen.add(each.id())
        before = each.dependencies()
        if before.isEmpty() and not each.getClass().getSimpleName().startswith(OWN):
            return True
        pending += [before.apply(number).rdd() for number in range(before.size())]
    return False
