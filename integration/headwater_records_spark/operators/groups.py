"""Groups: the members are collected in the same buffer as the values, so their order is that of the values."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from headwater_records.nested.steps import Aggregate, Group
from headwater_records_spark.context import Built, Context, Members, nodes
from headwater_records_spark.expressions import read
from headwater_records_spark.jvm import kind, listed, optional, output
from headwater_records_spark.operators.keys import key_of, parts_of
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
    aggregates = _Aggregates(context)
    outputs = tuple(
        (str(attribute.exprId().id()), read(each, aggregates))
        for attribute, each in zip(columns, results, strict=True)
    )
    keys = tuple(read(each) for each in listed(plan.groupingExpressions()))
    aggregates.number_marks(results)
    kind_of = (
        "group" if aggregates.described or not keys else "distinct" if len(keys) == len(results) else "group"
    )
    step = Group(context.number(), built.step, keys, outputs, tuple(aggregates.described), kind_of)
    by_key = None if in_python else _by_key(context, built, plan, aggregates, step)
    if by_key is not None:
        return by_key
    name = context.name()
    member = F.struct(context.column(built.made_of).alias("m"), *aggregates.marks)
    collected = collect_in_python(F.to_json(member)) if in_python else F.collect_list(member)
    members = context.jvm.aggregate(built.plan, collected.alias(name))
    made = context.jvm.copy(plan, _1=context.jvm.seq([*results, members]), _2=built.plan)
    if in_python:
        of_json = F.from_json(context.column(output(made)[-1]), list_of(context, built, aggregates.marks))
        return context.finish(made, columns, F.struct(of_json.alias("m")), step)
    return context.finish(made, columns, F.struct(_placed(context, made, aggregates.sets).alias("m")), step)


def _by_key(context: Context, built: Built, plan: Any, aggregates: _Aggregates, step: Group) -> Built | None:
    """The group with its key as the derivation, if its members are kept, which have no positions then.

    The marks for sets that are collected are hashes, and the derivation has those of the set's elements.
    """
    members, jvm = context.members, context.jvm
    if members is None or any(each.collects == "list" for each in step.aggregates):
        return None
    key = key_of(context, members, built, listed(plan.groupingExpressions()))
    of_members = [each.cast("int").alias(f"k{number}") for number, each in enumerate(aggregates.marks)]
    for number, result in aggregates.sets:
        values = listed(result.child().aggregateFunction().children())
        hashed = key_of(context, members, built, values)
        if hashed is None:
            return None
        of_members[number] = F.when(aggregates.marks[number].isNotNull(), hashed.a).alias(f"k{number}")
    if key is None:
        return None
    kept = F.max(context.column(members.kept(step.number, built, key, of_members)))
    first = jvm.aggregate(built.plan, kept.alias(context.name()))
    second = jvm.expression(built.plan, key.b.alias(context.name()))
    made = jvm.copy(plan, _1=jvm.seq([*listed(plan.aggregateExpressions()), first, second]), _2=built.plan)
    *columns, first, second = output(made)
    own = F.struct(context.column(first).alias("a"), context.column(second).alias("b"))
    elements = [_hashed(context, members, made, *each) for each in aggregates.sets]
    return context.finish(made, columns, F.struct(own.alias("g"), *elements), step)


def _hashed(context: Context, members: Members, plan: Any, number: int, result: Any) -> Column:
    """The hashes of the elements of a set that was collected."""
    of = context.jvm.type_of(result.toAttribute()).elementType
    values = context.column(result.toAttribute())
    return members.hashed(plan, values, lambda each: parts_of(each, of) or []).alias(f"s{number}")


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


class _Aggregates:
    """The aggregates of an operator, in the order in which they are read, and the marks of members for them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.expressions: list[Any] = []
        self.described: list[Aggregate] = []
        self.marks: list[Column] = []
        self.sets: list[tuple[int, Any]] = []

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

    def number_marks(self, results: list[Any]) -> None:
        """Make the marks, and find the sets that are collected, with the numbers of their marks."""
        for place, (expression, about) in enumerate(zip(self.expressions, self.described, strict=True)):
            result = next((each for each in results if _is(each, expression)), None)
            collects = about.collects if about.collects != "set" or result is not None else ""
            mark = self._mark(expression, collects)
            number = -1 if mark is None else len(self.marks)
            if mark is not None:
                self.marks.append(mark.alias(f"k{number}"))
            if collects == "set":
                self.sets.append((number, result))
            self.described[place] = Aggregate(about.name, about.arguments, about.conditions, collects, number)

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
