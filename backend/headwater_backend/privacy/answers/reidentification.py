"""Pseudonyms that are no protection where they are, because the data beside them tell whose they are.

A pseudonym of an attribute is *re-identified* in a dataset

``SAME_ROWS``
    where the attribute is readable, too, and one job brought both, or the dataset declares the attribute. Such a
    dataset is a *key table*: with it, the same pseudonyms can be read elsewhere;
``SAME_DATASET``
    where different jobs brought the two: the values may be in the same rows, or in others;
``KEY_TABLE``
    where a job joined data by the pseudonym with a key table, and brought from the key table something that identifies
    the person: the dataset no longer needs to hold the pseudonym.

Readable is the value itself, or what was computed from it. A producer that reports no joins hides the last case.

Aggregates protect persons only if nobody is a group of their own. So the answer also lists the *keys* of aggregates
that nothing classifies: a key that identifies a person must be classified for the aggregates to count as that person's
data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import reduce
from itertools import permutations
from operator import or_
from typing import Final, NamedTuple

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    Incomplete,
    JobKey,
    LineageType,
    NodeKey,
)
from headwater_backend.ports import LineageAndRuns, PathGraph
from headwater_backend.privacy.answers.small_groups import SmallGroups, small_groups
from headwater_backend.privacy.classification import categories
from headwater_backend.privacy.classification.personal import Attribute
from headwater_backend.privacy.exposure import Classification, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.grouping import aggregated, group_keys
from headwater_backend.privacy.propagation import places
from headwater_backend.questions.traversal import Bounds

READABLE: Final = (Form.IDENTITY, Form.TRANSFORMED)


class How(Enum):
    """How a pseudonym is re-identified; the module describes each."""

    SAME_ROWS = "SAME_ROWS"
    SAME_DATASET = "SAME_DATASET"
    KEY_TABLE = "KEY_TABLE"


class Held(NamedTuple):
    """A path that holds the attribute; the witness is a shortest route, empty where the attribute is declared."""

    node: NodeKey
    form: Form
    witness: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Reidentification:
    """A dataset in which a pseudonym of the attribute is readable by the source.

    With ``KEY_TABLE``, the pseudonym is what was joined, and the source is in the key table.
    """

    dataset: DatasetKey
    attribute: Attribute
    how: How
    pseudonym: Held
    source: Held


class GroupKey(NamedTuple):
    """A key by which a job groups the rows of an aggregated output, and that nothing classifies."""

    output: DatasetKey
    job: JobKey
    key: NodeKey


@dataclass(frozen=True, slots=True)
class Reidentifications:
    """All findings, the unclassified keys of aggregates of attributes, and those over few rows, all sorted."""

    as_of: datetime
    findings: tuple[Reidentification, ...]
    keys: tuple[GroupKey, ...]
    small_groups: tuple[SmallGroups, ...]
    incomplete: tuple[Incomplete, ...]
    classification: Classification

    @property
    def complete(self) -> bool:
        return not self.incomplete


def reidentifications(
    store: LineageAndRuns, ruling: Ruling, category: str | None = None, bounds: Bounds | None = None
) -> Reidentifications:
    """Where pseudonyms of all attributes, or those of the category, are re-identified. Raises what ``exposed`` raises.

    All attributes are searched for in any case: whose pseudonym it is may be readable by another attribute.
    """
    bounds, wanted = bounds or Bounds(), category and categories.checked(category)
    report = exposed(store, Scope(bounds=bounds), ruling)
    findings: list[Reidentification] = []
    keys: list[GroupKey] = []
    small: list[SmallGroups] = []
    if report.attributes:
        finder = _Finder(store, report, bounds.as_of)
        findings, keys = sorted(finder.findings(), key=_order), sorted(finder.unclassified_keys())
        small = sorted(small_groups(store, finder.with_aggregates(), bounds.as_of))
    return Reidentifications(
        as_of=report.as_of,
        findings=tuple(each for each in findings if not wanted or each.attribute.is_of(wanted)),
        keys=tuple(keys),
        small_groups=tuple(small),
        incomplete=report.incomplete,
        classification=report.classification,
    )


def _order(found: Reidentification) -> tuple[object, ...]:
    return found.dataset, found.attribute.node, found.how.value, found.pseudonym.node, found.source.node


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


class _Finder:
    """All findings of a report on all attributes, whose places are bits as in the propagation."""

    def __init__(self, store: PathGraph, report: ExposureReport, as_of: datetime | None) -> None:
        self._store = store
        self._as_of = as_of
        self._attributes = [each.attribute for each in report.attributes]
        self._propagation = propagation = report.attributes[0].propagation
        self._pseudonyms: dict[DatasetKey, dict[NodeKey, int]] = defaultdict(dict)
        self._readable: dict[DatasetKey, dict[NodeKey, int]] = defaultdict(dict)
        for node in sorted(propagation.nodes()):
            for forms, found in (((Form.PSEUDONYMISED,), self._pseudonyms), (READABLE, self._readable)):
                if bits := propagation.holding_as(node, forms):
                    found[node.dataset][node] = bits
        self._persons = sum(1 << place for place, each in enumerate(self._attributes) if each.identifies)

    def findings(self) -> Iterator[Reidentification]:
        """Each pseudonym in a dataset once; a key table only where the dataset itself is none."""
        together = list(self._together())
        yield from together
        seen = {(each.dataset, each.attribute.node) for each in together if each.how is How.SAME_ROWS}
        joined = {(each.dataset, each.attribute.node, each.pseudonym.node): each for each in self._joined()}
        yield from (each for (dataset, node, _), each in joined.items() if (dataset, node) not in seen)

    def with_aggregates(self) -> list[DatasetKey]:
        """The datasets that hold aggregates of an attribute, sorted."""
        nodes = self._propagation.nodes()
        held = {node.dataset for node in nodes if self._propagation.holding_as(node, (Form.AGGREGATED,))}
        return sorted(held)

    def unclassified_keys(self) -> set[GroupKey]:
        """The keys of aggregates that hold something of an attribute, and hold nothing of any themselves."""
        keys = group_keys(self._store, aggregated(self._propagation.found), self._as_of)
        return {
            GroupKey(fan.near.dataset, fan.job, far)
            for fan in keys
            for far in fan.fars
            if not self._propagation.held_at(far, tuple(Form))
        }

    def _together(self) -> Iterator[Reidentification]:
        """For each pseudonym, the attribute in the same dataset: rather in the same rows, then the strongest."""
        for dataset, pseudonyms in self._pseudonyms.items():
            readable = self._readable.get(dataset, {})
            for node, bits in pseudonyms.items():
                others = {other: held & bits for other, held in readable.items() if other != node}
                for place in places(_union(others.values())):
                    sources = [other for other, held in others.items() if held >> place & 1]
                    yield self._beside(place, node, sources)

    def _beside(self, place: int, node: NodeKey, sources: Sequence[NodeKey]) -> Reidentification:
        jobs = self._propagation.bringing(place, node, (Form.PSEUDONYMISED,))
        found = [
            (self._how(place, jobs, source), self._held(place, source, READABLE), source)
            for source in sources
        ]
        how, source, _ = min(found, key=lambda each: (each[0] is not How.SAME_ROWS, each[1].form, each[2]))
        pseudonym = self._held(place, node, (Form.PSEUDONYMISED,))
        return Reidentification(node.dataset, self._attributes[place], how, pseudonym, source)

    def _how(self, place: int, jobs: set[JobKey], source: NodeKey) -> How:
        declared = self._attributes[place].node == source
        brought = self._propagation.bringing(place, source, READABLE)
        return How.SAME_DATASET if not declared and jobs.isdisjoint(brought) else How.SAME_ROWS

    def _held(self, place: int, node: NodeKey, forms: Sequence[Form]) -> Held:
        """The attribute at the node, in the strongest of the forms."""
        if node == self._attributes[place].node:
            return Held(node, Form.IDENTITY)
        arrival = next(each for each in self._propagation.arrivals(place, node) if each.form in forms)
        return Held(node, arrival.form, self._propagation.witness(place, node, arrival))

    def _joined(self) -> Iterator[Reidentification]:
        """What jobs joined with a key table, by a pseudonym of both, and brought a person from it."""
        brought = self._persons_brought()
        for (job, output), keys in self._join_keys().items():
            for (node, bits), (other, held) in permutations(keys.items(), 2):
                if node.dataset != other.dataset and (job, output, other.dataset) in brought:
                    table = self._readable.get(other.dataset, {})
                    for place in places(bits & held & _union(table.values())):
                        source = next(each for each, at in table.items() if at >> place & 1)
                        yield self._by_key_table(output, place, node, source)

    def _by_key_table(
        self, output: DatasetKey, place: int, node: NodeKey, source: NodeKey
    ) -> Reidentification:
        pseudonym = self._held(place, node, (Form.PSEUDONYMISED,))
        return Reidentification(
            output, self._attributes[place], How.KEY_TABLE, pseudonym, self._held(place, source, READABLE)
        )

    def _join_keys(self) -> Mapping[tuple[JobKey, DatasetKey], Mapping[NodeKey, int]]:
        """The pseudonyms by which each job joins the rows of each output."""
        nodes = {node: bits for found in self._pseudonyms.values() for node, bits in found.items()}
        indirect = frozenset({LineageType.INDIRECT})
        found = self._store.neighbours(sorted(nodes), Direction.FORWARD, indirect, self._as_of)
        keys: dict[tuple[JobKey, DatasetKey], dict[NodeKey, int]] = defaultdict(dict)
        for near, fars, job, kinds in found.fans:
            if near in nodes and any(kind.subtype == "JOIN" for kind in kinds):
                for far in fars:
                    keys[job, far.dataset][near] = nodes[near]
        return keys

    def _persons_brought(self) -> set[tuple[JobKey, DatasetKey, DatasetKey]]:
        """Each job with an output and an input from which it brings something readable that identifies a person."""
        return {
            (fan.job, far.dataset, fan.near.dataset)
            for node, fans in self._propagation.found.fans.items()
            if self._propagation.holding_as(node, READABLE) & self._persons
            for fan in fans
            for far in fan.fars
            if self._propagation.holding_as(far, READABLE) & self._persons
        }
