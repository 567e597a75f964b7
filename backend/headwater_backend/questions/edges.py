"""The edges of an answer, as columns.

They are computed on first access: callers that need nodes alone do not wait for them, and an object for each of 20,000
edges would take longer than the search. An answer's edges have few distinct jobs and transformations, which are those
of their fans; so the columns of edges name the fan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import NamedTuple, overload

from headwater_backend.domain.model import Direction, Edge, Fan, JobKey, NodeKey, Transformation
from headwater_backend.questions.traversal import Exploration

Ways = tuple[Transformation, ...]


class EdgeColumns(NamedTuple):
    """The edges as columns: of each its far end and its fan, and of each fan what its edges have in common.

    Ends are indexes in ``nodes``, ``fans`` are indexes in the columns after them. ``direction`` is that of the search.
    """

    direction: Direction
    fars: Sequence[int]
    fans: Sequence[int]
    nears: Sequence[int]
    jobs: Sequence[JobKey]
    transformations: Sequence[Ways]


class Edges(Sequence[Edge]):
    """The edges between ``nodes``, from source to target. ``columns`` is called once, on first access."""

    def __init__(self, nodes: Sequence[NodeKey], columns: Callable[[], EdgeColumns]) -> None:
        self._nodes = nodes
        self._columns = columns

    @classmethod
    def of(cls, nodes: Sequence[NodeKey], edges: Iterable[Edge]) -> Edges:
        """These edges, whose ends are all among the nodes."""
        return cls(nodes, lambda: _columns_of(nodes, edges))

    @cached_property
    def columns(self) -> EdgeColumns:
        return self._columns()

    def __len__(self) -> int:
        return len(self.columns.fans)

    @overload
    def __getitem__(self, place: int) -> Edge: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Edge]: ...

    def __getitem__(self, place: int | slice) -> Edge | Sequence[Edge]:
        if isinstance(place, slice):
            return tuple(self)[place]
        return self._edge(self.columns.fars[place], self.columns.fans[place])

    def __iter__(self) -> Iterator[Edge]:
        return map(self._edge, self.columns.fars, self.columns.fans)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edges) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def _edge(self, far: int, fan: int) -> Edge:
        direction, _, _, nears, jobs, ways = self.columns
        source, target = (far, nears[fan]) if direction is Direction.BACKWARD else (nears[fan], far)
        return Edge(self._nodes[source], self._nodes[target], jobs[fan], ways[fan])


def _columns_of(nodes: Iterable[NodeKey], edges: Iterable[Edge]) -> EdgeColumns:
    place_of = {node: place for place, node in enumerate(nodes)}
    rows = [(place_of[source], place_of[target], job, kinds) for source, target, job, kinds in edges]
    sources, targets, jobs, ways = zip(*rows, strict=True) if rows else ((),) * 4
    return EdgeColumns(Direction.BACKWARD, sources, range(len(rows)), targets, jobs, ways)


def edges_of(found: Exploration, by_name: Sequence[NodeKey], nodes: Sequence[NodeKey]) -> EdgeColumns:
    """Each edge once, with all its transformations; by the names of source, target and job.

    The fans are taken by the names of near end and job. So the edges at each far end are in this order, too, and in a
    backward search, in which far ends are sources, nothing is left to sort.
    """
    rank_of = {key: rank for rank, key in enumerate(by_name)}
    fans = _by_near_and_job(_disjoint(chain.from_iterable(found.fans.values())), rank_of)
    fans_at: list[list[int]] = [[] for _ in by_name]
    for number, fan in enumerate(fans):
        for rank in set(map(rank_of.__getitem__, fan.fars)):
            fans_at[rank].append(number)
    place_of = {node: place for place, node in enumerate(nodes)}
    places = [place_of[key] for key in by_name]
    fars = list(chain.from_iterable(map(repeat, places, map(len, fans_at))))
    numbers = list(chain.from_iterable(fans_at))
    if found.direction is Direction.FORWARD:
        nears = [rank_of[fan.near] for fan in fans]
        by_source = sorted(range(len(numbers)), key=lambda edge: nears[numbers[edge]])
        fars, numbers = [fars[edge] for edge in by_source], [numbers[edge] for edge in by_source]
    return EdgeColumns(
        found.direction,
        fars,
        numbers,
        [place_of[fan.near] for fan in fans],
        [fan.job for fan in fans],
        [fan.transformations for fan in fans],
    )


def _by_near_and_job(fans: Collection[Fan], rank_of: Mapping[NodeKey, int]) -> list[Fan]:
    jobs = {job: rank for rank, job in enumerate(sorted({fan.job for fan in fans}))}
    return sorted(fans, key=lambda fan: rank_of[fan.near] * len(jobs) + jobs[fan.job])


def _disjoint(fans: Iterable[Fan]) -> list[Fan]:
    """The same edges, each in one fan, with all its transformations in order."""
    alike: dict[tuple[NodeKey, JobKey], list[Fan]] = defaultdict(list)
    for fan in fans:
        alike[fan.near, fan.job].append(fan)
    merged = Merged()
    found: list[Fan] = []
    for (near, job), same in alike.items():
        if len(same) == 1:
            (fan,) = same
            kinds = merged.one(fan.transformations)
            found.append(fan if kinds is fan.transformations else fan._replace(transformations=kinds))
            continue
        ways: dict[NodeKey, dict[int, Ways]] = defaultdict(dict)
        for _, fars, _, kinds, _ in same:
            for far in fars:
                ways[far][id(kinds)] = kinds
        found += [Fan(near, (far,), job, merged.all(of_edge)) for far, of_edge in ways.items()]
    return found


class Merged:
    """The merged transformations of tuples, in order. Many edges share few tuples: their merged ones are one object.

    The tuples are known by their identity, and must outlive this object.
    """

    def __init__(self) -> None:
        self._of_one: dict[int, Ways] = {}
        self._of_all: dict[frozenset[int], Ways] = {}

    def one(self, ways: Ways) -> Ways:
        """The transformations of one tuple."""
        known = self._of_one.get(id(ways))
        if known is None:
            ordered = in_order(ways)
            known = self._of_one[id(ways)] = ways if ordered == ways else ordered
        return known

    def all(self, ways: Mapping[int, Ways]) -> Ways:
        """The transformations of several tuples, by their identity."""
        alike = frozenset(ways)
        if alike not in self._of_all:
            self._of_all[alike] = in_order(chain.from_iterable(ways.values()))
        return self._of_all[alike]


def in_order(kinds: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """Each transformation once, DIRECT first, then by its parts."""
    return tuple(sorted(set(kinds), key=transformation_order))


def transformation_order(transformation: Transformation) -> tuple[object, ...]:
    """A sort key: DIRECT first, then by the transformation's parts."""
    t = transformation
    return (
        t.type.value,
        t.subtype,
        t.masking,
        t.manipulation,
        t.access or "",
        t.at,
        t.functions,
        t.operators,
        t.retains or "",
    )
