"""Where each row set is computed: inside each region, outside on what was merged, or anywhere.

A row set is *inside* if the rows of all regions together are the union of those that each region computes by itself.
The rules hold for bags of rows, whatever the rows are:

- a selection or a projection of such a row set is one, and its join with rows that are the same everywhere;
- two of them joined are one only if the rows that match are in the same region (``colocated`` in the policy);
- an aggregate is one only if all rows of a group are in one region; else it is a *target*, whose groups leave as
  parts that are put together outside, if neither its keys nor its parts are personal in a form that may not leave.

What is outside may be needed inside again: it goes back in, and what is made of it is of the next stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from headwater_boundary.judging import Held
from headwater_boundary.policy import Policy
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.merging import arguments_of, unwrapped
from headwater_boundary.split.origins import Origins
from headwater_boundary.split.rowsets import RowSet, below
from headwater_records_spark.jvm import kind, listed, optional

ROW_BY_ROW = {"Project", "Filter", "Generate", "Expand", "Sort"}
LEAVES = {"LogicalRelation", "LocalRelation", "LogicalRDD", "Range", "OneRowRelation"}
EMITTED = (
    ROW_BY_ROW
    | LEAVES
    | {"Join", "Union", "Aggregate", "Window", "GlobalLimit", "LocalLimit", "Offset", "Same"}
)
_WITH_OTHERS = {
    "left": {"INNER", "CROSS", "LEFT OUTER", "LEFT SEMI", "LEFT ANTI"},
    "right": {"INNER", "CROSS", "RIGHT OUTER"},
}


class Place(Enum):
    """Where a row set is computed."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    SHARED = "anywhere"


@dataclass(slots=True)
class Placed:
    """A row set's place, its stage (from 1), why, and of a target what leaves."""

    place: Place
    stage: int
    why: str
    target: bool = False
    exported: bool = False
    """Whether its rows leave as they are."""
    personal: bool = False
    """Whether a source with personal data is below it."""


@dataclass(slots=True)
class Placing:
    """The places of all row sets. ``sources`` are the datasets' names of the leaves that have one."""

    policy: Policy
    sources: Mapping[int, str]
    personal: Mapping[str, tuple[tuple[str, ...], ...]]
    held: Mapping[tuple[int, int], tuple[Held, ...]]
    """What each key and argument of an aggregate holds, by the row set's number and their position."""
    of: dict[int, Placed] = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins)
    moved: dict[str, str] = field(default_factory=dict)
    """The paths of sources by where they are inside a region."""

    def place_all(self, all_of_them: list[RowSet]) -> None:
        """Place the row sets, each after its inputs. Raises ``CannotSplitError``."""
        for rows in all_of_them:
            try:
                self.of[rows.number] = self._placed(rows)
            except CannotSplitError as error:  # noqa: PERF203 - it adds the line
                if error.line:
                    raise
                raise CannotSplitError(error.operator, error.reason, str(rows.line)) from None

    def colocated(self, rows: RowSet, expression: Any) -> str | None:
        """The group of colocated paths that an expression over the row set is one of."""
        origin = self.origins.of_expression(rows, expression)
        return None if origin is None else self.policy.colocation(*origin)

    def may_leave(self, rows: RowSet, position: int) -> bool:
        """Whether the aggregate's key or argument may leave as it is."""
        return all(
            self.policy.may_leave(each.form, each.categories)
            for each in self.held.get((rows.number, position), ())
        )

    def held_at(self, rows: RowSet, positions: Iterable[int]) -> str:
        """What personal data an aggregate's keys or arguments hold, for people."""
        held = [each for position in positions for each in self.held.get((rows.number, position), ())]
        return ", ".join(sorted({f"{'.'.join(h.source_path)} ({h.form.name.lower()})" for h in held}))

    def _placed(self, rows: RowSet) -> Placed:
        if rows.node.isStreaming():
            raise CannotSplitError(rows.kind, "it is a stream, which is not split")
        if rows.kind in LEAVES or not rows.inputs:
            return self._leaf(rows)
        if rows.kind not in EMITTED:
            raise CannotSplitError(rows.kind, "no rule is known of this operator")
        self.origins.add(rows)
        inputs = [self.of[each.number] for each in (*rows.inputs, *(s for _, s in rows.scalars))]
        personal = any(each.personal for each in inputs)
        if all(self.of[each.number].place is not Place.INSIDE for each in rows.inputs):
            if any(self.of[s.number].place is Place.INSIDE for _, s in rows.scalars):
                raise CannotSplitError("ScalarSubquery", "its value is of one region alone")
            return self._not_inside(rows, inputs, personal=personal)
        return self._inside(rows, inputs, personal=personal)

    def _leaf(self, rows: RowSet) -> Placed:
        if rows.kind not in LEAVES:
            raise CannotSplitError(rows.kind, "no rule is known of this source")
        name = self.sources.get(rows.number)
        if name is None:
            return Placed(Place.SHARED, 1, "rows of the program itself")
        self.origins.add_source(rows, name)
        if self.personal.get(name):
            return Placed(Place.INSIDE, 1, f"{name} holds personal data", personal=True)
        if self.policy.is_regional(name):
            return Placed(Place.INSIDE, 1, f"each region has rows of {name} of its own")
        if self.policy.is_shared(name):
            return Placed(Place.SHARED, 1, f"{name} is the same everywhere")
        raise CannotSplitError(
            "a source",
            f"nobody has decided whether {name} holds personal data; classify it, or name it as shared",
        )

    def _not_inside(self, rows: RowSet, inputs: list[Placed], *, personal: bool) -> Placed:
        outside = [each for each in inputs if each.place is Place.OUTSIDE]
        if not outside:
            return Placed(Place.SHARED, 1, "made of shared rows alone", personal=personal)
        return Placed(
            Place.OUTSIDE, max(e.stage for e in outside), "made of what was merged", personal=personal
        )

    def _inside(self, rows: RowSet, inputs: list[Placed], *, personal: bool) -> Placed:
        try:
            if rows.kind == "Aggregate":
                target = self._target(rows, personal=personal)
                if target is not None:
                    return target
            self._check_inside(rows)
        except CannotSplitError:
            if any(self.of[each.number].personal for each in rows.inputs):
                raise
            return self._rows_leave(rows, inputs)
        return Placed(Place.INSIDE, self._stage(inputs), "made of one region's rows", personal=personal)

    def _rows_leave(self, rows: RowSet, inputs: list[Placed]) -> Placed:
        """An operator over regional rows without any personal source: these leave as they are."""
        for each in rows.inputs:
            placed = self.of[each.number]
            placed.exported = placed.exported or placed.place is Place.INSIDE
        stages = [each.stage for each in inputs if each.place is not Place.SHARED]
        return Placed(Place.OUTSIDE, max(stages), "made of the rows of all regions, which are not personal")

    def _stage(self, inputs: list[Placed]) -> int:
        return max(each.stage + (each.place is Place.OUTSIDE) for each in inputs)

    def _check_inside(self, rows: RowSet) -> None:
        if not all(each.deterministic() for each in listed(rows.node.expressions())):
            raise CannotSplitError(rows.kind, "its result is another one each time that it runs")
        if rows.kind in ROW_BY_ROW or rows.kind == "Same":
            return
        if rows.kind == "Join":
            self._check_join(rows)
        elif rows.kind == "Union":
            self._check_union(rows)
        elif rows.kind == "Aggregate":
            if not any(
                self.colocated(rows.inputs[0], each) for each in listed(rows.node.groupingExpressions())
            ):
                raise CannotSplitError("Aggregate", "rows of one group may be in several regions")
        elif rows.kind == "Window":
            if not any(self.colocated(rows.inputs[0], each) for each in listed(rows.node.partitionSpec())):
                raise CannotSplitError(
                    "Window", "rows of one partition of the window may be in several regions"
                )
        else:
            raise CannotSplitError(
                rows.kind, "which rows these are depends on the rows of all regions together"
            )

    def _check_union(self, rows: RowSet) -> None:
        if any(self.of[each.number].place is not Place.INSIDE for each in rows.inputs):
            raise CannotSplitError(
                "Union", "rows that are the same everywhere would be counted once in each region"
            )

    def _check_join(self, rows: RowSet) -> None:
        how = str(rows.node.joinType().sql())
        left, right = (self.of[each.number].place is Place.INSIDE for each in rows.inputs)
        if left and right:
            if not self._is_colocated(rows):
                raise CannotSplitError(
                    "Join",
                    "rows of one region may match rows of another; a policy can say by which keys they do not",
                )
            return
        if how not in _WITH_OTHERS["left" if left else "right"]:
            raise CannotSplitError("Join", f"{how}: rows that match in no region would come out once in each")

    def _is_colocated(self, rows: RowSet) -> bool:
        left, right = rows.inputs
        for one, other in _equalities(optional(rows.node.condition())):
            for a, b in ((one, other), (other, one)):
                groups = self.colocated(left, a), self.colocated(right, b)
                if groups[0] is not None and groups[0] == groups[1]:
                    return True
        return False

    def _target(self, rows: RowSet, *, personal: bool) -> Placed | None:
        """The aggregate as a target; None where it can stay inside because its groups are in one region each."""
        keys = listed(rows.node.groupingExpressions())
        stays = any(self.colocated(rows.inputs[0], each) for each in keys)
        for position, each in enumerate(keys):
            if not self.may_leave(rows, position):
                if stays:
                    return None
                what = self.held_at(rows, [position])
                raise CannotSplitError(
                    "Aggregate",
                    f"its key {each.sql()} holds {what}, which may not leave, and its groups may be in several regions",
                )
        for each in (*keys, *aggregates(rows)):
            if not each.deterministic() and not _is_collected(each):
                raise CannotSplitError("Aggregate", f"{each.sql()} is another one each time that it runs")
        placed = self.of[rows.inputs[0].number]
        scalars = [self.of[s.number] for _, s in rows.scalars]
        stage = self._stage([placed, *scalars])
        return Placed(
            Place.OUTSIDE, stage, "groups of all regions put together", target=True, personal=personal
        )


def _is_collected(aggregate: Any) -> bool:
    """Whether it is not deterministic only as its result has no order, or depends on rows that are equal in it."""
    name = kind(unwrapped(aggregate.aggregateFunction())) if kind(aggregate) == "AggregateExpression" else ""
    return name in {"CollectSet", "CollectList", "ListAgg", "MaxBy", "MinBy"} and all(
        e.deterministic() for e in arguments_of(aggregate)
    )


def aggregates(rows: RowSet) -> list[Any]:
    """The aggregates of an operator, each once, in order."""
    found: list[Any] = []
    for result in listed(rows.node.aggregateExpressions()):
        for each in below(result):
            if kind(each) == "AggregateExpression" and not any(_same(each, other) for other in found):
                found.append(each)
    return found


def _same(one: Any, other: Any) -> bool:
    return bool(one.canonicalized().equals(other.canonicalized()))


def _equalities(condition: Any) -> Iterator[tuple[Any, Any]]:
    if condition is None:
        return
    if kind(condition) == "And":
        yield from _equalities(condition.left())
        yield from _equalities(condition.right())
    elif kind(condition) == "EqualTo":
        yield condition.left(), condition.right()
