"""Figures over many pipelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from oracle.active.judging import Judged
from oracle.active.pipelines import Pipeline


@dataclass
class Tally:
    """Counts over all pipelines; ``share`` is over those in which all that can happen does, and nothing failed."""

    pipelines: int = 0
    jobs: int = 0
    failed: int = 0
    missed: int = 0
    unlisted: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    exhaustive: Counter[str] = field(default_factory=Counter)

    def add(self, pipeline: Pipeline, failed: Mapping[str, str], found: Judged) -> None:
        self.pipelines += 1
        self.jobs += len(pipeline.jobs)
        self.failed += len(failed)
        self.missed += len(found.missed)
        self.unlisted += len(found.unlisted)
        self.counts += found.counts
        if pipeline.exhaustive and not failed:
            self.exhaustive += found.counts

    @property
    def share(self) -> float:
        """Of the edges that no value can take, how many are left out."""
        return self.exhaustive["excluded"] / max(1, self.exhaustive["absent"])

    @property
    def text(self) -> str:
        return (
            f"{self.pipelines} pipelines of {self.jobs} jobs ({self.failed} failed): {self.missed} missed,"
            f" {self.unlisted} in no passive answer; {dict(self.counts)};"
            f" left out {self.share:.0%} of what cannot be, over {dict(self.exhaustive)}"
        )
