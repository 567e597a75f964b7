"""Which edges a search follows from a node that some jobs read by another name: those of these jobs alone.

How a job reads a dataset (``model.READ_AS``) holds for its own reads. FORWARD, what arrives at a read name goes on with
the edges of its reader, unless it arrives there in another way, too. BACKWARD, a read name leads to the stored path
only for what its reader made of it. Where a search begins, any job's reading counts.

Edges that are left out are kept back (``Readers``): when the search later arrives in another way, they are followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from headwater_backend.domain.model import Direction, Fan, JobKey, NodeKey, only_read_as
from headwater_backend.questions.around.rows import between_rows, of_rows
from headwater_facets.kinds import ROWS

Alone = JobKey | str | None
"""What an arrival goes on with alone: the edges of its reader, or those from rows (``ROWS``); None: with all."""


def alone(fan: Fan) -> Alone:
    """What goes on alone from where something arrived by the fan."""
    if only_read_as(fan.transformations):
        return fan.job
    return ROWS if between_rows(fan) else None


def goes_on(only: Alone, fan: Fan) -> bool:
    """Whether what arrived goes on by the fan; ``only`` is what it goes on with ``alone``."""
    if only == ROWS:
        return of_rows(fan) or between_rows(fan)
    return only is None or (fan.job == only and not only_read_as(fan.transformations))


class Readers:
    """The arrivals of one search: ``kept`` has, of opened nodes, the fans that are not followed so far."""

    def __init__(self, direction: Direction, starts: Iterable[NodeKey]) -> None:
        self._forward = direction is Direction.FORWARD
        self._free = set(starts)
        self._jobs: dict[NodeKey, set[JobKey]] = defaultdict(set)
        self._kept: dict[NodeKey, list[Fan]] = {}

    def followed(self, opened: Mapping[NodeKey, list[Fan]]) -> dict[NodeKey, list[Fan]]:
        """The fans that the search follows from each node; the others are kept back."""
        found: dict[NodeKey, list[Fan]] = {}
        for node, fans in opened.items():
            found[node] = [fan for fan in fans if self._follows(node, fan)]
            if len(found[node]) < len(fans):
                self._kept[node] = [fan for fan in fans if not self._follows(node, fan)]
        return found

    def released(self, nodes: Iterable[NodeKey]) -> dict[NodeKey, list[Fan]]:
        """The fans that were kept back at the nodes, and are followed by now."""
        kept = {node: self._kept.pop(node) for node in nodes if node in self._kept}
        return {node: fans for node, fans in self.followed(kept).items() if fans}

    def arrive(self, fans: Iterable[Fan]) -> None:
        """Note the far ends of the fans."""
        for fan in fans:
            if self._forward and not only_read_as(fan.transformations):
                self._free.update(fan.fars)
            elif self._forward or not only_read_as(fan.transformations):
                for far in fan.fars:
                    self._jobs[far].add(fan.job)

    def _follows(self, node: NodeKey, fan: Fan) -> bool:
        if node in self._free:
            return True
        if self._forward:
            return fan.job in self._jobs[node] and not only_read_as(fan.transformations)
        return fan.job in self._jobs[node] or not only_read_as(fan.transformations)

    def waiting(self, nodes: Sequence[NodeKey]) -> list[NodeKey]:
        """Those of the nodes at which a fan was kept back that is followed by now."""
        return [node for node in nodes if any(self._follows(node, fan) for fan in self._kept.get(node, ()))]
