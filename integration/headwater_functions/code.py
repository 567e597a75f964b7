"""Code and what it is bound to, as records: nothing here can be executed, and nothing is of one version alone."""

from __future__ import annotations

import platform
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias
from zlib import crc32

VARARGS = 0x04
VARKEYWORDS = 0x08
GENERATOR = 0x20
ASYNCHRONOUS = 0x80 | 0x100 | 0x200
WRITTEN_HERE = "<rows>"
"""The file of code that is written in this package, in the place of what a library does."""


@dataclass(frozen=True, eq=False, repr=False)
class Code:
    """A code object of some Python version; ``constants`` may hold further ones."""

    version: str
    name: str
    file: str
    first_line: int
    flags: int
    argument_count: int
    positional_only_count: int
    keyword_only_count: int
    instructions: bytes
    constants: tuple[Any, ...]
    names: tuple[str, ...]
    variables: tuple[str, ...]
    free: tuple[str, ...]
    cells: tuple[str, ...]
    lines: bytes
    exceptions: bytes = b""

    def __repr__(self) -> str:
        return f"Code({self.name!r}, {self.first_line}, {crc32(self.instructions)})"

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The names of locals, cells and free variables in the order in which instructions number them."""
        if self.version == "3.10":
            return (*self.cells, *self.free)
        local = set(self.variables)
        return (*self.variables, *(c for c in self.cells if c not in local), *self.free)

    @cached_property
    def shared(self) -> frozenset[str]:
        """The names of the variables that lie in cells."""
        return frozenset((*self.cells, *self.free))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters, ``*args`` and ``**kwargs`` last."""
        extra = bool(self.flags & VARARGS) + bool(self.flags & VARKEYWORDS)
        return self.variables[: self.argument_count + self.keyword_only_count + extra]


@dataclass(frozen=True)
class Named:
    """Something that a pickle refers to by module and name."""

    module: str
    name: str

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Module:
    """A module that a pickle refers to by name."""

    name: str


@dataclass(eq=False)
class Built:
    """What unpickling would build by calling ``maker`` with ``arguments``: it is not built."""

    maker: Any
    arguments: Any
    state: Any = None
    items: list[Any] = field(default_factory=list)
    is_new: bool = False
    """Whether it is made without its class being called."""
    known: Any = field(default=None, repr=False)
    """What the analysis has made of it."""


@dataclass(eq=False)
class Cell:
    """A closure's cell."""

    content: Any = None
    filled: bool = False


@dataclass(eq=False)
class Class:
    """A class that the program defines: its bases, members and the class that makes it, if not ``type``, as records."""

    name: str
    bases: tuple[Any, ...]
    members: dict[str, Any]
    metaclass: Any = None
    odd: str = ""
    """Why nobody knows what it has become since it was made."""
    order: tuple[Class, ...] = field(default=(), repr=False)
    """The class and what it inherits from, if that was asked for (``in_order``)."""

    def inherited(self) -> dict[str, Any]:
        """What instances have of the class and of the classes of the program that it inherits from."""
        found: dict[str, Any] = {}
        for each in reversed(in_order(self, lambda base: base if isinstance(base, Class) else None)):
            found |= each.members
        return found


MOST_CLASSES = 24
"""Classes that one inherits from."""


def in_order(record: Class, own: Callable[[Any], Class | None]) -> tuple[Class, ...]:
    """The class and those of the program that it inherits from, in the order in which Python looks into them.

    ``own`` gives the record of a base, or None for one of a library.
    """
    if not record.order:
        record.order = (record,)  # whatever inherits from itself ends here
        record.order = _merged(
            record, [each for base in record.bases if (each := own(base)) is not None], own
        )
    return record.order


def _merged(record: Class, bases: list[Class], own: Callable[[Any], Class | None]) -> tuple[Class, ...]:
    """By Python's rule (C3): no class comes before one that inherits from it, and bases keep their order."""
    found, rows = [record], [*(list(in_order(each, own)) for each in bases), bases]
    while rows := [row for row in rows if row]:
        first = next((row[0] for row in rows if not any(row[0] in other[1:] for other in rows)), None)
        if first is None or first in found or len(found) > MOST_CLASSES:
            record.odd = record.odd or "inherits in an order that is not known"
            break
        found.append(first)
        rows = [row[1:] if row[0] is first else row for row in rows]
    return tuple(found)


@dataclass(eq=False)
class Function:
    """A function that the program defines. ``globals`` has those names that its code may use."""

    code: Code
    globals: dict[str, Any] = field(default_factory=dict)
    defaults: tuple[Any, ...] = ()
    keyword_defaults: dict[str, Any] = field(default_factory=dict)
    closure: tuple[Any, ...] = ()
    module: str = ""


Record: TypeAlias = Any
"""A ``Function``, ``Class``, ``Module``, ``Named``, ``Built``, ``Cell``, or plain data."""


def of_source(source: str) -> Code:
    """The one function of a source text that is written here, which is compiled and never called."""
    module = compile(source, WRITTEN_HERE, "exec")
    (code,) = (each for each in module.co_consts if isinstance(each, types.CodeType))
    return of_code_object(code, ".".join(platform.python_version_tuple()[:2]))


def of_code_object(code: types.CodeType, version: str) -> Code:
    """The record of a code object of this very Python."""
    constants = tuple(
        of_code_object(c, version) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    return Code(
        version,
        code.co_name,
        code.co_filename,
        code.co_firstlineno,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_linetable,
        getattr(code, "co_exceptiontable", b""),
    )
