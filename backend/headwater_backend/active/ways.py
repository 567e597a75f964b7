"""The ways of an answer that data can take: a search over states, each a path with what a row there must meet.

States are not enumerated way by way: of two states at one path, the one with fewer conditions goes wherever the other
one goes, so the other is left out. An edge is excluded if no state takes it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater_backend.active import MOST_STATES
from headwater_backend.active.carrying import Fact, against, along, read_as_written, written
from headwater_backend.active.deciding import Verdict, decide, minimal
from headwater_backend.active.frontier import Passage, Way
from headwater_backend.active.passages import Step, Through, guarding, related, through
from headwater_backend.active.terms import Term
from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    JobKey,
    NodeKey,
)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Conditions that exclude each other, so that no row passes an edge."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ActiveWays:
    """Of the edges of an answer, those that data can take.

    ``through`` are those of them by which data can come from, or get to, an end of the answer: values that are made on
    the way take the others.

    ``excluded`` has for each other edge why, in each case that was tried; nothing where only other excluded edges lead
    to it. ``undecided`` are taken because the solver did not come to an end. ``conditions`` has for each node what its
    rows have to meet, one tuple for each state in which it was reached.

    Where the search was ``cut``, ``frontier`` are the ways at whose ends it stopped, and all edges beyond are taken.
    ``followed`` are those that it had come to.
    """

    taken: frozenset[Edge]
    through: frozenset[Edge]
    excluded: Mapping[Edge, tuple[Exclusion, ...]]
    undecided: frozenset[Edge]
    conditions: Mapping[NodeKey, tuple[tuple[Fact, ...], ...]]
    cut: bool = False
    frontier: tuple[Way, ...] = ()
    followed: frozenset[Edge] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """A path, and what a row there has to meet; each is one of its own."""

    node: NodeKey
    facts: tuple[Fact, ...]
    terms: frozenset[Term] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", frozenset(fact.term for fact in self.facts))


class _Move(NamedTuple):
    """A state, and the state to which an edge led from there; ``through`` is None where it is not known."""

    before: _State
    edge: Edge
    through: Through | None
    after: _State


def active_ways(
    edges: Iterable[Edge],
    steps: Iterable[Step],
    start: NodeKey,
    direction: Direction,
    *,
    where: Sequence[Fact] = (),
    ends: Callable[[], bool] = lambda: False,
    most_states: int = MOST_STATES,
    within: Collection[Edge] | None = None,
) -> ActiveWays:
    """The ways from ``start`` that data can take among the edges.

    ``steps`` are those of all that write the datasets of the answer. ``where`` holds of the row at the start.
    The search is cut where it ``ends`` before it is done. It follows no edge but those ``within``.
    """
    search = _Search(list(edges), list(steps), direction, most_states, ends, within)
    search.run([_State(start, tuple(where))])
    return search.result()


def onward_ways(
    edges: Iterable[Edge],
    steps: Iterable[Step],
    starts: Iterable[NodeKey],
    *,
    ends: Callable[[], bool] = lambda: False,
    most_states: int = MOST_STATES,
) -> ActiveWays:
    """The ways onward from all the starts together, whose rows may be any."""
    search = _Search(list(edges), list(steps), Direction.FORWARD, most_states, ends)
    search.run([_State(each, ()) for each in starts])
    return search.result()


@dataclass(slots=True)
class _Search:
    edges: list[Edge]
    steps: list[Step]
    direction: Direction
    most_states: int
    ends: Callable[[], bool]
    within: Collection[Edge] | None = None
    taken: dict[Edge, None] = field(default_factory=dict)
    refused: dict[Edge, list[Exclusion]] = field(default_factory=lambda: defaultdict(list))
    undecided: set[Edge] = field(default_factory=set)
    seen: dict[NodeKey, list[_State]] = field(default_factory=lambda: defaultdict(list))
    moves: list[_Move] = field(default_factory=list)
    pending: deque[_State] = field(default_factory=deque)
    cut: bool = False
    _by_dataset: dict[DatasetKey, list[Edge]] = field(init=False)
    _of: dict[tuple[JobKey, DatasetKey], list[Step]] = field(init=False)
    _into: dict[DatasetKey, list[Step]] = field(init=False)
    _unstated: set[DatasetKey] = field(init=False)
    _kept: dict[DatasetKey, bool] = field(default_factory=dict)
    _through: dict[Edge, list[Through] | None] = field(default_factory=dict)
    _written: set[DatasetKey] = field(init=False)

    def __post_init__(self) -> None:
        self._by_dataset, self._of, self._into = defaultdict(list), defaultdict(list), defaultdict(list)
        for edge in self.edges if self.within is None else self.within:
            self._by_dataset[self._near(edge).dataset].append(edge)
        for step in self.steps:
            self._of[step.job, step.output].append(step)
            self._into[step.output].append(step)
        self._written = {edge.target.dataset for edge in self.edges}
        self._unstated = {
            edge.target.dataset for edge in self.edges if (edge.job, edge.target.dataset) not in self._of
        }

    def _near(self, edge: Edge) -> NodeKey:
        return edge.target if self.direction is Direction.BACKWARD else edge.source

    def _far(self, edge: Edge) -> NodeKey:
        return edge.source if self.direction is Direction.BACKWARD else edge.target

    def run(self, starts: Iterable[_State]) -> None:
        self.pending.extend(starts)
        states = 0
        while self.pending:
            state = self.pending.popleft()
            if self._is_known(state):
                continue
            states += 1
            if states > self.most_states or self.ends():
                self.cut = True
                self.pending.appendleft(state)
                return
            self.seen[state.node].append(state)
            for edge in self._onward(state.node):
                following = list(self._followed(edge, state))
                self.moves += following
                self.pending.extend(each.after for each in following)

    def _onward(self, node: NodeKey) -> Iterator[Edge]:
        for edge in self._by_dataset.get(node.dataset, ()):
            if related(self._near(edge).path, node.path):
                yield edge

    def _is_known(self, state: _State) -> bool:
        """Whether a state with no more conditions was there."""
        terms = state.terms
        return any(each.terms <= terms for each in self.seen[state.node])

    def _followed(self, edge: Edge, state: _State) -> Iterator[_Move]:
        """The moves along an edge."""
        if edge not in self._through:
            self._through[edge] = through(edge, self._of.get((edge.job, edge.target.dataset), ()))
        ways = self._through[edge]
        if ways is None:
            self.taken[edge] = None
            yield _Move(state, edge, None, _State(self._far(edge), ()))
            return
        for way in ways:
            facts = (*self._carried(edge, state, way), *guarding(edge, way))
            verdict = decide(frozenset(fact.term for fact in facts))
            if verdict is Verdict.EXCLUDED:
                self._refuse(edge, facts)
                continue
            if verdict is Verdict.UNDECIDED:
                self.undecided.add(edge)
            self.taken[edge] = None
            yield _Move(state, edge, way, _State(self._far(edge), self._beyond(edge, facts, way)))

    def _refuse(self, edge: Edge, facts: tuple[Fact, ...]) -> None:
        of = {fact.term: fact for fact in reversed(facts)}
        exclusion = Exclusion(tuple(of[term] for term in minimal([fact.term for fact in facts])))
        if exclusion not in self.refused[edge]:
            self.refused[edge].append(exclusion)

    def _is_kept(self, dataset: DatasetKey) -> bool:
        """Whether rows of the dataset are as the steps that are known have written them."""
        if dataset not in self._kept:
            into = self._into.get(dataset, ())
            changed = dataset in self._unstated or any(step.populations is None for step in into)
            self._kept[dataset] = not changed
        return self._kept[dataset]

    def _carried(self, edge: Edge, state: _State, way: Through) -> tuple[Fact, ...]:
        if self.direction is Direction.BACKWARD:
            return against(state.facts, way.population, edge.job, kept=self._is_kept(edge.target.dataset))
        kept = way.population.rows[way.row].kept or edge.source.dataset not in self._written
        return along(state.facts, way.population, edge.job, way.row, kept=kept)

    def _beyond(self, edge: Edge, facts: tuple[Fact, ...], way: Through) -> tuple[Fact, ...]:
        if self.direction is Direction.FORWARD:
            kept = self._is_kept(edge.target.dataset)
            return written(facts, way.population, edge.job) if kept else ()
        row = way.population.rows[way.row]
        return read_as_written(facts, way.row, row, kept=row.kept and self._is_kept(edge.source.dataset))

    def _is_end(self, state: _State) -> bool:
        """Whether the answer ends at a state."""
        near = (self._near(edge).path for edge in self._by_dataset.get(state.node.dataset, ()))
        return not any(related(path, state.node.path) for path in near)

    def _leading_through(self) -> frozenset[Edge]:
        """The edges of moves from which an end of the answer is reached."""
        into: dict[_State, list[_State]] = defaultdict(list)
        same: dict[_State, _State] = {}
        for move in self.moves:
            known = same.setdefault(move.after, self._representative(move.after))
            into[known].append(move.before)
        pending = [state for states in self.seen.values() for state in states if self._is_end(state)]
        alive = set(pending)
        while pending:
            for before in into.get(pending.pop(), ()):
                if before not in alive:
                    alive.add(before)
                    pending.append(before)
        return frozenset(move.edge for move in self.moves if same[move.after] in alive)

    def _representative(self, state: _State) -> _State:
        """The state that went on in place of another one."""
        terms = state.terms
        return next((each for each in self.seen[state.node] if each.terms <= terms), state)

    def _waiting(self) -> list[_State]:
        """The states from which a search that was cut did not go on."""
        return [state for state in self.pending if not self._is_known(state)]

    def _beyond_all(self, states: Iterable[_State]) -> set[Edge]:
        """The edges to which the states may lead, whatever rows have to meet."""
        found: set[Edge] = set()
        nodes = list({state.node for state in states})
        met = set(nodes)
        while nodes:
            for edge in self._onward(nodes.pop()):
                found.add(edge)
                far = self._far(edge)
                if far not in met:
                    met.add(far)
                    nodes.append(far)
        return found

    def _routes(self, states: Iterable[_State]) -> Iterator[Way]:
        """The way on which the search has come to each of the states."""
        came: dict[int, _Move] = {}
        for move in self.moves:
            came.setdefault(id(move.after), move)
        for state in states:
            passages: list[Passage | None] = []
            last = came.get(id(state))
            edge = last.edge if last else None
            while last is not None:
                way = last.through
                passages.append(Passage(way.population, way.row) if way else None)
                last = came.get(id(last.before))
            yield Way(state.node, edge, tuple(reversed(passages)))

    def result(self) -> ActiveWays:
        waiting = self._waiting()
        taken = frozenset(self.taken) | self._beyond_all(waiting)
        reached = {edge: self.refused.get(edge, []) for edge in self.edges if edge not in taken}
        return ActiveWays(
            taken,
            taken if self.cut else self._leading_through(),
            {edge: tuple(why) for edge, why in reached.items()},
            frozenset(self.undecided),
            {node: tuple(state.facts for state in states) for node, states in self.seen.items() if states},
            self.cut,
            tuple(self._routes(waiting)),
            frozenset((*(move.edge for move in self.moves), *self.refused)),
        )
