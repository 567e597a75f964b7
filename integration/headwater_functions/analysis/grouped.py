"""Frames in groups: what is computed of them is made of the columns that were chosen and of the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.calls import called_often
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import BY_KEYS, INDEX, Object, is_index
from headwater_functions.analysis.values import (
    AGGREGATE,
    NOTHING,
    OF_FEW,
    SIZE,
    How,
    Value,
    changed,
    constant,
    join,
    with_edges,
)

STATISTICS = frozenset({"mean", "std", "var", "count", "size", "nunique"})
"""Aggregates that are figures of a group; any other may be the value of one row."""
AGGREGATES = STATISTICS | {
    "sum",
    "min",
    "max",
    "first",
    "last",
    "median",
    "prod",
    "any",
    "all",
    "sem",
    "skew",
}
PER_ROW = frozenset(
    {
        "rank",
        "shift",
        "diff",
        "pct_change",
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "cumcount",
        "ngroup",
        "transform",
        "ffill",
        "bfill",
        "fillna",
    }
)
"""Methods that give a value for each row."""

_OF_ROWS = frozenset({"head", "tail", "filter", "size", "cumcount", "ngroup"})
"""Methods that tell which rows groups have, or how many."""


def group(f: Frame, call: Call) -> Value:
    """``groupby`` by constant names of columns, or by values; each group is all of its rows."""
    by = call.argument(0, "by")
    receiver = call.receiver or NOTHING
    if by is None or set(call.keywords) - {"by", "as_index", "sort", "observed", "dropna", "group_keys"}:
        return f.compute(call.all)
    columns = f.column_names(by)
    if columns is None:
        keys = [f.compute([by])]
        members: dict[Any, Value] = {0: keys[0]}
    else:
        keys = [f.named(receiver, c) for c in columns]
        members = dict(zip(columns, keys, strict=True))
    flat = call.keywords.get("as_index")
    shown = constant(flat is not None and flat.single is not None and flat.single.value is False)
    return f.new(Object("group", f.decided(NOTHING, keys), members, elements=shown, made=receiver), "group")


def grouped_result(f: Frame, call: Call) -> Value:
    """What a method of groups gives; of a method that is not known, all that was grouped."""
    receiver = call.receiver or NOTHING
    objects = f.objects(receiver)
    made = objects[0][1]
    if len(objects) != 1 or receiver.edges or not isinstance(made.made, Value) or call.spread:
        return _all(f, call)
    if call.name in ("agg", "aggregate"):
        return _aggregated(f, call, made)
    source: Value = made.made
    if call.name in _OF_ROWS and not call.keywords:
        return _of_rows(f, call, made)
    if call.name in AGGREGATES and not call.args:
        how = aggregate(call.name)
        if made.kind == "column group":
            return _by_keys(f, made, f.compute([source], how))
        columns = columns_of(f, source)
        if columns is not None:
            return _frame(f, made, {n: f.compute([v], how) for n, v in columns.items()})
        return _all(f, call)
    if call.name in PER_ROW and made.kind == "column group":
        return f.decided(_all(f, call), made.members.values())
    return _all(f, call)


def _of_rows(f: Frame, call: Call, made: Object) -> Value:
    """What the rows that groups have reveal, and not their values: some of them, their number, or theirs."""
    source: Value = made.made
    if call.name in ("head", "tail"):
        return f.filtered(source, [*made.members.values(), *call.args], "rows")
    if call.name == "filter":
        part = f.item(f.element(call.receiver or NOTHING), constant(1))
        tests = [called_often(f, a, [part], [source]) for a in call.args]
        return f.filtered(source, [*made.members.values(), *tests], "rows")
    counted = Value(changed(f.extent(source).edges, SIZE), other=True)
    return _by_keys(f, made, counted) if call.name == "size" else with_edges(counted, _own(f, made).edges)


def aggregate(name: Any) -> How:
    return OF_FEW if name in STATISTICS else AGGREGATE


def _all(f: Frame, call: Call) -> Value:
    """Everything that was grouped, the keys, and what functions of the program give for a group."""
    results = []
    for value in (*call.args, *call.keywords.values()):
        if f.calls_own(value):
            part = f.item(f.element(call.receiver or NOTHING), constant(1))
            others = [a for a in call.args if a is not value]
            results.append(called_often(f, value, [part, *others], [call.receiver or NOTHING]))
    return f.compute([*call.all, *results])


def columns_of(f: Frame, source: Value) -> Mapping[Any, Value] | None:
    """The columns of a frame, if all of them are known."""
    objects = f.objects(source)
    if len(objects) != 1 or source.edges:
        return None
    made = objects[0][1]
    is_known = made.elements is NOTHING and not any(e.how.moves for e in made.own.edges)
    if not is_known or any(map(is_index, made.members)):
        return None
    return {n: with_edges(v, made.own.edges, made.own.opaque) for n, v in made.members.items()}


def _aggregated(f: Frame, call: Call, made: Object) -> Value:
    """``agg`` by names of new columns, by a dictionary, or by the name of a function."""
    source: Value = made.made
    how = call.argument(0, "func")
    if how is not None and len(call.args) == 1 and not call.keywords:
        single = how.single
        if single is not None and isinstance(single.value, str):
            return grouped_result(f, Call(single.value, [], receiver=call.receiver))
        dictionary = [m for _, m in f.objects(how) if m.kind == "dict" and m.elements is NOTHING]
        names = [
            v.single.value if v.single is not None else None for m in dictionary for v in m.members.values()
        ]
        if len(dictionary) == 1 and made.kind == "group" and all(isinstance(n, str) for n in names):
            columns = dict(zip(dictionary[0].members, names, strict=True))
            parts = {c: f.compute([f.named(source, c)], aggregate(n)) for c, n in columns.items()}
            return _frame(f, made, parts)
        return _all(f, call)
    if call.args or made.kind != "group" or "**" in call.keywords:
        return _all(f, call)
    found: dict[Any, Value] = {}
    for name, pair in call.keywords.items():
        part = _named_aggregate(f, source, pair)
        if part is None:
            return _all(f, call)
        found[name] = part
    return _frame(f, made, found)


def _named_aggregate(f: Frame, source: Value, pair: Value) -> Value | None:
    """A column of ``agg(name=(column, function))``."""
    parts = f.pair(pair)
    if parts is None or any(m.elements is not NOTHING for _, m in f.objects(pair)):
        return None
    column, how = parts[0].single, parts[1]
    if column is None or not isinstance(column.value, str):
        return None
    taken = f.named(source, column.value)
    if how.single is not None and isinstance(how.single.value, str):
        return f.compute([taken], aggregate(how.single.value))
    results = [called_often(f, how, [taken], [source])] if f.can_call(how) else []
    return f.compute([taken, how, *results], AGGREGATE)


def _frame(f: Frame, made: Object, columns: dict[Any, Value]) -> Value:
    """A frame with a row for each group, whose keys are columns, or in the index."""
    shown = made.elements.single is not None and made.elements.single.value is True
    keys = {n if shown else f"{INDEX}{n}": v for n, v in made.members.items()}
    return f.new(Object("frame", _own(f, made), {**keys, **columns}), "aggregated")


def _by_keys(f: Frame, made: Object, value: Value) -> Value:
    """A series with a value for each group, whose keys are in the index."""
    return f.new(Object(BY_KEYS, _own(f, made), made.members, value, made.keys), "aggregated")


def _own(f: Frame, made: Object) -> Value:
    """What decides which groups there are: the keys, and whatever decided which rows were grouped."""
    source = f.tested(made.made) if isinstance(made.made, Value) else NOTHING
    deciding = frozenset(e for e in source.edges if e.how.decides)
    return with_edges(made.own, deciding, source.opaque)


def without_index(f: Frame, call: Call) -> Value | None:
    """``reset_index`` of a frame or a series with keys in its index; None of any other."""
    receiver = call.receiver or NOTHING
    objects = f.objects(receiver)
    if len(objects) != 1 or receiver.edges or set(call.keywords) - {"name", "drop"} or call.args:
        return None
    made, dropped = objects[0][1], "drop" in call.keywords
    if made.kind == BY_KEYS:
        return _series_to_frame(f, call, made)
    if not any(map(is_index, made.members)):
        return None
    if dropped:
        drop = call.keywords["drop"].single
        if drop is None or drop.value is not True:
            return None
    members = {
        (n[len(INDEX) :] if is_index(n) else n): v
        for n, v in made.members.items()
        if not (dropped and is_index(n))
    }
    return f.new(replace(made, members=members, made=None), "reset")


def _series_to_frame(f: Frame, call: Call, made: Object) -> Value | None:
    name = call.keywords["name"].single if "name" in call.keywords else made.keys.single
    if "drop" in call.keywords or name is None or not isinstance(name.value, str):
        return None
    if not all(isinstance(n, str) for n in made.members):
        return None
    return f.new(Object("frame", made.own, {**made.members, name.value: made.elements}), "reset")


def widened(f: Frame, value: Value) -> Value:
    """The value, where series with keys in their index are no more than computed of both."""
    kept = frozenset(r for r, m in f.objects(value) if m.kind != BY_KEYS)
    if kept == value.refs:
        return value
    rest = f.compute([Value(refs=value.refs - kept)])
    return join(Value(value.edges, kept, value.constants, value.calls, value.other, value.opaque), rest)
