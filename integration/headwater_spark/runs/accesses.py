"""Selects the reads without a write that are reported as runs.

Reads that return values to the program are reported once each: a notebook that collects the same columns ten thousand
times is one run, until it fails. Two with the same name that return different paths are different jobs, since the
newest run of a job represents it. Beyond a number of different ones, each further read is reported with whole rows,
once for each dataset. All other reads, and repetitions, are reported only if ``spark.headwater.access.enabled`` is set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from headwater_spark.capture.application import Application
from headwater_spark.executions.execution import Execution

MOST: Final = 1_000
"""The number of different accesses of one application that are reported by default with the paths that they return."""


class Accesses:
    """The reported accesses of one application."""

    def __init__(self, application: Application) -> None:
        self._all = application.enabled("spark.headwater.access.enabled", default=False)
        self._returning = application.enabled("spark.headwater.access.driver.enabled", default=True)
        self._variants: dict[str, list[frozenset[object]]] = {}
        self._reported: set[tuple[str, frozenset[object]]] = set()

    def includes(self, execution: Execution) -> bool:
        """Whether to report the execution."""
        if self._all and not execution.is_part:
            return True
        if not self._returning or not execution.returns_values or not execution.lineage.returned:
            return False
        reported = self._bounded(execution)
        return (reported.job.name, _returned(reported)) not in self._reported

    def add(self, execution: Execution) -> Execution:
        """Record the execution as reported; returns it with the variant that completes its job name."""
        if not execution.returns_values:
            return execution
        execution = self._bounded(execution)
        name, returned = execution.job.name, _returned(execution)
        self._reported.add((name, returned))
        variants = self._variants.setdefault(name, [])
        if returned not in variants:
            variants.append(returned)
        return replace(execution, variant=variants.index(returned) + 1)

    def discard(self, execution: Execution) -> None:
        """Remove a failed execution, so that the next one like it is reported again."""
        self._reported.discard((replace(execution, variant=1).job.name, _returned(execution)))

    def _bounded(self, execution: Execution) -> Execution:
        """The execution; beyond the bound, one that returns whole rows."""
        is_known = (execution.job.name, _returned(execution)) in self._reported
        if self._all or is_known or len(self._reported) < MOST:
            return execution
        rows = tuple(dict.fromkeys((read, ()) for read, _ in execution.lineage.returned))
        return execution.with_lineage(replace(execution.lineage, returned=rows))


def _returned(execution: Execution) -> frozenset[object]:
    """The datasets' paths whose values the execution returns to the program."""
    reads = execution.reads()
    return frozenset(
        (dataset.id, path) for read, path in execution.lineage.returned for dataset in reads[read]
    )
