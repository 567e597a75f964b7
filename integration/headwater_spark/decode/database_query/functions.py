"""Functions of databases, by sqlglot's classes: those that do what Spark's do have the names of these.

Of another function, only the name is shared: what ``TRUNC`` or ``REPLACE`` does differs between databases, so it is one
of the database's own, and computes its result from all of its arguments.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from headwater_spark.decode.functions import function_of

_OTHERWISE: Final = {
    "EQ": "EqualTo",
    "NullSafeEQ": "EqualNullSafe",
    "GT": "GreaterThan",
    "GTE": "GreaterThanOrEqual",
    "LT": "LessThan",
    "LTE": "LessThanOrEqual",
    "Sub": "Subtract",
    "Mul": "Multiply",
    "Div": "Divide",
    "Mod": "Remainder",
    "Neg": "UnaryMinus",
    "DPipe": "Concat",
    "MD5": "Md5",
    "MD5Digest": "Md5",
    "SHA": "Sha1",
    "SHA2": "Sha2",
    "ArrayAgg": "CollectList",
    "GroupConcat": "ListAgg",
    "Avg": "Average",
    "ArgMax": "MaxBy",
    "ArgMin": "MinBy",
    "FirstValue": "First",
    "LastValue": "Last",
    "Ntile": "NTile",
    "ApproxDistinct": "HyperLogLogPlusPlus",
}
"""sqlglot's classes that Catalyst calls otherwise."""
_SHARED: Final = """
    Add And AnyValue ApproxTopK ArrayAppend ArrayCompact ArrayContains ArrayDistinct ArrayExcept ArrayFilter
    ArrayInsert ArrayIntersect ArrayMax ArrayMin ArrayPosition ArrayPrepend ArrayRemove ArraySize ArraySort
    ArraysZip Ascii Between BitLength BitmapCount BitwiseAnd BitwiseCount BitwiseNot BitwiseOr BitwiseXor
    Coalesce Collation Concat ConcatWs Contains ConvertTimezone Corr Count CountIf CumeDist CurrentCatalog
    CurrentDatabase CurrentDate CurrentTime CurrentTimestamp CurrentUser DatetimeSub DayOfMonth DayOfWeek
    DayOfYear DenseRank Elt Encode EndsWith Explode First Flatten Greatest Hour ILike In Inline Kurtosis Lag
    Last LastDay Lead Least Left Length Levenshtein Like Lower MapContainsKey MapFromEntries MapKeys Max Median
    Min Minute Mode Month NextDay Not NthValue Or Overlay ParseUrl PercentRank PercentileCont PercentileDisc Pi
    Quarter Rand Randn Rank RegrCount RegrIntercept RegrR2 RegrSlope Reverse Right Round RowNumber Second
    Shuffle Skewness SplitPart Stack StartsWith StddevPop StddevSamp Substring SubstringIndex Sum TimeAdd
    ToBinary ToNumber Uniform Upper Uuid VariancePop WeekOfYear Year YearOfWeek
"""
_ALIKE: Final = frozenset(_SHARED.split())
"""sqlglot's classes that are called as Catalyst's."""


def names_of(node: exp.Expr) -> tuple[str, str]:
    """The name of the function that a node is, and what it is called in lineage."""
    own = type(node).__name__
    name = _OTHERWISE.get(own, own)
    is_known = own in _OTHERWISE or own in _ALIKE
    return function_of(name) if is_known else f"database.{own.lower()}", name.lower()
