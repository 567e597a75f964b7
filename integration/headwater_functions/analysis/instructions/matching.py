"""Sizes, and the patterns of ``match``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.instructions.stack import Operation, at_depth
from headwater_functions.analysis.values import FACT, NOTHING, SIZE, Value, constant, join, with_edges


def _length(f: Frame, _: Any) -> None:
    f.push(size_of(f, f.state.stack[-1]))


def size_of(f: Frame, value: Value) -> Value:
    """How many elements there are."""
    outside = f.tested(value)
    moved = frozenset(
        e for e in value.edges.union(*(m.own.edges for _, m in f.objects(value))) if e.how.moves
    )
    return join(
        f.compute([Value(moved)], SIZE),
        with_edges(f.compute([_computed_part(f, value)], FACT), outside.edges, outside.opaque),
    )


def _computed_part(f: Frame, value: Value) -> Value:
    edges = value.edges.union(*(m.own.edges for _, m in f.objects(value)))
    return Value(frozenset(e for e in edges if not e.how.moves))


def _match(f: Frame, _: Any) -> None:
    f.push(size_of(f, f.state.stack[-1]))


def _match_keys(f: Frame, pushes_more: Any) -> None:
    keys, subject = at_depth(f, 1), at_depth(f, 2)
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


OPERATIONS: Mapping[str, Operation] = {
    "GET_LEN": _length,
    "MATCH": _match,
    "MATCH_KEYS": _match_keys,
    "MATCH_CLASS": _match_class,
    "COPY_DICT_WITHOUT_KEYS": _dict_without_keys,
}
