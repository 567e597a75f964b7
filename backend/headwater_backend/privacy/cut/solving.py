"""The cheapest sets of changes that end all routes, by HiGHS."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.privacy.cut.changes import Change, Place
from headwater_backend.privacy.cut.routes import Routes, State

if TYPE_CHECKING:
    from types import ModuleType

Prices = Callable[[Change], float]
_CHOSEN: Final = 0.5


class Chosen(NamedTuple):
    """A set of changes, by place, and what they cost together."""

    changes: tuple[Change, ...]
    cost: float


class Part:
    """Routes that share places, of several policies: the cheapest sets of changes that end them all."""

    def __init__(self, all_routes: Sequence[Routes], prices: Prices) -> None:
        self._routes = all_routes
        changes = {
            Change(step.place, kind)
            for each in all_routes
            for step, kinds in each.steps.items()
            for kind in kinds
        }
        priced = {each: prices(each) for each in sorted(changes)}
        self._costs = {change: cost for change, cost in priced.items() if math.isfinite(cost)}
        self._numbers = {change: number for number, change in enumerate(self._costs)}

    def cheapest(self, most: int) -> Iterator[Chosen]:
        """Up to ``most`` sets, the cheapest first, of which none contains another; none if nothing ends the routes."""
        taken: list[tuple[Change, ...]] = []
        while len(taken) < most:
            found = self._solve(taken)
            if found is None:
                return
            taken.append(found)
            yield Chosen(found, sum(self._costs[each] for each in found))

    def _solve(self, taken: Sequence[tuple[Change, ...]]) -> tuple[Change, ...] | None:
        """The cheapest set that contains none of those that are taken."""
        if not self._costs:
            return None
        rows = _Rows(len(self._numbers))
        for each in self._routes:
            self._add(rows, each)
        for change in taken:
            rows.at_most([(self._numbers[each], 1.0) for each in change], len(change) - 1.0)
        for alike in self._by_place().values():
            rows.at_most([(number, 1.0) for number in alike], 1.0)
        chosen = rows.solve(list(self._costs.values()))
        if chosen is None:
            return None
        return tuple(change for change, number in self._numbers.items() if chosen[number] > _CHOSEN)

    def _by_place(self) -> dict[Place, list[int]]:
        found: dict[Place, list[int]] = defaultdict(list)
        for change, number in self._numbers.items():
            found[change.place].append(number)
        return found

    def _add(self, rows: _Rows, found: Routes) -> None:
        """The rows of one policy's routes: what is reached from a source stays reached, but for a change."""
        reached: dict[State, int] = {}

        def terms(before: State, after: State) -> tuple[list[tuple[int, float]], float]:
            """The terms of "before is reached, and after is not", and the constant part of it."""
            left: list[tuple[int, float]] = []
            constant = 0.0
            if before in found.sources:
                constant = 1.0
            else:
                left.append((reached.setdefault(before, rows.columns + len(reached)), 1.0))
            if after not in found.sinks:
                left.append((reached.setdefault(after, rows.columns + len(reached)), -1.0))
            return left, constant

        for step, kinds in found.steps.items():
            left, constant = terms(step.before, step.after)
            ending = [self._numbers.get(Change(step.place, kind)) for kind in sorted(kinds)]
            left += [(number, -1.0) for number in ending if number is not None]
            rows.at_most(left, -constant)
        for weaker in found.weakened:
            number = self._numbers.get(weaker.change)
            if number is not None:
                left, constant = terms(weaker.before, weaker.after)
                rows.at_most([*left, (number, 1.0)], 1.0 - constant)
        rows.columns += len(reached)


class _Rows:
    """A program: rows of terms with upper bounds over columns from 0 to 1, of which the first ones are whole."""

    def __init__(self, whole: int) -> None:
        self._whole = whole
        self.columns = whole
        self._places: tuple[list[int], list[int], list[float]] = ([], [], [])
        self._bounds: list[float] = []

    def at_most(self, terms: Sequence[tuple[int, float]], bound: float) -> None:
        """Add a row: the sum of the terms is at most the bound."""
        rows, columns, values = self._places
        for column, value in terms:
            rows.append(len(self._bounds))
            columns.append(column)
            values.append(value)
        self._bounds.append(bound)

    def solve(self, costs: Sequence[float]) -> Sequence[float] | None:
        """The values of the columns of the cheapest solution; None if there is none."""
        optimize, sparse, np = _scipy()
        rows, columns, values = self._places
        matrix = sparse.csr_array((values, (rows, columns)), shape=(len(self._bounds), self.columns))
        integrality = np.zeros(self.columns)
        integrality[: self._whole] = 1
        found = optimize.milp(
            np.concatenate([costs, np.zeros(self.columns - self._whole)]),
            integrality=integrality,
            bounds=optimize.Bounds(0, 1),
            constraints=optimize.LinearConstraint(matrix, ub=np.array(self._bounds)),
            options={"mip_rel_gap": 0},
        )
        if found.status == _INFEASIBLE:
            return None
        if found.status != _OPTIMAL:
            raise BadQuestion(
                f"no least cut was found: {found.message}", "ask for fewer policies, or for one place"
            )
        return list(found.x)


_OPTIMAL: Final = 0
_INFEASIBLE: Final = 2


def _scipy() -> tuple[ModuleType, ModuleType, ModuleType]:
    try:
        import numpy as np  # noqa: PLC0415 - an optional dependency
        from scipy import optimize, sparse  # noqa: PLC0415 - as above
    except ImportError as error:
        raise BadQuestion(f"the least cut needs SciPy: {error}", "pip install 'headwater[cut]'") from error
    return optimize, sparse, np
