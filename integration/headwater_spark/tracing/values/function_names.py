"""Names of functions, as a program writes them; an operator such as ``+`` has none."""

from __future__ import annotations

from typing import Final

from headwater_plan.nodes import Call

_OPERATORS: Final = """
    Add Subtract Multiply Divide IntegralDivide Remainder UnaryMinus UnaryPositive Concat
    BitwiseAnd BitwiseOr BitwiseXor BitwiseNot ShiftLeft ShiftRight ShiftRightUnsigned
    And Or Not EqualTo EqualNullSafe LessThan LessThanOrEqual GreaterThan GreaterThanOrEqual
    Between In InSet InSubquery Like ILike RLike LikeAll LikeAny NotLikeAll NotLikeAny
    IsNull IsNotNull IsNaN AtLeastNNonNulls KnownNullable KnownNotNull NormalizeNaNAndZero
    TimeAdd TimestampAddInterval TimestampAddYMInterval DateAddInterval DateAddYMInterval SubtractDates
    SubtractTimestamps DatetimeSub MultiplyYMInterval MultiplyDTInterval DivideYMInterval DivideDTInterval
    PreciseTimestampConversion
"""
"""Classes of operators, and of what Spark itself puts into a plan."""

_NAMELESS: Final = frozenset(_OPERATORS.split())


def name_of(call: Call) -> str:
    """The function's name in SQL, in lower case; empty for an operator."""
    name = call.pretty.lower()
    return name if name.isidentifier() and call.function not in _NAMELESS else ""
