"""Registration of the declared classes as strawberry types; strawberry adds its attributes to the same classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import strawberry

from headwater_graphql.engine import definitions


def declare_all() -> None:
    """Register all declared types with strawberry, except those registered before."""
    for enum in definitions.enums:
        if not hasattr(enum.of, "__strawberry_definition__"):
            strawberry.enum(enum.of, name=enum.name, description=enum.description)
    for each in definitions.types:
        if "__strawberry_definition__" not in vars(each.of):
            _register(each)


def _register(declared: definitions.Declared) -> None:
    for name, field in _fields(declared.of):
        setattr(declared.of, name, field)
    make: Any = strawberry.input if declared.is_input else strawberry.type
    make(declared.of, description=declared.description)


def _fields(of: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields that strawberry cannot derive from annotations alone."""
    annotations = vars(of).get("__annotations__", {})
    for field in dataclasses.fields(of):
        if field.name not in annotations:
            continue  # declared by a base class
        if definitions.PRIVATE in field.metadata:
            annotations[field.name] = strawberry.Private[object]
        elif field.metadata or field.default is definitions.UNSET:
            description = field.metadata.get(definitions.DESCRIPTION)
            yield field.name, strawberry.field(description=description, default=_default(field.default))
    for name, method in list(vars(of).items()):
        if resolver := definitions.resolver_of(method):
            yield name, strawberry.field(resolver=_resolver(method), description=resolver.description)


def _resolver(method: Any) -> Any:
    """Return the method as strawberry expects it, with strawberry's ``Info`` and default for omitted arguments."""
    if "info" in method.__annotations__:
        method.__annotations__["info"] = strawberry.Info
    if method.__defaults__:
        method.__defaults__ = tuple(map(_default, method.__defaults__))
    return method


def _default(value: Any) -> Any:
    return strawberry.UNSET if value is definitions.UNSET else value
