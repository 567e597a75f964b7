"""Percentiles and the most frequent values: of the values where these may leave, else of sketches that a policy allows.

A KLL sketch has some of the values themselves (of up to some thousands, all), without whose they are: it is no measure
against who knows a value, and leaves only if the policy says so.
"""

from __future__ import annotations

from typing import Any

from headwater_boundary.policy import Sketch
from headwater_boundary.split.merging.aggregated import Aggregated, Merge, Rule
from headwater_records_spark.jvm import kind, listed

SIZE = 4096
"""Of a KLL sketch: its ranks are wrong by at most 0.07 % in 99 of 100 cases, and of as many values by nothing."""
_INTEGERS = {"TINYINT", "SMALLINT", "INT", "BIGINT"}


def _percentile(a: Aggregated) -> Merge:
    """``percentile``, ``median``, ``percentile_cont`` and ``percentile_disc``."""
    children = listed(a.function.children())
    if len(children) > 2 and str(children[2].sql()) not in {"1L", "1"}:
        raise a.refuse("its values have frequencies")
    if "INTERVAL" in _type(children[0]):
        raise a.refuse("of intervals it has no rule")
    discrete = kind(a.function) == "PercentileDisc"
    if discrete and getattr(a.function, "legacyCalculation", bool)():
        raise a.refuse("it is computed as by spark.sql.legacy.percentileDiscCalculation")
    shares = _shares(a.function.percentageExpression())
    if a.function.reverse() and not a.may_leave:
        raise a.refuse("the values of persons are in descending order, which sketches do not have")
    return _merge(
        a, f"CAST({a.argument} AS DOUBLE)", shares, "DOUBLE", discrete=discrete, falling=a.function.reverse()
    )  # fmt: skip


def _approximate(a: Aggregated) -> Merge:
    """``percentile_approx``, whose result is one of the values."""
    child = listed(a.function.children())[0]
    return _merge(a, a.argument, _shares(a.function.percentageExpression()), _type(child), discrete=True)


def _merge(
    a: Aggregated,
    value: str,
    shares: float | list[float],
    data_type: str,
    *,
    discrete: bool,
    falling: bool = False,
) -> Merge:
    if a.may_leave:
        call = f"merged_percentile({{}}, {shares!r}, discrete={discrete}, descending={falling})"
        partial = a.filtered(f"collect_list({value})")
        return Merge((("values", partial),), (), "{0}", "the values of a group", values=True, function=call)
    if Sketch.QUANTILES not in a.sketches:
        raise a.refuse(
            "it needs the values of persons, which may not leave; sketches that have some of them may, if the policy"
            " says quantile_sketches"
        )
    return _sketch(a, value, shares, data_type)


def _sketch(a: Aggregated, value: str, shares: float | list[float], data_type: str) -> Merge:
    sort = "bigint" if data_type in _INTEGERS else "double"
    if data_type not in {*_INTEGERS, "FLOAT", "DOUBLE"} and not data_type.startswith("DECIMAL"):
        raise a.refuse(f"there are no sketches of {data_type}")
    if not a.known(f"kll_sketch_agg_{sort}"):
        raise a.refuse("this Spark has no sketches of values; from 4.1 on it has")
    partial = a.filtered(f"kll_sketch_agg_{sort}(CAST({value} AS {sort.upper()}), {SIZE})")
    wanted = shares if isinstance(shares, list) else [shares]
    found = [f"CAST(kll_sketch_get_quantile_{sort}({{0}}, {share!r}D) AS {data_type})" for share in wanted]
    value = f"array({', '.join(found)})" if isinstance(shares, list) else found[0]
    result = f"CASE WHEN kll_sketch_get_n_{sort}({{0}}) > 0 THEN {value} END"
    why = "a sketch of the values of a group: some of them, without whose they are, as the policy allows"
    return Merge(
        (("sketch", partial),), (f"kll_merge_agg_{sort}({{0}}, {SIZE})",), result, why, sketch=Sketch.QUANTILES
    )  # fmt: skip


def _shares(expression: Any) -> float | list[float]:
    found = expression.eval(None)
    if hasattr(found, "toDoubleArray"):
        return [float(each) for each in found.toDoubleArray()]
    return float(found)


def _type(expression: Any) -> str:
    return str(expression.dataType().sql())


def _most_frequent(a: Aggregated) -> Merge:
    """``approx_top_k``, by the sketches that Spark itself makes of partitions."""
    _, most, tracked = (listed(a.function.children()) + [None] * 3)[:3]
    kept = "" if tracked is None else f", {tracked.eval(None)}"
    partial = a.filtered(f"approx_top_k_accumulate({a.argument}{kept})")
    result = f"approx_top_k_estimate({{0}}, {most.eval(None)})"
    return Merge(
        (("frequent", partial),), ("approx_top_k_combine({0})",), result, "frequent values of a group", values=True
    )  # fmt: skip


RULES: dict[str, Rule] = {
    **dict.fromkeys(("Percentile", "PercentileDisc"), _percentile),
    "ApproximatePercentile": _approximate,
    "ApproxTopK": _most_frequent,
}
