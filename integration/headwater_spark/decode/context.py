"""What a decoder of one node may ask: its fields as decoded expressions, relations and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from headwater_plan.declarations import Declared, undeclared
from headwater_plan.nodes import (
    ROW,
    Attribute,
    Call,
    Column,
    DecodedPlan,
    Definition,
    Expression,
    Literal,
    Previous,
    Problem,
    Project,
    Relation,
    Shown,
    Union,
    Write,
)
from headwater_plan.types import UNKNOWN, AtomicType, DataType
from headwater_spark.constants import Constants, Setting
from headwater_spark.decode.document import Node, PlanDocument, references
from headwater_spark.decode.functions import function_of
from headwater_spark.decode.kept_rows import KeptRows

MOST_TEXT = 200
"""Characters of a literal's or a name's text that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowSpec:
    """PARTITION BY and ORDER BY of a window."""

    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MemberChange:
    """A struct's member set to an expression, or dropped."""

    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The plan inside a subquery expression that only its parent understands."""

    relation: Relation


Decoded: TypeAlias = Any
"""An ``Expression``, ``Definition``, ``Relation``, ``Write``, or one of the parts above."""


Variables: TypeAlias = Mapping[str, DecodedPlan]
"""Queries of the same application whose one column a variable of the session was last set to, by its name."""


@dataclass(slots=True)
class Context:
    """Decoding in progress. ``results`` holds what each node became."""

    document: PlanDocument
    constants: Constants = field(default_factory=Constants)
    declared: Declared = undeclared
    results: dict[int, Decoded] = field(default_factory=dict)
    ctes: dict[Any, Relation] = field(default_factory=dict)
    previous: dict[Any, Previous] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    kept: KeptRows = field(default_factory=KeptRows)
    query: str | None = None
    """The streaming query to which the plan belongs."""
    reads_at: Callable[[Mapping[str, Any]], int | None] = lambda _: None
    """When a leaf of the plan is read, by its source, in epoch milliseconds."""
    variables: Variables = field(default_factory=dict)
    is_step: bool = False
    """Whether the plan is read as what a command writes of which it is a step."""
    assigned: tuple[str, ...] = ()
    observed: tuple[Relation, ...] = ()
    own_ids: Iterator[int] = field(default_factory=lambda: count(ROW - 1, -1))
    """Expression ids for attributes that Spark has given none."""

    def problem(self, reason: str, detail: str) -> None:
        problem = Problem(reason, detail[:MOST_TEXT])
        if problem not in self.problems:
            self.problems.append(problem)

    def kept_rows(self, rdd: int | None, outputs: tuple[Attribute, ...]) -> Relation | None:
        """What gave the rows that Spark kept in that RDD; None where that is not known."""
        return self._any_of(self.kept.find(rdd, _ids(outputs), self.query), outputs)

    def rows_in_sink(self, sink: int | None, outputs: tuple[Attribute, ...]) -> Relation | None:
        """What gave the rows in that memory sink; None where that is not known."""
        return None if sink is None else self._any_of(self.kept.in_sink(sink), outputs)

    def _any_of(self, plans: Iterable[DecodedPlan], outputs: tuple[Attribute, ...]) -> Relation | None:
        """Rows that any of the plans gave, under those ids; None where there is no plan, or one of other columns."""
        relations = tuple(each for each in map(self._of_another, plans) if each is not None)
        if not relations or any(len(each.outputs) != len(outputs) for each in relations):
            return None
        relation = relations[0] if len(relations) == 1 else Union(relations[0].outputs, relations)
        return relation if _ids(relation.outputs) == _ids(outputs) else _renamed(relation, outputs)

    def value_of_variable(self, name: str) -> Relation | None:
        """The query that a variable of the session was set to; None where it was set to none."""
        found = self.variables.get(name)
        return None if found is None else self._of_another(found)

    def _of_another(self, plan: DecodedPlan) -> Relation | None:
        """The relation of a plan that was decoded before, with what was not understood of it."""
        for problem in plan.problems:
            self.problem(problem.reason, problem.detail)
        return plan.relation

    def nodes(self, value: Any) -> list[Decoded]:
        """What the nodes in a field's value became, flattened, in order."""
        return [self.results[i] for i in references(value)]

    def expressions(self, value: Any) -> tuple[Expression, ...]:
        return tuple(e for e in map(as_expression, self.nodes(value)) if e is not None)

    def expression(self, value: Any) -> Expression:
        """The one expression of a field."""
        found = self.expressions(value)
        return found[0] if found else null()

    def optional(self, value: Any) -> Expression | None:
        found = self.expressions(value)
        return found[0] if found else None

    def relations(self, value: Any) -> tuple[Relation, ...]:
        return tuple(r for r in self.nodes(value) if is_relation(r))

    def definitions(self, value: Any) -> tuple[Definition, ...]:
        """Named expressions: an alias, or a column that passes under its own id."""
        return tuple(d for d in map(_as_definition, self.nodes(value)) if d is not None)

    def attributes(self, value: Any) -> tuple[Attribute, ...]:
        return tuple(d.attribute for d in self.definitions(value))

    def outputs(self, node: Node) -> tuple[Attribute, ...] | None:
        """The output attributes as Spark states them, None where the document leaves them to us."""
        if "out" not in node.extras:
            return None
        return tuple(
            d.attribute for i in node.extras["out"] if (d := _as_definition(self.results[i])) is not None
        )

    def type(self, node: Node) -> DataType | None:
        return self.document.type(node.extras.get("t"))


Decoder: TypeAlias = Callable[[Node, Context], Decoded]


def is_relation(decoded: Decoded) -> bool:
    return isinstance(decoded, _RELATIONS)


def is_expression(decoded: Decoded) -> bool:
    return isinstance(decoded, _EXPRESSIONS)


def as_expression(decoded: Decoded) -> Expression | None:
    """An expression, looking through the alias around it; None for what is no expression."""
    if isinstance(decoded, Definition):
        return decoded.expression
    if is_expression(decoded):
        return decoded  # type: ignore[no-any-return]
    return None


def _as_definition(decoded: Decoded) -> Definition | None:
    if isinstance(decoded, Definition):
        return decoded
    if isinstance(decoded, Column):
        return Definition(Attribute(decoded.id, decoded.name, decoded.type or UNKNOWN), decoded)
    return None


def arguments(node: Node, context: Context) -> tuple[Expression, ...]:
    """All expressions among the node's fields, in order: the arguments of a function we have no decoder for."""
    return context.expressions(list(node.fields.values()))


def type_of(expression: Expression) -> DataType | None:
    """The expression's type where it is known: always for columns, else for nested types only."""
    return expression.type


def call(node: Node, context: Context, args: Iterable[Expression] | None = None) -> Call:
    """The node as a call of the function that its class stands for."""
    given = arguments(node, context) if args is None else tuple(args)
    return Call(
        function_of(node.name), given, context.type(node), pretty=str(node.extras.get("fn") or node.name)
    )


def text_of(value: Any) -> str:
    """A literal's value as SQL, cut to a length."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int() | float():
            return str(value)
        case str():
            quoted = value[:MOST_TEXT].replace("'", "''")
            return f"'{quoted}'" if len(value) <= MOST_TEXT else f"'{quoted}…'"
        case _:
            return "<value>"


def literal(node: Node, context: Context) -> Literal:
    data_type = context.document.type(node.get("dataType"))
    value = node.get("value")
    numeric = isinstance(data_type, AtomicType) and data_type.name not in (
        "string",
        "binary",
        "date",
        "timestamp",
    )
    text = str(value) if numeric and isinstance(value, str) else text_of(value)
    return constant(value, data_type, text, context.constants)


def null(data_type: DataType | None = UNKNOWN) -> Literal:
    """NULL, which holds no value of anybody."""
    return Literal(None, data_type, "NULL", "NULL")


def constant(value: Any, data_type: DataType | None, text: str, constants: Constants) -> Literal:
    """A constant of the program; ``text`` is it as SQL."""
    if value is None:
        return Literal(None, data_type, text, text)
    plain = None if isinstance(value, dict | list) else value
    hidden = placeholder(data_type)
    return Literal(
        plain,
        data_type,
        constants.in_predicate(value, text, hidden),
        constants.in_value(text, hidden),
        _shown(constants),
    )


def _shown(constants: Constants) -> Shown:
    if constants.setting is Setting.HIDE:
        return Shown.TYPE
    return Shown.TOKEN if constants.uses_tokens else Shown.VALUE


def placeholder(data_type: DataType | None) -> str:
    """``<string>``: what stands for a constant that must not leave."""
    return f"<{data_type.name if isinstance(data_type, AtomicType) else 'value'}>"


def _ids(outputs: tuple[Attribute, ...]) -> tuple[int, ...]:
    return tuple(each.id for each in outputs)


def _renamed(relation: Relation, outputs: tuple[Attribute, ...]) -> Relation:
    """The relation under other expression ids."""
    definitions = tuple(
        Definition(new, Column(old.id, old.name, old.type))
        for new, old in zip(outputs, relation.outputs, strict=True)
    )
    return Project(outputs, relation, definitions)


_EXPRESSIONS: tuple[type, ...] = Expression.__args__
_RELATIONS: tuple[type, ...] = Relation.__args__

__all__ = ["Context", "Decoded", "Decoder", "MemberChange", "Plan", "WindowSpec", "Write"]
