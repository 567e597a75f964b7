"""What ids of records tell by themselves, and what is in tables beside them.

A run keeps its ids in one of two shapes: those of ``ids``, which have a fixed size, or derivations, where a group or a
semi join that is kept by key has the key in place of the list of its members.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import Column

from headwater_records.nested.steps import Group, Matched, Operator, Window
from headwater_records_spark.captured.ids import inside, members


class Shape(Protocol):
    """How the ids of a run are made; ``out`` is a column of ids of records of the step."""

    def has_members_inside(self, step: Operator) -> bool:
        """Whether the id of a record of the step has the lists of its members in it."""

    def own(self, step: Operator, out: Column) -> list[list[Column]]:
        """For each input the id of its record in the id; none if the id does not tell it."""

    def lists(self, step: Operator, number: int, out: Column) -> list[Column]:
        """The lists of ids of an input's records, in the id or in the columns of the step's table."""

    def left(self, identity: Any) -> Any:
        """The id of the left record of a semi or existence join, or of the record that a window is computed for."""

    def key(self, step: Operator, identity: Any) -> Any:
        """By what the members of a record of the step are looked up."""


class FixedIds:
    """Ids of a fixed size: members are in tables, by the id."""

    def has_members_inside(self, step: Operator) -> bool:
        """Never."""
        del step
        return False

    def own(self, step: Operator, out: Column) -> list[list[Column]]:
        """As ``ids`` has them."""
        return inside(step, out)

    def lists(self, step: Operator, number: int, out: Column) -> list[Column]:
        """Columns of the table."""
        del out
        return members(step, number)

    def left(self, identity: Any) -> Any:
        """The id itself."""
        return identity

    def key(self, step: Operator, identity: Any) -> Any:
        """The id itself."""
        del step
        return identity


@dataclass(frozen=True, slots=True)
class Derivations:
    """Derivations, in which the steps with the numbers ``keyed`` have keys, and the others lists of their members."""

    keyed: frozenset[int]

    def has_members_inside(self, step: Operator) -> bool:
        """Whether they are not kept by key."""
        return step.number not in self.keyed

    def own(self, step: Operator, out: Column) -> list[list[Column]]:
        """Those of a window and of the left of a semi join are parts of theirs."""
        match step:
            case Window():
                return [[out.getField("o")]]
            case Matched():
                return [[out.getField("l")], []]
            case _:
                return inside(step, out)

    def lists(self, step: Operator, number: int, out: Column) -> list[Column]:
        """Parts of the derivation, or the column of the table of members."""
        return members(step, number, out.getField) if self.has_members_inside(step) else members(step, number)

    def left(self, identity: Any) -> Any:
        """Its first part."""
        return identity[0]

    def key(self, step: Operator, identity: Any) -> Any:
        """The key of the group, or of the right records."""
        return identity[0 if isinstance(step, Group) else 1]
