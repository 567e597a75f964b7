"""Which rows a dataset has, apart from what is in them: a state of its own, in which a search may arrive at a dataset.

The rows of a dataset follow from what decides about all of it, and from the rows of the datasets of which it is made.
They decide which rows are made of it, so also about paths to which nothing in it leads (``model.OF_ROWS``): how often a
constant stands there.

BACKWARD
    An edge OF_ROWS leads to the rows of its source. From there, the search goes on to what decides about that whole
    dataset, and to the rows of all datasets of which something leads to it; never to its paths.
FORWARD
    A search arrives at the rows of a dataset with the whole of it, and at those of each dataset to which something of
    it leads. From there, it follows the edges OF_ROWS, which it never follows from a path.

That the rows of one dataset follow from those of another is no edge in the store. It is shown as one, and only on the
way to an edge that is in the store: until then, the search keeps it back (``Ways``). So an answer without such an edge
is the same as if nobody asked for rows.

Rows are arrived at level by level, as paths are, and the search reads the edges around their datasets for that;
FORWARD, not before it meets an edge OF_ROWS (``rows_backward``, ``rows_forward``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from operator import itemgetter

from headwater_backend.domain.model import (
    BETWEEN_ROWS,
    OF_ROWS,
    DatasetKey,
    Fan,
    NodeKey,
)
from headwater_facets.kinds import ROWS, ROWS_OF_ROWS

Fans = dict[NodeKey, list[Fan]]
"""Fans by the nodes from which a search follows them."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a search found on one level: the edges from ``paths`` and from ``rows``, and those ``to_rows``."""

    paths: Fans
    rows: Fans = field(default_factory=dict)
    to_rows: Fans = field(default_factory=dict)

    def shown(self) -> Fans:
        """All edges to paths."""
        both = dict(self.paths)
        for node, fans in self.rows.items():
            both[node] = [*both.get(node, ()), *fans]
        return both


class Rows:
    """The rows at which a search arrives; this one arrives at none."""

    def __init__(self) -> None:
        self.waiting: list[NodeKey] = []
        """The whole datasets whose rows are next."""

    @property
    def unread(self) -> Sequence[NodeKey]:
        """Those of them around which the search has to read the edges."""
        return ()

    def from_path(self, near: NodeKey, fans: list[Fan]) -> list[Fan]:
        """Those of the fans at a node that are followed from the paths below it."""
        return fans

    def opened(self, paths: Fans, around: Mapping[NodeKey, list[Fan]]) -> Opened:
        """The edges of one level; ``around`` are those around ``unread``, by their near ends, and maybe others."""
        return Opened(paths)

    def advance(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> list[tuple[int, Fans]]:
        """Go on along the edges of that level, on which these whole datasets were opened with all their paths. The
        result are edges to rows that are shown from now on, by their levels.
        """
        return []

    def searched(self) -> Set[DatasetKey]:
        """The datasets whose rows were searched, and maybe no path of them."""
        return frozenset()


def of_rows(fan: Fan) -> bool:
    """Whether the fan is from rows alone to what is made of nothing else there."""
    return fan.transformations[0].subtype == ROWS and fan.transformations == OF_ROWS


def between_rows(fan: Fan) -> bool:
    """Whether the fan is from the rows of a dataset to those of another."""
    return fan.transformations[0].subtype == ROWS_OF_ROWS and fan.transformations == BETWEEN_ROWS


def to_rows(fan: Fan) -> bool:
    """Whether the fan, of a search backward, leads to the rows of datasets."""
    return between_rows(fan) or (of_rows(fan) and not any(far.path for far in fan.fars))


class Ways:
    """The edges that lead to rows: kept back until these rows are shown."""

    def __init__(self) -> None:
        self._kept: dict[DatasetKey, list[tuple[int, NodeKey, Fan]]] = defaultdict(list)
        self._shown: set[DatasetKey] = set()
        self._fresh: list[tuple[int, NodeKey, Fan]] = []

    def add(self, level: int, node: NodeKey, fan: Fan) -> None:
        """Note a fan to the rows of one dataset, which the search found at the node on that level."""
        dataset = fan.fars[0].dataset
        if dataset in self._shown:
            self._fresh.append((level, node, fan))
            self.show(fan)
        else:
            self._kept[dataset].append((level, node, fan))

    def show(self, *fans: Fan) -> None:
        """Show all ways to the rows from which the fans lead."""
        waiting = list(fans)
        while waiting:
            dataset, path = waiting.pop().near
            if not path and dataset not in self._shown:
                self._shown.add(dataset)
                ways = self._kept.pop(dataset, [])
                self._fresh += ways
                waiting += [fan for _, _, fan in ways]

    def drained(self) -> list[tuple[int, Fans]]:
        """The fans that are shown, and were not before, by their levels."""
        levels: dict[int, Fans] = defaultdict(lambda: defaultdict(list))
        for level, node, fan in self._fresh:
            levels[level][node].append(fan)
        self._fresh = []
        return sorted(levels.items(), key=itemgetter(0))
