"""Declassified paths: places at which personal data from upstream end.

A value stops on its way into a declassified path, and into what that path contains, from every job or from the one that
the declassification names. What is declared personal at the path itself goes on from there.

A value that arrives in a struct as a whole may be in any member of it. It stays in the struct, and goes on from it and
from its members, except from declassified ones. If those are declassified for another job alone, the value arrives at
them as well. If the struct is copied on as a whole, the value goes on: which part of it that is, is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from headwater_backend.domain.model import Fan, JobKey, NodeKey
from headwater_backend.domain.records import DecisionMade
from headwater_backend.privacy.classification.decided import Decided, Declassification


@dataclass(frozen=True, slots=True)
class Stop:
    """A declassification in force, and the decision for it."""

    declassification: Declassification
    made: DecisionMade


class Stops:
    """The places at which values end; false where nothing is declassified."""

    def __init__(self, decided: Decided) -> None:
        self._stops = {place: Stop(*each) for place, each in decided.declassifications.items()}
        self._declassified = {node for node, _ in self._stops}
        self._datasets = {node.dataset for node in self._declassified}
        self._inside: dict[NodeKey, list[NodeKey]] = defaultdict(list)
        for node in sorted(self._declassified):
            for end in range(len(node.path)):
                self._inside[NodeKey(node.dataset, node.path[:end])].append(node)
        self._met: set[Stop] = set()

    def __bool__(self) -> bool:
        return bool(self._stops)

    def followed(self, fans: Mapping[NodeKey, Sequence[Fan]]) -> dict[NodeKey, list[Fan]]:
        """The fans by which what arrived at each node goes on; those from declassified members are the members' own."""
        found: dict[NodeKey, dict[Fan, None]] = defaultdict(dict)
        for node, leaving in fans.items():
            for fan in leaving:
                found[self.member(node, fan.near) or node][fan] = None
        return {node: list(self.passed(leaving)) for node, leaving in found.items()}

    def passed(self, fans: Iterable[Fan]) -> Iterator[Fan]:
        """The fans without the far ends at which values stop, and with the members that they reach nevertheless."""
        for fan in fans:
            if self._datasets.isdisjoint(far.dataset for far in fan.fars):
                yield fan
                continue
            fars = tuple(dict.fromkeys(end for far in fan.fars for end in self._reached(far, fan.job)))
            if fars == fan.fars:
                yield fan
            elif fars:
                yield fan._replace(fars=fars)

    def note(self, reached: Iterable[Iterable[Fan]]) -> None:
        """Note the stops at the far ends of fans from nodes that a value reached, and in them."""
        for fan in chain.from_iterable(reached):
            for far in fan.fars:
                self._met.update(self.around(far, fan.job))

    def around(self, node: NodeKey, job: JobKey) -> Iterator[Stop]:
        """The stop of a value that the job brings to the node, or the stops in the node."""
        places = (node,) if self.at(node, job) else self.inside(node)
        yield from filter(None, (self.at(place, job) for place in places))

    def inside(self, node: NodeKey) -> Sequence[NodeKey]:
        """The declassified paths in the node, which are not the node itself."""
        return self._inside.get(node, ())

    def member(self, node: NodeKey, inner: NodeKey) -> NodeKey | None:
        """The deepest declassified path in the node that is, or contains, an inner path of it."""
        if node not in self._inside:
            return None
        ends = range(len(inner.path), len(node.path), -1)
        around = (NodeKey(node.dataset, inner.path[:end]) for end in ends)
        return next((each for each in around if each in self._declassified), None)

    def _reached(self, far: NodeKey, job: JobKey) -> Iterator[NodeKey]:
        if not self.at(far, job):
            yield far
            yield from (each for each in self.inside(far) if not self.at(each, job))

    def at(self, node: NodeKey, job: JobKey) -> Stop | None:
        """The stop of a value that the job brings to the node."""
        for end in range(len(node.path), 0, -1):
            above = NodeKey(node.dataset, node.path[:end])
            found = self._stops.get((above, None)) or self._stops.get((above, job))
            if found:
                return found
        return None

    def met(self) -> tuple[Stop, ...]:
        """The stops at which a value ended, by path and job."""
        return in_order(self._met)


def in_order(stops: Iterable[Stop]) -> tuple[Stop, ...]:
    """Each of the stops once, by path and job."""
    return tuple(sorted(set(stops), key=_order))


def _order(stop: Stop) -> tuple[object, ...]:
    return stop.declassification.node, stop.declassification.job or ()
