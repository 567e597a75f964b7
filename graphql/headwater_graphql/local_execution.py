"""Execution of the built-in operations (``graphql/queries``) on a store in this process, without a GraphQL engine.

Types and resolvers are the same as on a server. Only their execution is different; it is simple, since the built-in
operations are known to match the schema, and tests compare both. Errors of questions are raised unchanged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.records import Batch
from headwater_graphql.context import RequestContext
from headwater_graphql.engine import definitions, selections
from headwater_graphql.engine.columnar import Table
from headwater_graphql.engine.root_fields import access_of, note
from headwater_graphql.fields.root import Mutation, Query

_ROOTS = {"query": Query, "mutation": Mutation}


def execute(document: str, variables: Mapping[str, Any], context: RequestContext) -> dict[str, Any]:
    """Return the ``data`` of the answer as JSON, and audit it. Raises the errors of the questions."""
    operation = selections.operation(document)
    executed = _Execution(context, {**operation.defaults, **variables})
    root = _ROOTS[operation.kind]()
    return {field.name: _audited(executed, root, field, variables) for field in operation.fields}


def _audited(
    executed: _Execution, root: object, field: selections.Field, variables: Mapping[str, Any]
) -> Any:
    """Execute a root field; an audited one only returns after its note is stored."""
    access = access_of(field.name)
    if access.action is None:
        return executed.field(root, field)
    given, context = _argument_values(field, variables), executed.context
    try:
        found = executed.field(root, field)
    except HeadwaterError:
        context.store.apply(Batch(notes=(note(context, field.name, given, "failed"),)))
        raise
    if not access.audited_by_store:
        context.store.apply(Batch(notes=(note(context, field.name, given, "answered"),)))
    return found


@dataclass(frozen=True, slots=True)
class _Execution:
    """Execution of one operation with its variables, used as the ``info`` of resolvers."""

    context: RequestContext
    variables: Mapping[str, Any]

    def field(self, of: object, field: selections.Field) -> Any:
        value = getattr(of, _python_name(field.name))
        if definitions.resolver_of(value):
            value = value(self, **self._arguments(value, field))
        return self._json(value, field)

    def _arguments(self, method: Any, field: selections.Field) -> dict[str, Any]:
        given = {_python_name(name): value for name, value in _argument_values(field, self.variables).items()}
        return {name: _python_value(_type_of(method.__func__, name), value) for name, value in given.items()}

    def _json(self, value: Any, field: selections.Field) -> Any:
        match value:
            case None:
                return None
            case Table():
                return self._rows(value, field)
            case Enum():
                return value.name
            case datetime():
                return value.isoformat()
            case list() | tuple():
                return [self._json(each, field) for each in value]
            case _ if field.fields:
                return {each.name: self.field(value, each) for each in field.fields}
            case _:
                return value

    def _rows(self, table: Table[Any], field: selections.Field) -> list[dict[str, Any]]:
        """Return the rows of a table, built from its columns; repeated values in a column are converted once."""
        names = [each.name for each in field.fields]
        columns = [self._column(table.columns[_python_name(each.name)], each) for each in field.fields]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _column(self, values: Sequence[Any], field: selections.Field) -> list[Any]:
        known = {id(value): value for value in values}
        converted = {key: self._json(value, field) for key, value in known.items()}
        return [converted[id(value)] for value in values]


def _argument_values(field: selections.Field, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that have a value."""
    return {
        name: variables[value] if isinstance(value, selections.Variable) else value
        for name, value in field.arguments.items()
        if not isinstance(value, selections.Variable) or value in variables
    }


@cache
def _python_name(name: str) -> str:
    """Convert ``lastRead`` to ``last_read``."""
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


@cache
def _type_of(of: Any, name: str) -> Any:
    """Return the type of a resolver's argument, or of an input type's field."""
    annotation = of.__annotations__[name]
    return eval(annotation, vars(sys.modules[of.__module__])) if isinstance(annotation, str) else annotation  # noqa: S307 - our own annotation


def _python_value(kind: Any, value: Any) -> Any:
    """Convert a variable's JSON to the resolver's type."""
    if value is None:
        return None
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        return [_python_value(item, each) for each in value]
    if definitions.is_input(kind):
        return _input(kind, value)
    if issubclass(kind, Enum):
        return kind[value]
    if issubclass(kind, datetime):
        return datetime.fromisoformat(value)
    return value


def _input(kind: Any, value: Mapping[str, Any]) -> Any:
    given = {_python_name(name): each for name, each in value.items()}
    return kind(**{name: _python_value(_type_of(kind, name), each) for name, each in given.items()})
