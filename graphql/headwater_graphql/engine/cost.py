"""What a GraphQL request may cost: the values that it can be answered with, before anything is looked up.

A root field costs the fields that it selects, with all fragments put in, times the items that it may have: ``first``,
where it is given or has a default, ``SEARCHED`` for a search over the graph without it, else one. So a request may ask
for a long page, or for several short ones, but twenty aliases do not get it twenty long ones::

    { datasets(first: 1000) { edges { node { name } } } }     3 fields, 1,000 items: 3,000
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    GraphQLError,
    GraphQLObjectType,
    OperationDefinitionNode,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.errors import QuestionError
from headwater_graphql.engine.complexity import fields_of
from headwater_graphql.engine.permissions import root_fields

MAX_COST: Final = 100_000
SEARCHED: Final = 1_000
SEARCHES: Final = frozenset(
    {
        "attributeExposure",
        "backwardLineage",
        "forwardLineage",
        "goldenSources",
        "impact",
        "jobLineage",
        "lineage",
        "witnesses",
    }
)
"""Root fields that follow the graph, whose answers have no page size of their own."""


class QueryTooCostly(QuestionError):  # noqa: N818, the name says what is the case
    """A request that asks for too much at once."""

    code = "QUERY_TOO_COSTLY"


class CostLimit(SchemaExtension):
    """Refuses an operation that costs more than ``MAX_COST``."""

    def on_execute(self) -> Iterator[None]:
        execution = self.execution_context
        document = execution.graphql_document
        operation = get_operation_ast(document, execution.operation_name) if document else None
        if document and operation:
            kind = execution.schema._schema.get_root_type(operation.operation)
            found = cost(document, operation, kind, execution.variables or {}) if kind else 0
            if found > MAX_COST:
                execution.result = ExecutionResult(None, [_refusal(found)])
        yield


def cost(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    kind: GraphQLObjectType,
    variables: Mapping[str, Any],
) -> int:
    """The sum over the operation's root fields."""
    defaults = {
        each.variable.name.value: value_from_ast_untyped(each.default_value)
        for each in operation.variable_definitions or ()
        if each.default_value
    }
    given = {**defaults, **variables}
    fields = root_fields(document, operation.selection_set)
    return sum(_items(field, kind, given) * max(1, fields_of(document, field)) for field in fields)


def _items(field: FieldNode, kind: GraphQLObjectType, variables: Mapping[str, Any]) -> int:
    """How many items the field's list may have."""
    name = field.name.value
    asked = [each for each in field.arguments or () if each.name.value == "first"]
    first = value_from_ast_untyped(asked[0].value, dict(variables)) if asked else None
    if not isinstance(first, int):
        known = kind.fields[name].args.get("first") if name in kind.fields else None
        first = known.default_value if known else None
    if isinstance(first, int):
        return max(1, first)
    return SEARCHED if name in SEARCHES else 1


def _refusal(found: int) -> GraphQLError:
    message = f"the request costs {found:,}, and one may cost {MAX_COST:,}"
    hint = "ask for smaller pages, fewer fields, or in several requests"
    return GraphQLError(message, original_error=QueryTooCostly(message, hint))
