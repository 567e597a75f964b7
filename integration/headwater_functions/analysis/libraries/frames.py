"""Frames, tables and series that are made of other values."""

from __future__ import annotations

from collections.abc import Iterable

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import BY_KEYS, MAKES, ORDERED, UNORDERED, Object, is_index
from headwater_functions.analysis.values import NOTHING, PLAIN, Edge, Value, join, with_edges


def frame(f: Frame, call: Call) -> Value:
    """A new frame of columns, of rows, or of a frame."""
    data, columns = call.argument(0, "data"), call.keywords.get("columns")
    if data is None and not call.keywords and not call.spread:
        return f.new(Object("frame", made=ORDERED), "frame")
    if data is None or set(call.keywords) - {"data", "columns"} or call.spread:
        return f.compute(call.all)
    objects = f.objects(data)
    names = f.columns(columns) if columns is not None else None
    if len(objects) != 1 or data.edges:
        return f.compute(call.all)
    made = objects[0][1]
    if made.kind == "dict" and columns is None and made.elements is NOTHING:
        parts = {n: join(*_column(f, v)) for n, v in made.members.items()}
        chosen = _rows_of(f, made.members.values())
        of = ORDERED if made.made not in (UNORDERED, MAKES) else UNORDERED
        return f.new(Object("frame", with_edges(made.own, chosen), parts, made=of), "frame")
    if made.kind == "list":
        rows = [m for _, m in f.objects(made.each())]
        own = f.decided(Value(made.own.edges, opaque=made.own.opaque), [Value(f.extent(data).edges)])
        decided = join(own, *(Value(frozenset(e for e in r.own.edges if not e.how.moves)) for r in rows))
        if rows and columns is None and all(r.kind == "dict" and r.elements is NOTHING for r in rows):
            members = {n: join(*(r.part(n) for r in rows)) for r in rows for n in r.members}
            return f.new(Object("frame", decided, members), "frame")
        listed = all(r.kind in ("tuple", "list") and r.elements is NOTHING and not r.own.edges for r in rows)
        if rows and columns is None and listed and len({len(r.members) for r in rows}) == 1:
            places = range(len(rows[0].members))
            members = {i: join(*(r.part(i) for r in rows)) for i in places}
            return f.new(Object("frame", decided, members, made=ORDERED), "frame")
        if (
            rows
            and names is not None
            and all(r.kind == "tuple" and r.elements is NOTHING and not r.own.edges for r in rows)
        ):
            members = {n: join(*(r.part(i) for r in rows)) for i, n in enumerate(names)}
            return f.new(Object("frame", decided, members), "frame")
    return f.compute(call.all)


def _rows_of(f: Frame, columns: Iterable[Value]) -> list[Edge]:
    """What decides how many rows columns have: how long a list or an argument is, of a series what decided about it."""
    found: list[Edge] = []
    for value in columns:
        lists = [m for _, m in f.objects(value) if m.kind in ("list", "tuple")]
        is_list = bool(lists) and len(lists) == len(value.refs) and not value.other
        long = f.extent(value).edges
        found += long if is_list else [e for e in long if e.how.extent]
        found += [] if is_list else [e for e in f.state.reached(value)[0] if e.how.decides]
    return found


def _column(f: Frame, value: Value) -> list[Value]:
    """A column of a frame: a series, or the elements of a list."""
    lists = [m for _, m in f.objects(value) if m.kind in ("list", "tuple", "iterator")]
    return [f.element(value)] if lists else [value]


def arrow_frame(f: Frame, call: Call) -> Value:
    """A table or a batch of Arrow: of a dictionary of columns, of rows, or of columns and their names."""
    names, metadata = call.argument(1, "names"), {"names", "metadata"}
    if call.args and names is not None and set(call.keywords) <= metadata and len(call.args) < 3:
        return _of_columns(f, call.args[0], names) or f.compute(call.all)
    if len(call.args) == 1 and not call.keywords:
        return frame(f, call)
    return f.compute(call.all)


def _of_columns(f: Frame, columns: Value, names: Value) -> Value | None:
    objects, listed = f.objects(columns), f.columns(names)
    if len(objects) != 1 or columns.edges or listed is None:
        return None
    made = objects[0][1]
    known = made.kind in ("list", "tuple") and made.elements is NOTHING and len(made.members) == len(listed)
    if not known or any(e.how.moves for e in made.own.edges) or len(set(listed)) < len(listed):
        return None
    parts = {n: join(*_column(f, made.members[i])) for i, n in enumerate(listed)}
    chosen = _rows_of(f, made.members.values())
    return f.new(Object("frame", with_edges(made.own, chosen), parts, made=ORDERED), "table")


def of_pandas(f: Frame, call: Call) -> Value:
    """A frame of pandas as one of Arrow: the same columns in the same order, and an index behind them."""
    given = call.argument(0, "df")
    if given is None or set(call.keywords) - {"df", "preserve_index"} or len(call.args) > 1:
        return f.compute(call.all)
    indexed = any(is_index(n) or m.kind == BY_KEYS for _, m in f.objects(given) for n in m.members)
    return f.compute(call.all) if indexed else given


def series(f: Frame, call: Call) -> Value:
    data = call.argument(0, "data")
    return (
        join(*_column(f, data))
        if data is not None and len(call.args) == 1 and not call.keywords
        else f.compute(call.all)
    )


def chosen(f: Frame, call: Call) -> Value:
    """``numpy.where``: one of two values by a condition."""
    if len(call.args) != 3 or call.spread:
        return f.compute(call.all)
    condition, first, second = call.args
    values = f.compute([first, second], PLAIN)
    return f.decided(values, [condition])
