"""What each function of pandas does to a value, by its name; and what a step that only looks at a column decides by it.

A function that is in no table computes something of which all of the value may be read back: never wrong, and
sometimes coarse.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype


class Kind(NamedTuple):
    """What a function does to a value, and what of the value can be read back from its result."""

    subtype: Subtype
    manipulation: Manipulation
    retains: Retains


ACCESS: Final = {
    Subtype.FILTER: Access.FILTER,
    Subtype.JOIN: Access.JOIN,
    Subtype.GROUP_BY: Access.GROUP_BY,
    Subtype.SORT: Access.SORT,
    Subtype.WINDOW: Access.WINDOW,
    Subtype.CONDITIONAL: Access.CONDITION,
}
"""What a column is read for that decides in this way."""
MOVED: Final = Kind(Subtype.IDENTITY, Manipulation.COPY, Retains.VALUE)
COMPUTED: Final = Kind(Subtype.TRANSFORMATION, Manipulation.COMPUTE, Retains.CONTAINS)
UNKNOWN: Final = Kind(Subtype.TRANSFORMATION, Manipulation.OPAQUE, Retains.CONTAINS)
_CAST: Final = Kind(Subtype.TRANSFORMATION, Manipulation.CAST, Retains.CONTAINS)
_PART: Final = Kind(Subtype.TRANSFORMATION, Manipulation.COMPUTE, Retains.PART)
_FACT: Final = Kind(Subtype.TRANSFORMATION, Manipulation.COMPUTE, Retains.FACT)
_STATISTIC: Final = Kind(Subtype.AGGREGATION, Manipulation.AGGREGATE, Retains.STATISTIC)
_COUNT: Final = Kind(Subtype.AGGREGATION, Manipulation.COUNT, Retains.STATISTIC)
_PICKED: Final = Kind(Subtype.AGGREGATION, Manipulation.PICK, Retains.VALUE)

_MOVING: Final = """
    at bfill combine_first concat copy delitem drop drop_duplicates dropna explode ffill fillna filter getitem head iat
    iloc infer_objects insert items join loc mask melt merge nlargest nsmallest numpy.where pad backfill pop query
    reindex reindex_like rename rename_axis reset_index sample select_dtypes set_axis set_flags set_index setitem shift
    sort_index sort_values squeeze tail to_frame to_numpy truncate update values where add_prefix add_suffix frame
    DataFrame Series T merge_asof nth numpy.select pivot stack transpose unstack Categorical add_categories as_ordered
    as_unordered asfreq remove_categories remove_unused_categories reorder_categories xs
"""
_CASTING: Final = (
    "astype convert_dtypes to_datetime to_numeric to_timedelta to_timestamp to_period tz_convert tz_localize"
)
_PARTS: Final = """
    year month day hour minute second microsecond nanosecond quarter day_of_week dayofweek weekday day_of_year dayofyear
    days_in_month daysinmonth isocalendar day_name month_name is_leap_year days seconds microseconds nanoseconds
"""
_FACTS: Final = """
    eq ne lt le gt ge isna isnull notna notnull isin between len contains startswith endswith match fullmatch isalpha
    isalnum isdigit isdecimal isnumeric islower isupper isspace istitle count is_month_start is_month_end
    is_quarter_start is_quarter_end is_year_start is_year_end
"""
_STATISTICS: Final = "sum mean std var sem skew kurt kurtosis prod product any all"
_COUNTS: Final = "count nunique size"
_PICKING: Final = "min max first last median quantile idxmin idxmax mode nth"

_BY_VALUE: Final = {
    **dict.fromkeys(_MOVING.split(), MOVED),
    **dict.fromkeys(_CASTING.split(), _CAST),
    **dict.fromkeys(_PARTS.split(), _PART),
    **dict.fromkeys(_FACTS.split(), _FACT),
}
_OF_MANY: Final = {
    **dict.fromkeys(_STATISTICS.split(), _STATISTIC),
    **dict.fromkeys(_COUNTS.split(), _COUNT),
    **dict.fromkeys(_PICKING.split(), _PICKED),
}


def of_value(function: str) -> Kind:
    """What a function does that makes a value of the one at its place."""
    return _BY_VALUE.get(function, COMPUTED)


def of_many(function: str) -> Kind:
    """What a function does that makes one value of those of many records."""
    return _OF_MANY.get(function, _BY_VALUE.get(function, COMPUTED))


_JOINS: Final = frozenset({"merge", "join", "DataFrame"})
_SORTS: Final = frozenset({"sort_values", "sort_index"})
_FILTERS: Final = frozenset({
    "getitem", "loc", "iloc", "at", "query", "dropna", "sample", "nlargest", "nsmallest", "reindex", "explode",
    "filter", "head", "tail", "drop", "truncate", "melt", "stack", "pivot", "pivot_table", "unstack", "xs", "asfreq",
})  # fmt: skip


def decides(function: str, *, grouped: bool) -> Subtype:
    """How a column decides that a function only looks at; ``grouped``: records of one value come together."""
    if function in _JOINS:
        return Subtype.JOIN
    if grouped or function == "drop_duplicates":
        return Subtype.GROUP_BY
    if function in _SORTS:
        return Subtype.SORT
    return Subtype.FILTER if function in _FILTERS else Subtype.CONDITIONAL


def of_all_records(function: str) -> Subtype:
    """How a column decides of which all records are looked at: a rank, a bin, the categories of an encoding."""
    return Subtype.FILTER if function in _FILTERS else Subtype.WINDOW
