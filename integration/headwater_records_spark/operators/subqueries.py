"""Scalar subqueries that refer to nothing outside: their one row is joined to every row that uses the value."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from headwater_records.nested.steps import Join
from headwater_records_spark.context import Built, Context, keys, nodes
from headwater_records_spark.jvm import kind, listed, output
from headwater_records_spark.normal import normal
from headwater_records_spark.operators.joins import common, joined, pair


def with_values(context: Context, plan: Any, built: Built) -> tuple[Built, Any]:
    """The input joined with the operator's scalar subqueries, and the operator with their values in the places."""
    found: dict[int, Any] = {}
    for expression in listed(plan.expressions()):
        for each in nodes(expression):
            if kind(each) == "ScalarSubquery":
                found.setdefault(each.exprId().id(), each)
    if not found:
        return built, plan
    values = {}
    for number, subquery in found.items():
        below = normal(context.jvm, subquery.plan())
        right = context.build(below)
        values[number] = output(below)[0]
        inside = context.members is not None
        built = (
            _beside(context, built, subquery, right) if inside else _with_value(context, built, below, right)
        )
        context.built.append(built)
    return built, _replaced(context, plan, values)


def _with_value(context: Context, built: Built, subquery: Any, right: Built) -> Built:
    """Every row with the subquery's one row."""
    right, once = common(context, subquery, right)
    made = joined(context.jvm, built.plan, right.plan, "LeftOuter", None)
    columns = keys(list(right.columns))
    step = Join(context.number(), "scalar subquery", built.step, right.step, (), columns, (None, once))
    return context.finish(made, [*built.columns, *right.columns], pair(context, built, right), step)


def _beside(context: Context, built: Built, subquery: Any, right: Built) -> Built:
    """Every row with the value of the subquery, which stays one, and gives the derivation of its row as well."""
    value = right.columns[0]
    packed = F.struct(context.column(value).alias("v"), context.column(right.made_of).alias("m"))
    given = context.column(
        subquery.withNewPlan(context.jvm.select(right.plan, [], packed.alias(context.name())))
    )
    step = Join(
        context.number(),
        "scalar subquery",
        built.step,
        right.step,
        (),
        keys(list(right.columns)),
        (None, None),
    )
    made_of = F.struct(context.column(built.made_of).alias("l"), given.getField("m").alias("r"))
    of_value = context.jvm.expression(built.plan, given.getField("v").alias("x")).child()
    columns = [*built.columns, context.jvm.alias(of_value, value)]
    made = context.finish(built.plan, columns, made_of, step)
    return Built(made.plan, made.made_of, step, tuple(output(made.plan)[:-1]))


def _replaced(context: Context, plan: Any, values: dict[int, Any]) -> Any:
    """The operator with attributes in the places of its subqueries."""
    changes = {}
    for place in range(plan.productArity()):
        argument = plan.productElement(place)
        name = argument.getClass().getName() if hasattr(argument, "getClass") else ""
        if ".expressions." in name:
            changes[f"_{place}"] = _value(context, argument, values)
        elif "scala.collection" in name:
            parts = [_value(context, each, values) for each in listed(argument)]
            changes[f"_{place}"] = context.jvm.seq(parts)
    return context.jvm.copy(plan, **changes)


def _value(context: Context, expression: Any, values: dict[int, Any]) -> Any:
    if kind(expression) == "ScalarSubquery":
        return values[expression.exprId().id()]
    before = listed(expression.children())
    after = [_value(context, each, values) for each in before]
    if all(new is old for new, old in zip(after, before, strict=True)):
        return expression
    return expression.withNewChildren(context.jvm.seq(after))
