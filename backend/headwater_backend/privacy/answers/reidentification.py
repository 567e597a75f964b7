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
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import permutations
from operator import or_
from typing import NamedTuple

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
from headwater_backend.privacy.exposure import Classification, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope, comparable
from headwater_backend.privacy.forms import READABLE, Form
from headwater_backend.privacy.grouping import aggregated, group_keys
from headwater_backend.privacy.propagation import places
from headwater_backend.privacy.reidentified import Held, How, Reidentification
from headwater_backend.questions.traversal import Bounds


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
        findings, keys = finder.findings(), sorted(finder.unclassified_keys())
        small = sorted(small_groups(store, finder.with_aggregates(), bounds.as_of))
    return Reidentifications(
        as_of=report.as_of,
        findings=tuple(each for each in findings if not wanted or each.attribute.is_of(wanted)),
        keys=tuple(keys),
        small_groups=tuple(small),
        incomplete=report.incomplete,
        classification=report.classification,
    )


def found_in(
    store: PathGraph, report: ExposureReport, as_of: datetime | None = None
) -> list[Reidentification]:
    """All re-identifications of a report on all attributes, sorted; it may be one with influences."""
    return _Finder(store, report, as_of).findings() if report.attributes else []


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

    def findings(self) -> list[Reidentification]:
        """Each pseudonym in a dataset once, sorted; a key table only where the dataset itself is none."""
        together = list(self._together())
        seen = {(each.dataset, each.attribute.node) for each in together if each.how is How.SAME_ROWS}
        joined = [each for each in self._joined() if (each.dataset, each.attribute.node) not in seen]
        return sorted([*together, *joined], key=_order)

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
        if Form.IDENTITY in forms and node == self._attributes[place].node:
            return Held(node, Form.IDENTITY)
        arrival = next(each for each in self._propagation.arrivals(place, node) if each.form in forms)
        return Held(node, arrival.form, self._propagation.witness(place, node, arrival))

    def _joined(self) -> Iterator[Reidentification]:
        """Each pseudonym by which a job joined a dataset with a key table, and brought a person from it: once for each
        output, with the first such job and key table.
        """
        joins, seen = self._joins(), set()
        brought = self._persons_brought(joins)
        for (job, output), keys in sorted(joins.items()):
            for join, other in permutations(sorted(keys, key=_ends), 2):
                table = other.source.dataset
                person = brought.get((job, output, table))
                if join.source.dataset == table or person is None:
                    continue
                readable = self._readable.get(table, {})
                both = _union(readable.values()) & _union(self._pseudonyms_at(other.source).values())
                for node, bits in self._pseudonyms_at(join.source).items():
                    for place in places(bits & both):
                        if (output, place, node) not in seen:
                            seen.add((output, place, node))
                            source = next(each for each, at in readable.items() if at >> place & 1)
                            yield self._by_key_table(place, node, join, source, person)

    def _pseudonyms_at(self, node: NodeKey) -> Mapping[NodeKey, int]:
        """The pseudonyms at the node, in it or around it."""
        known = self._pseudonyms.get(node.dataset, {})
        may_be_in = self._propagation.may_be_in
        return {at: bits for at, bits in known.items() if comparable(at, node) and may_be_in(at, node)}

    def _by_key_table(
        self, place: int, node: NodeKey, join: Edge, source: NodeKey, person: _Flow
    ) -> Reidentification:
        return Reidentification(
            dataset=join.target.dataset,
            attribute=self._attributes[place],
            how=How.KEY_TABLE,
            pseudonym=self._held(place, node, (Form.PSEUDONYMISED,)),
            source=self._held(place, source, READABLE),
            join=join,
            brought=self._brought(person),
        )

    def _brought(self, person: _Flow) -> Held:
        """What identifies a person, where the flow brings it."""
        place = next(places(person.bits))
        target = person.edge.target
        before = self._held(place, person.node, READABLE)
        return Held(target, self._held(place, target, READABLE).form, (*before.witness, person.edge))

    def _joins(self) -> Mapping[tuple[JobKey, DatasetKey], Collection[Edge]]:
        """By job and output, an edge for each pseudonym by which the job joins the rows of the output."""
        nodes = [node for found in self._pseudonyms.values() for node in found]
        indirect = frozenset({LineageType.INDIRECT})
        found = self._store.neighbours(sorted(nodes), Direction.FORWARD, indirect, self._as_of)
        joins: dict[tuple[JobKey, DatasetKey], dict[NodeKey, Edge]] = defaultdict(dict)
        for fan in found.fans:
            if any(kind.subtype == "JOIN" for kind in fan.transformations) and self._pseudonyms_at(fan.near):
                for edge in fan.edges(Direction.FORWARD):
                    known = joins[fan.job, edge.target.dataset]
                    known[fan.near] = min(known.get(fan.near, edge), edge, key=_ends)
        return {key: known.values() for key, known in joins.items()}

    def _persons_brought(
        self, outputs: Container[tuple[JobKey, DatasetKey]]
    ) -> Mapping[tuple[JobKey, DatasetKey, DatasetKey], _Flow]:
        """Each job with one of the outputs, and an input from which it brings something readable that identifies a
        person, with the first flow of it.
        """
        found: dict[tuple[JobKey, DatasetKey, DatasetKey], _Flow] = {}
        for node, fan in self._propagation.flows():
            here = self._propagation.holding_as(node, READABLE) & self._persons
            for edge in fan.edges(Direction.FORWARD) if here else ():
                key = (edge.job, edge.target.dataset, edge.source.dataset)
                if key[:2] in outputs:
                    bits = here & self._propagation.carried(node, fan, edge.target, READABLE)
                    flow = _Flow(edge, node, bits)
                    if bits:
                        found[key] = min(found.get(key, flow), flow, key=lambda each: _ends(each.edge))
        return found


class _Flow(NamedTuple):
    """An edge, the node from which attributes go along it, and these, as bits."""

    edge: Edge
    node: NodeKey
    bits: int


def _ends(edge: Edge) -> tuple[NodeKey, NodeKey, JobKey]:
    return edge[:3]
