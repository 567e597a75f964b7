"""Answers of our own operations (``graphql/queries``) from a store in this process, without a GraphQL engine.

The types and resolvers are those that a server has; only what walks through them is different, and it is small, since
our operations are known to fit the schema. Tests hold both to the same answers. An error is raised as the question
raised it.
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
from headwater_graphql.context import Context
from headwater_graphql.engine import declare, selections
from headwater_graphql.engine.root_fields import AUDITED, NOTED_BY_STORES, note
from headwater_graphql.engine.tables import Table
from headwater_graphql.fields.root import Mutation, Query

_ROOTS = {"query": Query, "mutation": Mutation}


def answer(document: str, variables: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The ``data`` of the answer, as JSON. Raises what the question raises, and notes what is audited."""
    operation = selections.operation(document)
    executed = _Execution(context, {**operation.defaults, **variables})
    root = _ROOTS[operation.kind]()
    return {field.name: _audited(executed, root, field, variables) for field in operation.fields}


def _audited(
    executed: _Execution, root: object, field: selections.Field, variables: Mapping[str, Any]
) -> Any:
    """What is noted in the audit log is answered only when the note is stored."""
    if field.name not in AUDITED:
        return executed.field(root, field)
    given, context = _given(field, variables), executed.context
    try:
        found = executed.field(root, field)
    except HeadwaterError:
        context.store.apply(Batch(notes=(note(context, field.name, given, "failed"),)))
        raise
    if field.name not in NOTED_BY_STORES:
        context.store.apply(Batch(notes=(note(context, field.name, given, "answered"),)))
    return found


@dataclass(frozen=True, slots=True)
class _Execution:
    """One operation with its variables; it is the ``info`` of resolvers."""

    context: Context
    variables: Mapping[str, Any]

    def field(self, of: object, field: selections.Field) -> Any:
        value = getattr(of, _python_name(field.name))
        if declare.resolver_of(value):
            value = value(self, **self._arguments(value, field))
        return self._json(value, field)

    def _arguments(self, method: Any, field: selections.Field) -> dict[str, Any]:
        given = {_python_name(name): value for name, value in _given(field, self.variables).items()}
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
        """A table's columns are all that its rows are made of; what is in one of them often is made once."""
        names = [each.name for each in field.fields]
        columns = [self._column(table.columns[_python_name(each.name)], each) for each in field.fields]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _column(self, values: Sequence[Any], field: selections.Field) -> list[Any]:
        known = {id(value): value for value in values}
        made = {key: self._json(value, field) for key, value in known.items()}
        return [made[id(value)] for value in values]


def _given(field: selections.Field, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value."""
    return {
        name: variables[value] if isinstance(value, selections.Variable) else value
        for name, value in field.arguments.items()
        if not isinstance(value, selections.Variable) or value in variables
    }


@cache
def _python_name(name: str) -> str:
    """``lastRead`` to ``last_read``."""
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


@cache
def _type_of(of: Any, name: str) -> Any:
    """The type of a resolver's argument, or of an input's field."""
    annotation = of.__annotations__[name]
    return eval(annotation, vars(sys.modules[of.__module__])) if isinstance(annotation, str) else annotation  # noqa: S307 - our own annotation


def _python_value(kind: Any, value: Any) -> Any:
    """A variable's JSON as the resolver takes it."""
    if value is None:
        return None
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        return [_python_value(item, each) for each in value]
    if declare.is_input(kind):
        return _input(kind, value)
    if issubclass(kind, Enum):
        return kind[value]
    if issubclass(kind, datetime):
        return datetime.fromisoformat(value)
    return value


def _input(kind: Any, value: Mapping[str, Any]) -> Any:
    given = {_python_name(name): each for name, each in value.items()}
    return kind(**{name: _python_value(_type_of(kind, name), each) for name, each in given.items()})
