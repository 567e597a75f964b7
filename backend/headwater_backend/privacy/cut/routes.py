"""The routes of values to violations of one policy: a graph of states, whose steps belong to places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from headwater_backend.domain.model import Fan, NodeKey
from headwater_backend.privacy.cut.changes import Change, Kind, Place, changed
from headwater_backend.privacy.forms import WHOLE, Arrival, Form, Value
from headwater_backend.privacy.propagation import Propagation
from headwater_backend.questions.around.readers import Alone, alone


class State(NamedTuple):
    """A value of one kind at a node in a form, and what it goes on with alone; or where it is ``declared``."""

    node: NodeKey
    arrival: Arrival
    only: Alone
    value: Value
    declared: bool = False


class Step(NamedTuple):
    """A step of a value from a state to another, by what a job writes at a place."""

    before: State
    after: State
    place: Place


class Weakened(NamedTuple):
    """Where a step leads instead, if a change weakens it."""

    before: State
    after: State
    change: Change


@dataclass(frozen=True, slots=True)
class Routes:
    """All steps on ways from the ``sources`` to the ``sinks``, and how changes weaken them.

    ``ended`` are the changes that take the step away from where it leads.
    """

    steps: Mapping[Step, frozenset[Kind]]
    """The steps, each with the kinds of changes that take it away."""
    weakened: tuple[Weakened, ...]
    sources: frozenset[State]
    sinks: frozenset[State]


def routes(
    propagation: Propagation,
    starts: Iterable[int],
    violating: Collection[NodeKey],
    forbidden: Collection[Form],
) -> Routes:
    """The routes from these starts to the nodes, in a forbidden form."""
    return _Search(propagation, frozenset(violating), frozenset(forbidden)).routes(starts)


class _Search:
    def __init__(
        self, propagation: Propagation, violating: frozenset[NodeKey], forbidden: frozenset[Form]
    ) -> None:
        self._propagation = propagation
        self._violating = violating
        self._forbidden = forbidden
        self._leading = propagation.leading_to(violating)
        """The nodes from which edges lead to the violating ones."""

    def routes(self, starts: Iterable[int]) -> Routes:
        sources = frozenset(
            State(
                self._propagation.starts[start], WHOLE, None, self._propagation.value_of(start), declared=True
            )
            for start in starts
            if self._propagation.starts[start] in self._leading
        )
        steps, weakened = self._forward(sources)
        useful = self._useful(steps, weakened)
        return Routes(
            {step: kinds for step, kinds in steps.items() if step.after in useful},
            tuple(each for each in weakened if each.after in useful),
            frozenset(sources & useful),
            frozenset(filter(self._is_sink, useful)),
        )

    def _is_sink(self, state: State) -> bool:
        return not state.declared and state.node in self._violating and state.arrival.form in self._forbidden

    def _forward(self, sources: Iterable[State]) -> tuple[dict[Step, frozenset[Kind]], list[Weakened]]:
        """All steps from the sources, up to the first sinks, and from where changes lead."""
        steps: dict[Step, frozenset[Kind]] = {}
        weakened: list[Weakened] = []
        seen = set(sources)
        waiting = list(seen)
        while waiting:
            for step in self._from(waiting.pop()):
                if step in steps:
                    continue
                alike = {kind: self._after(step, kind) for kind in Kind}
                steps[step] = frozenset(kind for kind, after in alike.items() if after != step.after)
                weaker = [
                    Weakened(step.before, after, Change(step.place, kind))
                    for kind, after in alike.items()
                    if after is not None and after != step.after
                ]
                weakened += weaker
                for after in (step.after, *(each.after for each in weaker)):
                    if after not in seen:
                        seen.add(after)
                        if not self._is_sink(after):
                            waiting.append(after)
        return steps, weakened

    def _from(self, state: State) -> Iterator[Step]:
        for fan in self._propagation.leaving(state.node, state.only, declared=state.declared):
            by = alone(fan)
            for far in self._fars(fan):
                for arrival in self._propagation.onward(state.arrival, fan, far, state.value):
                    yield Step(state, State(far, arrival, by, state.value), Place(fan.job, far))

    def _fars(self, fan: Fan) -> Iterator[NodeKey]:
        return (far for far in fan.fars if far in self._leading)

    @staticmethod
    def _after(step: Step, kind: Kind) -> State | None:
        """Where the step leads after a change. What a job reads by another name, it does not write."""
        if step.after.only is not None:
            return step.after
        arrival = changed(step.after.arrival, kind, step.after.node)
        return None if arrival is None else step.after._replace(arrival=arrival)

    def _useful(self, steps: Iterable[Step], weakened: Iterable[Weakened]) -> set[State]:
        """The states from which a sink is reached."""
        into: dict[State, list[State]] = defaultdict(list)
        for before, after in chain(
            ((each.before, each.after) for each in steps), ((each.before, each.after) for each in weakened)
        ):
            into[after].append(before)
        found = set(filter(self._is_sink, into))
        waiting = list(found)
        while waiting:
            for before in into[waiting.pop()]:
                if before not in found:
                    found.add(before)
                    waiting.append(before)
        return found
