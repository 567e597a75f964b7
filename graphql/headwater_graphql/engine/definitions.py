"""Declarations of types and resolvers of the GraphQL schema.

They are used for the strawberry schema of the server (``strawberry_types``), and for answers from a store in this
process (``local``). A GraphQL engine takes longer to import than most queries take to answer, so this module does not
import one.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass
from dataclasses import field as dataclass_field
from enum import Enum
from typing import Any, Final, NewType, TypeVar

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:
    from typing_extensions import dataclass_transform

T = TypeVar("T")
C = TypeVar("C", bound=builtins.type[Any])
F = TypeVar("F", bound=Callable[..., Any])

JSON = NewType("JSON", object)
"""Scalar of facets, which are returned unchanged."""
DESCRIPTION: Final = "description"
PRIVATE: Final = "private"


class Unset(Enum):
    """Default of an argument that may be omitted and then has no value; falsy like ``None``."""

    UNSET = "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Any = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Declared:
    """A class declared as a type of the schema."""

    of: builtins.type[Any]
    is_input: bool
    description: str | None


@dataclass(frozen=True, slots=True)
class DeclaredEnum:
    """A declared enum; ``name`` is its name in the schema if it is not the class's own."""

    of: builtins.type[Enum]
    name: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class Resolver:
    """Metadata of a method that resolves a field."""

    description: str | None


types: Final[list[Declared]] = []
"""Declared types in order, bases first."""
enums: Final[list[DeclaredEnum]] = []
_RESOLVER: Final = "_resolver"


def field(*, description: str | None = None, default: Any = MISSING) -> Any:
    """Declare a field that is an attribute, with a description or a default."""
    return dataclass_field(default=default, metadata={DESCRIPTION: description})


def private() -> Any:
    """Declare an attribute that is not a field of the schema."""
    return dataclass_field(metadata={PRIVATE: True})


def resolver(*, description: str | None = None) -> Callable[[F], F]:
    """Declare that the method resolves the field with its name."""

    def declared(method: F) -> F:
        setattr(method, _RESOLVER, Resolver(description))
        return method

    return declared


def resolver_of(value: object) -> Resolver | None:
    """Return the metadata of a resolver method, or None for other values."""
    return getattr(value, _RESOLVER, None)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, private))
def object_type(*, description: str | None = None) -> Callable[[C], C]:
    """Declare an object type whose fields are the class's annotations and resolvers."""
    return _declared(False, description)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, private))
def input_type(*, description: str | None = None) -> Callable[[C], C]:
    """Declare an input type."""
    return _declared(True, description)


def enum(of: builtins.type[Enum], *, name: str | None = None, description: str | None = None) -> None:
    """Declare an enum; its values are the names of its members."""
    enums.append(DeclaredEnum(of, name, description))


def is_input(of: object) -> bool:
    """Return whether the class is a declared input type."""
    return any(each.is_input and each.of is of for each in types)


def _declared(is_input: bool, description: str | None) -> Callable[[C], C]:
    def declared(of: C) -> C:
        dataclass(kw_only=True)(of)
        types.append(Declared(of, is_input, description))
        return of

    return declared
