"""How far apart two results of an aggregate of the same floating point numbers can be, added up in another order.

An addition of two doubles is off by at most *u* = 2⁻⁵³ of its result. Whatever the order, a sum of *n* numbers is off
by at most γ(n) = n·u / (1 − n·u) times the sum of their absolute values (Higham, Accuracy and Stability of Numerical
Algorithms, 4.2), so two orders differ by at most twice that. All bounds here are several times what can be, as they are
computed in doubles themselves; what is too wide costs an answer, and what is too narrow a wrong one.

The arguments are numbers, or columns of an engine that compute with them.
"""

from __future__ import annotations

from typing import Any

UNIT = 2.0**-53
"""What one operation can be off by, in relation to its result."""
WHOLE = 2.0**53
"""Up to here all whole numbers are doubles: sums of these are exact if no partial sum is larger."""
LARGEST = 1e300
"""Where magnitudes are larger, a partial sum could be infinite in one order and finite in another."""


def of_sum(count: Any, magnitude: Any) -> Any:
    """Between two sums of this many numbers, the absolute values of which add up to ``magnitude``."""
    return magnitude * ((count + 1.0) * (4 * UNIT))


def of_quotient(error: Any, count: Any, size: Any) -> Any:
    """Between two quotients by this count, of numbers that are ``error`` apart; ``size`` is one of them, absolute."""
    return error / count * (1 + 8 * UNIT) + size * (4 * UNIT)


def of_squares(count: Any, squares: Any, root: Any) -> Any:
    """Between two sums of squared distances from the mean, where the squares of the numbers add up to ``squares``.

    Each is updated or merged from the mean so far (Welford; Chan, Golub and LeVeque). The mean after *k* numbers is off
    by at most *k*·u times the largest of them, which is at most √squares. It is multiplied by distances of which the
    sum is at most √(2·n·squares): n·√(2·n)·u·squares in all. ``root`` is √count.
    """
    return squares * (count * root * (16 * UNIT))
