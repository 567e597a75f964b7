"""Spark's classes through py4j, the same on every supported line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from py4j.java_gateway import JavaClass
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import DataType

CATALYST = "org.apache.spark.sql.catalyst."
LOGICAL = CATALYST + "plans.logical."
EXPRESSIONS = CATALYST + "expressions."


class Jvm:
    """Plans, expressions and frames of one session."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.view: Any = spark._jvm
        self._client = self.view._gateway_client
        self._known = _known(self._client)
        self._is_classic = classic = self._classic()
        self._dataset = self.type("org.apache.spark.sql." + ("classic." if classic else "") + "Dataset")
        self._column = (
            self.type("org.apache.spark.sql.classic.ExpressionUtils").column
            if classic
            else self.type("org.apache.spark.sql.Column")
        )

    def type(self, name: str) -> Any:
        """A class by its full name, without asking the JVM for each part of that."""
        return JavaClass(name, self._client)

    def one(self, name: str) -> Any:
        """A Scala object by its name; each is asked for once."""
        if name not in self._known:
            self._known[name] = getattr(self.type(name + "$"), "MODULE$")
        return self._known[name]

    def _classic(self) -> bool:
        """Whether Spark has its classes for frames apart from those of Connect."""
        name = "org.apache.spark.sql.classic.Dataset"
        if name not in self._known:
            self._known[name] = _is_class(self.view, name)
        return bool(self._known[name])

    def column(self, expression: Any) -> Column:
        """A column of Python for an expression of Catalyst."""
        return _column_class()(self._column(expression))

    def unresolved(self, column: Column) -> Any:
        """The expression of Catalyst for a column of Python that names no attribute."""
        if self._is_classic:
            return self.spark._jsparkSession.expression(column._jc)
        return column._jc.expr()

    def uri(self, path: str) -> str:
        """A path as metadata of rows write it, with what is special in addresses as %."""
        return str(self.type("org.apache.hadoop.fs.Path")(path).toUri().toString())

    def frame(self, plan: Any) -> DataFrame:
        """A data frame for a logical plan."""
        return DataFrame(self._dataset.ofRows(self.spark._jsparkSession, plan), self.spark)

    def seq(self, values: Sequence[Any]) -> Any:
        """A Scala sequence."""
        given = self.view.java.util.ArrayList()
        for value in values:
            given.add(value)
        return self.type("org.apache.spark.api.python.PythonUtils").toSeq(given)

    def array(self, *values: Any) -> Any:
        """An array of Java's objects, as its reflection takes arguments."""
        return self.array_of("java.lang.Object", values)

    def array_of(self, name: str, values: Sequence[Any]) -> Any:
        """An array of a class, by its full name."""
        given = self.spark.sparkContext._gateway.new_array(self.type(name), len(values))
        for place, value in enumerate(values):
            given[place] = value
        return given

    def copy(self, node: Any, **changes: Any) -> Any:
        """A node with some of its arguments changed, by position: ``_0=…``."""
        arguments = [node.productElement(number) for number in range(node.productArity())]
        for place, value in changes.items():
            arguments[int(place[1:])] = value
        return self.type(node.getClass().getName())(*arguments)

    def over(self, plan: Any, change: Callable[[DataFrame], DataFrame]) -> Any:
        """What a change of a data frame makes of a plan.

        It is analysed over an empty relation with the plan's attributes, and then put on the plan: analysed as a whole,
        attributes that stand twice in it would be given new identities.
        """
        relation = self.one(LOGICAL + "LocalRelation").apply(plan.output())
        return self._put(analysed(change(self.frame(relation))), plan)

    def _put(self, node: Any, plan: Any) -> Any:
        if kind(node) == "LocalRelation":
            return plan
        return node.withNewChildren(self.seq([self._put(each, plan) for each in listed(node.children())]))

    def select(self, plan: Any, kept: Sequence[Any], *more: Column) -> Any:
        """A projection of a plan to attributes (and other named expressions) and more columns."""
        added = [self.expression(plan, each) for each in more]
        return self.type(LOGICAL + "Project")(self.seq([*kept, *added]), plan)

    def type_of(self, attribute: Any) -> DataType:
        """The type of an attribute, for Python."""
        return self.frame(self.one(LOGICAL + "LocalRelation").apply(self.seq([attribute]))).schema[0].dataType

    def alias(self, expression: Any, attribute: Any) -> Any:
        """The expression under the name and the identity of an attribute."""
        nothing = self.view.scala.Option.empty()
        nil = getattr(getattr(self.view, "scala.collection.immutable.Nil$"), "MODULE$")
        return self.type(EXPRESSIONS + "Alias")(
            expression, attribute.name(), attribute.exprId(), attribute.qualifier(), nothing, nil
        )

    def expression(self, plan: Any, column: Column) -> Any:
        """The resolved expression of a column over a plan, under its alias."""
        return listed(self.over(plan, lambda frame: frame.select(column)).projectList())[0]

    def aggregate(self, plan: Any, column: Column) -> Any:
        """The resolved aggregate of a column over a plan, under its alias."""
        return listed(self.over(plan, lambda frame: frame.agg(column)).aggregateExpressions())[0]


@lru_cache(maxsize=1)
def _known(client: Any) -> dict[str, Any]:
    """What is known of the classes behind a connection."""
    del client
    return {}


def _is_class(view: Any, name: str) -> bool:
    try:
        view.java.lang.Class.forName(name)
    except Exception:  # noqa: BLE001 - py4j wraps what Java throws
        return False
    return True


def _column_class() -> Any:
    try:
        from pyspark.sql.classic.column import Column as Classic  # noqa: PLC0415 - Spark 4 alone has it
    except ImportError:
        return Column
    return Classic


def analysed(frame: DataFrame) -> Any:
    """The analysed plan of a data frame."""
    return frame._jdf.queryExecution().analyzed()


def leaves_of(frame: DataFrame) -> list[Any]:
    """The leaves of the analysed plan of a data frame, without those of subqueries."""
    return listed(analysed(frame).collectLeaves())


def listed(values: Any) -> list[Any]:
    """A Scala sequence as a list."""
    return [values.apply(number) for number in range(values.size())]


def kind(node: Any) -> str:
    """The class of a node, without its package; of a class without a name the one that it extends."""
    of = node.getClass()
    name = of.getSimpleName()
    while not name:
        of = of.getSuperclass()
        name = of.getSimpleName()
    return str(name).rstrip("$")


def has_method(value: Any, name: str) -> bool:
    """Whether an object of Java has a public method; every name looks as if it were one to Python."""
    return name in dir(value)


def key(attribute: Any) -> str:
    """What identifies an attribute in the whole plan."""
    return str(attribute.exprId().id())


def output(plan: Any) -> list[Any]:
    """The attributes that a plan gives."""
    return listed(plan.output())


def optional(value: Any) -> Any:
    """What an Option holds, or None."""
    return value.get() if value.isDefined() else None
