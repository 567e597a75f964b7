"""Operators that are written as they stand, each over the frames of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater_boundary.split.emission.names import key_names, labels_of, plain_name
from headwater_boundary.split.emission.writer import LITERAL, Writer, id_of_result
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
from headwater_boundary.split.placing import aggregates
from headwater_boundary.split.rowsets import RowSet, id_of
from headwater_boundary.split.text import quoted
from headwater_records_spark.jvm import kind, listed, optional, output

Operator = Callable[[Writer, RowSet, list[Frame], Block], Frame]


def _same(_: Writer, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    below = rows.inputs[0]
    names = {new: inputs[0].names[old] for new, old in zip(rows.ids, below.ids, strict=True)}
    return Frame(inputs[0].head, inputs[0].calls, names, inputs[0].columns)


def _project(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
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


def _filter(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    return inputs[0].then(f".filter({text(emission.scalar(rows, rows.node.condition(), inputs[0]))})")


def _sort(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    orders = []
    for each in listed(rows.node.order()):
        direction = "desc" if "DESC" in str(each.direction().sql()) else "asc"
        nulls = "first" if "FIRST" in str(each.nullOrdering().sql()) else "last"
        usual = {"asc": "first", "desc": "last"}[direction]
        made = expr(emission.scalar(rows, each.child(), inputs[0]))
        orders.append(f"{made}.{direction}()" if nulls == usual else f"{made}.{direction}_nulls_{nulls}()")
    return inputs[0].then(f".orderBy({arguments(orders)})")


def _limit(_: Writer, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    return inputs[0].then(f".limit({rows.node.limitExpr().eval(None)})")


def _local_limit(_: Writer, __: RowSet, inputs: list[Frame], ___: Block) -> Frame:
    return inputs[0]


def _offset(_: Writer, rows: RowSet, inputs: list[Frame], __: Block) -> Frame:
    return inputs[0].then(f".offset({rows.node.offsetExpr().eval(None)})")


def _join(emission: Writer, rows: RowSet, inputs: list[Frame], block: Block) -> Frame:
    left, right = inputs
    renamed: dict[str, str] = {}
    for each in right.columns:
        name = unique(each, (*left.columns, *renamed.values(), *(c for c in right.columns if c != each)))
        if name != each or each.lower() in {c.lower() for c in left.columns}:
            renamed[each] = name
    if right.calls or "(" in right.head:
        right = block.settle(
            right, rows.inputs[1].name or plain_name(rows.inputs[1]), str(rows.inputs[1].line)
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


def _union(emission: Writer, rows: RowSet, inputs: list[Frame], block: Block) -> Frame:
    frames: list[tuple[Frame, list[str]]] = []
    for below, frame in zip(rows.inputs, inputs, strict=True):
        selected, columns = emission.selected(below, frame)
        if frames and (selected.calls or "(" in selected.head):
            selected = block.settle(selected, below.name or plain_name(below), str(below.line))
        frames.append((selected, columns))
    first, columns = frames[0]
    for other, _ in frames[1:]:
        first = first.then(f".union({other.head})")
    names = dict(zip(rows.ids, columns, strict=True))
    return Frame(first.head, first.calls, names, tuple(columns))


def _generate(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
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


def _expand(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
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


def _window(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
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


def _aggregate(emission: Writer, rows: RowSet, inputs: list[Frame], _: Block) -> Frame:
    """An aggregate that is computed at once, inside or outside."""
    frame = inputs[0]
    keys = [emission.expression(rows, each) for each in listed(rows.node.groupingExpressions())]
    names = key_names(rows, keys)
    found = aggregates(rows)
    labels = labels_of(rows, found, names)
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
    return emission.results(rows, made, keys, names, results)


def _aggregate_text(emission: Writer, rows: RowSet, aggregate: Any, frame: Frame) -> str:
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


def _constant(emission: Writer, value: Any, data_type: Any) -> str:
    """A value of the engine's own as SQL."""
    made = emission.jvm.type(LITERAL)(value, data_type)
    return str(made.sql())


OPERATORS: dict[str, Operator] = {
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
