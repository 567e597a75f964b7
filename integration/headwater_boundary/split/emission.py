"""Row sets as statements of PySpark, inside and outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pyspark.sql import functions as F

from headwater_boundary.policy import Sketch
from headwater_boundary.split import sources
from headwater_boundary.split.errors import CannotSplitError
from headwater_boundary.split.frames import (
    Block,
    Frame,
    arguments,
    expr,
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
from headwater_boundary.split.placing import Place, Placing, aggregates
from headwater_boundary.split.rowsets import RowSet, id_of
from headwater_boundary.split.text import Texts, alias, quoted, swapped, unaliased
from headwater_records_spark.jvm import LOGICAL, Jvm, kind, listed, optional, output

GROUP_SIZE = "group_size"


@dataclass(frozen=True, slots=True)
class Leaving:
    """A column of an intermediate: its type, and why it may leave."""

    name: str
    type: str
    why: str
    sketch: Sketch | None = None


@dataclass(slots=True)
class Intermediate:
    """What crosses the boundary under a name: out of the regions, or back into them."""

    name: str
    stage: int
    back: bool
    columns: list[Leaving]
    line: str
    least_group: int = 1


@dataclass(slots=True)
class Emission:
    """The statements of both programs, by side and stage."""

    jvm: Jvm
    placing: Placing
    texts: Texts
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
            made = block.settle(made, rows.name or _plain_name(rows), line)
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
        return _OPERATORS[rows.kind](self, rows, inputs, self.block(side, stage))

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
        settled = self.block(side, stage).settle(frame, rows.name or _plain_name(rows), str(rows.line))
        self.block(side, stage).frames[rows.number] = settled
        return settled

    def expression(self, rows: RowSet, expression: Any) -> Any:
        """The expression with columns in the places of scalar subqueries."""
        by_id = {int(each.exprId().id()): scalar for each, scalar in rows.scalars}

        def instead(e: Any) -> Any:
            if kind(e) != "ScalarSubquery":
                return None
            scalar = by_id.get(int(e.exprId().id()))
            scalar = scalar or next(
                s for each, s in rows.scalars if each.canonicalized().equals(e.canonicalized())
            )
            return output(scalar.node)[0]

        return swapped(self.jvm, expression, instead)

    def scalar(self, rows: RowSet, expression: Any, frame: Frame) -> str:
        """An expression over single rows, as SQL over the frame."""
        return self.texts.scalar(self.expression(rows, unaliased(expression)), frame.names)

    # What crosses the boundary.

    def _name(self, rows: RowSet, back: bool) -> Intermediate | None:
        return self.intermediates.get((rows.number, back))

    def _declare(
        self, rows: RowSet, *, back: bool, stage: int, columns: list[Leaving], least: int = 1
    ) -> Intermediate:
        taken = [each.name for each in self.intermediates.values()]
        name = unique(rows.name or _plain_name(rows), taken)
        made = Intermediate(name, stage, back, columns, str(rows.line), least)
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
            frame, columns = self._selected(rows, frame)
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

    def _selected(self, rows: RowSet, frame: Frame) -> tuple[Frame, list[str]]:
        """The frame with the row set's columns alone, in order."""
        columns = [frame.names[each] for each in rows.ids]
        if tuple(columns) == frame.columns and len(set(columns)) == len(columns):
            return frame, columns
        wanted: list[str] = []
        for each in columns:
            wanted.append(unique(each, wanted))
        items = [text(select_text(quoted(old), new)) for old, new in zip(columns, wanted, strict=True)]
        names = dict(zip(rows.ids, wanted, strict=True))
        return frame.then(f".selectExpr({arguments(items)})", names, wanted), wanted

    def _rows_out(self, rows: RowSet, stage: int) -> Frame:
        """Rows that are not personal, which leave as they are."""
        crossing = self._name(rows, False)
        if crossing is None:
            made_in = self.placing.of[rows.number].stage
            frame, columns = self._selected(rows, self.frame(rows, Place.INSIDE, made_in))
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
        names = _key_names(rows, keys)
        parts = [self._part(rows, each, below) for each in aggregates(rows)]
        labels = _labels(rows, aggregates(rows), names)
        columns = [_partial_names(label, merge) for label, (merge, _) in zip(labels, parts, strict=True)]
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
        return self._results(rows, frame, keys, names, results)

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

    def _results(
        self, rows: RowSet, frame: Frame, keys: list[Any], names: list[str], results: dict[int, str]
    ) -> Frame:
        """The aggregate's outputs, of its keys and of the values of its aggregates."""
        wanted: list[str] = []
        items: list[str] = []
        for each in listed(rows.node.aggregateExpressions()):
            made = self._result(rows, each, keys, names, results)
            name = unique(str(each.name()), wanted)
            wanted.append(name)
            items.append(text(select_text(made, name)))
        by_id = dict(zip(rows.ids, wanted, strict=True))
        return frame.then(f".selectExpr({arguments(items)})", by_id, wanted)

    def _result(
        self, rows: RowSet, result: Any, keys: list[Any], names: list[str], results: dict[int, str]
    ) -> str:
        known: dict[int, str] = {}
        pieces: dict[str, str] = {}
        e = self.expression(rows, unaliased(result))

        def instead(part: Any) -> Any:
            if kind(part) == "AggregateExpression":
                attribute = alias(
                    self.jvm, self.jvm.one(_LITERAL).create(None, part.dataType()), "x"
                ).toAttribute()
                place = f"headwater_result_{len(pieces)}_"
                same = next(i for i in results if i == id_of_result(part) or _is_result(rows, part, i))
                pieces[place] = results[same]
                known[id_of(attribute)] = place
                return attribute
            for key, name in zip(keys, names, strict=True):
                if part.canonicalized().equals(key.canonicalized()):
                    attribute = alias(self.jvm, key, name).toAttribute()
                    known[id_of(attribute)] = name
                    return attribute
            return None

        whole = swapped(self.jvm, e, instead)
        made = self.texts.scalar(whole, known)
        for place, piece in pieces.items():
            inner = piece if made == place else f"({piece})"
            made = made.replace(place, inner)
        return made


_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"


def id_of_result(aggregate: Any) -> int:
    """The identity of an aggregate's value."""
    return int(aggregate.resultId().id())


def _is_result(rows: RowSet, part: Any, known: int) -> bool:
    other = next((each for each in aggregates(rows) if id_of_result(each) == known), None)
    return other is not None and bool(other.canonicalized().equals(part.canonicalized()))


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


def _plain_name(rows: RowSet) -> str:
    named = {
        "Aggregate": "groups", "Join": "joined", "Union": "together", "Filter": "selected", "Window": "ranked",
        "Generate": "flattened", "Sort": "sorted_rows", "Project": "columns",
    }  # fmt: skip
    return named.get(rows.kind, "rows")


def _key_names(rows: RowSet, keys: list[Any]) -> list[str]:
    taken: list[str] = []
    for key in keys:
        wanted = str(key.name()) if kind(key) == "AttributeReference" else "key"
        for each in listed(rows.node.aggregateExpressions()):
            if kind(each) == "Alias" and each.child().canonicalized().equals(key.canonicalized()):
                wanted = str(each.name())
        taken.append(unique(wanted, taken))
    return taken


def _labels(rows: RowSet, found: list[Any], keys: list[str]) -> list[str]:
    """A name for each aggregate: that of its column where there is one."""
    taken = list(keys)
    labels = []
    for each in found:
        wanted = "value"
        for result in listed(rows.node.aggregateExpressions()):
            if kind(result) == "Alias" and unaliased(result).canonicalized().equals(each.canonicalized()):
                wanted = str(result.name())
                break
        label = unique(wanted if wanted.replace("_", "").isalnum() else "value", taken)
        taken.append(label)
        labels.append(label)
    return labels


def _partial_names(label: str, merge: Merge) -> list[str]:
    return [f"{label}_{suffix}" if suffix else label for suffix, _ in merge.partials]


def _merging(label: str, columns: list[str], merge: Merge) -> list[str]:
    if merge.function:
        given = ", ".join(text(each) for each in columns)
        return [f"{merge.function.format(given)}.alias({text(label)})"]
    places = [quoted(each) for each in columns]
    return [named_expr(code.format(*places), columns[number]) for number, code in enumerate(merge.merged)]


Operator = Callable[[Emission, RowSet, list[Frame], Block], Frame]


def _same(_: Emission, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    below = rows.inputs[0]
    names = {new: inputs[0].names[old] for new, old in zip(rows.ids, below.ids, strict=True)}
    return Frame(inputs[0].head, inputs[0].calls, names, inputs[0].columns)


def _project(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    frame = inputs[0]
    wanted: list[str] = []
    items: list[str] = []
    for each in listed(rows.node.projectList()):
        made = emission.scalar(rows, each, frame)
        name = unique(str(each.name()), wanted)
        wanted.append(name)
        items.append(text(select_text(made, name)))
    names = dict(zip(rows.ids, wanted, strict=True))
    if not items:
        return frame.then(".select()", names, wanted)
    return frame.then(f".selectExpr({arguments(items)})", names, wanted)


def _filter(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    return inputs[0].then(f".filter({text(emission.scalar(rows, rows.node.condition(), inputs[0]))})")


def _sort(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    orders = []
    for each in listed(rows.node.order()):
        direction = "desc" if "DESC" in str(each.direction().sql()) else "asc"
        nulls = "first" if "FIRST" in str(each.nullOrdering().sql()) else "last"
        usual = {"asc": "first", "desc": "last"}[direction]
        made = expr(emission.scalar(rows, each.child(), inputs[0]))
        orders.append(f"{made}.{direction}()" if nulls == usual else f"{made}.{direction}_nulls_{nulls}()")
    return inputs[0].then(f".orderBy({arguments(orders)})")


def _limit(_: Emission, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    return inputs[0].then(f".limit({rows.node.limitExpr().eval(None)})")


def _local_limit(_: Emission, __: RowSet, inputs: list[Frame], ___: Block) -> Frame:
    return inputs[0]


def _offset(_: Emission, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    return inputs[0].then(f".offset({rows.node.offsetExpr().eval(None)})")


def _join(emission: Emission, rows: RowSet, inputs: list[Frame], block: Block) -> Frame:
    left, right = inputs
    renamed: dict[str, str] = {}
    for each in right.columns:
        name = unique(each, (*left.columns, *renamed.values(), *(c for c in right.columns if c != each)))
        if name != each or each.lower() in {c.lower() for c in left.columns}:
            renamed[each] = name
    if right.calls or "(" in right.head:
        right = block.settle(
            right, rows.inputs[1].name or _plain_name(rows.inputs[1]), str(rows.inputs[1].line)
        )
        block.frames[rows.inputs[1].number] = right
    other = right.head
    if renamed:
        pairs = ", ".join(f"{text(old)}: {text(new)}" for old, new in renamed.items())
        other += f".withColumnsRenamed({{{pairs}}})"
    names = {i: renamed.get(n, n) for i, n in right.names.items()}
    both = {**left.names, **names}
    how = str(rows.node.joinType().sql())
    if how not in {"INNER", "CROSS", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER", "LEFT SEMI", "LEFT ANTI"}:
        raise CannotSplitError("Join", f"a join of the kind {how} has no rule", str(rows.line))
    condition = optional(rows.node.condition())
    whole = Frame("", (), both, ())
    kept_names, kept = (
        (left.names, left.columns)
        if how in {"LEFT SEMI", "LEFT ANTI"}
        else (both, (*left.columns, *(renamed.get(c, c) for c in right.columns)))
    )
    if condition is None and how in {"INNER", "CROSS"}:
        return left.then(f".crossJoin({other})", kept_names, kept)
    on = "true" if condition is None else emission.scalar(rows, condition, whole)
    call = f".join({other}, F.expr({text(on)}), {text(how.lower().replace(' ', '_'))})"
    return left.then(call, kept_names, kept)


def _union(emission: Emission, rows: RowSet, inputs: list[Frame], block: Block) -> Frame:
    frames: list[tuple[Frame, list[str]]] = []
    for below, frame in zip(rows.inputs, inputs, strict=True):
        selected, columns = emission._selected(below, frame)
        if frames and (selected.calls or "(" in selected.head):
            selected = block.settle(selected, below.name or _plain_name(below), str(below.line))
        frames.append((selected, columns))
    first, columns = frames[0]
    for other, _ in frames[1:]:
        first = first.then(f".union({other.head})")
    names = dict(zip(rows.ids, columns, strict=True))
    return Frame(first.head, first.calls, names, tuple(columns))


def _generate(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    frame = inputs[0]
    generator = rows.node.generator()
    made = emission.texts.generator(emission.expression(rows, generator), frame.names)
    if rows.node.outer():
        function, rest = made.split("(", 1)
        if function.endswith("_outer") or function not in {"explode", "posexplode", "inline"}:
            raise CannotSplitError("Generate", f"{function} OUTER has no rule", str(rows.line))
        made = f"{function}_outer({rest}"
    new: list[str] = []
    produced = listed(rows.node.generatorOutput())
    for each in produced:
        new.append(unique(str(each.name()), (*frame.columns, *new)))
    as_names = quoted(new[0]) if len(new) == 1 else "(" + ", ".join(map(quoted, new)) + ")"
    names = {**frame.names, **dict(zip(map(id_of, produced), new, strict=True))}
    return frame.then(f'.selectExpr("*", {text(f"{made} AS {as_names}")})', names, (*frame.columns, *new))


def _expand(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    frame = inputs[0]
    wanted: list[str] = []
    for each in rows.names:
        wanted.append(unique(each, wanted))
    structs = []
    for projection in listed(rows.node.projections()):
        values = [emission.scalar(rows, each, frame) for each in listed(projection)]
        types = [str(each.dataType().sql()) for each in output(rows.node)]
        parts = [
            f"'{n}', CAST({v} AS {t})" if v == "NULL" else f"'{n}', {v}"
            for n, v, t in zip(wanted, values, types, strict=True)
        ]
        structs.append(f"named_struct({', '.join(parts)})")
    call = f".selectExpr({text('inline(array(' + ', '.join(structs) + '))')})"
    return frame.then(call, dict(zip(rows.ids, wanted, strict=True)), wanted)


def _window(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    frame = inputs[0]
    new: list[str] = []
    items = ['"*"']
    for each in listed(rows.node.windowExpressions()):
        name = unique(str(each.name()), (*frame.columns, *new))
        items.append(text(select_text(emission.scalar(rows, each, frame), name)))
        new.append(name)
    defined = [id_of(each) for each in listed(rows.node.windowExpressions())]
    names = {**frame.names, **dict(zip(defined, new, strict=True))}
    return frame.then(f".selectExpr({arguments(items)})", names, (*frame.columns, *new))


def _aggregate(emission: Emission, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    """An aggregate that is computed at once, inside or outside."""
    frame = inputs[0]
    keys = [emission.expression(rows, each) for each in listed(rows.node.groupingExpressions())]
    names = _key_names(rows, keys)
    found = aggregates(rows)
    labels = _labels(rows, found, names)
    grouped = [named_expr(emission.texts.scalar(k, frame.names), n) for k, n in zip(keys, names, strict=True)]
    items = [
        named_expr(_aggregate_text(emission, rows, e, frame), label)
        for e, label in zip(found, labels, strict=True)
    ]
    if items:
        made = frame.then(f".groupBy({arguments(grouped)}).agg({arguments(items)})")
    else:
        made = frame.then(f".select({arguments(grouped)}).distinct()")
    results = {id_of_result(e): quoted(label) for e, label in zip(found, labels, strict=True)}
    return emission._results(rows, made, keys, names, results)


def _aggregate_text(emission: Emission, rows: RowSet, aggregate: Any, frame: Frame) -> str:
    function = aggregate.aggregateFunction()
    if kind(function) != "PivotFirst":
        return emission.texts.aggregate(emission.expression(rows, aggregate), frame.names)
    column, value = (
        emission.scalar(rows, each, frame) for each in (function.pivotColumn(), function.valueColumn())
    )
    data_type = function.pivotColumn().dataType()
    picks = [
        f"first(CASE WHEN {column} <=> {_constant(emission, each, data_type)} THEN {value} END, true)"
        for each in listed(function.pivotColumnValues())
    ]
    return f"array({', '.join(picks)})"


def _constant(emission: Emission, value: Any, data_type: Any) -> str:
    """A value of the engine's own as SQL."""
    made = emission.jvm.type(_LITERAL)(value, data_type)
    return str(made.sql())


_OPERATORS: dict[str, Operator] = {
    "Same": _same,
    "Project": _project,
    "Filter": _filter,
    "Sort": _sort,
    "GlobalLimit": _limit,
    "LocalLimit": _local_limit,
    "Offset": _offset,
    "Join": _join,
    "Union": _union,
    "Generate": _generate,
    "Expand": _expand,
    "Window": _window,
    "Aggregate": _aggregate,
}
