"""Calls, and the functions, classes and modules that are made for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from headwater_functions.analysis.callables import UNREAD, Call, Closure, Library, depth_of
from headwater_functions.analysis.calls import call_value
from headwater_functions.analysis.constants import own_class
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.attributes import MOST_BOUND
from headwater_functions.analysis.instructions.building import positions
from headwater_functions.analysis.instructions.stack import NULL_MARK, Operation
from headwater_functions.analysis.values import COMPUTED, NOTHING, Value, join
from headwater_functions.code import Class, Code


def _build_class(f: Frame, _: Any) -> None:
    f.push(Value(calls=frozenset((Library("\0class"),))))


def _call(f: Frame, arg: Any) -> None:
    count, names, has_null = arg
    values = f.pops(count)
    _finish(f, values, names, has_null)


def _finish(f: Frame, values: list[Value], names: tuple[str, ...], has_null: bool) -> None:
    callee = f.pop()
    if has_null:
        below = f.pop()
        if NULL_MARK in callee.calls:
            callee = below
        elif NULL_MARK not in below.calls:
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
    if keywords is not None and NULL_MARK in keywords.calls:
        keywords = None
    call = Call("", [])
    items = positions(f, sequence, sequence.single)
    if items is None:
        call.args, call.spread = [f.element(sequence)], True
    else:
        call.args = items
    if keywords is not None:
        _spread_keywords(f, keywords, call)
    callee = f.pop()
    if has_null:
        below = f.pop()
        callee = below if NULL_MARK in callee.calls else callee
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
        names = dict(call.keywords)
        for _, made in objects:
            for name in made.members:
                names[str(name)] = join(names.get(str(name), NOTHING), made.part(name))
        call.keywords = names
    else:
        call.keywords = {**call.keywords, "**": f.compute([keywords])}


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
    found = positions(f, value, value.single)
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
    called = str(name.value) if name is not None else "class"
    if any(map(_has_odd_fields, functions)):
        members["\0odd"] = True
    made = Class(called, tuple(call.args[2:]), members, call.keywords.get("metaclass"))
    if call.spread or not call.keywords.keys() <= {"metaclass"}:
        made.odd = "is made with arguments that are not known"
    found = Value(calls=frozenset((own_class(made, f.function.scope),)))
    made.members = {name: _of_this(member, found) for name, member in made.members.items()}
    return found


def _of_this(member: Any, made: Value) -> Any:
    """A member of a class, whose functions may have the class in a variable of their own, as ``super()`` needs it."""
    if not isinstance(member, Value) or not member.calls:
        return member
    calls: set[Any] = set()
    for each in member.calls:
        if isinstance(each, Closure) and "__class__" in each.code.free:
            place = each.code.free.index("__class__")
            cells = (*each.cells[:place], made, *each.cells[place + 1 :])
            calls.add(replace(each, cells=cells))
        elif isinstance(each, Library) and each.values:
            calls.add(replace(each, values=tuple(_of_this(v, made) for v in each.values)))
        else:
            calls.add(each)
    return replace(member, calls=frozenset(calls))


_ODD_FIELDS = frozenset({"ClassVar", "InitVar", "KW_ONLY", "init", "kw_only"})


def _has_odd_fields(function: Closure) -> bool:
    """Whether the body of a class may have annotations that are no parameters of what makes an instance."""
    words = set(function.code.names)
    for each in function.code.constants:
        texts = each if isinstance(each, tuple) else (each,)
        words.update(w for text in texts if isinstance(text, str) for w in re.findall(r"\w+", text))
    return not words.isdisjoint(_ODD_FIELDS)


OPERATIONS: Mapping[str, Operation] = {
    "LOAD_BUILD_CLASS": _build_class,
    "CALL": _call,
    "CALL_KW": _call_keywords,
    "CALL_EX": _call_spread,
    "MAKE_FUNCTION": _make_function,
    "SET_FUNCTION_ATTRIBUTE": _set_function_attribute,
    "IMPORT_NAME": _import,
    "IMPORT_FROM": _import_from,
}
