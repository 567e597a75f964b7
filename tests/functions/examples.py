"""Example inputs beside the functions of a corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Example:
    """A function as a user wrote it, and the arguments that it is called with."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class TableExample:
    """A class of a table function, the rows that it is given, and how many columns its rows have."""

    handler: type
    rows: tuple[tuple[Any, ...], ...]
    width: int


def example(*arguments: Any) -> Callable[[F], F]:
    """Keep example arguments with a function, which stays the same."""

    def keep(function: F) -> F:
        module = function.__globals__.setdefault("EXAMPLES", [])
        module.append(Example(function, arguments))
        return function

    return keep
