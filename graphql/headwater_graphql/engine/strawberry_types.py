"""What is declared, as strawberry's types. They are the same classes: strawberry marks them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import strawberry

from headwater_graphql.engine import declare


def declare_all() -> None:
    """Give strawberry all that is declared so far; what it has already is left as it is."""
    for enum in declare.enums:
        if not hasattr(enum.of, "__strawberry_definition__"):
            strawberry.enum(enum.of, name=enum.name, description=enum.description)
    for each in declare.types:
        if "__strawberry_definition__" not in vars(each.of):
            _declare(each)


def _declare(declared: declare.Declared) -> None:
    for name, field in _fields(declared.of):
        setattr(declared.of, name, field)
    make: Any = strawberry.input if declared.is_input else strawberry.type
    make(declared.of, description=declared.description)


def _fields(of: type[Any]) -> Iterator[tuple[str, Any]]:
    """The fields that strawberry cannot see by their annotations alone."""
    annotations = vars(of).get("__annotations__", {})
    for field in dataclasses.fields(of):
        if field.name not in annotations:
            continue  # a base's
        if declare.PRIVATE in field.metadata:
            annotations[field.name] = strawberry.Private[object]
        elif field.metadata or field.default is declare.UNSET:
            description = field.metadata.get(declare.DESCRIPTION)
            yield field.name, strawberry.field(description=description, default=_default(field.default))
    for name, method in list(vars(of).items()):
        if resolver := declare.resolver_of(method):
            yield name, strawberry.field(resolver=_resolver(method), description=resolver.description)


def _resolver(method: Any) -> Any:
    """The method as strawberry reads it: it knows its own ``Info``, and its own default for what is left out."""
    if "info" in method.__annotations__:
        method.__annotations__["info"] = strawberry.Info
    if method.__defaults__:
        method.__defaults__ = tuple(map(_default, method.__defaults__))
    return method


def _default(value: Any) -> Any:
    return strawberry.UNSET if value is declare.UNSET else value
