"""Routes of several policies, apart by the places that they share: what shares none is cut by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from headwater_backend.privacy.cut.changes import Kind
from headwater_backend.privacy.cut.routes import Routes, State, Step, Weakened


class _Sets:
    """Disjoint sets of things."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def of(self, thing: Hashable) -> Hashable:
        """What stands for the set of the thing."""
        path = []
        while (above := self._above.setdefault(thing, thing)) != thing:
            path.append(thing)
            thing = above
        self._above.update(dict.fromkeys(path, thing))
        return thing

    def join(self, one: Hashable, other: Hashable) -> None:
        self._above[self.of(one)] = self.of(other)


class Parts:
    """The parts of routes."""

    def __init__(self, all_routes: Sequence[Routes]) -> None:
        self._routes = all_routes
        self._sets = _Sets()
        for number, found in enumerate(all_routes):
            for step in found.steps:
                self._sets.join((number, step.before), (number, step.after))
                self._sets.join((number, step.before), step.place)
            for weaker in found.weakened:
                self._sets.join((number, weaker.before), (number, weaker.after))

    def of(self, number: int, source: State) -> Hashable | None:
        """What stands for the part with this source of the routes of that number; None if no route is from it."""
        return self._sets.of((number, source)) if source in self._routes[number].sources else None

    def all(self) -> dict[Hashable, list[Routes]]:
        """The routes of each part."""
        found: dict[Hashable, list[Routes]] = defaultdict(list)
        for number, each in enumerate(self._routes):
            for part, some in self._split(number, each):
                found[part].append(some)
        return found

    def _split(self, number: int, found: Routes) -> Iterator[tuple[Hashable, Routes]]:
        steps: dict[Hashable, dict[Step, frozenset[Kind]]] = defaultdict(dict)
        weakened: dict[Hashable, list[Weakened]] = defaultdict(list)
        states: dict[Hashable, set[State]] = defaultdict(set)
        for step, kinds in found.steps.items():
            part = self._sets.of((number, step.before))
            steps[part][step] = kinds
            states[part].update((step.before, step.after))
        for weaker in found.weakened:
            part = self._sets.of((number, weaker.before))
            weakened[part].append(weaker)
            states[part].add(weaker.after)
        for part, some in steps.items():
            own = states[part]
            yield part, Routes(some, tuple(weakened[part]), found.sources & own, found.sinks & own)
