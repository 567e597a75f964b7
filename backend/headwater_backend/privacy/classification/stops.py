"""Declassified paths: places at which personal data from upstream end.

A value stops on its way into a declassified path, and into what that path contains, from every job or from the one that
the declassification names. What is declared personal at the path itself goes on from there. A value that arrives in a
struct as a whole goes on, too, even if a member of the struct is declassified: which part of it arrived is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
        self._met: set[Stop] = set()

    def __bool__(self) -> bool:
        return bool(self._stops)

    def passed(self, fans: Iterable[Fan]) -> Iterator[Fan]:
        """The fans without the far ends at which values stop."""
        for fan in fans:
            fars = tuple(far for far in fan.fars if not self.at(far, fan.job))
            if len(fars) == len(fan.fars):
                yield fan
            elif fars:
                yield fan._replace(fars=fars)

    def note(self, reached: Iterable[Iterable[Fan]]) -> None:
        """Note the stops at the far ends of fans from nodes that a value reached."""
        found = (self.at(far, fan.job) for fans in reached for fan in fans for far in fan.fars)
        self._met.update(stop for stop in found if stop)

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
