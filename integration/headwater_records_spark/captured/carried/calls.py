"""Calls of the jar's objects in a plan: by an interface of Java, which code that Spark generates finds everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater_records_spark.jvm import EXPRESSIONS, Jvm

TYPES = "org.apache.spark.sql.types."


class Method(NamedTuple):
    """A method of an interface, and the type of what it gives, by its object in Spark."""

    interface: str
    name: str
    type: str


OF_WORDS = Method("LongBinaryOperator", "applyAsLong", "LongType")
OF_LISTS = Method("BinaryOperator", "apply", "")
TO_NUMBER = Method("ToLongFunction", "applyAsLong", "LongType")
TO_BOOLEAN = Method("Predicate", "test", "BooleanType")


def call(
    jvm: Jvm,
    target: Any,
    method: Method,
    given: Sequence[Any],
    *,
    type_of: Any = None,
    is_repeatable: bool = True,
) -> Any:
    """The expression that calls a method of an object, which is never NULL, with these expressions."""
    of = jvm.view.java.lang.Class.forName(f"java.util.function.{method.interface}")
    literal = jvm.one(EXPRESSIONS + "Literal").fromObject(target, jvm.type(TYPES + "ObjectType")(of))
    return jvm.type(EXPRESSIONS + "objects.Invoke")(
        literal,
        method.name,
        type_of or jvm.one(TYPES + method.type),
        jvm.seq(given),
        jvm.seq([]),
        False,
        False,
        is_repeatable,
    )
