"""Methods of texts, numbers, dates, containers, series and frames, by their names: what their results are made of.

The type of what they are called on is not known here; where methods of several types share a name, the row holds for
all of them. A name that is in no table is code that is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from headwater_functions.analysis.arrow import ARROW, listed
from headwater_functions.analysis.callables import Call, Library
from headwater_functions.analysis.calls import called_often, refuse_callbacks
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.elements import constant_elements
from headwater_functions.analysis.frames import FRAMES, apply, choosing, computing, names, reset_index, same
from headwater_functions.analysis.grouped import grouped_result, widened
from headwater_functions.analysis.handed import apart, whole
from headwater_functions.analysis.heap import BY_KEYS, GROUPS, Object
from headwater_functions.analysis.instructions.building import fill
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
    if "inplace" in call.keywords or "out" in call.keywords:
        raise f.unreadable(
            "IN_PLACE", f"{call.name} changes a frame in place", f"take the result of {call.name}"
        )
    if any(m.kind in GROUPS for _, m in f.objects(receiver)):
        return apart(f, grouped_result, call, arguments=False)
    if any(m.kind == BY_KEYS for _, m in f.objects(receiver)):
        if call.name == "reset_index":
            return apart(f, reset_index, call, arguments=False)
        call.receiver = receiver = widened(f, receiver)
    rules = ARROW if call.name in ARROW else FRAMES
    if call.name in rules and (frames or call.name not in METHODS):
        return apart(f, rules[call.name], call, arguments=False)
    rule = METHODS.get(call.name)
    if rule is not None:
        found = whole(f, rule, call)
        return join(found, f.held([receiver])) if call.name in VIEWS else found
    name = _library_of(receiver)
    return f.touched(
        [receiver, *call.all], f"it calls {name + '.' if name else ''}{call.name}, which is not known"
    )


def _library_of(receiver: Value) -> str:
    return next((c.name for c in receiver.calls if isinstance(c, Library)), "")


VIEWS = frozenset({"ravel", "reshape", "view", "squeeze", "transpose", "swapaxes", "diagonal", "to_numpy"})
"""Methods that may give what they are called on in another form."""


# Containers


def get(f: Frame, call: Call) -> Value:
    """``dict.get``, or a part of a match."""
    receiver = call.receiver or NOTHING
    key = call.argument(0)
    if key is None:
        return f.compute(call.all)
    found = f.item(receiver, key)
    return f.decided(join(found, call.argument(1, "default") or NONE), [key])


def taken(f: Frame, call: Call) -> Value:
    """``__getitem__``."""
    key = call.argument(0)
    return f.compute(call.all) if key is None or call.spread else f.item(call.receiver or NOTHING, key)


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
    """Of lists and sets: an element; of frames and series (``append``, ``add``): both; of an argument, either."""
    receiver = call.receiver or NOTHING
    kinds = {m.kind for _, m in f.objects(receiver)}
    if call.name == "add" and (kinds & {"frame", BY_KEYS} or any(e.how.moves for e in receiver.edges)):
        refuse_callbacks(f, call)
        f.in_place(receiver, join(*call.args))
        return f.compute(call.all)
    for value in call.args:
        f.add(receiver, value)
    return join(NONE, f.compute(call.all)) if kinds & {"argument", "frame"} else NONE


def insert(f: Frame, call: Call) -> Value:
    """Of lists: an element somewhere; of frames: a column."""
    receiver = call.receiver or NOTHING
    column, value = call.argument(1, "column"), call.argument(2, "value")
    if column is not None and value is not None:
        f.put(receiver, column, f.decided(value, call.args[:1]))
        f.state.disorder(receiver)
    else:
        f.add(receiver, f.decided(call.args[-1] if call.args else COMPUTED, call.args[:1]), ordered=True)
    return NONE


def extend(f: Frame, call: Call) -> Value:
    for value in call.args:
        decides = f.extent(value)
        f.add(call.receiver or NOTHING, f.decided(f.element(value), [decides]), decides=decides)
    return NONE


def update_with(f: Frame, call: Call) -> Value:
    """Of dictionaries, sets, counters and hashes: more is in them."""
    receiver = call.receiver or NOTHING
    f.changeable(receiver)
    f.note(receiver, join(*call.args, *call.keywords.values()))
    kinds = {m.kind for _, m in f.objects(receiver)}
    if "hash" in kinds:
        return hashed_more(f, receiver, call.args)
    if kinds == {"dict"} and len(call.args) <= 1 and "**" not in call.keywords:
        for value in call.args:
            fill(f, receiver, value)
        for name, value in call.keywords.items():
            f.put(receiver, constant(name), value)
        return NONE
    f.touched(call.all)
    return NONE


def hashed_more(f: Frame, receiver: Value, values: Sequence[Value]) -> Value:
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
        f.state.disorder(receiver)
    else:
        f.shorten(receiver, call.args)
    return f.decided(join(found, call.argument(1) or NOTHING), [] if key is None else [key])


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
        if name == "key" and f.can_call(value):
            receiver = call.receiver or NOTHING
            found.append(called_often(f, value, [f.element(receiver)], [receiver]))
        else:
            found.append(value)
    return found


def join_texts(f: Frame, call: Call) -> Value:
    separator = call.receiver or NOTHING
    elements = [f.element(a) for a in call.args]
    decides = [Value(f.extent(a).edges, opaque=f.extent(a).opaque) for a in call.args]
    built = f.compute([separator, *elements, *call.keywords.values()], SERIALIZE)
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
    """What was hashed, as it was hashed; of some functions as long as is asked for."""
    return f.decided(f.compute([call.receiver or NOTHING], How()), [*call.args, *call.keywords.values()])


def replaced_fields(f: Frame, call: Call) -> Value:
    """``_replace`` of a named tuple, ``replace`` of a text or a date."""
    return f.compute(call.all)


METHODS: Mapping[str, Rule] = {
    **names(
        computing(PLAIN),
        "lower upper title capitalize casefold swapcase strip lstrip rstrip encode decode split rsplit splitlines "
        "partition rpartition removeprefix removesuffix expandtabs normalize hex tolist item astuple isoformat tobytes "
        "to_list to_numpy as_py ravel flatten squeeze total_seconds timestamp to_pydatetime date time "
        "group groups groupdict span start end expand",
    ),
    **names(
        computing(COMPUTE),
        "replace translate zfill ljust rjust center format format_map maketrans sub subn findall finditer match search "
        "fullmatch abs round clip add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv "
        "eq ne lt le gt ge rank shift diff pct_change cumsum cumprod cummax cummin rolling expanding ewm resample "
        "interpolate ffill bfill pad cat extract get_dummies slice slice_replace wrap "
        "strftime strptime weekday isoweekday isocalendar toordinal timetuple utctimetuple astimezone combine "
        "fromisoformat fromtimestamp utcfromtimestamp tz_localize tz_convert floor ceil to_period "
        "day_name month_name quantize as_integer_ratio is_integer conjugate bit_length to_bytes from_bytes "
        "difference intersection union symmetric_difference most_common elements total dot transpose "
        "reshape sort_index stack unstack pivot pivot_table melt "
        "to_dict to_json to_csv to_string to_records combine_first reindex set_index add_prefix add_suffix "
        "corr cov describe sem skew kurt quantile median cut searchsorted argmax argmin idxmax idxmin argsort "
        "min max prod first last nth compare between_time convert_dtypes infer_objects factorize "
        "is_absolute as_posix with_suffix geturl _replace _asdict urlparse get_group transform "
        "view substitute safe_substitute",
    ),
    **names(choosing, "value_counts unique mode nlargest nsmallest explode repeat extractall"),
    **names(
        computing(FACT),
        "startswith endswith isdigit isalpha isalnum isnumeric isdecimal isspace islower isupper istitle isidentifier "
        "isascii isna isnull notna notnull isin contains between duplicated is_nan is_zero is_signed is_finite "
        "issubset issuperset isdisjoint",
    ),
    **names(computing(FACT, COMPUTE), "count find rfind index rindex len size nunique any all"),
    "sum": computing(AGGREGATE),
    **names(computing(OF_FEW), "mean std var"),
    **names(computing(CAST), "astype cast"),
    **names(same, "copy __copy__ head tail sample reset_index"),
    "to_pylist": listed,
    "digest": digest,
    "hexdigest": digest,
    "join": join_texts,
    "get": get,
    "__getitem__": taken,
    "items": items,
    "keys": keys,
    "values": values,
    "append": append,
    "add": append,
    "appendleft": append,
    "insert": insert,
    **names(extend, "extend extendleft"),
    "update": update_with,
    "pop": pop,
    "popleft": pop,
    "popitem": pop_item,
    "setdefault": set_default,
    **names(changes_order, "sort reverse remove discard clear rotate"),
    "asDict": as_dict,
    "__enter__": lambda f, call: f.entered(call.receiver or NOTHING),
    "__exit__": lambda f, call: f.decided(COMPUTED, call.args),
    **names(apply, "apply map applymap"),
}
"""Rules of methods."""
