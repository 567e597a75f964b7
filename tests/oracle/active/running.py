"""Pipelines are executed in batches, each an application, and judged."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence

from oracle.active.judging import Judged, judge
from oracle.active.pipelines import Pipeline, batch, pipeline
from oracle.companies.executor import Executor

TOGETHER = 10
"""Pipelines of one application."""


def judged_batches(
    executor: Executor, seeds: Sequence[int], *, hostile: bool, collations: bool, keep: bool = False
) -> Iterator[tuple[Pipeline, Mapping[str, str], Judged]]:
    """Each pipeline with its jobs that failed and the judgement."""
    for at in range(0, len(seeds), TOGETHER):
        some = [pipeline(seed, hostile=hostile, collations=collations) for seed in seeds[at : at + TOGETHER]]
        # Constants in columns leave an application only if it says so.
        shown = "predicates" if hostile and (seeds[at] // TOGETHER) % 2 else "show"
        executed = executor.execute(batch(seeds[at], some, {"spark.headwater.literals": shown}))
        found = judge(executed, some)
        if not keep:
            shutil.rmtree(executed.folder)
        for each in some:
            failed = {name: why for name, why in executed.failed.items() if f" p{each.seed}_" in name}
            yield each, failed, found[each.seed]
