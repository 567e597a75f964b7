"""Which reads without a write are told as runs.

Those that hand values to the program are told always, each once: a notebook that collects the same columns ten
thousand times is one run, until it fails. Two that have the same name and hand over different paths are different jobs,
since the newest run of a job stands for it. All others, and each time, are told only where
``spark.headwater.access.enabled`` asks for it.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from headwater_spark.capture.application import Application, Execution

log = logging.getLogger(__name__)

MOST: Final = 1_000
"""Different accesses of one application that are told without being asked for."""


class Accesses:
    """The accesses of one application that were told."""

    def __init__(self, application: Application) -> None:
        self._all = application.enabled("spark.headwater.access.enabled", default=False)
        self._handed_over = application.enabled("spark.headwater.access.driver.enabled", default=True)
        self._variants: dict[str, list[frozenset[object]]] = {}
        self._told: set[tuple[str, frozenset[object]]] = set()
        self._full = False

    def includes(self, execution: Execution) -> bool:
        """Whether to tell it."""
        if self._all and not execution.is_part:
            return True
        if not self._handed_over or not execution.hands_over or not execution.lineage.returned:
            return False
        if (execution.job.name, _handed(execution)) in self._told:
            return False
        if len(self._told) < MOST:
            return True
        if not self._full:
            self._full = True
            log.warning("%d different accesses were told; further ones of this application are not", MOST)
        return False

    def add(self, execution: Execution) -> Execution:
        """The execution under the name by which it is told."""
        if not execution.hands_over:
            return execution
        name, handed = execution.job.name, _handed(execution)
        self._told.add((name, handed))
        variants = self._variants.setdefault(name, [])
        if handed not in variants:
            variants.append(handed)
        return replace(execution, variant=variants.index(handed) + 1)

    def forget(self, execution: Execution) -> None:
        """It has failed: the next one of its kind is told again."""
        self._told.discard((replace(execution, variant=1).job.name, _handed(execution)))


def _handed(execution: Execution) -> frozenset[object]:
    reads = execution.reads()
    return frozenset(
        (dataset.id, path) for read, path in execution.lineage.returned for dataset in reads[read]
    )
