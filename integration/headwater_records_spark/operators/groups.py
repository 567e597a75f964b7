"""Groups: the members are collected in the same buffer as the values, so their order is that of the values."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from headwater_records.nested.steps import Aggregate, Group
from headwater_records_spark.context import Built, Context, nodes
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import kind, listed, optional, output
from headwater_records_spark.operators.keys import key_of
from headwater_records_spark.operators.subqueries import with_values

PYTHON_AGGREGATES = {"PythonUDAF"}
COLLECTS = {"CollectList": "list", "CollectSet": "set"}
ORDERED = {
    "PythonUDAF", "CollectList", "First", "Last", "CollectSet", "MaxBy", "MinBy", "ListAgg", "Mode", "AnyValue",
}  # fmt: skip


def group(context: Context, plan: Any) -> Built:
    """GROUP BY, DISTINCT, and an aggregate of all rows."""
    built = context.build(plan.child())
    columns = output(plan)
    built, plan = with_values(context, plan, built)
    results = listed(plan.aggregateExpressions())
    in_python = any(kind(each) in PYTHON_AGGREGATES for result in results for each in nodes(result))
    found = _Found(context)
    outputs = tuple(
        (str(attribute.exprId().id()), read(each, found))
        for attribute, each in zip(columns, results, strict=True)
    )
    keys = tuple(read(each) for each in listed(plan.groupingExpressions()))
    sets = found.number_marks(results)
    kind_of = "group" if found.described or not keys else "distinct" if len(keys) == len(results) else "group"
    step = Group(context.number(), built.step, keys, outputs, tuple(found.described), kind_of)
    by_key = None if in_python else _by_key(context, built, plan, found.marks, step)
    if by_key is not None:
        return by_key
    name = context.name()
    member = F.struct(context.column(built.made_of).alias("m"), *found.marks)
    collected = collect_in_python(F.to_json(member)) if in_python else F.collect_list(member)
    members = context.jvm.aggregate(built.plan, collected.alias(name))
    made = context.jvm.copy(plan, _1=context.jvm.seq([*results, members]), _2=built.plan)
    if in_python:
        of_json = F.from_json(context.column(output(made)[-1]), list_of(context, built, found.marks))
        return context.finish(made, columns, F.struct(of_json.alias("m")), step)
    return context.finish(made, columns, F.struct(_placed(context, made, sets).alias("m")), step)


def _by_key(context: Context, built: Built, plan: Any, marks: list[Column], step: Group) -> Built | None:
    """The group with its key as the derivation, if its members are kept; they have no positions then."""
    members = context.members
    if members is None or any(each.collects for each in step.aggregates):
        return None
    halves = key_of(context, members, built, listed(plan.groupingExpressions()))
    if halves is None:
        return None
    jvm = context.jvm
    kept = F.max(context.column(members.kept(step.number, built, halves, marks)))
    first = jvm.aggregate(built.plan, kept.alias(context.name()))
    second = jvm.expression(built.plan, halves.b.alias(context.name()))
    made = jvm.copy(plan, _1=jvm.seq([*listed(plan.aggregateExpressions()), first, second]), _2=built.plan)
    *columns, first, second = output(made)
    key = F.struct(context.column(first).alias("a"), context.column(second).alias("b"))
    return context.finish(made, columns, F.struct(key.alias("g")), step)


def list_of(context: Context, built: Built, marks: list[Column]) -> ArrayType:
    """The type of a list of members."""
    member = F.struct(context.column(built.made_of).alias("m"), *marks)
    alias = context.jvm.expression(built.plan, member.alias("x"))
    return ArrayType(context.jvm.type_of(alias.toAttribute()))


def collect_in_python(text: Column) -> Column:
    """A list of texts of JSON as one: an aggregate that can stand beside those in Python, and no other can."""
    import pandas as pd  # noqa: PLC0415 - whoever has aggregates in Python has it

    def joined(texts: Any) -> str:
        return "[" + ",".join(texts) + "]"

    joined.__annotations__ = {"texts": pd.Series, "return": str}
    return F.pandas_udf(joined, "string")(text)


class _Found:
    """The aggregates of an operator, in the order in which they are read, and the marks of members for them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.expressions: list[Any] = []
        self.described: list[Aggregate] = []
        self.marks: list[Column] = []

    def __call__(self, expression: Any) -> int:
        function = expression.aggregateFunction()
        name = kind(function)
        if name in ORDERED:
            self.context.ordered.add(name)
        condition = optional(expression.filter())
        self.expressions.append(expression)
        self.described.append(
            Aggregate(
                name,
                tuple(read(each) for each in listed(function.children())),
                () if condition is None else (read(condition),),
                "" if expression.isDistinct() else COLLECTS.get(name, ""),
            )
        )
        return len(self.described) - 1

    def number_marks(self, results: list[Any]) -> list[tuple[int, Any]]:
        """Make the marks; the sets that were collected are given with the number of their mark."""
        sets = []
        for place, (expression, about) in enumerate(zip(self.expressions, self.described, strict=True)):
            result = next((each for each in results if _is(each, expression)), None)
            collects = about.collects if about.collects != "set" or result is not None else ""
            mark = self._mark(expression, collects)
            number = -1 if mark is None else len(self.marks)
            if mark is not None:
                self.marks.append(mark.alias(f"k{number}"))
            if collects == "set":
                sets.append((number, result))
            self.described[place] = Aggregate(about.name, about.arguments, about.conditions, collects, number)
        return sets

    def _mark(self, expression: Any, collects: str) -> Column | None:
        condition = optional(expression.filter())
        used = F.coalesce(self.context.column(condition), F.lit(False)) if condition is not None else None
        if not collects:
            return used
        value = self.context.column(listed(expression.aggregateFunction().children())[0])
        if collects == "set":
            return value if used is None else F.when(used, value)
        return value.isNotNull() if used is None else value.isNotNull() & used


def _is(result: Any, expression: Any) -> bool:
    """Whether a result is just this aggregate."""
    if kind(result) != "Alias" or kind(result.child()) != "AggregateExpression":
        return False
    return bool(result.child().resultId().equals(expression.resultId()))


def _placed(context: Context, plan: Any, sets: list[tuple[int, Any]]) -> Column:
    """The members, with positions in the places of values that were collected to sets."""
    members = context.column(output(plan)[-1])
    if not sets:
        return members
    by_mark = {number: context.column(result.toAttribute()) for number, result in sets}
    type_of = context.jvm.type_of(output(plan)[-1]).elementType

    def placed(member: Column) -> Column:
        fields = []
        for each in type_of.names:
            value = member.getField(each)
            number = int(each[1:]) if each != "m" else -1
            if number in by_mark:
                value = F.when(value.isNotNull(), F.call_function("array_position", by_mark[number], value))
            fields.append(value.alias(each))
        return F.struct(*fields)

    return F.transform(members, placed)
