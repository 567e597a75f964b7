"""A job's program in the making: its lines, and the columns of ``df``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from typing import TypeAlias

from oracle.companies.company import Company
from oracle.companies.features import Feature
from oracle.companies.kinds import Columns, Kind, Leaf, Many, Noted, Packed, Struct, leaves
from oracle.companies.people import word


@dataclass
class Program:
    """Lines of PySpark, with ``spark``, ``F`` and ``root`` at hand."""

    company: Company
    chance: random.Random
    features: Set[Feature]
    """The features that it may have."""
    names: Iterator[int]
    columns: Columns = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    opens: set[str] = field(default_factory=set)
    """Those that it reads by itself, beside Spark."""
    used: set[Feature] = field(default_factory=set)

    def name(self) -> str:
        """A name that no other column has."""
        return f"c{next(self.names)}"

    def add(self, line: str, columns: Columns | None = None) -> None:
        self.lines.append(line)
        if columns is not None:
            self.columns = columns

    def with_column(self, expression: str, kind: Kind) -> None:
        """A new column of a SQL expression."""
        name = self.name()
        self.add(f'df = df.withColumn("{name}", F.expr({expression!r}))', {**self.columns, name: kind})

    def may(self, feature: Feature, likely: float) -> bool:
        """Whether to do it, by chance; if so it is noted."""
        wanted = feature in self.features and self.chance.random() < likely
        if wanted:
            self.used.add(feature)
        return wanted

    def leaves(self) -> list[tuple[str, Leaf]]:
        return list(leaves(self.columns))

    def personal(self) -> list[tuple[str, Leaf]]:
        """The leaves that have some attribute's values; all if there are none."""
        return [each for each in self.leaves() if each[1].of] or self.leaves()

    def leaf(self, type_: str | None = None) -> tuple[str, Leaf] | None:
        """A leaf, personal if there is such a one."""
        found = [each for each in self.personal() if type_ in (None, each[1].type)]
        return self.chance.choice(found) if found else None

    def few(self) -> tuple[str, Leaf] | None:
        """A leaf with few values, which the company knows."""
        found = [each for each in self.leaves() if each[1].words]
        return self.chance.choice(found) if found else None

    def code(self, leaf: Leaf) -> str:
        """A constant that stands for values of the leaf."""
        made = word(self.chance, 10)
        assert leaf.of is not None
        self.company.codes[made] = {leaf.of}
        return made

    def of(self, wanted: type[Many | Struct | Packed | Noted]) -> str | None:
        """A column of that sort."""
        found = [name for name, kind in self.columns.items() if isinstance(kind, wanted)]
        return self.chance.choice(found) if found else None


Change: TypeAlias = Callable[[Program], None]
