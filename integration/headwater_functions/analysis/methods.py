"""Methods of texts, numbers, dates, containers, series and frames, by their names: what their results are made of.

The type of what they are called on is not known here; where methods of several types share a name, the row holds for
all of them. A name that is in no table is code that is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from headwater_functions.analysis.callables import Call, Closure, Library
from headwater_functions.analysis.calls import call_value
from headwater_functions.analysis.frame import Frame, constant_elements
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.instructions import update
from headwater_functions.analysis.values import (
    AGGREGATE,
    CAST,
    COMPUTE,
    COMPUTED,
    FACT,
    NONE,
    NOTHING,
    OF_FEW,
    PLAIN,
    SERIALIZE,
    TOKEN,
    How,
    Value,
    changed,
    constant,
    extracted,
    join,
    with_edges,
)

Rule = Callable[[Frame, Call], Value]


def method_result(f: Frame, call: Call) -> Value:
    """The result of a method."""
    receiver = call.receiver or NOTHING
    frames = any(m.kind in ("argument", "frame") for _, m in f.objects(receiver)) or any(
        e.how.moves for e in receiver.edges
    )
    if call.keywords.get("inplace") is not None:
        raise f.unreadable(
            "IN_PLACE", f"{call.name} changes a frame in place", f"take the result of {call.name}"
        )
    groups = [m for _, m in f.objects(receiver) if m.kind == "group"]
    if groups:
        return _grouped_result(f, call, groups)
    if call.name in FRAMES and (frames or call.name not in METHODS):
        return FRAMES[call.name](f, call)
    rule = METHODS.get(call.name)
    if rule is not None:
        return rule(f, call)
    name = _library_of(receiver)
    return f.touched(
        [receiver, *call.all], f"it calls {name + '.' if name else ''}{call.name}, which is not known"
    )


def _library_of(receiver: Value) -> str:
    return next((c.name for c in receiver.calls if isinstance(c, Library)), "")


def computing(how: How, others: How | None = None) -> Rule:
    """A result of all that is in the receiver, and of the arguments in another way."""

    def rule(f: Frame, call: Call) -> Value:
        refuse_callbacks(f, call)
        receiver = [call.receiver] if call.receiver is not None else []
        arguments = [*call.args, *call.keywords.values()]
        return join(f.compute(receiver, how), f.compute(arguments, others or COMPUTE))

    return rule


def refuse_callbacks(f: Frame, call: Call) -> None:
    """A function of the program that is handed to what does not say what it does with it."""
    for value in (*call.args, *call.keywords.values()):
        if any(isinstance(c, Closure) for c in value.calls):
            raise f.unreadable(
                "CALLBACK", f"it hands a function to {call.name}", "call the function itself, in a loop"
            )


def same(f: Frame, call: Call) -> Value:
    """The receiver, perhaps copied; what else it is told decides about it."""
    receiver = call.receiver or NOTHING
    copied = [
        f.new(Object(m.kind if m.kind != "tuple" else "list", m.own, m.members, m.elements, m.keys), "copy")
        for _, m in f.objects(receiver)
    ]
    rest = Value(receiver.edges, constants=receiver.constants, other=receiver.other, opaque=receiver.opaque)
    value = join(*copied, rest) if copied else rest
    refuse_callbacks(f, call)
    return f.decided(value, [*call.args, *call.keywords.values()])


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
    columns = _columns(f, subset) if subset is not None else None
    by = [f.named(receiver, c) for c in columns] if columns else [receiver]
    return f.filtered(receiver, [*by, *call.args, *call.keywords.values()])


def _columns(f: Frame, value: Value) -> list[str] | None:
    if value.single is not None and isinstance(value.single.value, str):
        return [value.single.value]
    return f.columns(value)


def query(f: Frame, call: Call) -> Value:
    """Rows by a condition in text: the names in it are columns."""
    text = call.args[0].single if call.args else None
    receiver = call.receiver or NOTHING
    if text is None or not isinstance(text.value, str) or "@" in text.value:
        raise f.unreadable("OUTSIDE", "a text of a query may name variables", "select rows by an expression")
    if "`" in text.value:
        return f.compute(call.all)
    names = re.findall(r"[^\W\d]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", text.value))
    return f.filtered(receiver, [f.named(receiver, n) for n in names])


def rename(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    mapping = call.keywords.get("columns")
    names = (
        _names_of(f, mapping)
        if mapping is not None and set(call.keywords) <= {"columns"} and not call.args
        else None
    )
    if names is None:
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
        called = any(isinstance(c, Closure) for c in value.calls)
        f.put(made, constant(name), call_value(f, value, Call("", [made])) if called else value)
    return made


def drop(f: Frame, call: Call) -> Value:
    columns = call.keywords.get("columns")
    names = _columns(f, columns) if columns is not None and not call.args else None
    if names is None:
        return f.compute(call.all)
    made = same(f, Call("copy", [], receiver=call.receiver))
    if not made.refs:
        made = f.new(Object("frame", made), "dropped")
    for name in names:
        f.put(made, constant(name), NONE)
    return made


def merge(f: Frame, call: Call) -> Value:
    """Rows of two frames that belong together by their keys."""
    other = call.argument(0, "right")
    if other is None or "suffixes" in call.keywords or "indicator" in call.keywords or not call.receiver:
        return f.compute(call.all)
    sides = [call.receiver, other]
    on = [_columns(f, v) for k in ("on", "left_on", "right_on") if (v := call.argument(9, k)) is not None]
    if not on or any(c is None for c in on) or len(call.args) > 1:
        return f.compute(call.all)
    keys = [f.named(s, c) for s in sides for columns in on for c in columns or ()]
    members: dict[Any, Value] = {}
    own = elements = NOTHING
    for side in sides:
        own = join(own, Value(side.edges, other=True, opaque=side.opaque))
        for _, made in f.objects(side):
            own, elements = join(own, made.own), join(elements, made.elements)
            for name, value in made.members.items():
                members[name] = join(members.get(name, NOTHING), value)
    for side in sides:
        members = {n: join(v, f.named(side, n)) for n, v in members.items()}
    own = with_edges(own, f.decided(NOTHING, keys).edges)
    return f.new(Object("frame", own, members, elements, made="merged"), "merged")


def group(f: Frame, call: Call) -> Value:
    by = call.argument(0, "by")
    columns = _columns(f, by) if by is not None else None
    receiver = call.receiver or NOTHING
    keys = [f.named(receiver, c) for c in columns or ()]
    if columns is None or "level" in call.keywords:
        return f.compute(call.all)
    return f.new(
        Object("group", f.decided(NOTHING, keys), dict(zip(columns, keys, strict=False)), made=receiver),
        "group",
    )


def _grouped_result(f: Frame, call: Call, groups: list[Object]) -> Value:
    """``agg`` by names, and anything else of all that was grouped."""
    made = groups[0]
    if (
        len(groups) == 1
        and isinstance(made.made, Value)
        and call.name in ("agg", "aggregate")
        and not call.args
    ):
        members = dict(made.members)
        for name, pair in call.keywords.items():
            parts = f.objects(pair)
            column = parts[0][1].members.get(0) if len(parts) == 1 else None
            how = parts[0][1].members.get(1) if len(parts) == 1 else None
            if (
                column is None
                or column.single is None
                or how is None
                or how.calls
                or not isinstance(column.single.value, str)
            ):
                return f.compute(call.all)
            members[name] = f.compute([f.named(made.made, column.single.value)], _aggregate(how))
        return f.new(Object("frame", made.own, members), "aggregated")
    refuse_callbacks(f, call)
    return f.compute([*call.all, *([made.made] if isinstance(made.made, Value) else [])])


def _aggregate(how: Value) -> How:
    name = how.single.value if how.single is not None else ""
    return OF_FEW if name in ("mean", "std", "var", "count", "size", "nunique") else AGGREGATE


def apply(f: Frame, call: Call) -> Value:
    """A function for each element of a series, or each row of a frame."""
    function = call.argument(0, "func") or call.argument(0, "arg") or call.argument(0, "function")
    receiver = call.receiver or NOTHING
    if function is None:
        return f.compute(call.all)
    if not function.calls:
        # A dictionary or a constant: which of its values it is tells the element.
        return f.compute([receiver, function, *call.keywords.values()])
    axis = call.keywords.get("axis")
    rows = axis is not None and axis.single is not None and axis.single.value in (1, "columns")
    element = receiver if rows or call.name == "map" else f.compute([receiver], PLAIN)
    if not rows and not f.objects(receiver) and all(e.how.moves for e in receiver.edges):
        element = Value(receiver.edges, other=True)
    if not rows and len(f.objects(receiver)) == 1 and not f.objects(receiver)[0][1].members:
        element = receiver
    result = call_value(f, function, Call("", [element, *call.args[1:]]))
    return join(
        f.compute([result], COMPUTE._replace(wraps=False)) if not result.refs else f.compute([result]),
        NOTHING,
    )


def iterrows(f: Frame, call: Call) -> Value:
    pair = Object("tuple", members={0: COMPUTED, 1: call.receiver or NOTHING})
    return f.iterator(f.new(pair, "row"), [call.receiver or NOTHING])


def itertuples(f: Frame, call: Call) -> Value:
    return f.iterator(call.receiver or NOTHING, [call.receiver or NOTHING])


def to_frame(f: Frame, call: Call) -> Value:
    name = call.argument(0, "name")
    if name is None or name.single is None or not isinstance(name.single.value, str):
        return f.compute(call.all)
    return f.new(Object("frame", members={name.single.value: call.receiver or NOTHING}), "frame")


def where(f: Frame, call: Call) -> Value:
    """A series where a condition holds, and another value elsewhere."""
    condition, other = call.argument(0, "cond"), call.argument(1, "other")
    if condition is None or condition.calls:
        return f.compute(call.all)
    receiver = call.receiver or NOTHING
    values = [Value(receiver.edges, receiver.refs, receiver.constants, other=True, opaque=receiver.opaque)]
    values += [other] if other is not None else []
    return f.decided(join(*values), [condition])


# Containers


def get(f: Frame, call: Call) -> Value:
    """``dict.get``, or a part of a match."""
    receiver = call.receiver or NOTHING
    key = call.argument(0)
    if key is None:
        return f.compute(call.all)
    found = f.item(receiver, key)
    return f.decided(join(found, call.argument(1) or NONE), [key])


def items(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    keys, values = _keys(f, receiver), _values(f, receiver)
    pair = f.new(Object("tuple", members={0: keys, 1: values}), "pair")
    return f.iterator(pair, [receiver])


def _keys(f: Frame, receiver: Value) -> Value:
    parts = [f.element(Value(refs=frozenset((r,)))) for r, m in f.objects(receiver) if m.kind == "dict"]
    edges = receiver.edges.union(*(m.own.edges for _, m in f.objects(receiver) if m.kind != "dict"))
    parts.append(Value(extracted(edges, ("keys", None)), other=bool(edges) or receiver.other))
    parts += [constant(k) for c in receiver.constants if isinstance(c.value, dict) for k in c.value]
    return join(*parts)


def _values(f: Frame, receiver: Value) -> Value:
    parts = []
    for _, made in f.objects(receiver):
        base = Value(extracted((e for e in made.own.edges), ("values", None)), other=bool(made.own.edges))
        parts += [*made.members.values(), made.elements, base]
    if receiver.edges:
        parts.append(Value(extracted(receiver.edges, ("values", None)), other=True))
    parts += [v for c in receiver.constants for v in constant_elements(c.value, values=True)]
    return with_edges(join(*parts), (), receiver.opaque) if parts else COMPUTED


def keys(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    return f.iterator(_keys(f, receiver), [receiver])


def values(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    return f.iterator(_values(f, receiver), [receiver])


def append(f: Frame, call: Call) -> Value:
    for value in call.args:
        f.add(call.receiver or NOTHING, value)
    return NONE


def insert(f: Frame, call: Call) -> Value:
    """Of lists: an element somewhere; of frames: a column."""
    receiver = call.receiver or NOTHING
    if len(call.args) == 3:
        f.put(receiver, call.args[1], call.args[2])
    else:
        f.add(receiver, f.decided(call.args[-1] if call.args else COMPUTED, call.args[:1]), ordered=True)
    return NONE


def extend(f: Frame, call: Call) -> Value:
    for value in call.args:
        f.add(call.receiver or NOTHING, f.decided(f.element(value), [Value(f.extent(value).edges)]))
    return NONE


def update_with(f: Frame, call: Call) -> Value:
    """Of dictionaries, sets, counters and hashes: more is in them."""
    receiver = call.receiver or NOTHING
    f.changeable(receiver)
    kinds = {m.kind for _, m in f.objects(receiver)}
    if "hash" in kinds:
        return hashed_more(f, receiver, call.args)
    if kinds == {"dict"} and len(call.args) <= 1 and "**" not in call.keywords:
        for value in call.args:
            update(f, receiver, value)
        for name, value in call.keywords.items():
            f.put(receiver, constant(name), value)
        return NONE
    f.touched(call.all)
    return NONE


def hashed_more(f: Frame, receiver: Value, values: list[Value]) -> Value:
    """``update`` of a hash."""
    for ref, made in f.objects(receiver):
        how = made.made if isinstance(made.made, How) else TOKEN
        own = with_edges(join(made.own, f.compute(values, how)), f.pc.edges, f.pc.opaque)
        f.state.change(ref, Object(made.kind, own, made.members, made.elements, made.keys, made.made))
    return NONE


def pop(f: Frame, call: Call) -> Value:
    """An element or a member, which is no longer there."""
    receiver = call.receiver or NOTHING
    f.changeable(receiver)
    key = call.argument(0)
    single = key.single if key is not None else None
    is_dictionary = any(m.kind == "dict" for _, m in f.objects(receiver))
    named = single is not None and (isinstance(single.value, str) or is_dictionary)
    found = (
        f.item(receiver, key)
        if named and key is not None
        else f.compute([receiver], COMPUTE)
        if is_dictionary or any(m.kind == "argument" for _, m in f.objects(receiver))
        else f.element(receiver)
    )
    if named and key is not None:
        f.put(receiver, key, Value(f.pc.edges, other=True))
    else:
        f.shorten(receiver, call.args)
    return join(found, call.argument(1) or NOTHING)


def pop_item(f: Frame, call: Call) -> Value:
    """A pair of any key and its value."""
    receiver = call.receiver or NOTHING
    found = f.compute([receiver])
    f.shorten(receiver, call.args)
    return found


def set_default(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    key, default = call.argument(0), call.argument(1) or NONE
    if key is None:
        return f.touched(call.all)
    f.put(receiver, key, default, certain=False)
    return f.item(receiver, key)


def changes_order(f: Frame, call: Call) -> Value:
    """``sort``, ``remove``, ``clear`` …: which elements there are, and where, is up to all of them."""
    receiver = call.receiver or NOTHING
    f.shorten(receiver, [receiver, *_keyed(f, call)])
    return NONE


def _keyed(f: Frame, call: Call) -> list[Value]:
    """What a ``key`` function makes of an element, and the other arguments."""
    found = []
    for name, value in (*enumerate(call.args), *call.keywords.items()):
        if name == "key" and value.calls:
            found.append(call_value(f, value, Call("", [f.element(call.receiver or NOTHING)])))
        else:
            found.append(value)
    return found


def join_texts(f: Frame, call: Call) -> Value:
    separator = call.receiver or NOTHING
    elements = [f.element(a) for a in call.args]
    decides = [Value(f.extent(a).edges, opaque=f.extent(a).opaque) for a in call.args]
    built = f.compute([separator, *elements], SERIALIZE)
    return with_edges(
        built, frozenset().union(*(d.edges for d in decides)), frozenset().union(*(d.opaque for d in decides))
    )


def group_of_match(f: Frame, call: Call) -> Value:
    return f.compute(call.all, PLAIN)


def as_dict(f: Frame, call: Call) -> Value:
    receiver = call.receiver or NOTHING
    if any(m.kind in ("argument", "object", "record") for _, m in f.objects(receiver)) or receiver.edges:
        return same(f, Call("copy", [], receiver=receiver))
    return f.compute(call.all)


def digest(f: Frame, call: Call) -> Value:
    """What was hashed, as it was hashed."""
    return f.compute([call.receiver or NOTHING], How())


def replaced_fields(f: Frame, call: Call) -> Value:
    """``_replace`` of a named tuple, ``replace`` of a text or a date."""
    return f.compute(call.all)


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


def _names(rule: Rule, text: str) -> dict[str, Rule]:
    return dict.fromkeys(text.split(), rule)


METHODS: Mapping[str, Rule] = {
    **_names(
        computing(PLAIN),
        "lower upper title capitalize casefold swapcase strip lstrip rstrip encode decode split rsplit splitlines "
        "partition rpartition removeprefix removesuffix expandtabs normalize hex tolist item astuple isoformat tobytes "
        "to_list to_numpy to_pylist as_py ravel flatten squeeze total_seconds timestamp to_pydatetime date time "
        "group groups groupdict span start end expand __getitem__",
    ),
    **_names(
        computing(COMPUTE),
        "replace translate zfill ljust rjust center format format_map maketrans sub subn findall finditer match search "
        "fullmatch abs round clip add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv "
        "eq ne lt le gt ge rank shift diff pct_change cumsum cumprod cummax cummin rolling expanding ewm resample "
        "interpolate ffill bfill pad cat extract extractall get_dummies slice slice_replace repeat wrap "
        "strftime strptime weekday isoweekday isocalendar toordinal timetuple utctimetuple astimezone combine "
        "fromisoformat fromtimestamp utcfromtimestamp tz_localize tz_convert floor ceil to_period "
        "day_name month_name quantize as_integer_ratio is_integer conjugate bit_length to_bytes from_bytes "
        "difference intersection union symmetric_difference most_common elements total dot transpose "
        "reshape sort_index value_counts unique mode nlargest nsmallest stack unstack pivot pivot_table melt explode "
        "to_dict to_json to_csv to_string to_records combine_first reindex set_index add_prefix add_suffix "
        "corr cov describe sem skew kurt quantile median cut searchsorted argmax argmin idxmax idxmin argsort "
        "min max prod first last nth compare between_time convert_dtypes infer_objects factorize "
        "is_absolute as_posix with_suffix geturl _replace _asdict urlparse get_group transform "
        "view",
    ),
    **_names(
        computing(FACT),
        "startswith endswith isdigit isalpha isalnum isnumeric isdecimal isspace islower isupper istitle isidentifier "
        "isascii isna isnull notna notnull isin contains between duplicated is_nan is_zero is_signed is_finite "
        "issubset issuperset isdisjoint",
    ),
    **_names(computing(FACT, COMPUTE), "count find rfind index rindex len size nunique any all"),
    "sum": computing(AGGREGATE),
    **_names(computing(OF_FEW), "mean std var"),
    **_names(computing(CAST), "astype cast"),
    **_names(same, "copy __copy__ head tail sample reset_index"),
    "digest": digest,
    "hexdigest": digest,
    "join": join_texts,
    "get": get,
    "items": items,
    "keys": keys,
    "values": values,
    "append": append,
    "add": append,
    "appendleft": append,
    "insert": insert,
    "extend": extend,
    "update": update_with,
    "pop": pop,
    "popleft": pop,
    "popitem": pop_item,
    "setdefault": set_default,
    **_names(changes_order, "sort reverse remove discard clear"),
    "asDict": as_dict,
    **_names(apply, "apply map applymap"),
}
"""Rules of methods."""

FRAMES: Mapping[str, Rule] = {
    "copy": same,
    **_names(same, "head tail sample reset_index to_pandas"),
    "fillna": filled,
    **_names(some_rows, "dropna drop_duplicates sort_values"),
    "query": query,
    "rename": rename,
    "assign": assign,
    "drop": drop,
    "merge": merge,
    "groupby": group,
    "apply": apply,
    "map": apply,
    "iterrows": iterrows,
    "itertuples": itertuples,
    "to_frame": to_frame,
    "where": where,
    "mask": where,
    "astype": _cast,
}
"""Rules of methods of frames and series, which keep columns apart."""
