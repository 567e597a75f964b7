"""Column-wise completion of lists of plain objects.

graphql-core completes each value of an answer individually, with its own path, type check and error handler:
16 µs per value, or a second for a graph of 10,000 edges. The lists that make an answer large contain objects whose
selected fields are plain attributes at all levels. Such a list is completed one field at a time here: the types in a
column are checked once, and a repeated object, such as a transformation, is completed once. A ``Table`` already
consists of columns, and is completed to a ``Table`` of dicts.

Everything else (a field with a resolver, an unexpected null, a value of the wrong type) is left to graphql-core, which
completes it, or reports the error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from types import NoneType
from typing import Any, Final

from graphql import (
    GraphQLBoolean,
    GraphQLError,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLList,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLString,
    is_enum_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.schema_converter import GraphQLCoreConverter

from headwater_backend.domain import deadline
from headwater_graphql.engine.columnar import Repeated, Table

WORTH_IT: Final = 8
"""Minimum length of a list; shorter ones are left to graphql-core."""
_OWN_TYPE: Final[dict[GraphQLLeafType, type]] = {GraphQLString: str, GraphQLBoolean: bool}
_INT_LIMIT: Final = 2**31

Column = Sequence[Any]


class _NotPlainError(Exception):
    """The list has to be completed by graphql-core."""


class ColumnExecutor(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor with a fast path for lists of plain objects.

    Middleware is called for the field of such a list, but not for the plain fields in it.
    """

    def complete_iterable_value(
        self, item_type: GraphQLOutputType, details: Any, info: Any, path: Any, items: Any, *position: Any
    ) -> Any:
        deadline.check()
        large = isinstance(items, list | Table) and len(items) >= WORTH_IT
        if large and not self.get_stream_usage(details, path):
            try:
                return self._completed(item_type, details, items)
            except (_NotPlainError, GraphQLError, AttributeError, TypeError, ValueError):
                pass
        return super().complete_iterable_value(item_type, details, info, path, items, *position)

    def _completed(self, of: GraphQLOutputType, details: Any, values: Column) -> Column:
        deadline.check()
        if isinstance(values, Repeated):
            return Repeated(values.places, self._completed(of, details, values.values))
        kinds = {type(values)} if isinstance(values, Table) else set(map(type, values))
        if NoneType not in kinds:
            return self._present(of.of_type if is_non_null_type(of) else of, details, values, kinds)
        if is_non_null_type(of):
            raise _NotPlainError
        present = [value for value in values if value is not None]
        done = iter(self._present(of, details, present, kinds - {NoneType}))
        return [None if value is None else next(done) for value in values]

    def _present(self, of: GraphQLOutputType, details: Any, values: Column, kinds: set[type]) -> Column:
        if is_leaf_type(of):
            return self._leaves(of, values, kinds)
        if is_list_type(of) and kinds <= {list}:
            return self._lists(of, details, values)
        if is_object_type(of) and of.is_type_of is None:
            return self._objects(of, details, values)
        raise _NotPlainError

    def _leaves(self, of: GraphQLLeafType, values: Column, kinds: set[type]) -> Column:
        if kinds <= {_OWN_TYPE.get(of)}:
            return values
        if of is GraphQLInt and kinds <= {int} and -_INT_LIMIT <= min(values) <= max(values) < _INT_LIMIT:
            return values
        complete = partial(self.complete_leaf_value, of)
        if is_enum_type(of):
            known = {key: complete(member) for key, member in _distinct(values).items()}
            return list(map(known.__getitem__, map(id, values)))
        return list(map(complete, values))

    def _lists(self, of: GraphQLList[Any], details: Any, values: Column) -> Column:
        """Complete the items of all lists as one column, then split it."""
        distinct = _distinct(values)
        items = list(chain.from_iterable(distinct.values()))
        done = self._completed(of.of_type, details, items) if items else items
        if done is items:
            return values
        rest = iter(done)
        answers = {key: list(islice(rest, len(value))) for key, value in distinct.items()}
        return list(map(answers.__getitem__, map(id, values)))

    def _objects(self, of: GraphQLObjectType, details: Any, values: Column) -> Column:
        fields, deferred, _ = self.collect_subfields(of, details)
        if deferred:
            raise _NotPlainError
        if isinstance(values, Table):
            return self._rows(of, fields, values)
        distinct = _distinct(values)
        rows = self._rows(of, fields, list(distinct.values()))
        if len(rows) == len(values):
            return rows
        answers = dict(zip(distinct, rows, strict=True))
        return list(map(answers.__getitem__, map(id, values)))

    def _rows(self, of: GraphQLObjectType, fields: Mapping[str, Any], objects: Column) -> Column:
        columns = {name: self._field(of, nodes, objects) for name, nodes in fields.items()}
        if not columns:  # a directive excluded all of them
            return [{} for _ in range(len(objects))]
        if isinstance(objects, Table):
            return Table(dict, lambda: columns)
        return [dict(zip(fields, row)) for row in zip(*columns.values(), strict=True)]  # noqa: B905, takes 50 % longer

    def _field(self, of: GraphQLObjectType, details: Any, objects: Column) -> Column:
        name = details[0].node.name.value
        if name == "__typename":
            return [of.name] * len(objects)
        field = of.fields[name]
        definition = field.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
        if definition is None or not definition.is_basic_field:
            raise _NotPlainError
        values = _attribute(objects, definition.python_name)
        return self._completed(field.type, details, values) if values else values


def _attribute(objects: Column, name: str) -> Column:
    return objects.columns[name] if isinstance(objects, Table) else list(map(attrgetter(name), objects))


def _distinct(values: Column) -> dict[int, Any]:
    """Return the distinct objects in order, by identity."""
    return dict(zip(map(id, values), values, strict=True))
