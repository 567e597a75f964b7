"""All decisions of stewards in a store, and what follows from them, which is computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from headwater_backend.domain.records import DecisionMade

T = TypeVar("T")


class Decisions(tuple[DecisionMade, ...]):
    """Decisions, oldest first, with ``canonical``, the present name of each dataset that has another one now, by keys.

    A store returns the same object as long as nothing has changed, so that ``derived`` is computed once for many
    questions.
    """

    canonical: Mapping[str, str]
    _derived: dict[Callable[[Decisions], Any], Any]

    def __new__(
        cls, decisions: Iterable[DecisionMade] = (), canonical: Mapping[str, str] | None = None
    ) -> Decisions:
        found = super().__new__(cls, decisions)
        found.canonical = canonical or {}
        found._derived = {}
        return found

    def derived(self, compute: Callable[[Decisions], T]) -> T:
        """What that function computes of the decisions; nobody may change it."""
        if compute not in self._derived:
            self._derived[compute] = compute(self)
        return cast(T, self._derived[compute])

    def made_by(self, moment: int) -> Decisions:
        """Those that had been made by that moment, with the present names."""
        return Decisions((made for made in self if made.time <= moment), self.canonical)
