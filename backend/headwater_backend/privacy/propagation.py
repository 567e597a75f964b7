"""Propagation of values from many starts over the edges that a search found, all starts at once.

Theory of operation
===================

A *state* is a node, an arrival, and what it goes on with alone: the edges of a job, if a value arrived by how that job
reads the node's dataset, or those from rows, if it decides about rows alone (``around.readers``). From a state, a fan
leads to the states of its far ends, in the forms that its transformations give. The states that one start reaches are
its part of the answer, so the whole answer is a set of starts for each state. Such a set is an integer with a bit for
each start, and all starts advance together::

    level 0     each start's own state holds its bit
    level n+1   bits that a state received in level n go to all states that follow it; new ones are kept

Only new bits are passed on, so a state is visited again only where a start arrives later than another did, cycles end
by themselves, and routes are never enumerated. The cost is proportional to the edges, times the levels at which
something new arrives at their sources: at most the depth, and for most graphs close to one. It does not grow with the
starts, whose bits are moved many at a time.

The first level at which a start's bit is in a state is the length of a shortest route to it. So the levels are all
that a *witness* needs: it is found from its end, from level to level, over states that held the bit one level before.
That is done on demand, for one start and one node.

Where a value *stops* (``classification.stops``), the edge into that path counts as absent. What is declared at a start
leaves it by all of its edges, at level 0; what arrived at a struct leaves it by none from a declassified member.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import chain, product, starmap
from operator import or_
from typing import Final, NamedTuple

from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Edge,
    Fan,
    JobKey,
    NodeKey,
    Transformation,
)
from headwater_backend.privacy.classification.stops import Stops
from headwater_backend.privacy.forms import (
    ORDINARY,
    WHOLE,
    Arrival,
    Form,
    FormTable,
    Value,
    depend,
    is_grouped,
    of_rows,
)
from headwater_backend.questions.around.readers import Alone, alone, goes_on
from headwater_backend.questions.edges import in_order
from headwater_backend.questions.traversal import Exploration

State = tuple[NodeKey, Arrival, Alone]
Level = Mapping[State, int]
Grouped = frozenset[tuple[JobKey, NodeKey]]
"""Jobs, with the paths or whole datasets whose rows they group."""
UNGROUPED: Final[Grouped] = frozenset()
_VALUES: Final = tuple(starmap(Value, product((False, True), repeat=2)))
"""All that a value may be."""


class _Step(NamedTuple):
    """The last edge of a route, and the state before it."""

    before: State
    edge: Edge


class Propagation:
    """The arrivals of the values of ``starts`` within the depth, forward over the edges of the exploration."""

    def __init__(
        self,
        found: Exploration,
        starts: Sequence[NodeKey],
        depth: int | None,
        forms: FormTable,
        grouped: Grouped = UNGROUPED,
        *,
        stops: Stops | None = None,
        identifiers: Collection[NodeKey] = (),
        special: Collection[NodeKey] = (),
        influenced: bool = True,
    ) -> None:
        """``grouped`` is what jobs group by person: aggregates there are of one person. ``stops`` end values.

        ``identifiers`` are starts that identify a person, ``special`` those of special categories. Unless
        ``influenced``, mere influences are left out.
        """
        self._found = found
        self._fans: Mapping[NodeKey, Sequence[Fan]] = found.fans
        self._declared: Mapping[NodeKey, Sequence[Fan]] = found.fans
        """The fans from what is declared at the starts; all others are from what arrived."""
        if stops:
            self._fans = stops.followed(found.fans)
            self._declared = {node: list(stops.passed(found.fans.get(node, ()))) for node in starts}
        self._stops = stops
        self._forms = forms
        self._grouped = grouped
        self.starts = tuple(starts)
        self._own = {node: 1 << place for place, node in enumerate(starts)}
        self._identifiers = self._bits(identifiers)
        self._special = self._bits(special)
        self._influenced = influenced
        self._levels: list[Level] = []
        self._states: dict[NodeKey, dict[Arrival, int]] = defaultdict(dict)
        self._by_reader: dict[NodeKey, dict[tuple[Arrival, Alone], int]] = defaultdict(dict)
        self._cut: dict[NodeKey, int] = {}
        self._kept: tuple[int, dict[State, _Step]] = (-1, {})
        self.visits = 0
        """The number of states that were continued, each once for each level; the work is proportional to it."""
        self._run(depth)
        if stops:
            stops.note(found.fans[node] for node in self._states if node in found.fans)

    def holders(self, place: int) -> Sequence[NodeKey]:
        """The nodes that the start of that place reaches, by the strongest form, then by name; not the start itself."""
        return self._holders[place]

    def arrivals(self, place: int, node: NodeKey) -> tuple[Arrival, ...]:
        """The forms in which the start reaches the node, the strongest first."""
        return tuple(sorted(form for form, bits in self._states[node].items() if bits >> place & 1))

    def distance(self, place: int, node: NodeKey) -> int:
        """The length of a shortest route to the node."""
        states = [(node, *known) for known in self._by_reader[node]]
        return next(n for n, level in enumerate(self._levels) if self._reached(level, states, place))

    def witness(self, place: int, node: NodeKey, form: Arrival | None = None) -> tuple[Edge, ...]:
        """The edges of a shortest route on which the start reaches the node in that form, or in its strongest."""
        form = form or self.arrivals(place, node)[0]
        states = [(node, *known) for known in self._by_reader[node] if known[0] == form]
        length, state = next(
            (n, state)
            for n, level in enumerate(self._levels)
            for state in states
            if level.get(state, 0) >> place & 1
        )
        edges: list[Edge] = []
        for level in reversed(self._levels[:length]):
            state, edge = self._step_to(state, level, place)
            edges.append(edge)
        return tuple(reversed(edges))

    def bringing(self, place: int, node: NodeKey, forms: Collection[Form]) -> set[JobKey]:
        """The jobs of the last edges on which the start reaches the node in one of the forms."""
        start = self.starts[place]
        arrived = (
            (fan, before)
            for near, fan in self._into[node]
            for (before, only), bits in self._by_reader.get(near, {}).items()
            if bits >> place & 1 and goes_on(only, fan)
        )
        declared = ((fan, WHOLE) for near, fan in self._first[node] if near == start)
        return {
            fan.job
            for fan, before in chain(arrived, declared)
            if any(
                after.form in forms
                for after in self._onward(
                    before, fan.transformations, fan.job, node, value=self._value(place)
                )
            )
        }

    def carried(self, node: NodeKey, fan: Fan, far: NodeKey, forms: Collection[Form]) -> int:
        """The starts whose value at the node arrives by the fan at the far end in one of the forms, as bits."""
        bits = 0
        for (before, only), starts in self._by_reader[node].items():
            going = starts if goes_on(only, fan) else 0
            for some, value in self._parted(going, fan.transformations):
                after = self._onward(before, fan.transformations, fan.job, far, value=value)
                bits |= some if any(each.form in forms for each in after) else 0
        return bits

    def leaving(self, node: NodeKey, only: Alone, *, declared: bool = False) -> Iterator[Fan]:
        """The fans by which what arrived at the node goes on, or what is ``declared`` there."""
        fans = (self._declared if declared else self._fans).get(node, ())
        return (fan for fan in fans if goes_on(only, fan))

    def onward(self, before: Arrival, fan: Fan, far: NodeKey, value: Value) -> tuple[Arrival, ...]:
        """The forms in which a value that is there in a form arrives by the fan at a far end."""
        return self._onward(before, fan.transformations, fan.job, far, value=value)

    def value_of(self, place: int) -> Value:
        """What the value of a start is of a person."""
        return self._value(place)

    def leading_to(self, nodes: Iterable[NodeKey]) -> set[NodeKey]:
        """The nodes from which edges lead to one of these, and these."""
        found = set(nodes)
        waiting = list(found)
        while waiting:
            node = waiting.pop()
            for near, _ in chain(self._into.get(node, ()), self._first.get(node, ())):
                if near not in found:
                    found.add(near)
                    waiting.append(near)
        return found

    def is_stopped_in(self, node: NodeKey) -> bool:
        """Whether values stop at a member of the node."""
        return bool(self._stops and self._stops.inside(node))

    def may_be_in(self, node: NodeKey, member: NodeKey) -> bool:
        """Whether what arrived at the node may be in that member of it; at a declassified one it arrives by itself."""
        return not self._stops or self._stops.member(node, member) is None

    def cut(self, place: int) -> list[NodeKey]:
        """The nodes at which the bounds stopped the start's value, sorted."""
        return sorted(node for node, bits in self._cut.items() if bits >> place & 1)

    def nodes(self) -> Iterable[NodeKey]:
        """All nodes that any start reaches, the starts among them."""
        return self._states

    def holding_as(self, node: NodeKey, forms: Collection[Form]) -> int:
        """The starts that reach exactly the node in one of the forms, as bits; a start itself is a value."""
        bits = self._own.get(node, 0) if Form.IDENTITY in forms else 0
        for arrival, starts in self._states[node].items():
            bits |= starts if arrival.form in forms else 0
        return bits

    @property
    def found(self) -> Exploration:
        """The search whose edges are followed."""
        return self._found

    def holding(self) -> Iterator[NodeKey]:
        """The nodes that another start than themselves reaches."""
        return (node for node in self._states if self.reaching(node) & ~self._own.get(node, 0))

    def reaching(self, node: NodeKey) -> int:
        """The starts that reach the node in any form, as bits; a start reaches itself."""
        bits = 0
        for each in self._states[node].values():
            bits |= each
        return bits

    def reached(self, node: NodeKey) -> Mapping[Form, int]:
        """The starts that reach the node, by form, as bits; a start does not reach itself."""
        found: dict[Form, int] = defaultdict(int)
        others = ~self._own.get(node, 0)
        for arrival, bits in self._states[node].items():
            found[arrival.form] |= bits & others
        return found

    def held_at(self, node: NodeKey, forms: Collection[Form]) -> int:
        """The starts that reach the node, or a path in it or around it, in one of the forms, as bits."""
        bits = 0
        for at in self._of_dataset.get(node.dataset, ()):
            length = min(len(at.path), len(node.path))
            if at.path[:length] == node.path[:length]:
                for arrival, starts in self._states[at].items():
                    bits |= starts if arrival.form in forms else 0
        return bits

    def held_in(self, dataset: DatasetKey) -> Mapping[Form, int]:
        """The starts that reach any path of the dataset, by form, as bits; a start reaches itself."""
        found: dict[Form, int] = defaultdict(int)
        for node in self._of_dataset.get(dataset, ()):
            for arrival, bits in self._states[node].items():
                found[arrival.form] |= bits
        return found

    def fans(self) -> Iterator[Fan]:
        """The fans of the exploration; one that joined several open nodes comes several times."""
        return chain.from_iterable(self._found.fans.values())

    def flows(self) -> Iterator[tuple[NodeKey, Fan]]:
        """Each node that is reached, with each fan by which values continue from it."""
        both = chain(self._fans.items(), self._declared.items() if self._stops else ())
        return ((node, fan) for node, fans in both for fan in fans)

    def totals(self) -> list[dict[Form, int]]:
        """For each start, the number of nodes by the strongest form in which it reaches them."""
        return self._totals

    def _run(self, depth: int | None) -> None:
        frontier: dict[State, int] = {}
        for node, bit in self._own.items():
            frontier[node, WHOLE, None] = self._states[node][WHOLE] = bit
            self._by_reader[node][WHOLE, None] = bit
        while frontier:
            self._levels.append(frontier)
            self._note_cuts(frontier, last=len(self._levels) - 1 == depth)
            if len(self._levels) - 1 == depth:
                return
            frontier = self._fresh(self._arriving(frontier))

    def _note_cuts(self, frontier: Level, *, last: bool) -> None:
        for (node, *_), bits in frontier.items():
            if self._found.end(node) or (last and self._fans.get(node)):
                self._cut[node] = self._cut.get(node, 0) | bits

    def _arriving(self, frontier: Level) -> Level:
        arriving: dict[State, int] = defaultdict(int)
        leaving = self._declared if len(self._levels) == 1 else self._fans
        self.visits += len(frontier)
        for (node, form, only), bits in frontier.items():
            for fan in leaving.get(node, ()):
                if not goes_on(only, fan):
                    continue
                _, fars, job, kinds, _ = fan
                by = alone(fan)
                if self._grouped or depend(kinds):
                    for far in fars:
                        for some, value in self._parted(bits, kinds):
                            for after in self._onward(form, kinds, job, far, value=value):
                                arriving[far, after, by] |= some
                else:
                    for after in self._forms.onward(form, kinds):
                        for far in fars:
                            arriving[far, after, by] |= bits
        return arriving

    def _parted(self, bits: int, kinds: tuple[Transformation, ...]) -> Iterator[tuple[int, Value]]:
        """The starts, apart by what their values are where that makes a difference."""
        if not depend(kinds):
            yield bits, ORDINARY
            return
        for value in _VALUES:
            some = bits & (self._identifiers if value.identifies else ~self._identifiers)
            if some := some & (self._special if value.special else ~self._special):
                yield some, value

    def _onward(
        self,
        form: Arrival,
        kinds: tuple[Transformation, ...],
        job: JobKey,
        far: NodeKey,
        *,
        value: Value,
    ) -> tuple[Arrival, ...]:
        """The forms in which a value arrives at the far end of an edge."""
        if not far.path:
            kinds = of_rows(kinds)
        of_one = bool(self._grouped) and any(map(is_grouped, kinds)) and self._is_grouped(job, far)
        after = self._forms.onward(form, kinds, of_one=of_one, value=value)
        if self._influenced or not depend(kinds):
            return after
        return tuple(each for each in after if each.form is not Form.INFLUENCED)

    def _value(self, place: int) -> Value:
        return Value(bool(self._identifiers >> place & 1), bool(self._special >> place & 1))

    def _bits(self, nodes: Collection[NodeKey]) -> int:
        return reduce(or_, (self._own.get(node, 0) for node in nodes), 0)

    def _is_grouped(self, job: JobKey, node: NodeKey) -> bool:
        held_by = (NodeKey(node.dataset, node.path[:end]) for end in range(len(node.path) + 1))
        return any((job, each) in self._grouped for each in held_by)

    def _fresh(self, arriving: Level) -> dict[State, int]:
        """The new bits of each state, which are recorded."""
        fresh: dict[State, int] = {}
        for state, bits in arriving.items():
            node, arrival, only = state
            known = self._by_reader[node]
            new = bits & ~known.get((arrival, only), 0)
            if new:
                known[arrival, only] = known.get((arrival, only), 0) | new
                self._states[node][arrival] = self._states[node].get(arrival, 0) | new
                fresh[state] = new
        return fresh

    @cached_property
    def _of_dataset(self) -> Mapping[DatasetKey, Sequence[NodeKey]]:
        found: dict[DatasetKey, list[NodeKey]] = defaultdict(list)
        for node in self._states:
            found[node.dataset].append(node)
        return found

    @cached_property
    def _holders(self) -> list[list[NodeKey]]:
        found: list[list[NodeKey]] = [[] for _ in self.starts]
        for _, node, bits in self._strongest():
            for place in places(bits):
                found[place].append(node)
        return found

    @cached_property
    def _totals(self) -> list[dict[Form, int]]:
        found = [dict.fromkeys(Form, 0) for _ in self.starts]
        for form, _, bits in self._strongest():
            for place in places(bits):
                found[place][form] += 1
        return found

    def _strongest(self) -> Iterator[tuple[Form, NodeKey, int]]:
        """Form by form, in node order: the starts for which that is the strongest at the node."""
        nodes, seen = sorted(self._states), dict(self._own)
        for form in Form:
            for node in nodes:
                bits = 0
                for each, reached in self._states[node].items():
                    if each.form is form:
                        bits |= reached
                before = seen.get(node, 0)
                if bits & ~before:
                    yield form, node, bits & ~before
                    seen[node] = before | bits

    @staticmethod
    def _reached(level: Level, states: Iterable[State], place: int) -> bool:
        return any(level.get(state, 0) >> place & 1 for state in states)

    def _step_to(self, state: State, level: Level, place: int) -> _Step:
        """The least of the edges by which the state was reached from a state of the level before.

        The routes of one start share most steps, so those are cached until another start is queried.
        """
        kept = self._kept
        if kept[0] != place:
            kept = self._kept = (place, {})
        if state not in kept[1]:
            kept[1][state] = min(self._steps_to(state, level, place), key=_order_of_step)
        return kept[1][state]

    def _steps_to(self, state: State, level: Level, place: int) -> Iterator[_Step]:
        node, form, only = state
        for near, fan in (self._first if level is self._levels[0] else self._into)[node]:
            if only != alone(fan):
                continue
            for before, by in self._by_reader.get(near, ()):
                if (
                    level.get((near, before, by), 0) >> place & 1
                    and goes_on(by, fan)
                    and form
                    in self._onward(before, fan.transformations, fan.job, node, value=self._value(place))
                ):
                    kinds = _shown(fan.transformations)
                    yield _Step((near, before, by), Edge(fan.near, node, fan.job, kinds))

    @cached_property
    def _into(self) -> Mapping[NodeKey, list[tuple[NodeKey, Fan]]]:
        """The fans that end at each node, with the open nodes at which they begin."""
        assert self._found.direction is Direction.FORWARD  # noqa: S101 - propagation needs a forward search
        return _by_far_end(self._fans)

    @cached_property
    def _first(self) -> Mapping[NodeKey, list[tuple[NodeKey, Fan]]]:
        """The fans from what is declared, by the nodes at which they end."""
        return _by_far_end(self._declared) if self._stops else self._into


def _by_far_end(flows: Mapping[NodeKey, Sequence[Fan]]) -> Mapping[NodeKey, list[tuple[NodeKey, Fan]]]:
    found: dict[NodeKey, list[tuple[NodeKey, Fan]]] = defaultdict(list)
    for node, fans in flows.items():
        for fan in fans:
            for far in fan.fars:
                found[far].append((node, fan))
    return found


def _order_of_step(step: _Step) -> tuple[object, ...]:
    node, arrival, only = step.before
    return node, arrival, str(only or ""), step.edge.source, step.edge.job


_shown = lru_cache(maxsize=16_384)(in_order)


def places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
