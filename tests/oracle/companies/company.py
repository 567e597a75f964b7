"""A company as data: its sources, and the steps of its nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from oracle.companies.features import Feature


class Attribute(NamedTuple):
    """A path of a source's records, such as ``("people_1", "visits[].reason")``."""

    source: str
    path: str


@dataclass(frozen=True)
class Source:
    """A dataset that exists before the first night; its personal paths with their categories of personal data."""

    name: str
    format: str
    records: Sequence[Mapping[str, Any]]
    categories: Mapping[str, str]


@dataclass(frozen=True)
class Step:
    """A job's program, or a copy outside Spark: its lines of Python, and the datasets that they name.

    The programs find their datasets in the folder ``root``.
    """

    name: str
    lines: Sequence[str]
    reads: frozenset[str]
    writes: frozenset[str]
    features: frozenset[Feature] = frozenset()
    opens: frozenset[str] = frozenset()
    """Those that it reads without Spark, which nobody sees: the agent is not in the programs' own process."""


@dataclass(frozen=True)
class Night:
    """Jobs of one application, with its settings, and the copies that are made after it."""

    name: str
    jobs: Sequence[Step]
    outside: Sequence[Step]
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Company:
    """A company: tokens by the attribute whose value they are, and constants by the attribute that they stand for."""

    seed: int
    sources: list[Source] = field(default_factory=list)
    nights: list[Night] = field(default_factory=list)
    tokens: dict[str, set[Attribute]] = field(default_factory=dict)
    codes: dict[str, set[Attribute]] = field(default_factory=dict)
    others: dict[Attribute, str] = field(default_factory=dict)
    """What others store in tables of jobs, with its categories: nobody knows of it, and no rule."""

    @property
    def steps(self) -> list[Step]:
        """All steps in order."""
        return [step for night in self.nights for step in (*night.jobs, *night.outside)]

    @property
    def text(self) -> str:
        """Its nights as a program, to be read."""
        found = [f"# company {self.seed}"]
        found += [f"# source {s.name} ({s.format}): {', '.join(s.categories)}" for s in self.sources]
        for night in self.nights:
            found.append(f"\n# {night.name}: one application")
            for step in night.jobs:
                found += [f"# {step.name}", *step.lines]
            for step in night.outside:
                found += [f"# {step.name}, outside Spark", *step.lines]
        return "\n".join(found)
