"""Collections and texts that are built, filled and unpacked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.constants import value_of_record
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import MAKES, UNORDERED, Object
from headwater_functions.analysis.instructions.stack import Operation, at_depth
from headwater_functions.analysis.values import (
    COMPUTED,
    NOTHING,
    SERIALIZE,
    Value,
    constant,
    join,
    with_edges,
)


def _build(kind: str) -> Operation:
    def operation(f: Frame, count: Any) -> None:
        f.push(f.new(Object(kind, members=dict(enumerate(f.pops(count))))))

    return operation


def _build_set(f: Frame, count: Any) -> None:
    """Of which of its elements are equal depends how many there are."""
    parts = f.pops(count)
    f.push(f.new(Object("set", f.decided(NOTHING, parts if count > 1 else []), dict(enumerate(parts)))))


def _build_map(f: Frame, count: Any) -> None:
    parts = f.pops(2 * count)
    f.push(_mapping(f, parts[::2], parts[1::2]))


def _build_constant_map(f: Frame, count: Any) -> None:
    names = f.pop().single
    values = f.pops(count)
    keys = [constant(n) for n in names.value] if names is not None else [COMPUTED] * count
    f.push(_mapping(f, keys, values))


def _mapping(f: Frame, keys: list[Value], values: list[Value]) -> Value:
    made = f.new(Object("dict"))
    for key, value in zip(keys, values, strict=True):
        f.put(made, key, value)
    return made


def _build_string(f: Frame, count: Any) -> None:
    parts = f.pops(count)
    f.push(f.compute(parts, SERIALIZE))


def _format(f: Frame, has_format: Any) -> None:
    parts = f.pops(2 if has_format else 1)
    f.touch(*parts)
    f.push(f.compute(parts, SERIALIZE))


def _slice(f: Frame, count: Any) -> None:
    parts = f.pops(count)
    singles = [p.single for p in parts]
    if all(s is not None and isinstance(s.value, int | None) for s in singles):
        f.push(constant(slice(*(s.value for s in singles if s is not None))))
    else:
        f.push(with_edges(constant(slice(None)), f.compute([p for p in parts if p.single is None]).edges))


def _to_tuple(f: Frame, _: Any) -> None:
    value = f.pop()
    made = [m for _, m in f.objects(value)]
    if len(made) == 1 and made[0].kind == "list":
        f.push(f.new(Object("tuple", made[0].own, made[0].members, made[0].elements)))
    else:
        f.push(value)


def _list_append(f: Frame, depth: Any) -> None:
    value = f.pop()
    f.add(at_depth(f, depth), value)


def _map_add(f: Frame, depth: Any) -> None:
    value, key = f.pop(), f.pop()
    f.put(at_depth(f, depth), key, value, certain=False)


def _extend(f: Frame, depth: Any) -> None:
    value = f.pop()
    target = at_depth(f, depth)
    f.touch(value)
    made = f.objects(target)
    single = value.single
    if len(made) == 1 and made[0][1].elements is NOTHING and made[0][1].kind != "set":
        ref, held = made[0]
        items = positions(f, value, single)
        if items is not None and [*held.members] == [*range(len(held.members))]:
            members = {**held.members, **dict(enumerate(items, len(held.members)))}
            f.state.change(ref, Object(held.kind, held.own, members))
            return
    f.add(target, f.element(value), decides=f.extent(value))


def positions(f: Frame, value: Value, single: Any) -> list[Value] | None:
    """The elements by their places; None where they are not known. What decided about the whole decides about each."""
    deciding = frozenset(e for e in value.edges if e.how.decides)
    if single is not None and isinstance(single.value, tuple | list):
        return [with_edges(value_of_record(i, None), deciding) for i in single.value]
    objects = f.objects(value)
    if len(objects) != 1 or deciding != value.edges or objects[0][1].kind not in ("list", "tuple"):
        return None
    made = objects[0][1]
    if made.elements is not NOTHING or not all(e.how.decides for e in made.own.edges):
        return None
    places = range(len(made.members))
    if not made.members.keys() <= set(places):
        return None
    return [with_edges(made.members[n], deciding | made.own.edges, made.own.opaque) for n in places]


def _update(f: Frame, depth: Any) -> None:
    value = f.pop()
    update(f, at_depth(f, depth), value)


def update(f: Frame, target: Value, value: Value) -> None:
    """``dict.update``, also as ``{**a}``."""
    f.touch(value)
    f.changeable(target)
    f.note(target, value)
    for ref, held in f.objects(target):
        made = held
        for _, source in f.objects(value):
            made = _updated(made, source, certain=not ref.older and len(value.refs) == 1)
        if value.edges or value.other:
            made = _updated_by_any(f, made, value)
        plain = [c.value for c in value.constants if isinstance(c.value, dict)]
        members = {**made.members, **{n: value_of_record(v, None) for c in plain for n, v in c.items()}}
        own = with_edges(made.own, f.pc.edges, f.pc.opaque)
        f.state.change(ref, Object(made.kind, own, members, made.elements, made.keys, made.made))


def fill(f: Frame, made: Value, source: Value) -> None:
    """Fill a dictionary from another one, or from pairs.

    Of an argument nobody knows which; its values are values either way.
    """
    kinds = {m.kind for _, m in f.objects(source)}
    if (kinds and kinds <= {"dict", "argument"}) or (source.constants and not source.refs):
        update(f, made, source)
        return
    pair = f.element(source)
    key, value = f.item(pair, constant(0)), f.item(pair, constant(1))
    decides = f.extent(source)
    key = Value(key.edges, key.refs, key.constants, other=True, opaque=key.opaque)
    f.put(made, key, f.decided(value, [decides]), certain=False)


def _updated(made: Object, source: Object, certain: bool) -> Object:
    names = dict(made.members)
    of = made.made if certain and source.made not in (UNORDERED, MAKES) else made.disordered
    for name, part in source.members.items():
        names[name] = part if certain else join(part, made.part(name, False))
    own = join(made.own, Value(source.own.edges, other=source.own.other, opaque=source.own.opaque))
    if source.own.edges:
        # Whatever the source has under a name replaces what was there.
        names = {n: v if n in source.members else join(v, source.part(n, False)) for n, v in names.items()}
    elements, keys = join(made.elements, source.elements), join(made.keys, source.keys)
    return Object(made.kind, own, names, elements, keys, of)


def _updated_by_any(f: Frame, made: Object, value: Value) -> Object:
    own = join(made.own, Value(value.edges, other=True, opaque=value.opaque))
    known = f.compute([value])
    members = {n: join(v, known) for n, v in made.members.items()}
    return Object(made.kind, own, members, made.elements, made.keys, made.disordered)


def _unpack(f: Frame, count: Any) -> None:
    value = f.pop()
    f.touch(value)
    for place in range(count - 1, -1, -1):
        f.push(_unpacked(f, value, place))


def _unpacked(f: Frame, value: Value, place: int) -> Value:
    """The element at a place; of keys, of text and of what comes one by one, any."""
    if (
        all(m.kind in ("list", "tuple", "argument", "object") for _, m in f.objects(value))
        and not value.constants
    ):
        return f.item(value, constant(place))
    if value.single is not None and isinstance(value.single.value, tuple | list):
        return f.item(value, constant(place))
    return f.element(value)


def _unpack_rest(f: Frame, counts: Any) -> None:
    before, behind = counts
    value = f.pop()
    f.touch(value)
    ordered = all(m.kind in ("list", "tuple", "argument") for _, m in f.objects(value)) and bool(value.refs)
    for place in range(behind - 1, -1, -1):
        f.push(f.item(value, constant(place - behind)) if ordered else f.element(value))
    f.push(f.new(Object("list", Value(f.extent(value).edges), elements=f.element(value)), "rest"))
    for place in range(before - 1, -1, -1):
        f.push(_unpacked(f, value, place))


OPERATIONS: Mapping[str, Operation] = {
    "BUILD_TUPLE": _build("tuple"),
    "BUILD_LIST": _build("list"),
    "BUILD_SET": _build_set,
    "BUILD_MAP": _build_map,
    "BUILD_CONST_KEY_MAP": _build_constant_map,
    "BUILD_STRING": _build_string,
    "BUILD_SLICE": _slice,
    "TO_TUPLE": _to_tuple,
    "LIST_APPEND": _list_append,
    "MAP_ADD": _map_add,
    "EXTEND": _extend,
    "UPDATE": _update,
    "FORMAT": _format,
    "UNPACK": _unpack,
    "UNPACK_EX": _unpack_rest,
}
