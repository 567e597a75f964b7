"""Variances, correlations, regressions, skewness and kurtosis: of moments, merged as Spark merges its partitions'."""

from __future__ import annotations

from headwater_boundary.split.merging.aggregated import Aggregated, Merge, Rule
from headwater_records_spark.jvm import kind, listed

_ONE = {
    "VariancePop": "CASE WHEN {n} > 0 THEN {xx} / {n} END",
    "VarianceSamp": "CASE WHEN {n} > 1 THEN {xx} / ({n} - 1) END",
    "StddevPop": "CASE WHEN {n} > 0 THEN sqrt({xx} / {n}) END",
    "StddevSamp": "CASE WHEN {n} > 1 THEN sqrt({xx} / ({n} - 1)) END",
    "RegrReplacement": "CASE WHEN {n} > 0 THEN {xx} END",
}
_TWO = {
    "CovPopulation": "CASE WHEN {n} > 0 THEN {xy} / {n} END",
    "CovSample": "CASE WHEN {n} > 1 THEN {xy} / ({n} - 1) END",
    "Corr": "CASE WHEN {n} > 1 THEN try_divide({xy}, sqrt({xx} * {yy})) END",
    "RegrSXY": "CASE WHEN {n} > 0 THEN {xy} END",
    "RegrSlope": "try_divide({xy}, {yy})",
    "RegrIntercept": "{x} - try_divide({xy}, {yy}) * {y}",
    "RegrR2": "CASE WHEN {yy} > 0 THEN CASE WHEN {xx} = 0 THEN 1D ELSE {xy} * {xy} / ({xx} * {yy}) END END",
}
_SHAPE = {
    "Skewness": "try_divide(sqrt({n}) * {xxx}, sqrt({xx} * {xx} * {xx}))",
    "Kurtosis": "try_divide({n} * {xxxx}, {xx} * {xx}) - 3D",
}


_NAN = {each for each in (*_ONE, *_TWO, *_SHAPE) if not each.startswith("Regr")}
"""Those that an older Spark's setting makes NaN instead of NULL."""


def _of_one(a: Aggregated) -> Merge:
    x = _double(a, 1)[0]
    why = "the number, the average and the squared deviations of a group"
    return _merge(a, _central(a, x), _ONE, why)


def _of_two(a: Aggregated) -> Merge:
    x, y = _double(a, 2)
    names = ("count", "mean_x", "mean_y", "products", "squares_x", "squares_y")
    of_pairs = ("regr_count", "regr_avgy", "regr_avgx", "regr_sxy", "regr_syy", "regr_sxx")
    partials = tuple(
        (name, a.filtered(f"{function}({x}, {y})")) for name, function in zip(names, of_pairs, strict=True)
    )
    return _merge(a, partials, _TWO, "the number, the averages and the deviations of a group")


def _of_shape(a: Aggregated) -> Merge:
    x = _double(a, 1)[0]
    count, variance = a.filtered(f"count({x})"), a.filtered(f"var_pop({x})")
    skewness, kurtosis = (a.filtered(f"{name}({x})") for name in ("skewness", "kurtosis"))
    partials = (
        *_central(a, x),
        ("cubes", f"coalesce({skewness} * pow({variance}, 1.5D), 0D) * {count}"),
        ("fourth_powers", f"coalesce(({kurtosis} + 3D) * pow({variance}, 2D), 0D) * {count}"),
    )
    return _merge(a, partials, _SHAPE, "the number, the average and the deviations of a group")


def _central(a: Aggregated, x: str) -> tuple[tuple[str, str], ...]:
    count = a.filtered(f"count({x})")
    return (
        ("count", count),
        ("mean", a.filtered(f"avg({x})")),
        ("squares", f"{a.filtered(f'var_pop({x})')} * {count}"),
    )


def _merge(a: Aggregated, partials: tuple[tuple[str, str], ...], results: dict[str, str], why: str) -> Merge:
    names = ("n", "x", "xx", "y", "yy", "xy", "xxx", "xxxx")
    result = results[kind(a.function)].format(**{name: f"{{0}}.{name}" for name in names})
    return Merge(partials, (), result, why, function="merged_moments({})")


def _double(a: Aggregated, wanted: int) -> tuple[str, ...]:
    if len(a.arguments) != wanted or len(listed(a.function.children())) != wanted:
        raise a.refuse("one of its arguments is a constant")
    if kind(a.function) in _NAN and not a.function.nullOnDivideByZero():
        raise a.refuse("by spark.sql.legacy.statisticalAggregate, it is NaN where it has too few values")
    return tuple(f"CAST({each} AS DOUBLE)" for each in a.arguments)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_ONE, _of_one),
    **dict.fromkeys(_TWO, _of_two),
    **dict.fromkeys(_SHAPE, _of_shape),
}
