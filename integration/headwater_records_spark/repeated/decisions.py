"""Where a rounded value decides which records there are: whether it would decide alike in every order of additions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.jvm import Jvm, kind
from headwater_records_spark.repeated.intervals import Intervals

Run = Callable[[Any], DataFrame]
"""Gives the frame of a plan, over the inputs as they were."""


class Decision(Protocol):
    """Something that a plan decides by a rounded value."""

    @property
    def title(self) -> str:
        """What decides."""

    def is_settled(self, run: Run) -> bool:
        """Whether every value in between decides alike."""


@dataclass(frozen=True, slots=True)
class OfRows:
    """A condition or a key: ``doubtful`` has the rows for which it may be another."""

    title: str
    doubtful: Any

    def is_settled(self, run: Run) -> bool:
        """Whether there is no such row."""
        return bool(run(self.doubtful).isEmpty())


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an order: its name, and those of its ends if it is rounded."""

    name: str
    ends: tuple[str, str] | None
    descending: bool
    nulls_first: bool

    @property
    def ordered(self) -> Column:
        """The column to order by."""
        column = F.col(self.name)
        if self.descending:
            return column.desc_nulls_first() if self.nulls_first else column.desc_nulls_last()
        return column.asc_nulls_first() if self.nulls_first else column.asc_nulls_last()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of it."""
        return self.name, *(self.ends or ())


@dataclass(frozen=True, slots=True)
class OfFirst:
    """A limit: which rows of an ordered plan are among the first so many."""

    title: str
    plan: Any
    keys: list[Key]
    rows: int

    def is_settled(self, run: Run) -> bool:
        """Whether no other row may be in the place of the last one."""
        frame = run(self.plan)
        ordered = frame.orderBy(*[each.ordered for each in self.keys])
        if self.rows == 0 or len(ordered.offset(self.rows - 1).limit(2).collect()) < 2:
            return True
        names = {name: f"{name}_last" for each in self.keys for name in each.names}
        last = ordered.offset(self.rows - 1).limit(1).withColumnsRenamed(names)
        near = frame.crossJoin(F.broadcast(last)).where(_in_doubt(self.keys, lambda name: F.col(names[name])))
        return len(near.limit(2).collect()) < 2


@dataclass(frozen=True, slots=True)
class OfOrder:
    """A window: in which order the rows of its partitions are."""

    title: str
    plan: Any
    partition: list[str]
    keys: list[Key]

    def is_settled(self, run: Run) -> bool:
        """Whether each row comes after the one before it, and could not come first."""
        window = Window.partitionBy(*self.partition).orderBy(*[each.ordered for each in self.keys])
        doubt = _in_doubt(self.keys, lambda name: F.lag(name).over(window))
        numbered = run(self.plan).select(
            (F.row_number().over(window) > 1).alias("after"), doubt.alias("doubt")
        )
        return bool(numbered.where("after AND doubt").isEmpty())


def _in_doubt(keys: list[Key], other: Callable[[str], Column]) -> Column:
    """Whether a row may be before as well as after another, of which this gives the columns."""
    doubt = F.lit(True)
    for each in reversed(keys):
        same = F.col(each.name).eqNullSafe(other(each.name))
        if each.ends is None:
            doubt = same & doubt
            continue
        low, high = each.ends
        here, there = F.col(each.name).isNull(), other(each.name).isNull()
        known = F.col(low).isNotNull() & other(low).isNotNull()
        exact = same & (F.col(low) == F.col(high)) & (other(low) == other(high))
        meet = (F.col(low) <= other(high)) & (F.col(high) >= other(low))
        doubt = (
            F.when(here & there, doubt)
            .when(here | there, F.lit(False))
            .when(~known, F.lit(True))
            .when(exact, doubt)
            .otherwise(meet)
        )
    return doubt


def ordered_by(
    jvm: Jvm, intervals: Intervals, plan: Any, orders: list[Any], more: list[Column]
) -> tuple[Any, list[Key]]:
    """A plan with the keys of an order and their ends, and more columns; an UnrepeatableError if ends are not known."""
    keys, columns = [], list(more)
    for number, each in enumerate(orders):
        name, ends = f"o{number}", None
        if intervals.touches(each.child()):
            found = intervals.ends(each.child())
            if found is None:
                raise UnrepeatableError(
                    f"{each.child().sql()} decides an order, and how much rounding changes it is not known"
                )
            ends = (f"l{number}", f"h{number}")
            columns += [end.alias(name) for end, name in zip(found, ends, strict=True)]
        columns.append(jvm.column(each.child()).alias(name))
        descending, first = kind(each.direction()) == "Descending", kind(each.nullOrdering()) == "NullsFirst"
        keys.append(Key(name, ends, descending, first))
    return jvm.select(plan, [], *columns), keys
