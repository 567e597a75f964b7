"""No two orders of additions give results that are further apart than is claimed."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_records import rounding

numbers = st.lists(
    st.one_of(st.sampled_from([0.1, 0.2, 1e16, -1e16, 1.0, -0.0, 5e-324]), st.floats(-1e150, 1e150)),
    min_size=1,
    max_size=60,
)
dice = st.randoms(use_true_random=False)


def added(values: Sequence[float], given_dice: random.Random) -> float:
    """A sum in an order, and by parts, of the dice's choice."""
    parts = list(values)
    given_dice.shuffle(parts)
    while len(parts) > 1:
        place = given_dice.randrange(len(parts) - 1)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts[0]


Moments = tuple[float, float, float]


def squared(values: Sequence[float], given_dice: random.Random) -> float:
    """The sum of squared distances from the mean, by parts as Spark does it."""
    values = list(values)
    given_dice.shuffle(values)
    cut = given_dice.randint(0, len(values))
    return merged(moments(values[:cut]), moments(values[cut:]))[2]


def moments(values: Sequence[float]) -> Moments:
    count, mean, squares = 0.0, 0.0, 0.0
    for each in values:
        count += 1.0
        delta = each - mean
        mean += delta / count
        squares += delta * (each - mean)
    return count, mean, squares


def merged(left: Moments, right: Moments) -> Moments:
    count = left[0] + right[0]
    delta = right[1] - left[1]
    part = delta / count if count else 0.0
    return count, left[1] + part * right[0], left[2] + right[2] + delta * part * left[0] * right[0]


@settings(max_examples=500, deadline=None)
@given(numbers, dice, dice)
def test_sums_and_averages_are_no_further_apart(
    values: list[float], one: random.Random, other: random.Random
) -> None:
    error = rounding.of_sum(len(values), added([abs(each) for each in values], one))
    left, right = added(values, one), added(values, other)
    assert abs(left - right) <= error
    count = len(values)
    assert abs(left / count - right / count) <= rounding.of_quotient(error, count, abs(left / count))


@settings(max_examples=500, deadline=None)
@given(numbers, dice, dice)
def test_squared_distances_are_no_further_apart(
    values: list[float], one: random.Random, other: random.Random
) -> None:
    squares = added([each * each for each in values], one)
    error = rounding.of_squares(len(values), squares, math.sqrt(len(values)))
    if squares < rounding.LARGEST:
        assert abs(squared(values, one) - squared(values, other)) <= error


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.3], [1 / number for number in range(1, 1_000)]])
def test_orders_do_differ_and_the_bound_is_not_far_from_it(values: list[float]) -> None:
    upwards, downwards = (reduce(lambda a, b: a + b, each) for each in (values, values[::-1]))
    error = rounding.of_sum(len(values), math.fsum(values))
    assert 0 < abs(upwards - downwards) <= error <= 1e-11 * upwards


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=50), dice, dice)
def test_whole_numbers_have_one_sum(values: list[int], one: random.Random, other: random.Random) -> None:
    given_values = [float(each) for each in values]
    assert sum(map(abs, values)) <= rounding.WHOLE
    assert added(given_values, one) == added(given_values, other) == sum(values)
