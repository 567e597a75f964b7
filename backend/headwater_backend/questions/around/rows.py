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
way to an edge that is in the store: until then, the search keeps it back (``_Ways``). So an answer without such an edge
is the same as if nobody asked for rows.

Rows are arrived at level by level, as paths are. BACKWARD, the search reads the edges around their datasets for that.
FORWARD, it reads them with the paths anyway, and nothing is done before it meets an edge OF_ROWS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from headwater_backend.domain.model import (
    OF_ROWS,
    DatasetKey,
    Direction,
    Fan,
    JobKey,
    LineageType,
    NodeKey,
    only_read_as,
)
from headwater_facets.kinds import ROWS

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


def rows(direction: Direction, types: Collection[LineageType]) -> Rows:
    """The rows in a search of that direction for the types."""
    if LineageType.INDIRECT not in types:
        return Rows()
    return _Backward() if direction is Direction.BACKWARD else _Forward()


def of_rows(fan: Fan) -> bool:
    """Whether the fan is from rows alone."""
    return fan.transformations[0].subtype == ROWS and fan.transformations == OF_ROWS


class _Ways:
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


class _Backward(Rows):
    def __init__(self) -> None:
        super().__init__()
        self._arrived: set[DatasetKey] = set()
        self._ways = _Ways()

    @property
    def unread(self) -> Sequence[NodeKey]:
        return self.waiting

    def opened(self, paths: Fans, around: Mapping[NodeKey, list[Fan]]) -> Opened:
        to = {node: some for node, fans in paths.items() if (some := list(filter(to_rows, fans)))}
        if not (to or self.waiting):
            return Opened(paths)
        left = {node: [fan for fan in paths[node] if not to_rows(fan)] for node in to}
        wholes = {whole.dataset: whole for whole in self.waiting}
        deciding: dict[NodeKey, list[Fan]] = defaultdict(list)
        for near, fans in around.items():
            if (whole := wholes.get(near.dataset)) is not None:
                for fan in fans:
                    deciding[whole] += _deciding(fan)
                    to.setdefault(whole, []).extend(_made_of(whole, fan))
        return Opened({**paths, **left}, deciding, to)

    def advance(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> list[tuple[int, Fans]]:
        for fans in opened.rows.values():
            self._ways.show(*fans[:1])
        following: dict[NodeKey, None] = {}
        for node, fans in opened.to_rows.items():
            for fan in dict.fromkeys(fans):
                for far in fan.fars:
                    self._ways.add(level, node, fan._replace(fars=(far,)))
                    following[far] = None
        self.waiting = [far for far in following if far.dataset not in self._arrived]
        self._arrived.update(far.dataset for far in self.waiting)
        return self._ways.drained()

    def searched(self) -> Set[DatasetKey]:
        return self._arrived


def to_rows(fan: Fan) -> bool:
    """Whether the fan, of a search backward, leads to the rows of datasets."""
    return of_rows(fan) and not any(far.path for far in fan.fars)


def _deciding(fan: Fan) -> Iterator[Fan]:
    """What of a fan decides about its whole near end, other than rows."""
    kinds = () if fan.near.path else tuple(t for t in fan.transformations if t.type is LineageType.INDIRECT)
    if kinds and not to_rows(fan):
        yield fan._replace(transformations=kinds)


def _made_of(whole: NodeKey, fan: Fan) -> Iterator[Fan]:
    """The fan from the rows of the dataset to those of which it is made, by a fan into it or into a path of it."""
    alone = not (fan.direct or fan.near.path or to_rows(fan))  # what decides about all is followed by itself
    datasets = {far.dataset for far in fan.fars} - {whole.dataset}
    if datasets and not alone and not only_read_as(fan.transformations):
        fars = tuple(NodeKey(dataset, ()) for dataset in sorted(datasets))
        yield Fan(whole, fars, fan.job, OF_ROWS, fan.version)


class _Forward(Rows):
    def __init__(self) -> None:
        super().__init__()
        self._levels: list[tuple[int, Opened, list[NodeKey]]] = []
        self._met = False
        self._kept: dict[DatasetKey, list[Fan]] = {}
        self._followed: set[DatasetKey] = set()
        self._arrived: dict[DatasetKey, int] = {}
        self._made: dict[DatasetKey, dict[_Made, None]] = defaultdict(dict)
        self._ways = _Ways()

    def from_path(self, near: NodeKey, fans: list[Fan]) -> list[Fan]:
        kept = [] if near.path else list(filter(of_rows, fans))
        if not kept:
            return fans
        self._met = True
        self._kept[near.dataset] = kept
        return [fan for fan in fans if not of_rows(fan)]

    def opened(self, paths: Fans, around: Mapping[NodeKey, list[Fan]]) -> Opened:
        if not self._met:
            return Opened(paths)
        self._catch_up()
        found = {}
        for dataset in [each for each in self._kept if each not in self._followed]:
            whole = NodeKey(dataset, ())
            if whole not in paths and dataset in self._arrived:
                found[whole] = self._kept[dataset]
                self._followed.add(dataset)
        return Opened(paths, found)

    def advance(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> list[tuple[int, Fans]]:
        self._levels.append((level, opened, list(wholes)))
        for whole in wholes:
            if fans := list(filter(of_rows, opened.paths.get(whole, ()))):
                self._met = True
                self._followed.add(whole.dataset)
                self._ways.show(*fans)
        for fans in opened.rows.values():
            self._ways.show(*fans)
        if self._met:
            self._catch_up()
        return self._ways.drained()

    def _catch_up(self) -> None:
        for level in self._levels:
            self._step(*level)
        self._levels = []

    def _step(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> None:
        """Go on from the rows at which the search arrived by that level."""
        arriving = dict.fromkeys(
            (*self.waiting, *(each for each in wholes if each.dataset not in self._arrived))
        )
        self._arrived.update((each.dataset, level) for each in arriving)
        self.waiting = []
        for node, fans in chain(opened.paths.items(), opened.rows.items()):
            for made in _made_from(node.dataset, fans):
                known = self._made[node.dataset]
                if made not in known:
                    known[made] = None
                    if self._arrived.get(node.dataset, level) < level:
                        self._lead(level, node.dataset, made)
        for each in arriving:
            for made in self._made[each.dataset]:
                self._lead(level, each.dataset, made)

    def _lead(self, level: int, dataset: DatasetKey, made: _Made) -> None:
        whole, far = NodeKey(dataset, ()), NodeKey(made.dataset, ())
        self._ways.add(level, whole, Fan(whole, (far,), made.job, OF_ROWS, made.version))
        if made.dataset not in self._arrived:
            self._arrived[made.dataset] = level + 1
            self.waiting.append(far)


class _Made(NamedTuple):
    """A dataset that a job makes, in a version of its lineage."""

    dataset: DatasetKey
    job: JobKey
    version: str


def _made_from(dataset: DatasetKey, fans: Iterable[Fan]) -> Iterator[_Made]:
    """What the fans make of a dataset."""
    for fan in fans:
        if not only_read_as(fan.transformations):
            for made in {far.dataset for far in fan.fars} - {dataset}:
                yield _Made(made, fan.job, fan.version)
