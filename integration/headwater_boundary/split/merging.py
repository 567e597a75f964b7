"""How an aggregate over all regions follows from aggregates of each: what leaves a region, and how it is put together.

``partials`` are columns that are computed inside, ``merged`` what is made of these outside, and ``result`` the
aggregate's value. In their texts ``{0}``, ``{1}`` … stand for the columns' names. What has no rule here is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.text import replacement_of
from headwater_records_spark.jvm import kind, listed, optional

LG_K = 14
"""Base 2 logarithm of a sketch's buckets: its standard error is 0.65 %, in counts up to some thousands it is less."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One aggregate, split. ``moments`` counts the variables whose moments are merged, where ``merged`` has no texts.

    ``why`` says to people why the partials may leave. ``values``: single values leave, which then must be allowed to.
    """

    partials: tuple[tuple[str, str], ...]
    merged: tuple[str, ...]
    result: str
    why: str
    values: bool = False
    sketch: bool = False
    moments: int = 0


Rule = Callable[["Aggregated"], Merge]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """An aggregate to be merged: its own text, and those of its arguments."""

    expression: Any
    own: str
    arguments: tuple[str, ...]
    condition: str
    colocated: bool
    may_leave: bool
    sketches: bool
    ansi: bool

    @property
    def function(self) -> Any:
        return unwrapped(self.expression.aggregateFunction())

    def filtered(self, call: str, more: str = "") -> str:
        """A call with the aggregate's own condition, and one more."""
        both = " AND ".join(each for each in (self.condition, more) if each)
        return f"{call} FILTER (WHERE {both})" if both else call

    def refuse(self, reason: str) -> CannotSplitError:
        return CannotSplitError(kind(self.function), reason)


def unwrapped(function: Any) -> Any:
    """What Spark runs for an aggregate that the analyser replaces."""
    while (found := replacement_of(function)) is not None:
        function = found
    return function


def merge_of(aggregated: Aggregated) -> Merge:
    """The rule of the aggregate. Raises ``CannotSplitError``."""
    function = aggregated.function
    name = kind(function)
    if aggregated.expression.isDistinct():
        return _distinct(aggregated)
    rule = RULES.get(name)
    if rule is None:
        raise aggregated.refuse("it does not follow from the same aggregate of each region")
    return rule(aggregated)


def _same(name: str, *, values: bool) -> Rule:
    def rule(a: Aggregated) -> Merge:
        why = "a value of a group" if values else "a figure of a group"
        return Merge((("", a.own),), (f"{name}({{0}})",), "{0}", why, values=values)

    return rule


def _sum(a: Aggregated) -> Merge:
    data_type = str(a.function.dataType().sql())
    if data_type.startswith("DECIMAL"):
        if a.function.dataType().precision() == 38 and not a.ansi:
            return _sum_that_may_overflow(a, data_type)
        return Merge((("", a.own),), ("sum({0})",), f"CAST({{0}} AS {data_type})", "a sum over a group")
    return Merge((("", a.own),), ("sum({0})",), "{0}", "a sum over a group")


def _sum_that_may_overflow(a: Aggregated, data_type: str) -> Merge:
    """A sum that overflows is NULL, as that of nothing is: how many values there were tells one from the other."""
    count = a.filtered(f"count({a.arguments[0] if a.arguments else '*'})")
    merged = ("sum({0})", "bool_or({0} IS NULL AND {1} > 0)")
    result = f"CASE WHEN NOT {{1}} THEN CAST({{0}} AS {data_type}) END"
    return Merge(
        (("", a.own), ("count", count)), merged, result, "a sum over a group, and of how many values"
    )


def _count(a: Aggregated) -> Merge:
    return Merge((("", a.own),), ("sum({0})",), "coalesce({0}, 0)", "a number of rows")


def _average(a: Aggregated) -> Merge:
    result, argument = a.function.dataType(), a.arguments[0]
    name = str(result.sql())
    count = a.filtered(f"count({argument})")
    why = "a sum and a number of rows, of which the average is made"
    if name.startswith("DECIMAL"):
        scale, whole = result.scale(), listed(a.function.children())[0].dataType()
        digits = whole.precision() + 10 - whole.scale()
        if max(38 - digits, 6) < scale + 2:
            raise a.refuse(f"an average of {whole.sql()} cannot be divided as exactly from sums")
        summed = a.filtered(f"sum({argument})")
        value = f"CASE WHEN {{1}} > 0 THEN CAST({{0}} / CAST({{1}} AS DECIMAL(20,0)) AS {name}) END"
    elif name == "DOUBLE":
        summed = a.filtered(f"sum(CAST({argument} AS DOUBLE))")
        value = "CASE WHEN {1} > 0 THEN {0} / {1} END"
    else:
        raise a.refuse(f"an average of {name} has no rule")
    return Merge((("sum", summed), ("count", count)), ("sum({0})", "sum({1})"), value, why)


_ONE = {
    "VariancePop": "CASE WHEN {n} > 0 THEN {xx} / {n} END",
    "VarianceSamp": "CASE WHEN {n} > 1 THEN {xx} / ({n} - 1) END",
    "StddevPop": "CASE WHEN {n} > 0 THEN sqrt({xx} / {n}) END",
    "StddevSamp": "CASE WHEN {n} > 1 THEN sqrt({xx} / ({n} - 1)) END",
}
_TWO = {
    "CovPopulation": "CASE WHEN {n} > 0 THEN {xy} / {n} END",
    "CovSample": "CASE WHEN {n} > 1 THEN {xy} / ({n} - 1) END",
    "Corr": "CASE WHEN {n} > 1 THEN try_divide({xy}, sqrt({xx} * {yy})) END",
}


def _moments_of_one(a: Aggregated) -> Merge:
    x = f"CAST({a.arguments[0]} AS DOUBLE)"
    partials = (
        ("count", a.filtered(f"count({x})")),
        ("mean", a.filtered(f"avg({x})")),
        ("squares", f"{a.filtered(f'var_pop({x})')} * {a.filtered(f'count({x})')}"),
    )
    result = _ONE[kind(a.function)].format(n="{0}.n", xx="{0}.xx")
    why = "the number, the average and the squared deviations of a group"
    return Merge(partials, (), result, why, moments=1)


def _moments_of_two(a: Aggregated) -> Merge:
    x, y = (f"CAST({each} AS DOUBLE)" for each in a.arguments)
    both = f"{a.arguments[0]} IS NOT NULL AND {a.arguments[1]} IS NOT NULL"
    count = a.filtered("count(*)", both)
    partials = (
        ("count", count),
        ("mean_x", a.filtered(f"avg({x})", both)),
        ("mean_y", a.filtered(f"avg({y})", both)),
        ("products", f"{a.filtered(f'covar_pop({x}, {y})', both)} * {count}"),
        ("squares_x", f"{a.filtered(f'var_pop({x})', both)} * {count}"),
        ("squares_y", f"{a.filtered(f'var_pop({y})', both)} * {count}"),
    )
    result = _TWO[kind(a.function)].format(n="{0}.n", xx="{0}.xx", yy="{0}.yy", xy="{0}.xy")
    return Merge(partials, (), result, "the number, the averages and the deviations of a group", moments=2)


def _picked(name: str) -> Rule:
    def rule(a: Aggregated) -> Merge:
        extreme = a.filtered(f"{name.removesuffix('_by')}({a.arguments[1]})")
        partials = (("", a.own), ("order", extreme))
        return Merge(partials, (f"{name}({{0}}, {{1}})",), "{0}", "a value of a group", values=True)

    return rule


def _set(a: Aggregated) -> Merge:
    return Merge(
        (("", a.own),), ("array_distinct(flatten(collect_list({0})))",), "{0}", "the values of a group", values=True
    )  # fmt: skip


def _list(a: Aggregated) -> Merge:
    return Merge((("", a.own),), ("flatten(collect_list({0}))",), "{0}", "the values of a group", values=True)


def _approximate_distinct(a: Aggregated) -> Merge:
    if a.colocated:
        return _count(a)
    if not a.sketches:
        raise a.refuse("a sketch of personal values is needed, and no policy says that sketches may leave")
    return _sketch(a, a.arguments[0])


def _sketch(a: Aggregated, value: str) -> Merge:
    partial = a.filtered(f"hll_sketch_agg(CAST({value} AS STRING), {LG_K})")
    why = "a sketch of the values of a group, which counts them and does not show them"
    return Merge(
        (("sketch", partial),), ("hll_union_agg({0})",), "coalesce(hll_sketch_estimate({0}), 0)", why, sketch=True
    )  # fmt: skip


def _distinct(a: Aggregated) -> Merge:
    name = kind(a.function)
    if name in {"Min", "Max"}:
        return _same(name.lower(), values=True)(a)
    if name != "Count":
        raise a.refuse("of distinct values only a number can be put together")
    if a.colocated:
        why = "a number of values, of which none is in two regions"
        return Merge((("", a.own),), ("sum({0})",), "coalesce({0}, 0)", why)
    if a.may_leave:
        value = a.arguments[0]
        present = ""
        if len(a.arguments) > 1:
            value = f"struct({', '.join(a.arguments)})"
            present = " AND ".join(f"({each}) IS NOT NULL" for each in a.arguments)
        partial = a.filtered(f"collect_set({value})", present)
        result = "coalesce(size(array_distinct(flatten({0}))), 0)"
        return Merge(
            (("values", partial),), ("collect_list({0})",), f"CAST({result} AS BIGINT)", "values", values=True
        )
    if not a.sketches:
        raise a.refuse(
            "values that are personal may be in several regions; it can be counted by sketches (approximately),"
            " or exactly where a policy says that equal values are in one region"
        )
    if len(a.arguments) != 1:
        raise a.refuse("a sketch counts one column")
    return _sketch(a, a.arguments[0])


RULES: dict[str, Rule] = {
    "Sum": _sum,
    "Count": _count,
    "CountIf": _count,
    "BoolAnd": _same("bool_and", values=True),
    "BoolOr": _same("bool_or", values=True),
    "Average": _average,
    "Min": _same("min", values=True),
    "Max": _same("max", values=True),
    "BitAndAgg": _same("bit_and", values=True),
    "BitOrAgg": _same("bit_or", values=True),
    "BitXorAgg": _same("bit_xor", values=True),
    "MaxBy": _picked("max_by"),
    "MinBy": _picked("min_by"),
    "CollectSet": _set,
    "CollectList": _list,
    "HyperLogLogPlusPlus": _approximate_distinct,
    **dict.fromkeys(_ONE, _moments_of_one),
    **dict.fromkeys(_TWO, _moments_of_two),
}


def arguments_of(expression: Any) -> list[Any]:
    """The values that an aggregate aggregates: its parameters that are no constants."""
    children = listed(unwrapped(expression.aggregateFunction()).children())
    return [each for each in children if not each.foldable()]


def condition_of(expression: Any) -> Any:
    """The aggregate's own condition, or None."""
    return optional(expression.filter())
