"""Decisions of stewards about personal data, and those in force at a moment.

They are records like the decisions about names (``domain.records.DecisionMade``), with subjects of their own: ``class``
is a path's categories, or that it is not personal; ``declassified`` and ``declassified-by`` end the propagation of
personal data at a path, from all jobs or from one, for good or until a moment; ``rejected`` ends the proposals for a
path; ``looked-at`` is that nothing else in a dataset is personal. An empty content revokes. The newest decision about a
subject is in force.

A path is named as its dataset was called when the decision was made. It is read under the dataset's present canonical
name; of the decisions in force that then are about the same path, the newest one counts.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeVar

from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey, PathSteps
from headwater_backend.domain.moments import maybe_moment, micros, moment
from headwater_backend.domain.node_keys import dataset_of, job_of, named_text, node_of, node_text
from headwater_backend.domain.records import DecisionMade
from headwater_backend.names.decisions import newest
from headwater_backend.ports import Datasets, StewardDecisions
from headwater_backend.ports.decisions import Decisions
from headwater_backend.questions.resolving import written
from headwater_facets.canonical_json import canonical

CLASS: Final = "class "
DECLASSIFIED: Final = "declassified "
DECLASSIFIED_BY: Final = "declassified-by "
REJECTED: Final = "rejected "
REVIEWED: Final = "looked-at "
KINDS: Final = (CLASS, DECLASSIFIED, DECLASSIFIED_BY, REJECTED, REVIEWED)


@dataclass(frozen=True, slots=True)
class PathClass:
    """A steward's decision on a path: its categories, sorted, or none if it is not personal."""

    node: NodeKey
    categories: tuple[str, ...]
    proposal: str = ""
    """Why it was proposed, if a steward confirmed a proposal."""

    @property
    def subject(self) -> str:
        return CLASS + node_text(self.node)

    def content(self) -> str:
        """The content of a decision for it."""
        proposal = {"proposal": self.proposal} if self.proposal else {}
        return canonical({"categories": list(self.categories), **proposal})


@dataclass(frozen=True, slots=True)
class Declassification:
    """A steward's decision that data at a path, or that one job brings there, are not personal any more."""

    node: NodeKey
    job: JobKey | None = None
    until: datetime | None = None

    @property
    def subject(self) -> str:
        by = f"{DECLASSIFIED_BY}{named_text(self.job)}" if self.job else DECLASSIFIED
        return by + node_text(self.node)

    def content(self) -> str:
        """The content of a decision for it."""
        return canonical({"until": micros(self.until) if self.until else None})

    def __str__(self) -> str:
        return place(self.node) + (f" by {self.job.name}" if self.job else "")


@dataclass(frozen=True, slots=True)
class Rejection:
    """A steward's decision to propose nothing for a path."""

    node: NodeKey

    @property
    def subject(self) -> str:
        return REJECTED + node_text(self.node)

    def content(self) -> str:
        """The content of a decision for it."""
        return canonical({"rejected": True})


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A steward's decision that nothing in a dataset is personal but what is classified; ``paths`` were known then.

    It overrules no rule, no tag and no other decision, and says nothing of paths that came later.
    """

    node: NodeKey
    paths: frozenset[PathSteps]

    @property
    def subject(self) -> str:
        return REVIEWED + node_text(self.node)

    def content(self) -> str:
        """The content of a decision for it."""
        return canonical({"paths": [list(path) for path in sorted(self.paths)]})


Decidable = PathClass | Declassification | Rejection | Reviewed
"""The things that a decision puts in force."""
K = TypeVar("K")
D = TypeVar("D", PathClass, Declassification, Rejection, Reviewed)


@dataclass(frozen=True)
class Decided:
    """The decisions in force, under the present names of datasets."""

    classes: Mapping[NodeKey, tuple[PathClass, DecisionMade]] = field(default_factory=dict)
    declassifications: Mapping[tuple[NodeKey, JobKey | None], tuple[Declassification, DecisionMade]] = field(
        default_factory=dict
    )
    rejections: Mapping[NodeKey, tuple[Rejection, DecisionMade]] = field(default_factory=dict)
    reviewed: Mapping[DatasetKey, tuple[Reviewed, DecisionMade]] = field(default_factory=dict)

    @cached_property
    def personal(self) -> Mapping[NodeKey, tuple[PathClass, DecisionMade]]:
        """The classes of the paths that are personal data."""
        return {node: each for node, each in self.classes.items() if each[0].categories}

    @cached_property
    def denied(self) -> frozenset[NodeKey]:
        """The paths that are not personal data."""
        return frozenset(node for node, (thing, _) in self.classes.items() if not thing.categories)

    @cached_property
    def datasets(self) -> frozenset[DatasetKey]:
        """The datasets of which a steward decided at least one path."""
        declassified = (node for node, _ in self.declassifications)
        return frozenset(node.dataset for node in (*self.classes, *self.rejections, *declassified))

    def is_open(self, node: NodeKey) -> bool:
        """Whether no steward decided what the path is."""
        if node in self.classes or node in self.rejections or (node, None) in self.declassifications:
            return False
        return node.dataset not in self.reviewed or node.path not in self.reviewed[node.dataset][0].paths

    def without_declassifications(self) -> Decided:
        return replace(self, declassifications={})


NOTHING_DECIDED: Final = Decided()


def decided(store: StewardDecisions, as_of: datetime) -> Decided:
    """The decisions in force at that moment."""
    return in_force(store.decisions(), as_of)


def in_force(decisions: Decisions, as_of: datetime) -> Decided:
    """Those of the decisions that are in force at that moment."""
    return decisions.derived(_InForce).at(micros(as_of))


class _InForce:
    """The decisions in force at any moment; those of the last one are kept for as long as they are the same."""

    def __init__(self, decisions: Decisions) -> None:
        made = ((thing_of(each), each) for each in decisions if is_about_classes(each))
        self._things = [(thing and _renamed(thing, decisions.canonical), each) for thing, each in made]
        ends = (thing.until for thing, _ in self._things if isinstance(thing, Declassification))
        times = {each.time for _, each in self._things}
        self._moments = sorted(times.union(micros(end) for end in ends if end is not None))
        """When something comes into force, or ends."""
        self._kept = (0, NOTHING_DECIDED)

    def at(self, now: int) -> Decided:
        """The decisions in force at that time, in microseconds since 1970."""
        part, kept = bisect_right(self._moments, now), self._kept
        if kept[0] != part:
            kept = self._kept = (part, self._decided(now))
        return kept[1]

    def _decided(self, now: int) -> Decided:
        known = {made: thing for thing, made in self._things if made.time <= now}
        stand = [(known[made], made) for made in newest(known).values()]
        return Decided(
            _by(lambda each: each.node, [(t, made) for t, made in stand if isinstance(t, PathClass)]),
            _by(
                lambda each: (each.node, each.job),
                [
                    (t, made)
                    for t, made in stand
                    if isinstance(t, Declassification) and (t.until is None or now < micros(t.until))
                ],
            ),
            _by(lambda each: each.node, [(t, made) for t, made in stand if isinstance(t, Rejection)]),
            _by(lambda each: each.node.dataset, [(t, made) for t, made in stand if isinstance(t, Reviewed)]),
        )


def present_names(store: Datasets, datasets: Iterable[DatasetKey]) -> dict[DatasetKey, DatasetKey]:
    """The present name of each dataset that the store knows."""
    return {key: found.key for key, found in store.get_datasets(sorted(datasets)).items()}


def is_about_classes(made: DecisionMade) -> bool:
    """Whether the decision is about personal data, and not about names; an unreadable subject is about nothing."""
    if not made.subject.startswith(KINDS):
        return False
    try:
        subject_place(made.subject)
    except ValueError:
        return False
    return True


def subject_place(subject: str) -> tuple[NodeKey, JobKey | None]:
    """The path that a subject is about, and the job, if it is about one."""
    kind, _, text = subject.partition(" ")
    if f"{kind} " != DECLASSIFIED_BY:
        return node_of(text), None
    end = text.index("/", text.index("/") + 1) + 1
    return node_of(text[end:]), job_of(text[:end])


def thing_of(made: DecisionMade) -> Decidable | None:
    """The thing that the decision puts in force; None where it revokes one, or cannot be read."""
    try:
        content = json.loads(made.content) if made.content else None
        return _read(made.subject, content) if isinstance(content, dict) else None
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def decided_by(thing: PathClass, made: DecisionMade) -> str:
    """Who classified the path, when and why."""
    confirmed = f" ({thing.proposal})" if thing.proposal else ""
    return f"{made.actor} on {moment(made.time):%Y-%m-%d}: {made.reason}{confirmed}"


def place(node: NodeKey) -> str:
    """The path and its dataset, as people write them."""
    return f"{' '.join(node.dataset)} {written(node.path)}".strip()


def _read(subject: str, content: Mapping[str, Any]) -> Decidable | None:
    node, job = subject_place(subject)
    if subject.startswith(CLASS):
        keys = tuple(sorted(str(key) for key in content["categories"]))
        return PathClass(node, keys, str(content.get("proposal", "")))
    if subject.startswith((DECLASSIFIED, DECLASSIFIED_BY)):
        return Declassification(node, job, maybe_moment(content["until"]))
    if subject.startswith(REVIEWED):
        return Reviewed(node, frozenset(tuple(map(str, path)) for path in content["paths"]))
    return Rejection(node) if subject.startswith(REJECTED) else None


def _renamed(thing: Decidable, canonical: Mapping[str, str]) -> Decidable:
    """The thing under the present name of its dataset."""
    name = canonical.get(named_text(thing.node.dataset))
    return thing if name is None else replace(thing, node=NodeKey(dataset_of(name), thing.node.path))


def _by(key: Callable[[D], K], things: Iterable[tuple[D, DecisionMade]]) -> dict[K, tuple[D, DecisionMade]]:
    """The newest of each key, in the order of the keys."""
    ordered = sorted(things, key=lambda each: (each[1].time, each[1].subject))
    found = {key(thing): (thing, made) for thing, made in ordered}
    return dict(sorted(found.items(), key=lambda each: _order(each[1][0])))


def _order(thing: Decidable) -> tuple[object, ...]:
    job = thing.job if isinstance(thing, Declassification) else None
    return thing.node, job or ()
