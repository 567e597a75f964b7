"""What the rules of operators share: building the inputs, numbers, names, and the sources that were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F

from headwater_records.nested.steps import Operator
from headwater_records_spark.jvm import Jvm, key, kind, listed, output


@dataclass(frozen=True, slots=True)
class Built:
    """A plan that gives the attributes of the original one, and ``made_of``, the derivation of each row.

    That is an attribute of the plan. While it is an expression over the plan, the derivation is not computed yet.
    """

    plan: Any
    made_of: Any
    step: Operator
    columns: tuple[Any, ...]


NAME = "__headwater_"
"""How names begin that no column of a plan has."""


IN_MEMORY = ("",)
"""The files of a source that is in none: its ids have an empty name of a file."""


NO_VERSIONS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(slots=True)
class Source:
    """A source: its name, the plan that reads it with ``__file``, ``__block``, ``__row`` columns, and what it reads.

    ``exact`` says that rows are numbered from 0 in each file; ``files`` are then all of it, if they are known.
    """

    name: str
    plan: Any
    reads: tuple[Any, ...]
    exact: bool
    files: tuple[str, ...] = ()


class Key(NamedTuple):
    """What tells a group from others: two whole numbers, of which no value follows."""

    a: Column
    b: Column


FileHash = Callable[[Column], Column]
"""The number that stands in ids for the name of a file."""


class Members(Protocol):
    """Keeps which records are members of which key, where derivations would have lists of them."""

    def keyed(self, built: Built, parts: Sequence[Column]) -> Key:
        """The key that these values of a row are."""

    def hashed(self, plan: Any, values: Column, parts: Callable[[Column], Sequence[Column]]) -> Column:
        """Of a list of values, each by its parts, a list of the first numbers of their keys."""

    def kept(self, number: int, built: Built, key: Key, marks: Sequence[Column]) -> Any:
        """The first number of the key for a row, an expression which keeps the row when it is evaluated."""

    def passed(self, number: int, built: Built, key: Key) -> Any:
        """The plan, of which each row is kept as it passes."""


@dataclass(slots=True)
class Context:
    """One rebuilding of a plan."""

    jvm: Jvm
    begin: Callable[[Any], Built]
    """Builds an operator; the derivations of its rows may not be computed yet."""
    keep: Callable[[Source, Column, bool], Column | None]
    absent: bool = False
    """Whether what is built is looked for in vain, on the right of an anti join."""
    once: bool = False
    """Whether derivations that all rows have in common are left out of the rows."""
    members: Members | None = None
    """What keeps members; None if derivations have lists of them."""
    file_hash: FileHash = F.xxhash64
    versions: dict[str, str] = field(default_factory=dict)
    """By the root of a table with versions the one that is read, where the program has named none."""
    sources: dict[str, Source] = field(default_factory=dict)
    built: list[Built] = field(default_factory=list)
    ordered: set[str] = field(default_factory=set)
    numbers: count[int] = field(default_factory=lambda: count(1))
    names: count[int] = field(default_factory=lambda: count(1))

    def name(self) -> str:
        """A name that no column has."""
        return f"{NAME}{next(self.names)}"

    def source(self, name: str, reads: tuple[Any, ...]) -> str:
        """The name of a source; another one that is called the same gets a number."""
        names = (name if number == 1 else f"{name} ({number})" for number in count(1))
        return next(each for each in names if each not in self.sources or self.sources[each].reads == reads)

    def number(self) -> int:
        """The number of the next step."""
        return next(self.numbers)

    def column(self, expression: Any) -> Column:
        """A column for an expression."""
        return self.jvm.column(expression)

    def build(self, plan: Any) -> Built:
        """An operator with the derivation of each row computed."""
        built = self.begin(plan)
        if is_computed(built):
            return built
        return self.finish(built.plan, list(built.columns), self.column(built.made_of), built.step)

    def finish(self, plan: Any, columns: list[Any], made_of: Column, step: Operator) -> Built:
        """The plan with the columns and this derivation."""
        made = self.jvm.select(plan, columns, made_of.alias(self.name()))
        return Built(made, output(made)[-1], step, tuple(columns))

    def matched(self, built: Built, wanted: list[Any]) -> Built:
        """The same with the columns in another order, or fewer."""
        plan = self.jvm.select(built.plan, [*wanted, built.made_of])
        return Built(plan, built.made_of, built.step, tuple(wanted))


def is_computed(built: Built) -> bool:
    """Whether the plan gives the derivation of each row as an attribute."""
    return kind(built.made_of) == "AttributeReference"


def restored(jvm: Jvm, plan: Any, name: str, columns: list[Any]) -> list[Any]:
    """Attributes out of a struct that was kept under ``name``, with their identities."""
    packed = next(each for each in output(plan) if each.name() == name)
    fields = [
        jvm.expression(plan, jvm.column(packed).getField(f"c{number}").alias("x")).child()
        for number in range(len(columns))
    ]
    return [jvm.alias(each, attribute) for each, attribute in zip(fields, columns, strict=True)]


def packed_columns(jvm: Jvm, columns: list[Any]) -> Column:
    """A struct of the columns, by position."""
    return packed([jvm.column(each) for each in columns])


def packed(values: Sequence[Column]) -> Column:
    """A struct of values, by position."""
    return F.struct(F.lit(0).alias("none"), *[each.alias(f"c{number}") for number, each in enumerate(values)])


def keys(columns: list[Any]) -> tuple[str, ...]:
    """What identifies the columns."""
    return tuple(key(each) for each in columns)


def nodes(expression: Any) -> list[Any]:
    """An expression, or a plan, with all below it."""
    found = [expression]
    for each in found:
        found.extend(listed(each.children()))
    return found


def conjuncts(condition: Any) -> list[Any]:
    """The conditions that have to hold all, of which a condition is made."""
    if kind(condition) != "And":
        return [condition]
    return [part for each in listed(condition.children()) for part in conjuncts(each)]
