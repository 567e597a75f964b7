"""What attributes and methods of pandas give away of a frame or a series: values, labels, or nothing of either."""

from __future__ import annotations

from typing import Final

_OPERATORS: Final = "add sub mul truediv floordiv mod pow and or xor"
_COMPARISONS: Final = "eq ne lt le gt ge"
_FIGURES: Final = "sum mean min max std var median sem count nunique any all prod"
_PLAIN: Final = "tolist to_numpy values array __iter__ __array__ __float__ __int__"
_CHANGED: Final = "abs round clip fillna astype shift diff rank cumsum cumprod cummax cummin ffill bfill"
_FACTS: Final = "isna notna between isin"
TELLS_NOTHING: Final = frozenset({"shape", "size", "empty", "dtype", "ndim"})
"""What is known of an object without its values, its labels and the names of its columns."""
NAMES: Final = frozenset({"columns", "keys", "index"})
"""What has the names of columns of a frame or a record, which may have been made of values before."""
VALUES_ALONE: Final = frozenset((*_FIGURES.split(), *_PLAIN.split()))
"""What gives values of a series, and never one of its labels."""
BY_VALUE: Final = (
    frozenset((*_CHANGED.split(), *_FACTS.split()))
    | {"__neg__", "__abs__", "__invert__"}
    | {f"__{side}{name}__" for name in _OPERATORS.split() for side in ("", "r")}
    | {f"__{name}__" for name in _COMPARISONS.split()}
)
"""What gives a series with the labels of the one that it is asked of, which is recorded, too."""
AT_A_PLACE: Final = frozenset({"iloc", "iat"})
OF_ITS_CLASS: Final = frozenset(
    {"__class__", "__new__", "__init__", "__len__", "__init_subclass__", "__subclasshook__"}
)
