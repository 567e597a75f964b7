"""Random histories of jobs that write each other's datasets, as events, with what each dataset really holds after them.

A value comes from a source ``p…``. It goes on in each way in which a target may hold it, and as runs say it or do not
say it. The truth is kept by executing each run on sets.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

from kit.openlineage import NAMESPACE, REPLACED, dataset, event, facet, paths

SOURCES: Final = ("p0", "p1")
MADE: Final = ("t", "u", "v")
_SPARK: Final = facet(integration="SPARK", processingType="BATCH", jobType="QUERY")
_TAGS: Final = facet(
    tags=[{"key": "data_category", "value": "user.health_and_medical", "source": "CONFIG", "field": "x"}]
)


@dataclass
class History:
    """A history in the making: its events, and what is held."""

    chance: random.Random
    ways: tuple[str, ...]
    events: list[dict[str, Any]] = field(default_factory=list)
    held: dict[str, frozenset[str]] = field(default_factory=lambda: defaultdict(frozenset))
    steps: list[str] = field(default_factory=list)
    """The runs in a few words."""

    def happens(self, runs: int) -> History:
        self.held |= {source: frozenset({source}) for source in SOURCES}
        for minute in range(1, runs + 1):
            self._drops(minute) if self.chance.random() < 0.08 else self._writes(minute)
        return self

    def _writes(self, minute: int) -> None:
        target, way = self.chance.choice(MADE), self.chance.choice(self.ways)
        known = [*SOURCES, *(name for name in MADE if self.held[name])]
        read = sorted(set(self.chance.choices(known, k=self.chance.randint(1, 2))))
        mode = self.chance.choice(("whole", "whole", "append", "failed"))
        job = self.chance.choice((f"to {target}", f"job {minute}"))
        self.steps.append(f"{minute} {job}: {read} -> {target} {way} {mode}")
        brought = frozenset[str]().union(*(self.held[name] for name in read))
        self.held[target] = brought if mode == "whole" else brought | self.held[target]
        output = dataset(target, "x", **_lineage(way, read), **(REPLACED if mode == "whole" else {}))
        made = event(
            "FAIL" if mode == "failed" else "COMPLETE",
            minute, f"run {minute}", [_read(name) for name in read], [output], job,
        )  # fmt: skip
        made["job"]["facets"]["jobType"] = _SPARK
        self.events.append(made)

    def _drops(self, minute: int) -> None:
        target = self.chance.choice(MADE)
        self.steps.append(f"{minute} drops {target}")
        self.held[target] = frozenset()
        gone = dataset(target, lifecycleStateChange=facet(lifecycleStateChange="DROP"))
        self.events.append(event("COMPLETE", minute, f"run {minute}", [], [gone], "drop"))


def _read(name: str) -> dict[str, Any]:
    return dataset(name, "x", **({"tags": _TAGS} if name in SOURCES else {}))


def _lineage(way: str, read: list[str]) -> dict[str, Any]:
    """The lineage facet that says how what was read has come into the target."""
    if way == "unlisted":
        gap = {"reason": "RDD", "paths": [], "detail": ""}
        return {"headwater_pathLineage": {**paths(), "complete": False, "incomplete": [gap]}}
    if way == "moved":
        return {"headwater_pathLineage": paths(*((["x"], name, ["x"], "IDENTITY") for name in read))}
    kinds = {
        "joined": {
            "type": "INDIRECT",
            "subtype": "JOIN",
            "access": "JOIN",
            "masking": False,
            "retains": "VALUE",
        },
        "decided": {"type": "INDIRECT", "subtype": "CONDITIONAL", "access": "CONDITION", "masking": False},
    }
    entries = [
        {"namespace": NAMESPACE, "name": name, "path": ["x"], "transformations": [kinds[way]]}
        for name in read
    ]
    facet_of_paths = paths(dataset=entries) if way == "joined" else paths()
    if way == "decided":
        facet_of_paths["fields"] = [{"path": ["x"], "inputFields": entries}]
    return {"headwater_pathLineage": facet_of_paths}
