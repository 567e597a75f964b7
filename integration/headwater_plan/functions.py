"""What the names of functions mean that are written as operators, and what every reader of plans asks of a name.

Functions have the names under which Spark documents them: ``upper``, ``coalesce``, ``get_json_object``, and ``=``,
``and``, ``%`` of operators. Of several names, it is one: ``avg`` and not ``mean``. What an engine runs and nobody can
call has a name in that style. A name that is not here is a function's like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

UNRESOLVED: Final = "unresolved"
"""In place of a name: what the engine had to replace before the plan was complete, and was not understood."""

RANKS: Final = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"})
"""Functions that give each row its place in an order: a fact about what the order is by."""

NESTING: Final = frozenset({"collect_list", "collect_set", "collect_top_k", "collect_frequent_items"})
"""Aggregates that keep the values of the rows, as an array."""


class Asks(Enum):
    """What a condition asks of its first operand."""

    EQUAL = "is it the other one"
    ONE_OF = "is it one of these"
    ALIKE = "is a part of it this"
    NULL = "is it there"


@dataclass(frozen=True, slots=True)
class Operator:
    """A function that a program writes as an operator.

    ``infix`` is what stands between its operands, ``condition`` its name in a tree of conditions; both are empty where
    it has none. ``truth``: it gives a truth value, and what it compares with is in no value. ``named``: a program calls
    it by its name.
    """

    infix: str = ""
    condition: str = ""
    truth: bool = False
    asks: Asks | None = None
    named: bool = False


def _infix(text: str, *, truth: bool = False, asks: Asks | None = None) -> Operator:
    return Operator(text, text.lower(), truth, asks)


def _plain(names: str) -> dict[str, Operator]:
    return dict.fromkeys(names.split(), Operator())


_LIKE: Final = Operator(truth=True)

OPERATORS: Final[Mapping[str, Operator]] = {
    "and": _infix("AND", truth=True),
    "or": _infix("OR", truth=True),
    "not": Operator(condition="not", truth=True),
    "=": _infix("=", truth=True, asks=Asks.EQUAL),
    "<=>": _infix("<=>", truth=True, asks=Asks.EQUAL),
    "<": _infix("<", truth=True),
    "<=": _infix("<=", truth=True),
    ">": _infix(">", truth=True),
    ">=": _infix(">=", truth=True),
    "in": Operator(condition="in", truth=True, asks=Asks.ONE_OF),
    "in_set": Operator(condition="in", truth=True, asks=Asks.ONE_OF),
    "in_subquery": Operator(),
    "between": Operator(condition="between", truth=True),
    "isnull": Operator(condition="isnull", truth=True, asks=Asks.NULL),
    "isnotnull": Operator(condition="isnotnull", truth=True, asks=Asks.NULL),
    "at_least_n_non_nulls": Operator(asks=Asks.NULL),
    "isnan": Operator(),
    # texts
    "like": _infix("LIKE", truth=True, asks=Asks.ALIKE),
    "rlike": _infix("RLIKE", truth=True, asks=Asks.ALIKE),
    "ilike": Operator(truth=True, asks=Asks.ALIKE),
    **dict.fromkeys(("like_all", "like_any", "not_like_all", "not_like_any"), _LIKE),
    **dict.fromkeys(
        ("startswith", "endswith", "contains"), Operator(truth=True, asks=Asks.ALIKE, named=True)
    ),
    "concat": Operator(),
    # numbers
    "+": _infix("+"),
    "-": _infix("-"),
    "*": _infix("*"),
    "/": _infix("/"),
    "%": _infix("%"),
    "negative": Operator(condition="-"),
    **_plain("div positive & | ^ ~ shiftleft shiftright shiftrightunsigned"),
    # times
    **_plain(
        "time_add timestamp_add_interval timestamp_add_ym_interval date_add_interval date_add_ym_interval"
    ),
    **_plain("subtract_dates subtract_timestamps datetime_sub"),
    **_plain("multiply_ym_interval multiply_dt_interval divide_ym_interval divide_dt_interval"),
    # what an engine puts into a plan by itself
    **_plain("known_nullable known_not_null normalize_nan_and_zero precise_timestamp_conversion"),
}
"""Operators, by the names of their functions."""

NAMELESS: Final = frozenset(name for name, operator in OPERATORS.items() if not operator.named)
"""Functions that a program does not call by a name."""


def operators_that(asks: Asks) -> frozenset[str]:
    """The names of the operators that ask this of their first operand."""
    return frozenset(name for name, operator in OPERATORS.items() if operator.asks is asks)
