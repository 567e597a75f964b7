"""What each normalised instruction does to a frame; jumps, returns and yields are the reader's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headwater_functions.analysis.callables import UNREAD, Call, Closure, Library, Method, depth_of
from headwater_functions.analysis.calls import call_value
from headwater_functions.analysis.constants import own_class, value_of_record
from headwater_functions.analysis.frame import LAZY, Frame
from headwater_functions.analysis.heap import UNORDERED, Object
from headwater_functions.analysis.values import (
    COMPUTE,
    COMPUTED,
    FACT,
    NOTHING,
    SERIALIZE,
    SIZE,
    Value,
    constant,
    join,
    with_edges,
)
from headwater_functions.code import Class, Code

Operation = Callable[[Frame, Any], None]

MOST_BOUND = 12

MODULE = "<module>"
"""What Python calls the code of a module, whose own names are the global ones."""
_NULL = Value(calls=frozenset((Library("\0null"),)))
_NULL_MARK = next(iter(_NULL.calls))


def _load_fast(f: Frame, name: Any) -> None:
    f.push(f.state.names.get(name, COMPUTED))


def _store_fast(f: Frame, name: Any) -> None:
    f.state.names[name] = with_edges(f.pop(), f.pc.edges, f.pc.opaque)


def _delete_fast(f: Frame, name: Any) -> None:
    f.state.names.pop(name, None)


def _load_and_clear(f: Frame, name: Any) -> None:
    f.push(f.state.names.pop(name, NOTHING))


def _load_deref(f: Frame, name: Any) -> None:
    held = f.state.names.get(f"\0{name}")
    if held is None:
        raise f.unreadable("CONSTRUCT", f"it uses {name} from around it, which is not known")
    cells = [made.part("content") for _, made in f.objects(held) if made.kind == "cell"]
    f.push(join(*cells) if cells else held)


def _store_deref(f: Frame, name: Any) -> None:
    held = f.state.names.get(f"\0{name}", NOTHING)
    value = f.pop()
    if not any(made.kind == "cell" for _, made in f.objects(held)):
        raise f.unreadable(
            "GLOBAL", f"it changes {name} of an enclosing function", "keep state out of functions"
        )
    f.put(held, constant("content"), with_edges(value, f.pc.edges, f.pc.opaque))


def _load_closure(f: Frame, name: Any) -> None:
    f.state.stack.append(f.state.names.get(f"\0{name}", COMPUTED))


def _load_global(f: Frame, name: Any) -> None:
    scope = f.function.scope
    if name in scope:
        f.push(value_of_record(scope[name], scope))
    else:
        f.push(Value(calls=frozenset((Library(str(name)),))))


def _load_name(f: Frame, name: Any) -> None:
    if name in f.state.names:
        f.push(f.state.names[name])
    else:
        _load_global(f, name)


def _store_name(f: Frame, name: Any) -> None:
    f.state.names[name] = f.pop()


def _store_global(f: Frame, name: Any) -> None:
    if f.function.code.name == MODULE:
        _store_name(f, name)
        return
    raise f.unreadable("GLOBAL", f"it changes the global {name}", "keep state out of functions")


def _build_class(f: Frame, _: Any) -> None:
    f.push(Value(calls=frozenset((Library("\0class"),))))


def _load_attr(f: Frame, name: Any) -> None:
    f.push(f.attribute(f.pop(), name))


def _load_method(f: Frame, name: Any) -> None:
    value = f.pop()
    f.state.stack.append(_NULL)
    f.push(f.attribute(value, name))


def _load_builtin(f: Frame, name: Any) -> None:
    f.push(Value(calls=frozenset((Library(name),))))


def _load_special(f: Frame, name: Any) -> None:
    """A method of a context manager, which ``with`` calls."""
    value = f.pop()
    f.state.stack.append(_NULL)
    f.push(Value(calls=frozenset((Method.of(name, value),))))


def _store_attr(f: Frame, name: Any) -> None:
    target, value = f.pop(), f.pop()
    f.changeable(target)
    if any(made.kind != "object" for _, made in f.objects(target)):
        raise f.unreadable("IN_PLACE", f"it sets {name} of what is no instance", "build a new value instead")
    if any(f.is_computed(made, name) for _, made in f.objects(target)):
        raise f.unreadable(
            "IN_PLACE", f"it sets {name}, which its class computes", "set what it computes it of"
        )
    f.set_item(target, constant(name), value)


def _delete_attr(f: Frame, name: Any) -> None:
    f.put(f.pop(), constant(name), NOTHING)


def _binary(f: Frame, operator: Any) -> None:
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    f.push(_added(f, left, right) if operator == "+" else _combined(f, operator, left, right))


def _combined(f: Frame, operator: str, left: Value, right: Value) -> Value:
    single, made = left.single, f.objects(right)
    if operator == "%" and single is not None and isinstance(single.value, str):
        return f.compute([left, right], SERIALIZE)
    if operator == "|" and made and all(m.kind == "dict" for _, m in [*made, *f.objects(left)]):
        return join(left, right)
    return f.compute([left, right])


def _added(f: Frame, left: Value, right: Value) -> Value:
    objects = [*f.objects(left), *f.objects(right)]
    if objects and all(m.kind in ("list", "tuple") for _, m in objects) and len(objects) == 2:
        (_, first), (_, second) = objects
        if not left.edges and not right.edges:
            elements = join(first.each(), second.each())
            own = join(Value(first.own.edges, opaque=first.own.opaque), Value(second.own.edges))
            if first.elements is NOTHING and second.elements is NOTHING and not own.edges:
                parts = [*first.members.values(), *second.members.values()]
                return f.new(Object(first.kind, members=dict(enumerate(parts))))
            return f.new(Object(first.kind, own, elements=elements))
    return f.compute([left, right])


def _inplace(f: Frame, operator: Any) -> None:
    """As the operator, which may change the left side instead of making something new."""
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    kinds = {m.kind for _, m in f.objects(left)}
    if kinds and kinds <= {"list", "set", "dict"}:
        if operator == "+":
            f.add(left, f.element(right))
        else:
            f.touched([left, right])
        f.push(left)
        return
    result = _added(f, left, right) if operator == "+" else _combined(f, operator, left, right)
    if right.single is None and (kinds or any(e.how.moves for e in left.edges)):
        f.in_place(left, right)
    if kinds - {"tuple", "argument", "iterator"}:
        f.touched([left, right])
        result = join(left, result)
    f.push(result)


def _compare(f: Frame, operator: Any) -> None:
    right, left = f.pop(), f.pop()
    f.touch(left, right)
    sides = [s for s in (left, right) if s.single is None]
    constants = [s.single.value for s in (left, right) if s.single is not None]
    plain = bool(constants) and all(_tells_little(c) for c in constants)
    if operator == "is":
        f.push(f.compute(sides, FACT if plain or None in constants else COMPUTE))
    elif operator == "in":
        if any(made.kind in LAZY for _, made in f.objects(right)):
            f.advance(right, [left, f.element(right)])
        f.push(f.compute(sides, FACT if plain else COMPUTE))
    else:
        f.push(f.compute(sides, FACT if plain else COMPUTE))


def _tells_little(value: Any) -> bool:
    """Whether being equal to it is a fact about another value, and not that value: unlike of truth values."""
    if isinstance(value, list | tuple | set | frozenset | dict):
        return all(_tells_little(v) for v in value) and len(value) < 1000
    return (isinstance(value, str | bytes) and bool(value)) or (
        isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1)
    )


def _unary(f: Frame, _: Any) -> None:
    value = f.pop()
    f.touch(value)
    f.push(f.compute([value]) if value.single is None else value if _ == "POSITIVE" else _negative(value, _))


def _negative(value: Value, operator: str) -> Value:
    single = value.single
    if single is not None and operator == "NEGATIVE" and isinstance(single.value, int | float):
        return with_edges(constant(-single.value), value.edges)
    return Value(value.edges, other=True)


def _subscript(f: Frame, _: Any) -> None:
    key, value = f.pop(), f.pop()
    f.push(f.item(value, key))


def _store_subscript(f: Frame, _: Any) -> None:
    key, target, value = f.pop(), f.pop(), f.pop()
    f.set_item(target, key, value)


def _delete_subscript(f: Frame, _: Any) -> None:
    key, target = f.pop(), f.pop()
    f.touch(target, key)
    if all(made.kind in ("dict", "frame") for _, made in f.objects(target)):
        f.put(target, key, Value(f.pc.edges, other=True))
        f.state.disorder(target)
    else:
        f.shorten(target, [key])


def _build(kind: str) -> Operation:
    def operation(f: Frame, count: Any) -> None:
        f.push(f.new(Object(kind, members=dict(enumerate(f.pops(count))))))

    return operation


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


def _at_depth(f: Frame, depth: int) -> Value:
    if depth > len(f.state.stack):
        raise IndexError
    return f.state.stack[-depth]


def _list_append(f: Frame, depth: Any) -> None:
    value = f.pop()
    f.add(_at_depth(f, depth), value)


def _map_add(f: Frame, depth: Any) -> None:
    value, key = f.pop(), f.pop()
    f.put(_at_depth(f, depth), key, value, certain=False)


def _extend(f: Frame, depth: Any) -> None:
    value = f.pop()
    target = _at_depth(f, depth)
    f.touch(value)
    made = f.objects(target)
    single = value.single
    if len(made) == 1 and not made[0][1].members and made[0][1].elements is NOTHING:
        items = _positions(f, value, single)
        if items is not None:
            f.state.change(made[0][0], Object(made[0][1].kind, made[0][1].own, dict(enumerate(items))))
            return
    f.add(target, f.element(value))
    _own_extent(f, target, value)


def _positions(f: Frame, value: Value, single: Any) -> list[Value] | None:
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


def _own_extent(f: Frame, target: Value, value: Value) -> None:
    decides = f.extent(value)
    for ref, made in f.objects(target):
        own = with_edges(made.own, decides.edges, decides.opaque)
        f.state.change(ref, Object(made.kind, own, made.members, made.elements, made.keys, made.made))


def _update(f: Frame, depth: Any) -> None:
    value = f.pop()
    update(f, _at_depth(f, depth), value)


def update(f: Frame, target: Value, value: Value) -> None:
    """``dict.update``, also as ``{**a}``."""
    f.touch(value)
    f.changeable(target)
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


def _updated(made: Object, source: Object, certain: bool) -> Object:
    names = dict(made.members)
    of = made.made if certain and source.made != UNORDERED else UNORDERED
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
    return Object(made.kind, own, members, made.elements, made.keys, UNORDERED)


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


def _call(f: Frame, arg: Any) -> None:
    count, names, has_null = arg
    values = f.pops(count)
    _finish(f, values, names, has_null)


def _finish(f: Frame, values: list[Value], names: tuple[str, ...], has_null: bool) -> None:
    callee = f.pop()
    if has_null:
        below = f.pop()
        if _NULL_MARK in callee.calls:
            callee = below
        elif _NULL_MARK not in below.calls:
            callee, values = below, [callee, *values]
    place = len(values) - len(names)
    keywords = dict(zip(names, values[place:], strict=True))
    f.push(call_value(f, callee, Call("", values[:place], keywords)))


def _call_keywords(f: Frame, arg: Any) -> None:
    count, has_null = arg
    names = f.pop().single
    values = f.pops(count)
    _finish(f, values, names.value if names is not None else (), has_null)


def _call_spread(f: Frame, arg: Any) -> None:
    has_keywords, has_null = arg
    keywords = f.pop() if has_keywords else None
    sequence = f.pop()
    if keywords is not None and _NULL_MARK in keywords.calls:
        keywords = None
    call = Call("", [])
    items = _positions(f, sequence, sequence.single)
    if items is None:
        call.args, call.spread = [f.element(sequence)], True
    else:
        call.args = items
    if keywords is not None:
        _spread_keywords(f, keywords, call)
    callee = f.pop()
    if has_null:
        below = f.pop()
        callee = below if _NULL_MARK in callee.calls else callee
    f.push(call_value(f, callee, call))


def _spread_keywords(f: Frame, keywords: Value, call: Call) -> None:
    objects = f.objects(keywords)
    plain = (
        objects
        and not keywords.edges
        and all(
            m.kind == "dict" and m.elements is NOTHING and not any(e.how.moves for e in m.own.edges)
            for _, m in objects
        )
    )
    if plain:
        for _, made in objects:
            for name in made.members:
                call.keywords[str(name)] = join(call.keywords.get(str(name), NOTHING), made.part(name))
    else:
        call.keywords["**"] = f.compute([keywords])


def _make_function(f: Frame, arg: Any) -> None:
    flags, named = arg
    if named:
        f.pop()
    code = f.pop().single
    if code is None or not isinstance(code.value, Code):
        raise f.unreadable("BYTECODE", "a function is made of no code")
    cells = _parts(f, f.pop()) if flags & 8 else ()
    if flags & 4:
        f.pop()
    keywords = _keyword_parts(f, f.pop()) if flags & 2 else ()
    defaults = _parts(f, f.pop()) if flags & 1 else ()
    f.push(_made(f, [Closure(code.value, f.function.scope, cells, defaults, keywords)]))


def _made(f: Frame, functions: Iterable[Any]) -> Value:
    """Functions that were just made; one that is bound to functions may be bound to itself of the round before."""
    value = Value(calls=frozenset(functions))
    if depth_of(value) > MOST_BOUND:
        raise f.unreadable("TOO_DEEP", "it binds functions to functions again and again", "use a loop")
    return value


def _parts(f: Frame, value: Value) -> tuple[Value, ...]:
    found = _positions(f, value, value.single)
    if found is None:
        raise f.unreadable("CONSTRUCT", "a function is bound to values that are not known", "use a loop")
    return tuple(found)


def _keyword_parts(f: Frame, value: Value) -> tuple[tuple[str, Value], ...]:
    return tuple((str(n), v) for _, made in f.objects(value) for n, v in made.members.items())


def _set_function_attribute(f: Frame, flag: Any) -> None:
    function, value = f.pop(), f.pop()
    made: set[Any] = set()
    for each in function.calls:
        if isinstance(each, Closure):
            cells = _parts(f, value) if flag == 8 else each.cells
            defaults = _parts(f, value) if flag == 1 else each.defaults
            keywords = _keyword_parts(f, value) if flag == 2 else each.keyword_defaults
            made.add(Closure(each.code, each.scope, cells, defaults, keywords))
        else:
            made.add(each)
    f.push(_made(f, made))


def _import(f: Frame, name: Any) -> None:
    names, level = f.pop().single, f.pop().single
    whole = str(name) if names is not None and names.value else str(name).partition(".")[0]
    if level is None or level.value:
        whole = _relative(f.function.scope.get("__package__"), level and level.value, whole)
    f.push(Value(calls=frozenset((Library(whole),))))


def _relative(package: Any, level: Any, name: str) -> str:
    """The name of a module that is named from the package of the one that imports it, if that is known."""
    parts = package.split(".") if isinstance(package, str) and package else []
    if not isinstance(level, int) or not 0 < level <= len(parts):
        return f"{UNREAD}{name}"
    return ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])


def _import_from(f: Frame, name: Any) -> None:
    module = f.state.stack[-1]
    f.push(
        Value(calls=frozenset(Library(f"{c.name}.{name}") for c in module.calls if isinstance(c, Library)))
    )


def _swap(f: Frame, depth: Any) -> None:
    stack = f.state.stack
    if not 0 < depth <= len(stack):
        raise IndexError
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


def _rotate(f: Frame, depth: Any) -> None:
    top = f.pop()
    place = len(f.state.stack) - depth + 1
    if place < 0:
        raise IndexError
    f.state.stack.insert(place, top)


def _copy(f: Frame, depth: Any) -> None:
    if not 0 < depth <= len(f.state.stack):
        raise IndexError
    f.state.stack.append(f.state.stack[-depth])


def _pop(f: Frame, _: Any) -> None:
    f.pop()


def _pop_second(f: Frame, _: Any) -> None:
    top = f.pop()
    f.pop()
    f.state.stack.append(top)


def _exception(f: Frame, _: Any) -> None:
    top = f.pop()
    f.state.stack.append(COMPUTED)
    f.state.stack.append(top)


def _matched_exception(f: Frame, _: Any) -> None:
    f.pop()
    f.push(f.compute([_at_depth(f, 1)]))


def _before_with(f: Frame, _: Any) -> None:
    manager = f.pop()
    f.push(Value(calls=frozenset((Method.of("__exit__", manager),))))
    f.push(f.entered(manager))


def _length(f: Frame, _: Any) -> None:
    f.push(size_of(f, f.state.stack[-1]))


def size_of(f: Frame, value: Value) -> Value:
    """How many elements there are."""
    outside = Value(f.tested(value).edges)
    moved = frozenset(
        e for e in value.edges.union(*(m.own.edges for _, m in f.objects(value))) if e.how.moves
    )
    return join(
        f.compute([Value(moved)], SIZE),
        with_edges(f.compute([_computed_part(f, value)], FACT), outside.edges),
    )


def _computed_part(f: Frame, value: Value) -> Value:
    edges = value.edges.union(*(m.own.edges for _, m in f.objects(value)))
    return Value(frozenset(e for e in edges if not e.how.moves))


def _match(f: Frame, _: Any) -> None:
    f.push(size_of(f, f.state.stack[-1]))


def _match_keys(f: Frame, pushes_more: Any) -> None:
    keys, subject = _at_depth(f, 1), _at_depth(f, 2)
    single = keys.single
    names = single.value if single is not None and isinstance(single.value, tuple) else ()
    parts = {i: f.item(subject, constant(n)) for i, n in enumerate(names)}
    there = f.compute([Value(f.tested(subject).edges)])
    others = f.compute([subject, keys]) if not parts else NOTHING
    f.push(join(f.new(Object("tuple", there, parts, others), "keys"), constant(None)))
    if pushes_more:
        f.push(there)


def _match_class(f: Frame, arg: Any) -> None:
    _, pushes_more = arg
    names = f.pop().single
    f.pop()
    subject = f.state.stack[-1] if pushes_more else f.pop()
    attributes = names.value if names is not None and isinstance(names.value, tuple) else ()
    parts = {i: f.attribute(subject, str(n)) for i, n in enumerate(attributes)}
    made = f.new(Object("tuple", f.compute([subject], FACT), parts, f.compute([subject])), "class")
    if pushes_more:
        f.state.stack[-1] = made
        f.push(f.compute([subject], FACT))
    else:
        f.push(join(made, constant(None)))


def _dict_without_keys(f: Frame, _: Any) -> None:
    keys, subject = f.pop(), f.pop()
    f.push(subject)
    f.push(f.compute([subject, keys]))


_OF_CLASSES = frozenset({"__classcell__", "__classdictcell__", "__annotate_func__"})
"""What the compiler binds in a class for itself."""


def class_of(f: Frame, call: Call) -> Value:
    """The class that a class statement makes, where a module is read."""
    functions = [c for c in (call.args[0].calls if call.args else ()) if isinstance(c, Closure)]
    name = call.args[1].single if len(call.args) > 1 else None
    if not functions:
        return COMPUTED
    names = f.reader.names_of(functions[0], f)
    members: dict[str, Any] = {
        n: v for n, v in names.items() if n not in _OF_CLASSES and (n[:1] != "\0" or n == "\0fields")
    }
    if "__annotations__" in members:
        members["__annotations__"] = {}
    made = Class(str(name.value) if name is not None else "class", tuple(call.args[2:]), members)
    return Value(calls=frozenset((own_class(made, f.function.scope),)))


OPERATIONS: Mapping[str, Operation] = {
    "NOP": lambda f, a: None,
    "POP": _pop,
    "POP_SECOND": _pop_second,
    "POP_BLOCK": lambda f, a: None,
    "PUSH_NULL": lambda f, a: f.state.stack.append(_NULL),
    "LOAD_NOTHING": lambda f, a: f.push(COMPUTED),
    "SWAP": _swap,
    "ROTATE": _rotate,
    "COPY": _copy,
    "LOAD_CONST": lambda f, a: f.push(constant(a)),
    "LOAD_FAST": _load_fast,
    "STORE_FAST": _store_fast,
    "DELETE_FAST": _delete_fast,
    "LOAD_FAST_AND_CLEAR": _load_and_clear,
    "LOAD_DEREF": _load_deref,
    "STORE_DEREF": _store_deref,
    "LOAD_CLOSURE": _load_closure,
    "LOAD_GLOBAL": _load_global,
    "STORE_GLOBAL": _store_global,
    "LOAD_NAME": _load_name,
    "STORE_NAME": _store_name,
    "LOAD_BUILD_CLASS": _build_class,
    "LOAD_ATTR": _load_attr,
    "LOAD_METHOD": _load_method,
    "LOAD_BUILTIN": _load_builtin,
    "LOAD_SPECIAL": _load_special,
    "STORE_ATTR": _store_attr,
    "DELETE_ATTR": _delete_attr,
    "BINARY": _binary,
    "INPLACE": _inplace,
    "COMPARE": _compare,
    "UNARY": _unary,
    "SUBSCR": _subscript,
    "STORE_SUBSCR": _store_subscript,
    "DELETE_SUBSCR": _delete_subscript,
    "BUILD_TUPLE": _build("tuple"),
    "BUILD_LIST": _build("list"),
    "BUILD_SET": _build("set"),
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
    "CALL": _call,
    "CALL_KW": _call_keywords,
    "CALL_EX": _call_spread,
    "MAKE_FUNCTION": _make_function,
    "SET_FUNCTION_ATTRIBUTE": _set_function_attribute,
    "IMPORT_NAME": _import,
    "IMPORT_FROM": _import_from,
    "UNPACK": _unpack,
    "UNPACK_EX": _unpack_rest,
    "GET_ITER": lambda f, a: None,
    "PUSH_EXC_INFO": _exception,
    "CHECK_EXC_MATCH": _matched_exception,
    "BEFORE_WITH": _before_with,
    "GET_LEN": _length,
    "MATCH": _match,
    "MATCH_KEYS": _match_keys,
    "MATCH_CLASS": _match_class,
    "COPY_DICT_WITHOUT_KEYS": _dict_without_keys,
}
