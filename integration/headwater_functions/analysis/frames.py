"""Methods of frames and series, which keep columns apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import Call
from headwater_functions.analysis.calls import call_value, called_often, of_callbacks, refuse_callbacks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.grouped import columns_of, group, without_index
from headwater_functions.analysis.heap import MAKES, ORDERED, Object, is_index
from headwater_functions.analysis.values import (
    CAST,
    COMPUTE,
    COMPUTED,
    NONE,
    NOTHING,
    PLAIN,
    Edge,
    How,
    Value,
    changed,
    constant,
    extracted,
    join,
    with_edges,
)

Rule = Callable[[Frame, Call], Value]


def names(rule: Rule, text: str) -> dict[str, Rule]:
    """The rule for each name in the text."""
    return dict.fromkeys(text.split(), rule)


def computing(how: How, others: How | None = None) -> Rule:
    """A result of all that is in the receiver, and of the arguments in another way."""

    def rule(f: Frame, call: Call) -> Value:
        given = of_callbacks(f, call)
        receiver = [call.receiver] if call.receiver is not None else []
        arguments = [*call.args, *call.keywords.values(), *given]
        return join(f.compute(receiver, how), f.compute(arguments, others or COMPUTE))

    return rule


def choosing(f: Frame, call: Call) -> Value:
    """A result of all that is in the receiver, which decides about how many values there are."""
    found = f.compute(call.all)
    return f.decided(found, [found])


def same(f: Frame, call: Call) -> Value:
    """The receiver, perhaps copied; what else it is given decides about it."""
    receiver = call.receiver or NOTHING
    copied = [
        f.new(replace(m, kind=m.kind if m.kind != "tuple" else "list", made=_makes(m)), "copy")
        for _, m in f.objects(receiver)
    ]
    rest = Value(receiver.edges, constants=receiver.constants, other=receiver.other, opaque=receiver.opaque)
    value = join(*copied, rest) if copied else rest
    refuse_callbacks(f, call)
    if "axis" in call.keywords or len(call.args) > 2:
        return f.compute(call.all)
    return f.decided(value, [*call.args, *call.keywords.values()])


def _makes(made: Object) -> str | None:
    return MAKES if made.made == MAKES else None


def reset_index(f: Frame, call: Call) -> Value:
    """The frame, whose index becomes columns unless it is dropped."""
    receiver = call.receiver or NOTHING
    found = without_index(f, call)
    if found is not None:
        return found
    known = f.objects(receiver)
    has_index = any(is_index(n) for _, m in known for n in m.members)
    drop = call.keywords.get("drop")
    is_dropped = drop is not None and drop.single is not None and drop.single.value is True
    if not is_dropped and (has_index or not known or set(call.keywords) - {"drop"} or call.args):
        return f.compute(call.all)
    return same(f, call)


def filled(f: Frame, call: Call) -> Value:
    """The receiver with constants in place of what is missing."""
    others = [
        v for v in (*call.args, *call.keywords.values()) if v.single is None and _names_of(f, v) is None
    ]
    return f.compute(call.all) if others else same(f, Call("copy", [], receiver=call.receiver))


def some_rows(f: Frame, call: Call) -> Value:
    """Rows of a frame or a series that the frame itself decides about."""
    receiver = call.receiver or NOTHING
    refuse_callbacks(f, call)
    subset = call.argument(0, "subset") or call.argument(0, "by")
    columns = f.column_names(subset) if subset is not None else None
    by = [f.named(receiver, c) for c in columns] if columns else [receiver]
    return f.filtered(receiver, [*by, *call.args, *call.keywords.values()], "rows")


def extreme_rows(f: Frame, call: Call) -> Value:
    """Rows of a frame with the most or least in columns; of a series, which has none, values."""
    columns = call.argument(1, "columns")
    if columns is None:
        return choosing(f, call)
    listed = f.column_names(columns)
    receiver = call.receiver or NOTHING
    by = [f.named(receiver, c) for c in listed] if listed else [receiver]
    return f.filtered(receiver, [*by, *call.args, *call.keywords.values()], "rows")


def exploded(f: Frame, call: Call) -> Value:
    """A row for each element in a column."""
    name = call.argument(0, "column")
    if name is None or name.single is None or not isinstance(name.single.value, str):
        return choosing(f, call)
    made = same(f, Call("copy", [], receiver=call.receiver))
    if not made.refs:
        made = f.new(Object("frame", made), "exploded")
    column = f.compute([f.named(made, name.single.value)])
    f.put(made, name, column)
    return f.filtered(made, [column], "rows")


def melted(f: Frame, call: Call) -> Value:
    """A row for each of some columns, beside those that stay."""
    receiver = call.receiver or NOTHING
    kept, taken = (f.column_names(v) if v is not None else None for v in _melted_columns(call))
    names = [
        call.keywords.get("var_name", constant("variable")),
        call.keywords.get("value_name", constant("value")),
    ]
    texts = [n.single.value if n.single is not None else None for n in names]
    known = set(call.keywords) <= {"id_vars", "value_vars", "var_name", "value_name", "ignore_index"}
    if (
        kept is None
        or taken is None
        or not known
        or len(call.args) > 2
        or not all(isinstance(t, str) for t in texts)
    ):
        return f.compute(call.all)
    members: dict[Any, Value] = {n: f.named(receiver, n) for n in kept}
    members[texts[0]] = COMPUTED
    members[texts[1]] = f.compute([f.named(receiver, n) for n in taken])
    own = Value(f.extent(receiver).edges, opaque=receiver.opaque)
    return f.new(Object("frame", own, members), "melted")


def _melted_columns(call: Call) -> tuple[Value | None, Value | None]:
    return call.argument(0, "id_vars"), call.argument(1, "value_vars")


def reindexed(f: Frame, call: Call) -> Value:
    """Columns by constant names; of rows by others, anything."""
    columns = call.keywords.get("columns")
    listed = f.columns(columns) if columns is not None and len(call.all) == 2 else None
    return f.selected(call.receiver or NOTHING, listed) if listed is not None else f.compute(call.all)


def renamed_in_order(f: Frame, call: Call) -> Value:
    """``set_axis`` with names for columns whose order is known."""
    labels = call.argument(0, "labels")
    listed = f.columns(labels) if labels is not None and _is_columns(call.keywords.get("axis")) else None
    objects = f.objects(call.receiver or NOTHING)
    ordered = [m for _, m in objects if m.made == ORDERED and not any(map(is_index, m.members))]
    if listed is None or len(objects) != 1 or len(ordered) != 1 or len(ordered[0].members) != len(listed):
        return f.compute(call.all)
    made = ordered[0]
    members = dict(zip(listed, made.members.values(), strict=True))
    own = Value(made.own.edges | (call.receiver or NOTHING).edges, opaque=made.own.opaque)
    if len(members) < len(listed) or any(e.how.moves for e in own.edges) or made.elements is not NOTHING:
        return f.compute(call.all)
    return f.new(Object("frame", own, members, made=ORDERED), "renamed")


def per_column(f: Frame, call: Call) -> Value:
    """The same for each column, if all of them are known; else of all that is in the receiver."""
    columns = columns_of(f, call.receiver or NOTHING)
    given = [*call.args, *call.keywords.values()]
    plain = all(v.single is not None for v in given) and "axis" not in call.keywords
    if columns is None or not plain or len(call.args) > (call.name in _BY_NUMBER):
        return computing(COMPUTE)(f, call)
    made = f.objects(call.receiver or NOTHING)[0][1]
    members = {n: f.compute([v]) for n, v in columns.items()}
    return f.new(Object("frame", made.own, members, made=made.made), "per column")


_BY_NUMBER = frozenset({"diff", "shift", "pct_change", "round"})
"""Methods whose first argument is a number, and not an axis."""


def records(f: Frame, call: Call) -> Value:
    """``to_dict`` with a dictionary for each row."""
    orient = call.argument(0, "orient")
    is_rows = orient is not None and orient.single is not None and orient.single.value == "records"
    receiver = call.receiver or NOTHING
    if not is_rows or len(call.all) != 2:
        return f.compute(call.all)
    extent = f.extent(receiver)
    row = f.filtered(receiver, [])
    return f.new(Object("list", Value(extent.edges, opaque=extent.opaque), elements=row), "records")


def query(f: Frame, call: Call) -> Value:
    """Rows by a condition in text: the names in it are columns."""
    text = call.args[0].single if call.args else None
    receiver = call.receiver or NOTHING
    if text is None or not isinstance(text.value, str) or "@" in text.value:
        raise f.unreadable("OUTSIDE", "a text of a query may name variables", "select rows by an expression")
    if "`" in text.value:
        return f.compute(call.all)
    names = re.findall(r"[^\W\d]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", text.value))
    return f.filtered(receiver, [f.named(receiver, n) for n in names], "rows")


def rename(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    mapping = call.keywords.get("columns")
    if mapping is None and len(call.args) == 1 and _is_columns(call.keywords.get("axis")):
        mapping = call.args[0]
    elif call.args:
        mapping = None
    known_keywords = set(call.keywords) <= {"columns", "axis"}
    names = _names_of(f, mapping) if mapping is not None and known_keywords else None
    if names is None:
        refuse_callbacks(f, call)
        return f.compute(call.all)
    members = {new: f.named(receiver, old) for old, new in names.items()}
    known: dict[object, Value] = {}
    own, elements = Value(receiver.edges, other=True, opaque=receiver.opaque), NOTHING
    for _, made in f.objects(receiver):
        known |= {n: v for n, v in made.members.items() if n not in names}
        own, elements = join(own, made.own), join(elements, made.elements)
    return f.new(Object("frame", own, {**known, **members}, elements), "renamed")


def _names_of(f: Frame, mapping: Value) -> dict[str, str] | None:
    """A dictionary of constant texts."""
    if mapping.single is not None and isinstance(mapping.single.value, dict):
        found = mapping.single.value
        return found if all(isinstance(k, str) and isinstance(v, str) for k, v in found.items()) else None
    objects = f.objects(mapping)
    if len(objects) != 1 or objects[0][1].elements is not NOTHING or objects[0][1].kind != "dict":
        return None
    names: dict[str, str] = {}
    for name, value in objects[0][1].members.items():
        if value.single is None or not isinstance(value.single.value, str) or not isinstance(name, str):
            return None
        names[name] = value.single.value
    return names


def assign(f: Frame, call: Call) -> Value:
    """A copy of a frame with columns that replace others or are added."""
    made = same(f, Call("copy", [], receiver=call.receiver))
    if call.args or "**" in call.keywords:
        return f.compute(call.all)
    if not made.refs:
        made = f.new(Object("frame", made), "assigned")
    for name, value in call.keywords.items():
        called = f.calls_own(value)
        f.put(made, constant(name), call_value(f, value, Call("", [made])) if called else value)
    return made


def drop(f: Frame, call: Call) -> Value:
    """A copy of a frame without columns of constant names."""
    columns = call.keywords.get("columns")
    if columns is None and len(call.args) == 1 and _is_columns(call.keywords.get("axis")):
        columns = call.args[0]
    elif call.args:
        columns = None
    known = set(call.keywords) <= {"columns", "axis", "errors"}
    listed = f.column_names(columns) if columns is not None and known else None
    if listed is None and len(call.all) == 2 and (call.args or "index" in call.keywords):
        return f.filtered(call.receiver or NOTHING, [*call.args, *call.keywords.values()], "rows")
    if listed is None:
        return f.compute(call.all)
    made = same(f, Call("copy", [], receiver=call.receiver))
    if not made.refs:
        made = f.new(Object("frame", made), "dropped")
    for name in listed:
        f.put(made, constant(name), NONE)
    return made


def _is_columns(axis: Value | None) -> bool:
    return axis is not None and axis.single is not None and axis.single.value in (1, "columns")


def merge(f: Frame, call: Call) -> Value:
    """Rows of two frames that belong together by their keys; columns that both have get suffixes."""
    given = [*([call.receiver] if call.receiver is not None else []), *call.args]
    named = [call.keywords[k] for k in ("left", "right") if k in call.keywords]
    sides = [*given, *named]
    suffixes = _suffixes(f, call.keywords.get("suffixes"))
    known = {"on", "left_on", "right_on", "how", "suffixes", "left", "right", "sort", "validate", "copy"}
    how = call.keywords.get("how")
    all_pairs = how is not None and how.single is not None and how.single.value == "cross"
    on = [f.column_names(call.keywords[k]) for k in ("on", "left_on", "right_on") if k in call.keywords]
    if len(sides) != 2 or set(call.keywords) - known or suffixes is None or call.spread:
        return f.compute(call.all)
    if (not on and not all_pairs) or any(c is None for c in on):
        return f.compute(call.all)
    keys = _keys_of(f, call, sides)
    members: dict[Any, Value] = {}
    own = elements = NOTHING
    for place, side in enumerate(sides):
        step = ("suffixed", (suffixes[place],) if suffixes[place] else ())
        own = join(own, Value(_stepped(side.edges, step), other=True, opaque=side.opaque))
        for _, made in f.objects(side):
            own = join(own, Value(_stepped(made.own.edges, step), other=True, opaque=made.own.opaque))
            elements = join(elements, made.elements)
            members.update((n, NOTHING) for n in made.members)
    if any(map(is_index, members)):
        return f.compute(call.all)
    found = {n: join(*(f.named(s, n) for s in sides)) for n in members}
    texts = [n for n in members if isinstance(n, str)]
    for side, suffix in zip(sides, suffixes, strict=True):
        found.update(
            {f"{n}{suffix}": join(f.named(side, n), found.get(f"{n}{suffix}", NOTHING)) for n in texts}
        )
    own = with_edges(own, f.decided(NOTHING, keys).edges)
    return f.new(Object("frame", own, found, elements), "merged")


def _keys_of(f: Frame, call: Call, sides: list[Value]) -> list[Value]:
    """The values by which rows of two frames belong together."""
    found = []
    for name, of in (("on", sides), ("left_on", sides[:1]), ("right_on", sides[1:]), ("by", sides)):
        columns = f.column_names(call.keywords[name]) if name in call.keywords else None
        found += [f.named(side, c) for side in of for c in columns or ()]
    return found


def _suffixes(f: Frame, given: Value | None) -> tuple[str, ...] | None:
    if given is None:
        return ("_x", "_y")
    single = given.single
    columns = (
        list(single.value) if single is not None and isinstance(single.value, tuple) else f.columns(given)
    )
    known = columns is not None and len(columns) == 2 and all(isinstance(c, str) for c in columns)
    return tuple(columns or ()) if known else None


def _stepped(edges: frozenset[Edge], step: tuple[str, Any]) -> frozenset[Edge]:
    """The edges with a step in their paths that tells how names are to be read below."""
    return frozenset(Edge((*e.path, step), e.how) if e.how.moves else e for e in edges)


def concatenated(f: Frame, call: Call) -> Value:
    """``concat`` of frames: the columns of all, below or beside each other."""
    given = call.argument(0, "objs")
    if given is None or set(call.keywords) - {"objs", "axis", "ignore_index", "sort", "join", "copy"}:
        return f.compute(call.all)
    lists = f.objects(given)
    made = lists[0][1] if len(lists) == 1 and not given.edges else None
    if made is None or made.kind not in ("list", "tuple") or len(call.args) > 1:
        return f.compute(call.all)
    parts = [*made.members.values(), *([made.elements] if made.elements is not NOTHING else [])]
    frames = [m for p in parts for _, m in f.objects(p)]
    plain = any(e.how.moves for p in parts for e in p.edges) or any(p.other and not p.refs for p in parts)
    if plain or not frames or any(m.kind not in ("frame", "argument") for m in frames):
        return f.compute(call.all)
    columns = dict.fromkeys(n for m in frames for n in m.members)
    found = {n: join(*(f.named(p, n) for p in parts)) for n in columns}
    own = join(*(m.own for m in frames), *(Value(p.edges, opaque=p.opaque) for p in parts))
    decides = f.extent(given)
    own = with_edges(own, {*decides.edges, *made.own.edges}, decides.opaque)
    elements = join(*(m.elements for m in frames))
    return f.new(Object("frame", own, found, elements), "concatenated")


def apply(f: Frame, call: Call) -> Value:
    """A function for each element of a series, or each row of a frame."""
    function = call.argument(0, "func") or call.argument(0, "arg") or call.argument(0, "function")
    receiver = call.receiver or NOTHING
    if function is None:
        return f.compute(call.all)
    if not f.can_call(function):
        # A dictionary or a constant: which of its values it is tells the element.
        return f.compute([receiver, function, *call.keywords.values()])
    rows = _is_columns(call.keywords.get("axis"))
    element = f.filtered(receiver, []) if rows else _element_of(f, call.name, receiver)
    others = [v for v in (*call.args, *call.keywords.values()) if v is not function]
    result = called_often(f, function, [element, *call.args[1:]], [receiver])
    return join(f.compute([result], COMPUTE if result.refs else PLAIN), f.compute(others))


def _element_of(f: Frame, name: str, receiver: Value) -> Value:
    """What a function gets for each element of a series, or for each element or column of a frame."""
    objects, each_value = f.objects(receiver), name in ("map", "applymap")
    if not objects and (each_value or all(e.how.moves for e in receiver.edges)):
        return Value(extracted(receiver.edges, ("each", None)), other=True)
    if len(objects) == 1 and not objects[0][1].members:
        return f.element(receiver) if each_value else receiver
    return f.compute([receiver], PLAIN)


def iterrows(f: Frame, call: Call) -> Value:
    pair = Object("tuple", members={0: COMPUTED, 1: f.filtered(call.receiver or NOTHING, [])})
    return f.iterator(f.new(pair, "row"), [call.receiver or NOTHING])


def itertuples(f: Frame, call: Call) -> Value:
    """The rows, in which the index may come first, so that places are not those of the columns."""
    receiver = call.receiver or NOTHING
    row = f.filtered(receiver, [])
    for ref, made in f.objects(row):
        known = {"Index": COMPUTED, **made.members}
        f.state.change(ref, Object("frame", made.own, known, made.elements, made.keys))
    return f.iterator(row, [receiver])


def piped(f: Frame, call: Call) -> Value:
    """``pipe``: a function that is called with the frame."""
    if not call.args or call.spread or not f.calls_own(call.args[0]):
        return f.touched(call.all, "it pipes a frame to what is not known")
    return call_value(f, call.args[0], Call("", [call.receiver or NOTHING, *call.args[1:]], call.keywords))


def to_frame(f: Frame, call: Call) -> Value:
    name = call.argument(0, "name")
    if name is None or name.single is None or not isinstance(name.single.value, str):
        return f.compute(call.all)
    return f.new(Object("frame", members={name.single.value: call.receiver or NOTHING}), "frame")


def where(f: Frame, call: Call) -> Value:
    """A series where a condition holds, and another value elsewhere."""
    condition, other = call.argument(0, "cond"), call.argument(1, "other")
    if condition is None:
        refuse_callbacks(f, call)
        return f.compute(call.all)
    receiver = call.receiver or NOTHING
    condition, other = (
        call_value(f, v, Call("", [receiver])) if v is not None and f.calls_own(v) else v
        for v in (condition, other)
    )
    if condition is None or f.can_call(condition):
        return f.compute([*call.all, *(v for v in (condition, other) if v is not None)])
    values = [Value(receiver.edges, receiver.refs, receiver.constants, other=True, opaque=receiver.opaque)]
    values += [other] if other is not None else []
    return f.decided(join(*values), [condition])


def _cast(f: Frame, call: Call) -> Value:
    """Each column in another type."""
    receiver = call.receiver or NOTHING
    objects = f.objects(receiver)
    if len(objects) != 1 or receiver.edges or any(e.how.moves for e in objects[0][1].own.edges):
        return f.compute(call.all, CAST)
    made = objects[0][1]
    members = {n: f.compute([v], CAST) for n, v in made.members.items()}
    own = Value(changed(made.own.edges, CAST), opaque=made.own.opaque)
    return f.new(
        Object("frame", own, members, f.compute([made.elements], CAST) if made.elements.edges else NOTHING),
        "cast",
    )


FRAMES: Mapping[str, Rule] = {
    "copy": same,
    **names(same, "head tail sample to_pandas"),
    "reset_index": reset_index,
    "fillna": filled,
    **names(some_rows, "dropna drop_duplicates sort_values"),
    "query": query,
    "rename": rename,
    "assign": assign,
    "drop": drop,
    **names(extreme_rows, "nlargest nsmallest"),
    "explode": exploded,
    "melt": melted,
    "reindex": reindexed,
    "set_axis": renamed_in_order,
    "to_dict": records,
    **names(per_column, "diff shift pct_change round rank cumsum cumprod cummax cummin abs"),
    "merge": merge,
    "groupby": group,
    "apply": apply,
    "map": apply,
    "iterrows": iterrows,
    "itertuples": itertuples,
    "pipe": piped,
    **names(
        computing(COMPUTE),
        "select_dtypes filter rename_axis agg aggregate join "
        "squeeze align corrwith xs equals first_valid_index last_valid_index swapaxes",
    ),
    "to_frame": to_frame,
    "where": where,
    "mask": where,
    "astype": _cast,
}
"""Rules of methods of frames and series, which keep columns apart."""
