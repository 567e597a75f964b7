"""An aggregate that is split, and what a rule says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater_boundary.policy import Sketch
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.text import replacement_of
from headwater_records_spark.jvm import kind, listed, optional

_REPLACED = {"Median", "PercentileCont", "RegrAvgX", "RegrAvgY", "RegrCount", "RegrSXX", "RegrSYY"}
"""Aggregates that the optimizer replaces by others, which have a rule."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One aggregate, split.

    ``partials`` are columns that are computed inside, ``merged`` what is made of these outside, and ``result`` the
    aggregate's value: in their texts ``{0}``, ``{1}`` … stand for the columns' names. Instead of ``merged``,
    ``function`` may call a function of the program outside, whose only result is ``{0}`` in ``result``.

    ``why`` says to people why the partials may leave. ``values``: single values leave, which then must be allowed to.
    """

    partials: tuple[tuple[str, str], ...]
    merged: tuple[str, ...]
    result: str
    why: str
    values: bool = False
    sketch: Sketch | None = None
    function: str = ""


Rule = Callable[["Aggregated"], Merge]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """An aggregate to be merged, with the texts of its arguments.

    ``write`` is its own text, which Spark may not read back; ``known`` whether Spark has a function.
    """

    expression: Any
    write: Callable[[], str]
    arguments: tuple[str, ...]
    condition: str
    colocated: bool
    may_leave: bool
    sketches: frozenset[Sketch]
    ansi: bool
    known: Callable[[str], bool]

    @property
    def function(self) -> Any:
        return unwrapped(self.expression.aggregateFunction())

    @property
    def own(self) -> str:
        """Its own text. Raises ``CannotSplitError``."""
        return self.write()

    @property
    def argument(self) -> str:
        """The text of its only argument that is no constant. Raises ``CannotSplitError``."""
        if not self.arguments:
            raise self.refuse("it aggregates a constant")
        return self.arguments[0]

    def filtered(self, call: str, more: str = "") -> str:
        """A call with the aggregate's own condition, and one more."""
        both = " AND ".join(each for each in (self.condition, more) if each)
        return f"{call} FILTER (WHERE {both})" if both else call

    def refuse(self, reason: str) -> CannotSplitError:
        return CannotSplitError(kind(self.function), reason)


def unwrapped(function: Any) -> Any:
    """What Spark runs for an aggregate that the analyser or the optimizer replaces."""
    while True:
        found = function.replacement() if kind(function) in _REPLACED else replacement_of(function)
        if found is None:
            return function
        function = found


def arguments_of(expression: Any) -> list[Any]:
    """The values that an aggregate aggregates: its parameters that are neither constants nor an order."""
    children = listed(unwrapped(expression.aggregateFunction()).children())
    return [each for each in children if not each.foldable() and kind(each) != "SortOrder"]


def condition_of(expression: Any) -> Any:
    """The aggregate's own condition, or None."""
    return optional(expression.filter())
