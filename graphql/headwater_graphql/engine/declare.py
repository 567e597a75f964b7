"""How types and resolvers of the GraphQL schema are declared.

Two things are made of the declarations: the strawberry schema that the server executes (``strawberry_types``), and the
answers of kept operations that the command line gives from a store in its own process (``local``). A GraphQL engine
takes longer to import than most questions take to answer, so nothing here imports one.
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
"""The scalar for facets, which are passed on as they came."""
DESCRIPTION: Final = "description"
PRIVATE: Final = "private"


class Unset(Enum):
    """The default of an argument that may be left out and has no value then; false, as ``None`` is."""

    UNSET = "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Any = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Declared:
    """A class of the schema."""

    of: builtins.type[Any]
    is_input: bool
    description: str | None


@dataclass(frozen=True, slots=True)
class DeclaredEnum:
    """An enum of the schema; its own name is the schema's unless there is another."""

    of: builtins.type[Enum]
    name: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class Resolver:
    """What a method that resolves a field says of it."""

    description: str | None


types: Final[list[Declared]] = []
"""In the order of their declaration, bases first."""
enums: Final[list[DeclaredEnum]] = []
_RESOLVER: Final = "_resolver"


def field(*, description: str | None = None, default: Any = MISSING) -> Any:
    """A field that is an attribute, with a description or a default."""
    return dataclass_field(default=default, metadata={DESCRIPTION: description})


def private() -> Any:
    """An attribute that is no field of the schema."""
    return dataclass_field(metadata={PRIVATE: True})


def resolver(*, description: str | None = None) -> Callable[[F], F]:
    """Declare that the method resolves the field of its name."""

    def declared(method: F) -> F:
        setattr(method, _RESOLVER, Resolver(description))
        return method

    return declared


def resolver_of(value: object) -> Resolver | None:
    """What was declared of a method; None of everything else."""
    return getattr(value, _RESOLVER, None)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, private))
def object_type(*, description: str | None = None) -> Callable[[C], C]:
    """Declare an object type: its fields are the class's annotations and resolvers."""
    return _declared(False, description)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, private))
def input_type(*, description: str | None = None) -> Callable[[C], C]:
    """Declare an input type."""
    return _declared(True, description)


def enum(of: builtins.type[Enum], *, name: str | None = None, description: str | None = None) -> None:
    """Declare an enum, whose members go by their names."""
    enums.append(DeclaredEnum(of, name, description))


def is_input(of: object) -> bool:
    """Whether the class is a declared input type."""
    return any(each.is_input and each.of is of for each in types)


def _declared(is_input: bool, description: str | None) -> Callable[[C], C]:
    def declared(of: C) -> C:
        dataclass(kw_only=True)(of)
        types.append(Declared(of, is_input, description))
        return of

    return declared
