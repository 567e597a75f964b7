"""Enforcement of field permissions, and audit of operations.

The ASGI middleware has authenticated the request, so its caller may query lineage. Root fields that need another
permission declare it (``root_fields.needs``), which is checked before execution. Checking root fields is enough,
because all of an answer's thousands of values belong to some root field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    SelectionSetNode,
    Undefined,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.records import Batch
from headwater_backend.domain.roles import forbidden
from headwater_graphql.context import RequestContext
from headwater_graphql.engine.root_fields import access_of, note


class Permissions(SchemaExtension):
    """Schema extension that refuses fields the caller has no permission for, and audits operations."""

    def on_execute(self) -> Iterator[None]:
        execution, context = self.execution_context, self._context()
        document = execution.graphql_document
        operation = get_operation_ast(document, execution.operation_name) if document else None
        if document is None or operation is None:
            yield  # graphql-core reports the error
            return
        fields = list(root_fields(document, operation.selection_set))
        refused = _refused(context, fields)
        if refused:
            execution.result = ExecutionResult(None, [refused])
        yield
        result = "denied" if refused else "failed" if _has_failed(execution.result) else "answered"
        audited = [field for field in fields if _is_audited_here(field, result)]
        if audited:
            notes = (_note(context, field, execution.variables or {}, result) for field in audited)
            try:
                context.store.apply(Batch(notes=tuple(notes)))
            except HeadwaterError as error:
                # An operation that cannot be audited is not answered.
                execution.result = ExecutionResult(None, [_located(audited[0], error)])

    def _context(self) -> RequestContext:
        context: RequestContext = self.execution_context.context
        return context


def _has_failed(result: object) -> bool:
    """Return whether the result has errors; a subscription's stream has none itself."""
    return bool(getattr(result, "errors", None))


def _is_audited_here(field: FieldNode, result: str) -> bool:
    """Return whether the field is audited, and the store has not done so in the transaction of what it answered."""
    access = access_of(field.name.value)
    return access.action is not None and not (access.audited_by_store and result == "answered")


def _refused(context: RequestContext, fields: list[FieldNode]) -> GraphQLError | None:
    """Return the error for the first field that the caller has no permission for, or None."""
    for field in fields:
        needed = access_of(field.name.value).permission
        if not context.caller.may(needed):
            return _located(field, forbidden(needed))
    return None


def _located(field: FieldNode, error: HeadwaterError) -> GraphQLError:
    name = field.alias.value if field.alias else field.name.value
    return GraphQLError(error.message, field, path=[name], original_error=error)


def _note(context: RequestContext, field: FieldNode, variables: dict[str, Any], result: str) -> AuditNote:
    arguments = {
        each.name.value: value_from_ast_untyped(each.value, variables) for each in field.arguments or ()
    }
    given = {name: value for name, value in arguments.items() if value is not Undefined}
    return note(context, field.name.value, given, result)


def root_fields(document: DocumentNode, selected: SelectionSetNode) -> Iterator[FieldNode]:
    """Yield the root fields of an operation, including those in fragments and in directives' conditions."""
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
