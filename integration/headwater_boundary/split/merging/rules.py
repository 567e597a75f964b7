"""The rule of each aggregate."""

from __future__ import annotations

from headwater_boundary.policy import Sketch
from headwater_boundary.split.merging import moments, quantiles
from headwater_boundary.split.merging.aggregated import Aggregated, Merge, Rule
from headwater_records_spark.jvm import kind, listed

LG_K = 14
"""Base 2 logarithm of a sketch's buckets: its standard error is 0.65 %, in counts up to some thousands it is less."""


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
    result, argument = a.function.dataType(), a.argument
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


def _of_distinct(a: Aggregated) -> Merge:
    """Of the distinct values themselves, which then have to leave."""
    name, data_type = kind(a.function), str(a.function.dataType().sql())
    if name == "CollectSet":
        return _set(a)
    if name == "ListAgg":
        return _joined(a)
    partials = (("values", a.filtered(f"collect_set({a.argument})")),)
    merged = ("array_distinct(flatten(collect_list({0})))",)
    whole = f"aggregate({{0}}, CAST(0 AS {data_type}), (sum, value) -> CAST(sum + value AS {data_type}))"
    if name == "CollectList":
        result = "{0}"
    elif name == "Sum":
        result = f"CASE WHEN size({{0}}) > 0 THEN {whole} END"
    elif data_type == "DOUBLE":
        result = f"CASE WHEN size({{0}}) > 0 THEN {whole} / size({{0}}) END"
    else:
        raise a.refuse(f"an average of distinct values of {data_type} has no rule")
    return Merge(partials, merged, result, "the values of a group", values=True)


def _joined(a: Aggregated) -> Merge:
    """``listagg``, in no order or in that of its values."""
    value, delimiter, *orders = listed(a.function.children())
    if any(not each.child().canonicalized().equals(value.canonicalized()) for each in orders):
        raise a.refuse("the order of its texts depends on other values")
    if str(value.dataType().sql()) != "STRING" or not delimiter.foldable():
        raise a.refuse("it has a rule for texts between which a constant stands")
    values = "flatten(collect_list({0}))"
    if a.expression.isDistinct():
        values = f"array_distinct({values})"
    if orders:
        rising = "DESC" not in str(orders[0].direction().sql())
        values = f"sort_array({values}, {str(rising).lower()})"
    between = "''" if str(delimiter.sql()) == "NULL" else str(delimiter.sql())
    result = f"CASE WHEN size({{0}}) > 0 THEN array_join({{0}}, {between}) END"
    partial = a.filtered(f"collect_list({a.argument})")
    return Merge((("values", partial),), (values,), result, "the values of a group", values=True)


def _of_sketches(merging: str, sort: Sketch) -> Rule:
    """A sketch that the job itself makes: put together, as the job would that of all rows."""

    def rule(a: Aggregated) -> Merge:
        allowed = sort in a.sketches
        return Merge(
            (("", a.own),), (f"{merging}({{0}})",), "{0}", "a sketch of the values of a group",
            values=not allowed, sketch=sort if allowed else None,
        )  # fmt: skip

    return rule


def _approximate_distinct(a: Aggregated) -> Merge:
    if a.colocated:
        return _count(a)
    if Sketch.DISTINCT not in a.sketches:
        raise a.refuse("a sketch of personal values is needed, and no policy says that sketches may leave")
    return _sketch(a, a.argument)


def _sketch(a: Aggregated, value: str) -> Merge:
    partial = a.filtered(f"hll_sketch_agg(CAST({value} AS STRING), {LG_K})")
    why = "a sketch of the values of a group, which counts them and does not show them"
    estimate = "coalesce(hll_sketch_estimate({0}), 0)"
    return Merge((("sketch", partial),), ("hll_union_agg({0})",), estimate, why, sketch=Sketch.DISTINCT)


def _distinct(a: Aggregated) -> Merge:
    name = kind(a.function)
    if name in {"Min", "Max"}:
        return _same(name.lower(), values=True)(a)
    if name in {"Sum", "Average", "CollectSet", "CollectList", "ListAgg"}:
        return _of_distinct(a)
    if name != "Count":
        raise a.refuse("of distinct values it has no rule")
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
    if Sketch.DISTINCT not in a.sketches:
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
    "ListAgg": _joined,
    "HyperLogLogPlusPlus": _approximate_distinct,
    "HllSketchAgg": _of_sketches("hll_union_agg", Sketch.DISTINCT),
    "ThetaSketchAgg": _of_sketches("theta_union_agg", Sketch.DISTINCT),
    **{
        f"KllSketchAgg{sort}": _of_sketches(f"kll_merge_agg_{sort.lower()}", Sketch.QUANTILES)
        for sort in ("Bigint", "Double", "Float")
    },
    **moments.RULES,
    **quantiles.RULES,
}
