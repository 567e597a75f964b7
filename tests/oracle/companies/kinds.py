"""The types of columns as far as programs are made by them: whose value a leaf is, and what a text has packed in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from oracle.companies.company import Attribute


@dataclass(frozen=True)
class Leaf:
    """A text or a number; ``of`` is the attribute whose values it has unchanged, ``words`` all that they may be."""

    type: str = "string"
    of: Attribute | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Struct:
    fields: Mapping[str, Kind]


@dataclass(frozen=True)
class Many:
    """A list."""

    element: Kind


@dataclass(frozen=True)
class Packed:
    """A text that is a JSON object with these members."""

    fields: Mapping[str, Kind]


Take: TypeAlias = tuple[str, Leaf]
"""An expression over a text, which stands as ``{0}``, and what it gives."""


@dataclass(frozen=True)
class Noted:
    """A text that values are packed in, in another notation than JSON; ``takes`` are what may be taken of it."""

    takes: tuple[Take, ...]


Kind: TypeAlias = Leaf | Struct | Many | Packed | Noted
Columns: TypeAlias = dict[str, Kind]


def leaves(columns: Mapping[str, Kind], above: str = "") -> Iterator[tuple[str, Leaf]]:
    """The leaves that can be named without an explode, as ``contact.email``."""
    for name, kind in columns.items():
        if isinstance(kind, Leaf):
            yield above + name, kind
        elif isinstance(kind, Struct):
            yield from leaves(kind.fields, f"{above}{name}.")


def is_flat(columns: Mapping[str, Kind]) -> bool:
    """Whether a CSV file can have the columns."""
    return all(isinstance(kind, Leaf | Packed | Noted) for kind in columns.values())


def ddl(kind: Kind) -> str:
    """The type as Spark's DDL."""
    match kind:
        case Leaf():
            return kind.type
        case Packed() | Noted():
            return "string"
        case Many(element):
            return f"array<{ddl(element)}>"
        case Struct(fields):
            return f"struct<{','.join(f'{name}:{ddl(each)}' for name, each in fields.items())}>"


def texts(columns: Mapping[str, Kind]) -> dict[str, Kind]:
    """The columns as CSV without types gives them."""
    return {
        name: Leaf("string", kind.of, kind.words) if isinstance(kind, Leaf) else kind
        for name, kind in columns.items()
    }
