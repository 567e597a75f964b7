"""Functions over iterators and collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from headwater_functions.analysis.callables import Call, Closure, Library, Scope
from headwater_functions.analysis.calls import call_value, called_often, changing_nothing
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.frame.elements import LAZY
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.methods import method_result
from headwater_functions.analysis.values import AGGREGATE, COMPUTED, NOTHING, PLAIN, Value, join, with_edges
from headwater_functions.code import Code, of_source


def _mapping(sources: int) -> Code:
    each, source = (", ".join(f"{name}{i}" for i in range(sources)) for name in ("each", "source"))
    of_all = f"zip({source})" if sources > 1 else source
    return of_source(f"def mapped(function, {source}):\n for {each} in {of_all}:\n  yield function({each})")


_MAPPING: Final = {sources: _mapping(sources) for sources in range(1, 7)}
"""Code may be compiled before anything is read, and not while it is."""
_FILTERING: Final = of_source(
    "def filtered(test, source):\n for each in source:\n  if test(each):\n   yield each"
)


def mapped(f: Frame, call: Call) -> Value:
    """``map``: the function is called when it is asked for an element."""
    code = _MAPPING.get(len(call.args) - 1)
    if call.spread or call.keywords or code is None:
        return f.touched(call.all, "it calls map with sources that are not known")
    function, *sources = call.args
    found = _at_once(f, function, [f.element(s) for s in sources])
    return f.iterator(found, sources, function) if found is not None else _lazily(f, code, call.args)


def filtered(f: Frame, call: Call) -> Value:
    if len(call.args) != 2 or call.spread or call.keywords:
        return f.touched(call.all)
    function, source = call.args
    element = f.element(source)
    test = _at_once(f, function, [element]) if f.can_call(function) else element
    if test is None:
        return _lazily(f, _FILTERING, call.args)
    return as_decided(f, f.iterator(f.decided(element, [test]), [source], function), test)


def _at_once(f: Frame, function: Value, given: Sequence[Value]) -> Value | None:
    """What the function gives now, if it gives the same whenever it is called, and changes nothing; else None."""
    before = f.state.copy()
    found = call_value(f, function, Call("", list(given)))
    if f.changed_since(before.heap):
        f.state.restore(before)
        return None
    return found


def _lazily(f: Frame, code: Code, given: Sequence[Value]) -> Value:
    """What a generator yields that is written here."""
    return f.reader.call(Closure(code, _PLAIN), Call("", list(given)), f)


_PLAIN: Final = Scope()


def as_decided(f: Frame, iterator: Value, *tests: Value) -> Value:
    """An iterator of which something decides how many elements it has."""
    for ref, made in f.objects(iterator):
        f.state.change(ref, replace(made, own=f.decided(made.own, tests)))
    return iterator


def runs(f: Frame, call: Call) -> Value:
    """``itertools.groupby``: pairs of a key and an iterator, of which the keys decide what is in them."""
    source, key = call.argument(0, "iterable"), call.argument(1, "key")
    if source is None:
        return f.touched(call.all)
    element = f.element(source)
    called = key is not None and f.can_call(key)
    by = called_often(f, key, [element], [source], later=True) if key is not None and called else element
    run = as_decided(f, f.iterator(f.decided(element, [by]), [source], key or NOTHING), by)
    pair = f.new(Object("tuple", members={0: f.decided(by, [by]), 1: run}), "pair")
    return as_decided(f, f.iterator(pair, [source], key or NOTHING), by)


def accumulated(f: Frame, call: Call) -> Value:
    """``itertools.accumulate``: each element is made of those before it, by a function or as their sum."""
    source, function = call.argument(0, "iterable"), call.argument(1, "func")
    if source is None:
        return f.touched(call.all)
    start = [v for v in (call.keywords.get("initial"),) if v is not None]
    called = function is not None and f.can_call(function)
    given = function if function is not None and called else Value(calls=frozenset((Library("max"),)))
    folding = Call("reduce", [given, source, *start])
    found = changing_nothing(f, lambda: reduced(f, folding)) if called else reduced(f, folding)
    return f.iterator(found, [source], given)


def zipped(f: Frame, call: Call) -> Value:
    """``zip`` and its like: what they are given besides fills elements, or decides how many there are."""
    if call.spread or (call.name.endswith("product") and call.keywords):
        return as_decided(f, f.iterator(f.compute(call.all), call.args), *call.keywords.values())
    sources = call.args
    others = list(call.keywords.values())
    parts = {i: join(f.element(s), *others) for i, s in enumerate(sources)}
    found = f.iterator(f.new(Object("tuple", members=parts), "pair"), sources)
    return as_decided(f, found, *others)


def enumerated(f: Frame, call: Call) -> Value:
    source, start = call.argument(0, "iterable"), call.argument(1, "start")
    if source is None:
        return f.touched(call.all)
    counted = f.compute([start]) if start is not None else COMPUTED
    pair = f.new(Object("tuple", members={0: counted, 1: f.element(source)}), "pair")
    return f.iterator(pair, [source])


def iterated(f: Frame, call: Call) -> Value:
    """``iter``: an object that knows where it stands."""
    if len(call.args) != 1:
        return f.touched(call.all)
    (source,) = call.args
    lazy = source.refs and all(m.kind in LAZY for _, m in f.objects(source))
    return source if lazy and not source.edges else f.iterator(f.element(source), [source])


def following(f: Frame, call: Call) -> Value:
    """``next``: the first element, which how many there are decides about."""
    source = call.args[0] if call.args else NOTHING
    decides = f.extent(source)
    element = with_edges(f.element(source), decides.edges, decides.opaque)
    f.advance(source)
    return join(element, *call.args[1:])


def reordered(f: Frame, call: Call) -> Value:
    """``sorted``, ``reversed``: the elements, whose order all of them decide."""
    source = call.args[0] if call.args else NOTHING
    element = f.element(source)
    by = [_by_key(f, call, element)] if call.name == "sorted" else []
    if call.name == "reversed":
        return f.iterator(element, [source])
    own = f.decided(
        Value(f.extent(source).edges), [*by, *(v for n, v in call.keywords.items() if n != "key")]
    )
    return f.new(Object("list", own, elements=element), "sorted")


def _by_key(f: Frame, call: Call, element: Value) -> Value:
    key = call.keywords.get("key")
    called = key is not None and f.can_call(key)
    return called_often(f, key, [element], call.args) if key is not None and called else element


def extreme(f: Frame, call: Call) -> Value:
    """``min``, ``max``: one of the elements, chosen by all of them."""
    elements = [f.element(call.args[0])] if len(call.args) == 1 else call.args
    default = call.keywords.get("default")
    found = join(*elements, *([default] if default is not None else []))
    by = [_by_key(f, call, e) for e in elements]
    decides = f.extent(call.args[0]) if len(call.args) == 1 else NOTHING
    found = with_edges(f.decided(found, by), decides.edges, decides.opaque)
    return found if found.refs else join(f.compute([found], PLAIN), f.held([found]))


def total(f: Frame, call: Call) -> Value:
    elements = [f.element(a) for a in call.args[:1]]
    decides = [Value(f.extent(a).edges) for a in call.args[:1]]
    return f.compute([*elements, *decides, *call.args[1:], *call.keywords.values()], AGGREGATE)


def truths(f: Frame, call: Call) -> Value:
    """``any``, ``all``: facts about facts; of truth values, nearly the values."""
    elements = [f.element(a) for a in call.args]
    decides = [Value(f.extent(a).edges) for a in call.args]
    for source, element in zip(call.args, elements, strict=True):
        f.advance(source, [element])
    return f.compute([*elements, *decides])


def reduced(f: Frame, call: Call) -> Value:
    if len(call.args) < 2 or call.spread:
        return f.touched(call.all)
    function, source, *start = call.args
    element = f.element(source)
    decides = f.extent(source)
    held = f.repeated(
        lambda held: call_value(f, function, Call("", [held, element])),
        decides,
        join(*start) if start else element,
    )
    return with_edges(join(f.compute([held]), f.held([held])), decides.edges, decides.opaque)


def repeated(f: Frame, call: Call) -> Value:
    repeating, times = call.argument(0, "object"), call.argument(1, "times")
    if repeating is None:
        return f.touched(call.all)
    deciding = [times] if times is not None else []
    return as_decided(f, f.iterator(f.decided(repeating, deciding), deciding), *deciding)


def copied(f: Frame, call: Call) -> Value:
    return method_result(f, Call("copy", [], receiver=call.args[0])) if call.args else COMPUTED


def copied_deeply(f: Frame, call: Call) -> Value:
    """A copy of something flat, or else a value that cannot be changed: its parts are others than those copied."""
    is_flat = not any(
        p.refs for a in call.args for _, m in f.objects(a) for p in (*m.members.values(), m.elements)
    )
    return copied(f, call) if is_flat else f.compute(call.all)


def chained(f: Frame, call: Call) -> Value:
    inner = call.name.endswith("from_iterable")
    sources = [f.element(a) for a in call.args] if inner else call.args
    elements = join(*(f.element(s) for s in sources))
    return f.iterator(elements, [*call.args, *sources])


def elements_as_they_are(f: Frame, call: Call) -> Value:
    """Some elements of the first argument, as others decide."""
    source, *others = call.args or [NOTHING]
    return as_decided(f, f.iterator(f.decided(f.element(source), others), [source]), *others)
