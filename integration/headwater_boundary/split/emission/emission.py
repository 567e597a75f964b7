"""Row sets as statements of PySpark, inside and outside."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pyspark.sql import functions as F

from headwater_boundary.split import sources
from headwater_boundary.split.emission.intermediates import Intermediate, Leaving
from headwater_boundary.split.emission.names import key_names, labels_of, partial_names, plain_name
from headwater_boundary.split.emission.operators import OPERATORS
from headwater_boundary.split.emission.writer import Writer, id_of_result
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.frames import (
    Block,
    Frame,
    arguments,
    named_expr,
    select_text,
    text,
    unique,
)
from headwater_boundary.split.merging import (
    Aggregated,
    Merge,
    arguments_of,
    condition_of,
    merge_of,
)
from headwater_boundary.split.placing import Place, aggregates
from headwater_boundary.split.rowsets import RowSet, id_of
from headwater_boundary.split.text import quoted
from headwater_records_spark.jvm import LOGICAL, kind, listed, output

GROUP_SIZE = "group_size"


@dataclass(slots=True)
class Emission(Writer):
    """The statements of both programs, by side and stage."""

    blocks: dict[tuple[str, int], Block] = field(default_factory=dict)
    intermediates: dict[tuple[int, bool], Intermediate] = field(default_factory=dict)
    ansi: bool = True

    def block(self, side: Place, stage: int) -> Block:
        """The statements of one stage of one program."""
        return self.blocks.setdefault((side.value, stage), Block())

    def frame(self, rows: RowSet, side: Place, stage: int) -> Frame:
        """The row set as a frame of that program in that stage."""
        block = self.block(side, stage)
        if rows.number in block.frames:
            return block.frames[rows.number]
        made = self._frame(rows, side, stage)
        line = str(rows.line)
        if rows.name or (rows.users > 1 and rows.kind != "Same"):
            made = block.settle(made, rows.name or plain_name(rows), line)
        block.frames[rows.number] = made
        return made

    def _frame(self, rows: RowSet, side: Place, stage: int) -> Frame:
        placed = self.placing.of[rows.number]
        block = self.block(side, stage)
        if side is Place.INSIDE and placed.place is Place.OUTSIDE:
            return self._back_in(rows, stage)
        if side is Place.OUTSIDE and placed.place is Place.INSIDE:
            return self._rows_out(rows, stage)
        if placed.target:
            return self._merged(rows, stage)
        if side is Place.OUTSIDE and placed.place is Place.OUTSIDE and placed.stage < stage:
            return self._kept(rows, stage)
        made = self._operator(rows, side, stage)
        block.pending.append(rows.number)
        return made

    def _operator(self, rows: RowSet, side: Place, stage: int) -> Frame:
        if not rows.inputs:
            return sources.frame(self.jvm, rows, self.placing, side)
        inputs = [self.frame(each, side, stage) for each in rows.inputs]
        inputs[0] = self._with_scalars(rows, inputs[0], side, stage)
        return OPERATORS[rows.kind](self, rows, inputs, self.block(side, stage))

    def _with_scalars(self, rows: RowSet, frame: Frame, side: Place, stage: int) -> Frame:
        """The frame with the values of scalar subqueries as columns."""
        for _, scalar in rows.scalars:
            if not _is_one_row(scalar):
                raise CannotSplitError("ScalarSubquery", "it may have no row or several", str(rows.line))
            value = self._settled(self.frame(scalar, side, stage), scalar, side, stage)
            name = unique(scalar.names[0] if len(scalar.names) == 1 else "value", frame.columns)
            column = select_text(quoted(value.names[scalar.ids[0]]), name)
            joined = f".crossJoin({value.head}.selectExpr({text(column)}))"
            names = {**frame.names, _scalar_id(scalar): name}
            frame = frame.then(joined, names, (*frame.columns, name))
        return frame

    def _settled(self, frame: Frame, rows: RowSet, side: Place, stage: int) -> Frame:
        if not frame.calls and "(" not in frame.head:
            return frame
        settled = self.block(side, stage).settle(frame, rows.name or plain_name(rows), str(rows.line))
        self.block(side, stage).frames[rows.number] = settled
        return settled

    # What crosses the boundary.

    def _name(self, rows: RowSet, back: bool) -> Intermediate | None:
        return self.intermediates.get((rows.number, back))

    def _declare(
        self, rows: RowSet, *, back: bool, stage: int, columns: list[Leaving], least: int = 1
    ) -> Intermediate:
        taken = [each.name for each in self.intermediates.values()]
        name = unique(rows.name or plain_name(rows), taken)
        made = Intermediate(name, rows.number, stage, back, columns, str(rows.line), least)
        self.intermediates[rows.number, back] = made
        return made

    def _types(self, rows: RowSet) -> list[str]:
        return [str(each.dataType().simpleString()) for each in output(rows.node)]

    def _back_in(self, rows: RowSet, stage: int) -> Frame:
        """What was merged outside in an earlier stage, and goes back in."""
        crossing = self._name(rows, True)
        if crossing is None:
            made_in = self.placing.of[rows.number].stage
            frame = self.frame(rows, Place.OUTSIDE, made_in)
            frame, columns = self.selected(rows, frame)
            whys = "merged outside, and needed inside"
            leaving = [Leaving(n, t, whys) for n, t in zip(columns, self._types(rows), strict=True)]
            crossing = self._declare(rows, back=True, stage=made_in, columns=leaving)
            self.block(Place.OUTSIDE, made_in).add(
                f"send_back({frame.code()}, {text(crossing.name)}, boundary)", str(rows.line)
            )
        names = dict(zip(rows.ids, [each.name for each in crossing.columns], strict=True))
        return Frame(f"come_back(spark, {text(crossing.name)}, boundary)", (), names, tuple(names.values()))

    def _kept(self, rows: RowSet, stage: int) -> Frame:
        """What was merged in an earlier stage, and is needed outside again: it is computed again."""
        return self._operator(rows, Place.OUTSIDE, stage)

    def _rows_out(self, rows: RowSet, stage: int) -> Frame:
        """Rows that are not personal, which leave as they are."""
        crossing = self._name(rows, False)
        if crossing is None:
            made_in = self.placing.of[rows.number].stage
            frame, columns = self.selected(rows, self.frame(rows, Place.INSIDE, made_in))
            why = "no personal data are among what it was made of"
            leaving = [Leaving(n, t, why) for n, t in zip(columns, self._types(rows), strict=True)]
            crossing = self._declare(rows, back=False, stage=made_in, columns=leaving)
            self._leave(crossing, frame, made_in)
        names = dict(zip(rows.ids, [each.name for each in crossing.columns], strict=True))
        return Frame(f"arrived(spark, {text(crossing.name)}, boundary)", (), names, tuple(names.values()))

    def _leave(self, crossing: Intermediate, frame: Frame, stage: int) -> None:
        block = self.block(Place.INSIDE, stage)
        if frame.calls:
            frame = block.settle(frame, crossing.name, crossing.line)
        block.add(f"leave({frame.head}, {text(crossing.name)}, region, boundary)", crossing.line)

    # A target: an aggregate in two parts.

    def _merged(self, rows: RowSet, stage: int) -> Frame:
        """A target outside; its part inside is written when it is first needed."""
        made_in = self.placing.of[rows.number].stage
        below = self._with_scalars(
            rows, self.frame(rows.inputs[0], Place.INSIDE, made_in), Place.INSIDE, made_in
        )
        keys = [self.expression(rows, each) for each in listed(rows.node.groupingExpressions())]
        names = key_names(rows, keys)
        parts = [self._part(rows, each, below) for each in aggregates(rows)]
        labels = labels_of(rows, aggregates(rows), names)
        columns = [partial_names(label, merge) for label, (merge, _) in zip(labels, parts, strict=True)]
        if self._name(rows, False) is None:
            self._partial(
                rows,
                below,
                list(zip(keys, names, strict=True)),
                list(zip(columns, parts, strict=True)),
                made_in,
            )
        self.block(Place.OUTSIDE, stage).pending.append(rows.number)
        crossing = self.intermediates[rows.number, False]
        frame = Frame(f"arrived(spark, {text(crossing.name)}, boundary)", (), {}, ())
        merged = [
            item for label, made, (merge, _) in zip(labels, columns, parts, strict=True)
            for item in _merging(label, made, merge)
        ]  # fmt: skip
        grouped = ".groupBy(" + arguments([text(each) for each in names]) + ")"
        frame = frame.then(
            f"{grouped}.agg({arguments(merged)})"
            if merged
            else f".select({arguments([text(n) for n in names])}).distinct()"
        )
        results = {}
        for label, made, (merge, _), each in zip(labels, columns, parts, aggregates(rows), strict=True):
            places = [quoted(label)] if merge.function else [quoted(n) for n in made]
            results[id_of_result(each)] = merge.result.format(*places)
        return self.results(rows, frame, keys, names, results)

    def _part(self, rows: RowSet, aggregate: Any, below: Frame) -> tuple[Merge, Any]:
        aggregate = self.expression(rows, aggregate)
        given = arguments_of(aggregate)
        condition = condition_of(aggregate)
        where = self.placing
        first = len(listed(rows.node.groupingExpressions()))
        positions = _positions(rows, first)
        at = positions[id_of_result(aggregate)]
        may_leave = all(where.may_leave(rows, at + number) for number in range(len(given)))
        try:
            merge = merge_of(
                Aggregated(
                    aggregate,
                    partial(self.texts.aggregate, aggregate, below.names),
                    tuple(self.texts.scalar(each, below.names) for each in given),
                    "" if condition is None else self.texts.scalar(condition, below.names),
                    colocated=any(where.colocated(rows.inputs[0], each) is not None for each in given),
                    may_leave=may_leave,
                    sketches=where.policy.sketches,
                    ansi=self.ansi,
                    known=self.jvm.spark.catalog.functionExists,
                )
            )
        except CannotSplitError as error:
            raise CannotSplitError(error.operator, error.reason, str(rows.line)) from None
        if merge.values and not may_leave:
            what = where.held_at(rows, range(at, at + len(given)))
            raise CannotSplitError(
                kind(aggregate.aggregateFunction()),
                f"it would let single values of {what} out",
                str(rows.line),
            )
        return merge, aggregate

    def _partial(self, rows: RowSet, below: Frame, keys: list[Any], parts: list[Any], stage: int) -> None:
        least = self.placing.policy.least_group
        leaving = [
            Leaving(name, str(key.dataType().sql()), "a key of groups, which identifies nobody")
            for key, name in keys
        ]
        items = []
        for made, (merge, _) in parts:
            for name, (_, code) in zip(made, merge.partials, strict=True):
                items.append(named_expr(code, name))
                leaving.append(Leaving(name, "", merge.why, merge.sketch))
        taken = [each.name for each in leaving]
        size = unique(GROUP_SIZE, taken)
        if least > 1:
            items.append(named_expr(self._size(rows, below), size))
            leaving.append(Leaving(size, "BIGINT", f"how many are in the group: at least {least}"))
        grouped = [named_expr(self.texts.scalar(key, below.names), name) for key, name in keys]
        frame = below.then(f".groupBy({arguments(grouped)})" + (f".agg({arguments(items)})" if items else ""))
        if not items:
            frame = below.then(f".select({arguments(grouped)}).distinct()")
        if least > 1:
            frame = frame.then(f".filter({text(f'{quoted(size)} >= {least}')})")
        types = self._partial_types(rows, below, keys, parts)
        leaving = [replace(each, type=types.get(each.name, "bigint")) for each in leaving]
        crossing = self._declare(rows, back=False, stage=stage, columns=leaving, least=least)
        self.block(Place.INSIDE, stage).pending.append(rows.number)
        self._leave(crossing, frame, stage)

    def _partial_types(self, rows: RowSet, below: Frame, keys: list[Any], parts: list[Any]) -> dict[str, str]:
        """Spark's types of the columns that leave."""
        attributes = [*output(rows.inputs[0].node), *(output(scalar.node)[0] for _, scalar in rows.scalars)]
        over = [each.withName(below.names[id_of(each)]) for each in attributes if id_of(each) in below.names]
        frame = self.jvm.frame(self.jvm.one(LOGICAL + "LocalRelation").apply(self.jvm.seq(over)))
        grouped = [F.expr(self.texts.scalar(key, below.names)).alias(name) for key, name in keys]
        items = [
            F.expr(code).alias(name)
            for made, (merge, _) in parts
            for name, (_, code) in zip(made, merge.partials, strict=True)
        ]
        made = frame.groupBy(*grouped).agg(*items) if items else frame.select(*grouped)
        return {each.name: each.dataType.simpleString() for each in made.schema.fields}

    def _size(self, rows: RowSet, below: Frame) -> str:
        """How many are in a group: persons where the policy says how to know them, else rows."""
        child = rows.inputs[0]
        for each in child.ids:
            origin = self.placing.origins.of(child, each)
            if origin is not None and self.placing.policy.is_person(*origin) and each in below.names:
                return f"count(DISTINCT {quoted(below.names[each])})"
        return "count(*)"


def _positions(rows: RowSet, first: int) -> dict[int, int]:
    """Where the arguments of each aggregate begin among the columns that were judged."""
    found: dict[int, int] = {}
    for each in aggregates(rows):
        found[id_of_result(each)] = first
        first += len(arguments_of(each))
    return found


def _scalar_id(scalar: RowSet) -> int:
    return scalar.ids[0]


def _is_one_row(rows: RowSet) -> bool:
    """Whether the row set has one row, whatever the data are."""
    while rows.kind in {"Project", "Same"}:
        rows = rows.inputs[0]
    return rows.kind == "OneRowRelation" or (
        rows.kind == "Aggregate" and not listed(rows.node.groupingExpressions())
    )


def _merging(label: str, columns: list[str], merge: Merge) -> list[str]:
    if merge.function:
        given = ", ".join(text(each) for each in columns)
        return [f"{merge.function.format(given)}.alias({text(label)})"]
    places = [quoted(each) for each in columns]
    return [named_expr(code.format(*places), columns[number]) for number, code in enumerate(merge.merged)]
