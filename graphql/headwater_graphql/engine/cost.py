"""Cost limit of GraphQL requests: the number of values in the answer, estimated before execution.

A root field costs the fields that it selects, with all fragments expanded, times the items that it may return:
``first`` if it is given or has a default, else ``SEARCHED``. Only one for queries that answer with one thing, which
they declare, and for mutations, which answer with what they were given. So a request may get one long page or several
short ones, but not twenty long ones by aliases::

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
    OperationType,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.errors import QuestionError
from headwater_graphql.engine.complexity import fields_of
from headwater_graphql.engine.permissions import root_fields
from headwater_graphql.engine.root_fields import access_of

MAX_COST: Final = 100_000
SEARCHED: Final = 1_000


class QueryTooCostly(QuestionError):  # noqa: N818, the name describes the condition
    """A request costs more than the limit."""

    code = "QUERY_TOO_COSTLY"


class CostLimit(SchemaExtension):
    """Schema extension that refuses operations that cost more than ``MAX_COST``."""

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
    """Return the sum over the operation's root fields."""
    defaults = {
        each.variable.name.value: value_from_ast_untyped(each.default_value)
        for each in operation.variable_definitions or ()
        if each.default_value
    }
    given = {**defaults, **variables}
    fields = root_fields(document, operation.selection_set)
    searched = SEARCHED if operation.operation is OperationType.QUERY else 1
    return sum(_items(field, kind, given, searched) * max(1, fields_of(document, field)) for field in fields)


def _items(field: FieldNode, kind: GraphQLObjectType, variables: Mapping[str, Any], searched: int) -> int:
    """Return how many items the field's list may have; ``searched`` without a page size."""
    name = field.name.value
    arguments = [each for each in field.arguments or () if each.name.value == "first"]
    first = value_from_ast_untyped(arguments[0].value, dict(variables)) if arguments else None
    if not isinstance(first, int):
        known = kind.fields[name].args.get("first") if name in kind.fields else None
        first = known.default_value if known else None
    if isinstance(first, int):
        return max(1, first)
    return 1 if access_of(name).one_thing else searched


def _refusal(found: int) -> GraphQLError:
    message = f"the request costs {found:,}, more than the maximum {MAX_COST:,}"
    hint = "request smaller pages or fewer fields, or split the request"
    return GraphQLError(message, original_error=QueryTooCostly(message, hint))
