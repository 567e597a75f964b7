"""What a GraphQL field takes, and which are written into the audit log.

A request has passed the ASGI layer, so its caller may ask about lineage. What takes more is listed here by the names
of the root fields, and looked at before anything is executed. Root fields are looked at, not every value: an answer
has thousands of values, and all of them come from some root field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    Undefined,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.records import Batch
from headwater_backend.domain.roles import Permission, forbidden
from headwater_graphql.context import Context
from headwater_graphql.engine.root_fields import AUDITED, FIELDS, NOTED_BY_STORES, note

DEFAULTS: Mapping[OperationType, Permission] = {
    OperationType.QUERY: Permission.ASK,
    OperationType.MUTATION: Permission.ADMINISTER,
    OperationType.SUBSCRIPTION: Permission.ASK,
}


class Permissions(SchemaExtension):
    """Refuses an operation whose caller may not ask one of its fields, and notes those that are audited."""

    def on_execute(self) -> Iterator[None]:
        execution, context = self.execution_context, self._context()
        document = execution.graphql_document
        operation = get_operation_ast(document, execution.operation_name) if document else None
        if document is None or operation is None:
            yield  # said by graphql-core
            return
        fields = list(root_fields(document, operation.selection_set))
        refused = _refused(context, operation, fields)
        if refused:
            execution.result = ExecutionResult(None, [refused])
        yield
        result = "denied" if refused else "failed" if _has_failed(execution.result) else "answered"
        noted = AUDITED.keys() - NOTED_BY_STORES if result == "answered" else AUDITED.keys()
        asked = [field for field in fields if field.name.value in noted]
        if asked:
            notes = (_note(context, field, execution.variables or {}, result) for field in asked)
            try:
                context.store.apply(Batch(notes=tuple(notes)))
            except HeadwaterError as error:
                # What cannot be noted is not answered.
                execution.result = ExecutionResult(None, [_told(asked[0], error)])

    def _context(self) -> Context:
        context: Context = self.execution_context.context
        return context


def _has_failed(result: object) -> bool:
    """Whether the result is errors; a subscription has none of its own."""
    return bool(getattr(result, "errors", None))


def _refused(
    context: Context, operation: OperationDefinitionNode, fields: list[FieldNode]
) -> GraphQLError | None:
    """What is said of the first field that the caller may not ask."""
    for field in fields:
        needed = FIELDS.get(field.name.value, DEFAULTS[operation.operation])
        if not context.caller.may(needed):
            return _told(field, forbidden(needed))
    return None


def _told(field: FieldNode, error: HeadwaterError) -> GraphQLError:
    name = field.alias.value if field.alias else field.name.value
    return GraphQLError(error.message, field, path=[name], original_error=error)


def _note(context: Context, field: FieldNode, variables: dict[str, Any], result: str) -> AuditNote:
    asked = {each.name.value: value_from_ast_untyped(each.value, variables) for each in field.arguments or ()}
    given = {name: value for name, value in asked.items() if value is not Undefined}
    return note(context, field.name.value, given, result)


def root_fields(document: DocumentNode, selected: SelectionSetNode) -> Iterator[FieldNode]:
    """The root fields of an operation, those in fragments too; conditions are taken as met."""
    fragments = {
        each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)
    }
    work = [selected]
    while work:
        for selection in work.pop().selections:
            match selection:
                case FieldNode():
                    yield selection
                case InlineFragmentNode():
                    work.append(selection.selection_set)
                case FragmentSpreadNode() if found := fragments.pop(selection.name.value, None):
                    work.append(found.selection_set)
