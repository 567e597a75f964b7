"""Code and what it is bound to, as records: nothing here can be executed, and nothing is of one version alone."""

from __future__ import annotations

import platform
import types
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias
from zlib import crc32

VARARGS = 0x04
VARKEYWORDS = 0x08
GENERATOR = 0x20
ASYNCHRONOUS = 0x80 | 0x100 | 0x200


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

    def inherited(self, deep: int = 8) -> dict[str, Any]:
        """What instances have of the class, as far as each has one base of the program, and so many at most."""
        bases = [each for each in self.bases if isinstance(each, Class)]
        above = bases[0].inherited(deep - 1) if len(bases) == 1 and deep else {}
        return above | self.members


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
    module = compile(source, "<rows>", "exec")
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
