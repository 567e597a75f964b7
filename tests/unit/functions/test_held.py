"""What a function carries of the program's data, as its pickle shows it."""

from __future__ import annotations

import decimal
import platform
from collections.abc import Callable
from typing import Any

import pytest
from pyspark import cloudpickle

from headwater_functions.held import MOST, UNKNOWN, held_in
from headwater_functions.pickles.cloudpickled import read_function

VERSION = ".".join(platform.python_version_tuple()[:2])


def carried(function: Callable[..., Any]) -> frozenset[str]:
    return held_in(read_function(cloudpickle.dumps((function, None)), VERSION))


def with_closure(data: Any) -> Callable[..., Any]:
    return lambda value: (value, data)


@pytest.mark.parametrize(
    ("data", "held"),
    [
        ({"Bob": ["Thun", 42, 1.5]}, {"Bob", "Thun", "42", "1.5"}),
        ([True, None, ", ", ("Eve",), {"Anna"}], {"True", "Eve", "Anna"}),
        (b"Bob", {UNKNOWN}),
        (decimal.Decimal("1.5"), {UNKNOWN}),
        (decimal, set()),
        (range(3, 9), {UNKNOWN}),
    ],
    ids=["in a dictionary", "without what says nothing", "bytes", "an object", "a module", "a range"],
)
def test_data_in_a_closure_is_carried(data: Any, held: set[str]) -> None:
    assert carried(with_closure(data)) == held


def test_own_code_is_no_data_and_inner_functions_are_looked_into() -> None:
    name = "Eve"

    def inner(value: str, other: str = "Bob") -> bool:
        """A text of the code."""
        return value in (other, name, "Anna")

    assert carried(lambda value: inner(value) or value == "Carl") == {"Bob", "Eve"}


def test_members_of_a_class_are_looked_into() -> None:
    class Own:
        """A class of the program."""

        name = "Bob"

    assert carried(lambda value: value == Own.name) == {"Bob"}


def test_more_than_is_listed_is_not_known() -> None:
    held = carried(with_closure([str(number) for number in range(2 * MOST)]))
    assert UNKNOWN in held
    assert len(held) == MOST + 1
